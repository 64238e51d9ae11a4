#include "config/reference_syntax.h"

#include <vector>

#include "text/suggest.h"

namespace kinu::config {
namespace {

using Step = hcl::TraversalStep;

/// Parses one traversal.
class Parser {
 public:
  Parser(const hcl::TraversalExpr& traversal, Diagnostics* diags)
      : traversal_(traversal), diags_(diags) {}

  ParsedReference Parse();
  std::optional<SourceRange> Member() {
    const ParsedReference ref = Single(ReferenceKind::kInvalid);
    return ref.consumed == 0 ? std::nullopt : std::optional(ref.range);
  }

 private:
  ParsedReference Problem(std::string summary, std::string detail, const SourceRange& range) {
    if (diags_ != nullptr) {
      diags_->Error(std::move(summary), std::move(detail), range);
    }
    return {};
  }
  ParsedReference Malformed(std::string detail, const SourceRange& range) {
    return Problem("Invalid reference", std::move(detail), range);
  }
  SourceRange StepRange(size_t i) const { return traversal_.step_range(traversal_.steps[i]); }
  SourceRange UpTo(size_t steps) const {
    return steps == 0
               ? traversal_.root_range()
               : SourceRange{traversal_.file(), traversal_.begin, traversal_.steps[steps - 1].end};
  }
  bool IsAttribute(size_t i) const {
    return i < traversal_.steps.size() && traversal_.steps[i].kind == Step::Kind::kAttribute;
  }
  bool IsIndex(size_t i) const {
    return i < traversal_.steps.size() && traversal_.steps[i].kind == Step::Kind::kIndex;
  }
  std::string Root() const { return "\"" + std::string(traversal_.root) + "\""; }

  /// Parses `root.name`. `kind` stays kInvalid if the traversal has another form.
  ParsedReference Single(ReferenceKind kind);
  ParsedReference Fixed();
  ParsedReference ModuleReference();
  /// Parses a resource reference whose type is step `first` - 1; 0 means that the root is the type.
  ParsedReference ResourceReference(ResourceMode mode, size_t first);
  bool ReadKey(ParsedReference& ref, size_t step, std::string_view what);

