#include <algorithm>
#include <cctype>

#include "base/files.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {
namespace {

SymbolKind KindOfBlock(std::string_view type) {
  constexpr std::pair<std::string_view, SymbolKind> kKinds[] = {
      {"terraform", SymbolKind::kTerraform}, {"provider", SymbolKind::kProvider},
      {"variable", SymbolKind::kVariable},   {"output", SymbolKind::kOutput},
      {"resource", SymbolKind::kResource},   {"data", SymbolKind::kData},
      {"ephemeral", SymbolKind::kEphemeral}, {"module", SymbolKind::kModule},
      {"check", SymbolKind::kCheck},         {"run", SymbolKind::kRun},
      {"moved", SymbolKind::kMoved},
  };
  const auto found =
      std::ranges::find(kKinds, type, &std::pair<std::string_view, SymbolKind>::first);
  return found == std::end(kKinds) ? SymbolKind::kOtherBlock : found->second;
}

/// Clients read nested messages by recursion: what is deeper is left out.
constexpr size_t kDeepest = 100;

Symbol SymbolOf(const hcl::NativeBlock& block, size_t depth);

/// The arguments and blocks of a body, in the order of the source.
std::vector<Symbol> Items(const hcl::NativeBody& body, SymbolKind arguments, size_t depth) {
  std::vector<Symbol> out;
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    out.push_back({.name = std::string(attribute.name.view()),
                   .kind = arguments,
                   .whole = {attribute.begin, attribute.end},
                   .name_span = {attribute.begin, attribute.name_end()}});
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    out.push_back(SymbolOf(block, depth + 1));
  }
  std::ranges::sort(out, {}, [](const Symbol& symbol) { return symbol.whole.begin; });
  return out;
}

Symbol SymbolOf(const hcl::NativeBlock& block, size_t depth) {
  Symbol symbol{.detail = std::string(block.type.view()),
                .kind = KindOfBlock(block.type),
                .whole = {block.type_begin, std::max(block.close_brace + 1, block.header_end())},
                .name_span = {block.type_begin, block.type_end()}};
  for (const hcl::Label& label : block.labels) {
    symbol.name += (symbol.name.empty() ? "" : ".") + std::string(label.text.view());
    symbol.name_span = {label.begin, label.end};
  }
  if (symbol.name.empty()) {
    symbol.name = symbol.detail;
  }
  if (depth < kDeepest) {
    const bool is_locals = block.type.view() == "locals";
    symbol.children =
        Items(*block.body, is_locals ? SymbolKind::kLocal : SymbolKind::kArgument, depth);
  }
  return symbol;
}

/// How well a name fits a query: smaller is better; negative: not at all.
int Distance(std::string_view name, std::string_view query) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  int distance = 0;
  size_t at = 0;
  for (const char wanted : query) {
    const size_t begin = at;
    while (at < name.size() && lower(name[at]) != lower(wanted)) {
      ++at;
    }
    if (at == name.size()) {
      return -1;
    }
    // A gap costs what it skips, but less at the beginning of a word.
    const bool starts_word = at == 0 || name[at - 1] == '.' || name[at - 1] == '_';
    distance += starts_word ? static_cast<int>(begin != at) : static_cast<int>(at - begin);
    ++at;
  }
  return distance;
}

}  // namespace

std::vector<Symbol> DocumentSymbols(const Snapshot& snapshot, const std::string& path) {
  const ParsedFile* file = snapshot.parts().Find(path);
  if (file == nullptr) {
    return {};
  }
  if (const hcl::NativeBody* native = file->native()) {
    return Items(*native, SymbolKind::kArgument, 0);
  }
  std::vector<Symbol> out;
  for (const Declaration& declaration : file->declarations) {
    out.push_back({.name = declaration.key,
                   .kind = declaration.kind,
                   .whole = declaration.whole,
                   .name_span = declaration.name});
  }
  return out;
}

std::vector<FoundSymbol> WorkspaceSymbols(const Snapshot& snapshot, std::string_view query) {
  const Snapshot::Parts& parts = snapshot.parts();
  std::vector<std::pair<int, FoundSymbol>> found;
  for (const auto& [path, file] : parts.files) {
    for (const Declaration& declaration : file->declarations) {
      const int distance = Distance(declaration.key, query);
      if (distance < 0) {
        continue;
      }
      std::string container = DirName(path);
      for (const std::string& folder : parts.folders) {
        if (container == folder || container.starts_with(folder + "/")) {
          container = container == folder ? "." : container.substr(folder.size() + 1);
          break;
        }
      }
      found.emplace_back(distance, FoundSymbol{.name = declaration.key,
                                               .container = std::move(container),
                                               .kind = declaration.kind,
                                               .place = {path, declaration.name}});
    }
  }
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<FoundSymbol> out;
  for (auto& [distance, symbol] : found) {
    out.push_back(std::move(symbol));
  }
  return out;
}

}  // namespace kinu::ide
