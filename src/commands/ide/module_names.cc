#include "ide/module_names.h"

#include <algorithm>
#include <set>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "hcl/static.h"
#include "provider/find_schema.h"

namespace kinu::ide {
namespace {

struct DeclaringType {
  std::string_view type;
  std::string_view prefix;
  size_t labels;
  SymbolKind kind;
};
constexpr DeclaringType kDeclaringTypes[] = {
    {"variable", "var.", 1, SymbolKind::kVariable},
    {"output", "output.", 1, SymbolKind::kOutput},
    {"module", "module.", 1, SymbolKind::kModule},
    {"check", "check.", 1, SymbolKind::kCheck},
    {"run", "run.", 1, SymbolKind::kRun},
    {"provider", "provider.", 1, SymbolKind::kProvider},
    {"resource", "", 2, SymbolKind::kResource},
    {"data", "data.", 2, SymbolKind::kData},
    {"ephemeral", "ephemeral.", 2, SymbolKind::kEphemeral},
};

const DeclaringType* FindDeclaringType(std::string_view type) {
  const auto* found = std::ranges::find(kDeclaringTypes, type, &DeclaringType::type);
  return found == std::end(kDeclaringTypes) ? nullptr : found;
}

/// The address in an entry of `required_providers`.
std::string AddressInEntry(std::string_view local_name, const hcl::Expr& entry) {
  std::string source(local_name);
  if (const auto items = hcl::AsMap(entry)) {
    for (const hcl::ObjectItem& item : *items) {
      const hcl::Expr* key = item.key;
      if (key->kind == hcl::ExprKind::kObjectKey) {
        key = static_cast<const hcl::ObjectKeyExpr*>(key)->wrapped;
      }
      std::string_view word = key->range().text();
      if (const auto text = hcl::AsLiteralString(*key)) {
        word = *text;
      }
      const auto value = hcl::AsLiteralString(*item.value);
      if (word == "source" && value) {
        source = *value;
      }
    }
  }
  const auto address = ParseProviderSource(source);
  return address ? address->ToText() : std::string();
}

/// Adds the entries of all `required_providers` in a body.
void ReadRequirements(const hcl::Body& body,
                      std::map<std::string, std::string, std::less<>>& required) {
  constexpr hcl::BlockSchema kSettings[] = {{"terraform"}};
  constexpr hcl::BlockSchema kRequirements[] = {{"required_providers"}};
  Diagnostics ignored;
  const auto settings = body.Content({.blocks = kSettings}, hcl::Strictness::kPartial, ignored);
  for (const hcl::Block& block : settings.blocks) {
    const auto lists =
        block.body->Content({.blocks = kRequirements}, hcl::Strictness::kPartial, ignored);
    for (const hcl::Block& list : lists.blocks) {
      for (const hcl::Attribute& entry : list.body->JustAttributes({}, ignored)) {
        if (entry.expr != nullptr) {
          required[std::string(entry.name)] = AddressInEntry(entry.name, *entry.expr);
        }
      }
    }
  }
}

}  // namespace

Key KeyOfBlock(std::string_view type, std::span<const std::string_view> labels) {
  const DeclaringType* declaring = FindDeclaringType(type);
  if (declaring == nullptr || declaring->labels != labels.size()) {
    return {};
  }
  Key key(declaring->prefix);
  for (size_t i = 0; i < labels.size(); ++i) {
    key.append(i == 0 ? "" : ".").append(labels[i]);
  }
  return key;
}

ModuleNames::ModuleNames(const Snapshot& snapshot, std::string directory, const ParsedFile* current)
    : snapshot_(snapshot), directory_(std::move(directory)), current_(current) {
  if (const auto found = parts().modules.find(directory_); found != parts().modules.end()) {
    for (const auto& file : found->second.files) {
      if (Counts(*file)) {
        files_.push_back(file.get());
      }
    }
  }
  if (current_ != nullptr && current_->kind == FileKind::kTest &&
      std::ranges::find(files_, current_) == files_.end()) {
    files_.push_back(current_);  // of another module, with runs of its own
  }
  if (current_ != nullptr && current_->syntax.has_errors() && !IsJsonName(current_->path)) {
    Mend();
  }
  for (const ParsedFile* file : files_) {
    if (file->body != nullptr && file->kind == FileKind::kConfiguration) {
      ReadRequirements(*file->body, required_);
    }
  }
  Collect();
  roots_ = snapshot_.RootsOf(JoinPath(directory_, "main.tf"));
}

/// The declarations of a test are its own.
bool ModuleNames::Counts(const ParsedFile& file) const {
  return &file == current_ ||
         (file.kind == FileKind::kConfiguration && !parts().IsReplaced(file.path));
}

void ModuleNames::Mend() {
  for (Region& region : RegionsOf(current_->text())) {
    Mended mended{.key = KeyOfBlock(region.type, region.labels)};
    if (const DeclaringType* declaring = FindDeclaringType(region.type)) {
      mended.kind = declaring->kind;
    }
    if (region.type == "locals") {
      const size_t brace = current_->text().find('{', region.span.begin);
      const CursorContext inside =
          ContextAt(current_->text(),
                    static_cast<uint32_t>(std::min<size_t>(brace + 1, current_->text().size())));
      if (!inside.blocks.empty()) {
        for (const std::string_view name : inside.blocks[0].names) {
          mended_locals_.push_back("local." + std::string(name));
        }
      }
    }
    mended.region = std::move(region);
    mended_.push_back(std::move(mended));
    if (mended_.back().region.type == "terraform") {
      const ParsedFile& parsed = Parsed(mended_.back());
      if (parsed.body != nullptr) {
        ReadRequirements(*parsed.body, required_);
      }
    }
  }
}

const ParsedFile& ModuleNames::Parsed(Mended& mended) {
  if (mended.parsed == nullptr) {
    const Span span = mended.region.span;
    mended.parsed = ParseFile(
        current_->path, std::string(current_->text().substr(span.begin, span.end - span.begin)));
  }
  return *mended.parsed;
}

/// Finds all names once.
void ModuleNames::Collect() {
  size_t declarations = 0;
  for (const ParsedFile* file : files_) {
    declarations += file->declarations.size();
  }
  declared_.reserve(declarations);
  all_.reserve(declarations);
  for (const ParsedFile* file : files_) {
    for (const Declaration& declaration : file->declarations) {
      if (declared_.try_emplace(declaration.key, Found{file, &declaration}).second) {
        all_.emplace_back(&declaration.key, declaration.kind);
      }
    }
  }
  for (size_t i = 0; i < mended_.size(); ++i) {
    const Mended& mended = mended_[i];
    if (!mended.key.empty() && mended_at_.try_emplace(mended.key, i).second &&
        !declared_.contains(mended.key)) {
      all_.emplace_back(&mended.key, mended.kind);
    }
  }
  FlatSet<std::string_view> locals;
  for (const Key& key : mended_locals_) {
    if (!declared_.contains(key) && locals.insert(key).second) {
      all_.emplace_back(&key, SymbolKind::kLocal);
    }
  }
}

void ModuleNames::ForEach(const std::function<void(const Key&, SymbolKind)>& visit) const {
  for (const auto& [key, kind] : all_) {
    visit(*key, kind);
  }
}

/// Finds what regions declare that have no key of their own for it.
void ModuleNames::CollectInside() {
  mended_inside_.emplace();
  for (Mended& mended : mended_) {
    if (mended.region.type == "locals" || mended.region.type == "provider") {
      const ParsedFile& file = Parsed(mended);
      for (const Declaration& declaration : file.declarations) {
        mended_inside_->try_emplace(declaration.key, Found{&file, &declaration});
      }
    }
  }
}

/// Finds a declaration in the current text, if its file does not parse.
ModuleNames::Found ModuleNames::FindMended(const Key& key) {
  if (const auto at = mended_at_.find(key); at != mended_at_.end()) {
    const ParsedFile& file = Parsed(mended_[at->second]);
    const auto found = std::ranges::find(file.declarations, key, &Declaration::key);
    if (found != file.declarations.end()) {
      return {&file, &*found};
    }
  }
  if (!key.starts_with("local.") && !key.starts_with("provider.")) {
    return {};
  }
  if (!mended_inside_) {
    CollectInside();
  }
  const auto found = mended_inside_->find(key);
  return found == mended_inside_->end() ? Found() : found->second;
}

ModuleNames::Found ModuleNames::Find(const Key& key) {
  if (const Found found = FindMended(key)) {
    return found;
  }
  const auto at = declared_.find(key);
  return at == declared_.end() ? Found() : at->second;
}

const hcl::Expr* ModuleNames::ArgumentOf(const Declaration& declaration, std::string_view name) {
  if (declaration.body == nullptr) {
    return nullptr;
  }
  Diagnostics ignored;
  const hcl::AttributeSchema wanted[] = {{.name = name}};
  const hcl::BodyContent content =
      declaration.body->Content({.attributes = wanted}, hcl::Strictness::kPartial, ignored);
  const hcl::Attribute* found = content.Find(name);
  return found == nullptr ? nullptr : found->expr;
}

std::optional<std::string> ModuleNames::TextOf(const Declaration& declaration,
                                               std::string_view name) {
  const hcl::Expr* value = ArgumentOf(declaration, name);
  const auto text = value == nullptr ? std::nullopt : hcl::AsLiteralString(*value);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

std::string ModuleNames::AddressOf(std::string_view local_name) const {
  if (const auto found = required_.find(local_name); found != required_.end()) {
    return found->second;
  }
  if (local_name == "terraform") {
    return std::string(kBuiltInProvider);
  }
  const auto address = ParseProviderSource(local_name);
  return address ? address->ToText() : std::string();
}

const schema::ProviderSchema* ModuleNames::SchemaOf(std::string_view local_name) {
  const std::string address = AddressOf(local_name);
  if (address.empty()) {
    return nullptr;
  }
  for (const std::string& root : roots_) {
    if (const schema::ProviderSchema* schema = parts().schemas->Find(root, address)) {
      return schema;
    }
  }
  return nullptr;
}

std::vector<std::string> ModuleNames::Providers() const {
  std::set<std::string> names{"terraform"};
  for (const auto& [name, address] : required_) {
    names.insert(name);
  }
  ForEach([&](const Key& key, SymbolKind kind) {
    std::string_view rest = key;
    switch (kind) {
      case SymbolKind::kProvider:
        rest.remove_prefix(std::string_view("provider.").size());
        names.insert(std::string(rest.substr(0, rest.find('.'))));
        return;
      case SymbolKind::kData:
      case SymbolKind::kEphemeral:
        rest.remove_prefix(rest.find('.') + 1);
        [[fallthrough]];
      case SymbolKind::kResource:
        names.insert(std::string(ImpliedProviderName(rest.substr(0, rest.find('.')))));
        return;
      default:
        return;
    }
  });
  return {names.begin(), names.end()};
}

const schema::ResourceSchema* ModuleNames::ResourceSchemaOf(ResourceMode mode,
                                                            std::string_view type,
                                                            std::string_view name) {
  std::string provider(ImpliedProviderName(type));
  if (!name.empty()) {
    std::string_view block = "resource";
    if (mode == ResourceMode::kData) {
      block = "data";
    } else if (mode == ResourceMode::kEphemeral) {
      block = "ephemeral";
    }
    const std::string_view labels[] = {type, name};
    const Found found = Find(KeyOfBlock(block, labels));
    const hcl::Expr* argument = found ? ArgumentOf(*found.declaration, "provider") : nullptr;
    if (argument != nullptr) {
      hcl::SyntaxTree scratch;
      if (const auto traversal = hcl::AsTraversal(*argument, scratch)) {
        provider = traversal->root;
      }
    }
  }
  const schema::ProviderSchema* schema = SchemaOf(provider);
  return schema == nullptr ? nullptr : provider::FindSchema(*schema, mode, type);
}

std::optional<std::string> ModuleNames::Called(const std::string& call) const {
  const std::set<std::string> directories = parts().Follow(directory_, call);
  if (!directories.empty()) {
    return *directories.begin();
  }
  return std::nullopt;
}

}  // namespace kinu::ide