  const hcl::TraversalExpr& traversal_;
  Diagnostics* diags_;
};

ParsedReference Parser::Single(ReferenceKind kind) {
  if (traversal_.steps.empty()) {
    return Malformed("The " + Root() +
                         " object cannot be accessed directly. Instead, access one of its "
                         "attributes.",
                     traversal_.root_range());
  }
  if (!IsAttribute(0)) {
    return Malformed("The " + Root() + " object does not support this operation.", StepRange(0));
  }
  ParsedReference ref;
  ref.kind = kind;
  ref.name = traversal_.steps[0].name();
  ref.consumed = 1;
  ref.range = UpTo(1);
  return ref;
}

struct FixedAttribute {
  std::string_view object;
  std::string_view name;
  ReferenceKind kind;
};
constexpr FixedAttribute kFixedAttributes[] = {
    {"count", "index", ReferenceKind::kCountIndex},
    {"each", "key", ReferenceKind::kEachKey},
    {"each", "value", ReferenceKind::kEachValue},
    {"path", "cwd", ReferenceKind::kPathCwd},
    {"path", "module", ReferenceKind::kPathModule},
    {"path", "root", ReferenceKind::kPathRoot},
    {"terraform", "workspace", ReferenceKind::kWorkspace},
    {"terraform", "applying", ReferenceKind::kApplying},
    {"tofu", "workspace", ReferenceKind::kWorkspace},
    {"tofu", "applying", ReferenceKind::kApplying},
};

ParsedReference Parser::Fixed() {
  ParsedReference ref = Single(ReferenceKind::kInvalid);
  if (ref.consumed == 0) {
    return ref;
  }
  std::vector<std::string_view> names;
  for (const FixedAttribute& attribute : kFixedAttributes) {
    if (attribute.object != traversal_.root) {
      continue;
    }
    if (attribute.name == ref.name) {
      ref.kind = attribute.kind;
      return ref;
    }
    names.push_back(attribute.name);
  }
  std::string detail = "The " + Root() + " object does not have an attribute named \"" +
                       std::string(ref.name) + "\".";
  if (traversal_.root != "path") {
    detail += " It has: ";
    for (size_t i = 0; i < names.size(); ++i) {
      detail += (i > 0 ? ", " : "") + std::string(names[i]);
    }
    detail += ".";
  }
  if (std::string_view similar = text::SuggestName(ref.name, names); !similar.empty()) {
    detail += " Did you mean \"" + std::string(similar) + "\"?";
  }
  return Problem("Invalid " + Root() + " attribute", std::move(detail), ref.range);
}

bool Parser::ReadKey(ParsedReference& ref, size_t step, std::string_view what) {
  const Value& key = *traversal_.steps[step].key();
  const bool good = !key.IsNull() && (key.type() == Type::String() ||
                                      (key.type() == Type::Number() && key.AsInt64()));
  if (!good) {
    Problem(
        "Invalid index key",
        "Invalid index for " + std::string(what) + ": either a string or an integer is required.",
        StepRange(step));
    return false;
  }
  ref.key = &key;
  ref.range = UpTo(step + 1);
  return true;
}

ParsedReference Parser::ModuleReference() {
  ParsedReference ref = Single(ReferenceKind::kModule);
  if (ref.kind == ReferenceKind::kInvalid) {
    return ref;
  }
  size_t next = 1;
  if (IsIndex(next)) {
    if (!ReadKey(ref, next, "module instance")) {
      return {};
    }
    ++next;
  }
  if (next == traversal_.steps.size()) {
    return ref;
  }
  if (!IsAttribute(next)) {
    return Malformed("Module instance objects do not support this operation.", StepRange(next));
  }
  ref.output = traversal_.steps[next].name();
  ref.consumed = static_cast<uint8_t>(next + 1);
  ref.range = UpTo(next + 1);
  return ref;
}

/// What a reference to a resource of a mode is about.
std::string_view ReferredThing(ResourceMode mode) {
  switch (mode) {
    case ResourceMode::kManaged:
      break;
    case ResourceMode::kData:
      return "a data source";
    case ResourceMode::kEphemeral:
      return "an ephemeral resource";
  }
  return "a resource type";
}

/// The two names that follow `data`, `ephemeral` and `resource`.
std::string_view NamesOf(ResourceMode mode) {
  switch (mode) {
    case ResourceMode::kManaged:
      break;
    case ResourceMode::kData:
      return "data source type and the resource name.";
    case ResourceMode::kEphemeral:
      return "ephemeral resource type and its name.";
  }
  return "resource type and the resource name.";
}

ResourceMode ModeOfRoot(std::string_view root) {
  if (root == "data") {
    return ResourceMode::kData;
  }
  return root == "ephemeral" ? ResourceMode::kEphemeral : ResourceMode::kManaged;
}

ParsedReference Parser::ResourceReference(ResourceMode mode, size_t first) {
  const size_t steps = traversal_.steps.size();
  if (first > 0 && !IsAttribute(first - 1)) {
    return Malformed("The " + Root() + " object does not support this operation.",
                     StepRange(first - 1));
  }
  if (first == steps) {
    return Malformed(
        "A reference to a resource type must be followed by at least one attribute access, "
        "specifying the resource name.",
        traversal_.root_range());
  }
  if (!IsAttribute(first)) {
    return Malformed("A reference to " + std::string(ReferredThing(mode)) +
                         " must be followed by at least one attribute access, specifying the "
                         "resource name.",
                     StepRange(first));
  }
  ParsedReference ref;
  ref.kind = ReferenceKind::kResource;
  ref.mode = mode;
  ref.type = first == 0 ? traversal_.root.view() : traversal_.steps[first - 1].name();
  ref.name = traversal_.steps[first].name();
  ref.consumed = static_cast<uint8_t>(first + 1);
  ref.range = UpTo(first + 1);
  if (IsIndex(first + 1) && !ReadKey(ref, first + 1, "resource instance")) {
    return {};
  }
  return ref;
}

ParsedReference Parser::Parse() {
  const std::string_view root = traversal_.root;
  if (root == "var") {
    return Single(ReferenceKind::kVariable);
  }
  if (root == "local") {
    return Single(ReferenceKind::kLocal);
  }
  if (root == "module") {
    return ModuleReference();
  }
  if (root == "count" || root == "each" || root == "path" || root == "terraform" ||
      root == "tofu") {
    return Fixed();
  }
  if (root == "self") {
    ParsedReference ref;
    ref.kind = ReferenceKind::kSelf;
    ref.range = traversal_.root_range();
    return ref;
  }
  if (root == "data" || root == "ephemeral" || root == "resource") {
    const ResourceMode mode = ModeOfRoot(root);
    if (traversal_.steps.size() < 2) {
      return Malformed("The " + Root() + " object must be followed by two attribute names: the " +
                           std::string(NamesOf(mode)),
                       traversal_.range());
    }
    return ResourceReference(mode, 1);
  }
  if (root == "template" || root == "lazy" || root == "arg") {
    return Problem("Reserved symbol name",
                   "The symbol name " + Root() +
                       " is reserved for use in a future OpenTofu version. If it is the name of a "
                       "resource type, write resource." +
                       std::string(root) + " instead.",
                   traversal_.root_range());
  }
  return ResourceReference(ResourceMode::kManaged, 0);
}

}  // namespace

ParsedReference ParseReference(const hcl::TraversalExpr& traversal, Diagnostics* diags) {
  return Parser(traversal, diags).Parse();
}

std::optional<SourceRange> ParseMember(const hcl::TraversalExpr& traversal, Diagnostics* diags) {
  return Parser(traversal, diags).Member();
}

}  // namespace kinu::config
