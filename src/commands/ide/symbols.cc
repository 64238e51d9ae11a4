#include <algorithm>
#include <cctype>

#include "base/files.h"
#include "hcl/static.h"
#include "ide/answers.h"
#include "ide/language_blocks.h"
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

/// The symbols of a file in JSON syntax: which members are blocks, the language says.
class JsonSymbols {
 public:
  explicit JsonSymbols(const ParsedFile& file) : file_(file) {}

  std::vector<Symbol> Run() {
    std::vector<Symbol> out;
    const bool has_blocks = file_.kind != FileKind::kVariables;
    const LanguageBlock& blocks = file_.kind == FileKind::kTest ? TestFile() : ConfigurationFile();
    Diagnostics ignored;
    for (const hcl::Attribute& attribute : file_.body->JustAttributes({}, ignored)) {
      if (attribute.expr != nullptr) {
        AddMember({attribute.name, SpanOf(attribute.name_range), *attribute.expr},
                  has_blocks ? &blocks : nullptr, SymbolKind::kArgument, out);
      }
    }
    return out;
  }

 private:
  struct Member {
    std::string_view name;
    Span key;
    const hcl::Expr& value;
  };
  /// Blocks of one type, as far as their labels are known.
  struct Labels {
    const LanguageBlock& block;
    std::vector<std::string_view> names;
    Span key;                  // of the last one, or of the type
    bool is_repeated = false;  // in an array, where it has no key of its own
  };

  void AddMember(const Member& member, const LanguageBlock* around, SymbolKind argument,
                 std::vector<Symbol>& out) {
    const LanguageBlock* block = around == nullptr ? nullptr : around->FindBlock(member.name);
    if (block != nullptr) {
      return AddBlocks({.block = *block, .names = {}, .key = member.key}, member.value, out);
    }
    out.push_back({.name = std::string(member.name),
                   .kind = argument,
                   .whole = {member.key.begin, SpanOf(member.value.range()).end},
                   .name_span = InsideQuotes(file_.text(), member.key)});
  }

  template <typename Visit>
  static void ForEachMember(const hcl::ObjectExpr& object, const Visit& visit) {
    for (const hcl::ObjectItem& item : object.items) {
      const auto name = hcl::AsLiteralString(*item.key);
      visit(Member{name.value_or(""), SpanOf(item.key->range()), *item.value});
    }
  }

  void AddBlocks(const Labels& labels, const hcl::Expr& value, std::vector<Symbol>& out) {
    if (value.kind == hcl::ExprKind::kTuple) {
      for (const hcl::Expr* element : static_cast<const hcl::TupleExpr&>(value).elements) {
        Labels repeated = labels;
        repeated.is_repeated = true;
        AddBlocks(repeated, *element, out);
      }
    } else if (value.kind == hcl::ExprKind::kJsonObject) {
      const auto& object = static_cast<const hcl::ObjectExpr&>(value);
      if (labels.names.size() == labels.block.labels.size()) {
        return AddBlock(labels, object, out);
      }
      ForEachMember(object, [&](const Member& member) {
        Labels longer{.block = labels.block, .names = labels.names, .key = member.key};
        longer.names.push_back(member.name);
        AddBlocks(longer, member.value, out);
      });
    }
  }

  void AddBlock(const Labels& labels, const hcl::ObjectExpr& object, std::vector<Symbol>& out) {
    const std::string type(labels.block.type);
    const Span whole = SpanOf(object.range());
    Symbol symbol{.detail = type,
                  .kind = KindOfBlock(type),
                  .whole = {labels.is_repeated ? whole.begin : labels.key.begin, whole.end},
                  .name_span = labels.is_repeated ? Span{whole.begin, whole.begin + 1}
                                                  : InsideQuotes(file_.text(), labels.key)};
    for (const std::string_view label : labels.names) {
      symbol.name += (symbol.name.empty() ? "" : ".") + std::string(label);
    }
    if (symbol.name.empty()) {
      symbol.name = type;
    }
    const SymbolKind argument = type == "locals" ? SymbolKind::kLocal : SymbolKind::kArgument;
    ForEachMember(object, [&](const Member& member) {
      AddMember(member, &labels.block, argument, symbol.children);
    });
    out.push_back(std::move(symbol));
  }

  const ParsedFile& file_;
};

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
  return file->body == nullptr ? std::vector<Symbol>() : JsonSymbols(*file).Run();
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
