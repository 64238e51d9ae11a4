// Links: the files and pages that texts of a configuration name.
#include <algorithm>
#include <map>
#include <optional>

#include "base/files.h"
#include "config/module_source.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

constexpr std::string_view kPages = "https://search.opentofu.org/";
constexpr std::string_view kRegistry = "registry.opentofu.org/";

/// Functions whose first argument is the path of a file.
constexpr std::string_view kFileFunctions[] = {
    "file",       "filebase64", "fileexists",   "filemd5",          "filesha1",
    "filesha256", "filesha512", "templatefile", "filebase64sha256", "filebase64sha512",
};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

/// The version that a constraint admits alone, or "latest".
std::string PageVersion(std::string_view constraint) {
  if (constraint.starts_with('=')) {
    constraint.remove_prefix(1);
  }
  while (constraint.starts_with(' ')) {
    constraint.remove_prefix(1);
  }
  const bool is_exact = !constraint.empty() && constraint[0] >= '0' && constraint[0] <= '9' &&
                        constraint.find_first_of(" ,<>=~!") == std::string_view::npos &&
                        std::ranges::count(constraint, '.') == 2;
  return is_exact ? "v" + std::string(constraint) : "latest";
}

/// "NAMESPACE/NAME" of a provider of the public registry, or nothing.
std::optional<std::string> PublicProvider(std::string_view source) {
  if (source.starts_with(kRegistry)) {
    source.remove_prefix(kRegistry.size());
  }
  const auto parts = Split(source, '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
    return std::nullopt;
  }
  return std::string(source);
}

/// The page of a module of the public registry, or nothing.
std::optional<std::string> ModulePage(std::string_view source, std::string_view version) {
  std::string_view package = source.substr(0, source.find("//"));
  if (!package.starts_with(kRegistry)) {
    return std::nullopt;
  }
  package.remove_prefix(kRegistry.size());
  return std::string(kPages) + "module/" + std::string(package) + "/" + PageVersion(version);
}

/// The page of a repository that is fetched over https, or nothing.
std::optional<std::string> RepositoryPage(std::string_view source) {
  constexpr std::string_view kGit = "git::";
  if (source.starts_with(kGit)) {
    source.remove_prefix(kGit.size());
  }
  constexpr std::string_view kHttps = "https://";
  if (!source.starts_with(kHttps)) {
    return std::nullopt;
  }
  source = source.substr(0, source.find('?'));
  source = source.substr(0, source.find("//", kHttps.size()));
  if (source.find('@') != std::string_view::npos) {
    return std::nullopt;  // with a password, perhaps
  }
  if (source.ends_with(".git")) {
    source.remove_suffix(4);
  }
  return std::string(source);
}

/// A constant argument, with the place of its text.
std::optional<std::pair<std::string, Span>> Constant(const hcl::Body& body, std::string_view name,
                                                     std::string_view text) {
  Diagnostics ignored;
  const hcl::AttributeSchema wanted[] = {{.name = name}};
  const auto content = body.Content({.attributes = wanted}, hcl::Strictness::kPartial, ignored);
  const hcl::Attribute* found = content.Find(name);
  const auto value = found == nullptr || found->expr == nullptr
                         ? std::nullopt
                         : hcl::AsLiteralString(*found->expr);
  if (!value) {
    return std::nullopt;
  }
  return std::pair(std::string(*value), InsideQuotes(text, SpanOf(found->expr->range())));
}

/// The sources of required providers in a file, with their places, by local name.
using Requirements = std::multimap<std::string, std::pair<std::string, Span>>;

void AddRequirement(std::string_view name, const Expr& value, std::string_view text,
                    Requirements& out) {
  const auto items = hcl::AsMap(value);
  if (!items) {
    return;
  }
  for (const hcl::ObjectItem& item : *items) {
    const auto quoted = hcl::AsLiteralString(*item.key);
    const std::string_view key = quoted ? *quoted : hcl::KeyWord(*item.key);
    if (const auto source = hcl::AsLiteralString(*item.value); source && key == "source") {
      out.emplace(name,
                  std::pair(std::string(*source), InsideQuotes(text, SpanOf(item.value->range()))));
    }
  }
}

Requirements RequirementsOf(const ParsedFile& file) {
  Requirements found;
  if (file.body == nullptr || file.kind != FileKind::kConfiguration) {
    return found;
  }
  Diagnostics ignored;
  const hcl::BlockSchema terraform[] = {{"terraform", {}}};
  const hcl::BlockSchema required[] = {{"required_providers", {}}};
  for (const hcl::Block& outer :
       file.body->Content({.blocks = terraform}, hcl::Strictness::kPartial, ignored).blocks) {
    for (const hcl::Block& block :
         outer.body->Content({.blocks = required}, hcl::Strictness::kPartial, ignored).blocks) {
      for (const hcl::Attribute& attribute : block.body->JustAttributes({}, ignored)) {
        if (attribute.expr != nullptr) {
          AddRequirement(attribute.name, *attribute.expr, file.text(), found);
        }
      }
    }
  }
  return found;
}

/// The file of a module to begin reading with: its main one, else the first. Empty: no file.
std::string FirstFile(const Snapshot::Parts& parts, const std::string& directory) {
  std::string first;
  const auto module = parts.modules.find(directory);
  if (module == parts.modules.end()) {
    return first;
  }
  for (const auto& file : module->second.files) {
    if (file->kind != FileKind::kConfiguration) {
      continue;
    }
    const std::string name = BaseName(file->path);
    if (first.empty() || name == "main.tf" || name == "main.tofu") {
      first = file->path;
    }
  }
  return first;
}

/// Finds the links of a file.
class LinkFinder {
 public:
  LinkFinder(const Snapshot& snapshot, const ParsedFile& file)
      : snapshot_(snapshot),
        parts_(snapshot.parts()),
        file_(file),
        directory_(parts_.ModuleOf(file.path)) {}
  std::vector<Link> Run();

 private:
  void Modules();
  void Module(const ModuleCallSite& call, const std::string& version);
  void Providers();
  void ResourceTypes();
  void Expressions(const hcl::NativeBody& body);
  void JsonExpressions();
  void Expression(const Expr& expr);
  /// The file that the first argument of a function names.
  void Path(const Expr& expr);
  bool IsInWorkspace(const std::string& path) const;
  void Add(Span span, std::string target, std::string tooltip) {
    if (span.begin < span.end) {
      links_.push_back({span, std::move(target), std::move(tooltip)});
    }
  }

  const Snapshot& snapshot_;
  const Snapshot::Parts& parts_;
  const ParsedFile& file_;
  std::string directory_;
  std::optional<std::vector<std::string>> roots_;
  Span json_string_;  // around the expression; empty in native syntax
  std::vector<Link> links_;
};

std::vector<Link> LinkFinder::Run() {
  Modules();
  Providers();
  ResourceTypes();
  if (const hcl::NativeBody* native = file_.native()) {
    Expressions(*native);
  } else if (file_.body != nullptr) {
    JsonExpressions();
  }
  std::ranges::sort(links_, {}, &Link::span);
  return std::move(links_);
}

void LinkFinder::Modules() {
  std::map<std::string, const hcl::Body*> bodies;
  for (const Declaration& declaration : file_.declarations) {
    if (declaration.kind == SymbolKind::kModule) {
      bodies.emplace(declaration.key, declaration.body);
    }
  }
  for (const ModuleCallSite& call : file_.calls) {
    const auto body = bodies.find("module." + call.name);
    const auto version = body == bodies.end() || body->second == nullptr
                             ? std::nullopt
                             : Constant(*body->second, "version", file_.text());
    Module(call, version ? version->first : "");
  }
}

void LinkFinder::Module(const ModuleCallSite& call, const std::string& version) {
  const auto source = config::ParseModuleSource(call.source, false);
  if (!source) {
    return;
  }
  std::optional<std::string> page;
  switch (source->kind) {
    case config::ModuleSourceKind::kLocal: {
      const std::string directory = CleanPath(JoinPath(directory_, source->text));
      if (const std::string first = FirstFile(parts_, directory); !first.empty()) {
        Add(call.source_span, first, "Open the module");
      }
      return;
    }
    case config::ModuleSourceKind::kRegistry:
      page = ModulePage(source->text, version);
      break;
    case config::ModuleSourceKind::kRemote:
      page = RepositoryPage(source->text);
      break;
  }
  if (page) {
    Add(call.source_span, *page, "Open the page of the module");
  }
}

void LinkFinder::Providers() {
  for (const auto& [name, source] : RequirementsOf(file_)) {
    if (const auto provider = PublicProvider(source.first)) {
      Add(source.second, std::string(kPages) + "provider/" + *provider + "/latest",
          "Open the page of the provider");
    }
  }
}

void LinkFinder::ResourceTypes() {
  std::map<std::string, std::string> providers;  // public ones by local name
  const auto module = parts_.modules.find(directory_);
  if (module == parts_.modules.end() || file_.kind != FileKind::kConfiguration) {
    return;
  }
  for (const auto& file : module->second.files) {
    for (const auto& [name, source] : RequirementsOf(*file)) {
      if (auto provider = PublicProvider(source.first)) {
        providers.emplace(name, *std::move(provider));
      }
    }
  }
  const hcl::NativeBody* native = file_.native();
  if (native == nullptr) {
    return;
  }
  for (const hcl::NativeBlock& block : native->blocks) {
    const std::string_view kind = block.type;
    if ((kind != "resource" && kind != "data") || block.labels.size() != 2) {
      continue;
    }
    const std::string_view type = block.labels[0];
    const size_t prefix = type.find('_');
    const auto provider = providers.find(std::string(type.substr(0, prefix)));
    if (prefix != std::string_view::npos && provider != providers.end()) {
      Add(InsideQuotes(file_.text(), {block.labels[0].begin, block.labels[0].end}),
          std::string(kPages) + "provider/" + provider->second + "/latest/docs/" +
              (kind == "data" ? "datasources/" : "resources/") +
              std::string(type.substr(prefix + 1)),
          "Open the documentation");
    }
  }
}

void LinkFinder::Expressions(const hcl::NativeBody& body) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    if (attribute.expr.get() != nullptr) {
      Expression(*attribute.expr.get());
    }
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    Expressions(*block.body);
  }
}

void LinkFinder::JsonExpressions() {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : file_.body->JustAttributes({}, ignored)) {
    if (attribute.expr != nullptr) {
      Expression(*attribute.expr);
    }
  }
}

void LinkFinder::Expression(const Expr& expr) {
  if (expr.file() == file_.source.get() && hcl::IsJsonExpr(expr)) {
    json_string_ = SpanOf(expr.range());  // or what contains one
  }
  if (expr.kind == ExprKind::kCall) {
    const auto& call = static_cast<const hcl::CallExpr&>(expr);
    std::string_view name = call.name;
    if (name.starts_with("core::")) {
      name.remove_prefix(6);
    }
    if (!call.arguments.empty() &&
        std::ranges::find(kFileFunctions, name) != std::end(kFileFunctions)) {
      Path(*call.arguments[0]);
    }
  }
  hcl::ForEachChild(expr, [&](const Expr& child) { Expression(child); });
}

/// Whether an expression is `path.NAME`.
bool IsPath(const Expr& expr, std::string_view name) {
  if (expr.kind != ExprKind::kTraversal) {
    return false;
  }
  const auto& traversal = static_cast<const hcl::TraversalExpr&>(expr);
  return traversal.root.view() == "path" && traversal.steps.size() == 1 &&
         traversal.steps[0].name() == name;
}

void LinkFinder::Path(const Expr& expr) {
  std::vector<std::string> directories;
  std::string rest;
  if (!roots_) {
    roots_ = snapshot_.RootsOf(file_.path);
  }
  if (const auto text = hcl::AsLiteralString(expr)) {
    directories = *roots_;  // where commands run
    rest = *text;
  } else if (expr.kind == ExprKind::kTemplate) {
    const auto& parts = static_cast<const hcl::TemplateExpr&>(expr).parts;
    const auto tail = parts.size() == 2 ? hcl::TextOfPart(*parts[1]) : std::nullopt;
    if (!tail || !tail->starts_with('/')) {
      return;
    }
    rest = tail->substr(1);
    if (IsPath(*parts[0], "module")) {
      directories = {directory_};
    } else if (IsPath(*parts[0], "root")) {
      directories = *roots_;
    }
  }
  for (const std::string& directory : directories) {
    const std::string path =
        rest.starts_with('/') ? CleanPath(rest) : CleanPath(JoinPath(directory, rest));
    if (IsInWorkspace(path)) {
      // Escapes shift the places in a string of a JSON file.
      const Span span = json_string_.end == 0 ? SpanOf(expr.range()) : json_string_;
      return Add(InsideQuotes(file_.text(), span), path, "Open the file");
    }
  }
}

bool IsBelow(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) && path.substr(directory.size()).starts_with('/');
}

/// Whether it is a file below the folders, wherever links lead.
bool LinkFinder::IsInWorkspace(const std::string& path) const {
  const config::SourceFiles& files = parts_.texts->files;
  const bool named = std::ranges::any_of(
      parts_.folders, [&](const std::string& folder) { return IsBelow(path, folder); });
  if (!named || files.HasDirectory(path)) {
    return false;
  }
  if (parts_.texts->paths.contains(path)) {
    return true;
  }
  const auto real = files.Resolve(path);
  return real && std::ranges::any_of(parts_.folders, [&](const std::string& folder) {
           return IsBelow(*real, files.Resolve(folder).value_or(folder));
         });
}

}  // namespace

std::vector<Link> DocumentLinks(const Snapshot& snapshot, const std::string& path) {
  const ParsedFile* file = snapshot.parts().Find(path);
  return file == nullptr ? std::vector<Link>() : LinkFinder(snapshot, *file).Run();
}

}  // namespace kinu::ide
