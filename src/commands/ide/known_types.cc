#include "ide/known_types.h"

#include "cty/value.h"
#include "functions/function.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/described_values.h"
#include "ide/type_text.h"

namespace kinu::ide {
namespace {

constexpr int kDeepestType = 60;
constexpr int kMostCalls = 6;

/// Counts a level of recursion.
class Level {
 public:
  explicit Level(int& depth) : depth_(depth) { ++depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --depth_; }

 private:
  int& depth_;
};

Type ObjectOfStrings(std::span<const std::string_view> names) {
  std::vector<Type::Attribute> attributes;
  for (const std::string_view name : names) {
    attributes.push_back({.name = name, .type = Type::String()});
  }
  return Type::Object(attributes);
}

std::vector<PathStep> StepsOf(const hcl::TraversalExpr& traversal) {
  std::vector<PathStep> steps{{.name = traversal.root.view()}};
  for (const hcl::TraversalStep& step : traversal.steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      steps.push_back({.name = step.name()});
      continue;
    }
    PathStep index{.is_index = true};
    const Value* key = step.key();
    if (key != nullptr && key->type() == Type::String() && key->IsKnown() && !key->IsNull()) {
      index.name = key->AsString();
    }
    steps.push_back(index);
  }
  return steps;
}

/// Whether a value of the type has no such step for sure.
bool LacksStep(const Type& type, const PathStep& step) {
  if (type.is_dynamic() || type.is_map()) {
    return false;
  }
  if (type.is_object()) {
    const std::string_view name = step.name.empty() ? step.number : step.name;
    return !name.empty() && type.FindAttribute(name) < 0;
  }
  return type.is_primitive() || !step.is_index;
}

}  // namespace

Key KeyOfPath(std::span<const PathStep> path) {
  if (path.empty() || std::ranges::any_of(path, &PathStep::is_index)) {
    return {};
  }
  const std::string_view root = path[0].name;
  const bool has_mode = root == "data" || root == "ephemeral" || root == "resource";
  if (path.size() != (has_mode ? 3U : 2U)) {
    return {};
  }
  Key key;
  for (const PathStep& step : path.subspan(root == "resource" ? 1 : 0)) {
    key.append(key.empty() ? "" : ".").append(step.name);
  }
  return key;
}

Type ElementOf(const Type& type) {
  if (type.is_collection()) {
    return type.element();
  }
  if (type.is_tuple() && !type.elements().empty()) {
    return type.elements()[0];
  }
  if (type.is_object() && !type.attributes().empty()) {
    return type.attributes()[0].type;
  }
  return Type::Dynamic();
}

Type StepInto(const Type& type, const PathStep& step) {
  if (step.is_index && step.name.empty()) {
    return type.is_object() ? Type::Dynamic() : ElementOf(type);
  }
  if (type.is_map()) {
    return type.element();
  }
  if (type.is_object()) {
    const int at = type.FindAttribute(step.name);
    return at < 0 ? Type::Dynamic() : type.attributes()[static_cast<size_t>(at)].type;
  }
  return Type::Dynamic();
}

Type KnownTypes::OfPath(std::span<const PathStep> path, const CursorContext* context,
                        std::string_view text) {
  if (context != nullptr) {
    Bind(*context, text);
  } else {
    bound_.clear();
  }
  if (path.empty() || path[0].name.empty()) {
    return Type::Dynamic();
  }
  size_t consumed = 1;
  Type type = OfRoot(path, consumed);
  for (size_t i = consumed; i < path.size(); ++i) {
    type = StepInto(type, path[i]);
  }
  return type;
}

bool KnownTypes::LeadsNowhere(std::span<const PathStep> path, size_t offered) {
  size_t consumed = 1;
  Type type = OfRoot(path, consumed);
  if (consumed > path.size()) {
    return false;  // the begin of a reference
  }
  if (consumed > 1 && consumed > offered && !names_.Find(KeyOfPath(path.first(consumed)))) {
    return true;
  }
  for (; consumed < offered; ++consumed) {
    type = StepInto(type, path[consumed]);
  }
  return LacksSteps(type, path.subspan(consumed));
}

bool KnownTypes::LacksSteps(Type type, std::span<const PathStep> steps) {
  bool is_spread = false;
  for (const PathStep& step : steps) {
    if (is_spread && step.is_index) {
      return false;  // behind `.*` an index is one into the list of the results
    }
    if (step.is_splat) {
      // The steps behind it are those of each element, or of a value that is no sequence.
      type = type.is_list() || type.is_set() || type.is_tuple() ? ElementOf(type) : type;
      is_spread = !step.is_index;
    } else if (LacksStep(type, step)) {
      return true;
    } else {
      type = StepInto(type, step);
    }
  }
  return false;
}

const hcl::Expr* KnownTypes::Parse(std::string_view text, Span span) {
  if (span.end <= span.begin || span.end > text.size()) {
    return nullptr;
  }
  auto& tree = trees_.emplace_back(std::make_unique<hcl::SyntaxTree>());
  Diagnostics ignored;
  const SourceFile* source = tree->KeepSource(
      SourceFile::Make("", std::string(text.substr(span.begin, span.end - span.begin))));
  const hcl::Expr* expr = hcl::ParseExpression(source, *tree, ignored);
  return ignored.has_errors() ? nullptr : expr;
}

Type KnownTypes::OfText(std::string_view text, Span span) {
  const hcl::Expr* expr = Parse(text, span);
  return expr == nullptr ? Type::Dynamic() : OfExpression(*expr);
}

void KnownTypes::Bind(const CursorContext& context, std::string_view text) {
  bound_.clear();
  BindEach(context);
  for (const BoundName& bound : context.bound) {
    const Type collection = OfText(text, bound.collection);
    const Type key =
        collection.is_list() || collection.is_tuple() ? Type::Number() : Type::String();
    if (bound.is_iterator) {
      const Type::Attribute members[] = {{.name = "key", .type = key},
                                         {.name = "value", .type = ElementOf(collection)}};
      bound_.push_back({bound.name, Type::Object(members)});
    } else {
      bound_.push_back({bound.name, bound.is_key ? key : ElementOf(collection)});
    }
  }
}

void KnownTypes::BindEach(const CursorContext& context) {
  if (context.blocks.empty()) {
    return;
  }
  const OpenBlock& block = context.blocks[0];
  ModuleNames::Found found = names_.Find(KeyOfBlock(block.type, block.labels));
  const Type::Attribute index[] = {{.name = "index", .type = Type::Number()}};
  bound_.push_back({"count", Type::Object(index)});
  Type element;
  if (found) {
    if (const hcl::Expr* over = ModuleNames::ArgumentOf(*found.declaration, "for_each")) {
      element = ElementOf(OfExpression(*over));
    }
  }
  const Type::Attribute each[] = {{.name = "key", .type = Type::String()},
                                  {.name = "value", .type = element}};
  bound_.push_back({"each", Type::Object(each)});
  std::vector<PathStep> self;
  if (block.type != "resource") {
    self.push_back({.name = block.type});
  }
  for (const std::string_view label : block.labels) {
    self.push_back({.name = label});
  }
  const schema::Block* schema = BlockOfPath(self);
  bound_.push_back({"self", schema == nullptr ? Type() : schema->implied_type()});
}

Type KnownTypes::OfRoot(std::span<const PathStep> path, size_t& consumed) {
  const std::string_view root = path[0].name;
  for (size_t i = bound_.size(); i-- > 0;) {
    if (bound_[i].name == root) {
      return bound_[i].type;
    }
  }
  if (root == "path") {
    constexpr std::string_view kNames[] = {"cwd", "module", "root"};
    return ObjectOfStrings(kNames);
  }
  if (root == "terraform" || root == "tofu") {
    constexpr std::string_view kNames[] = {"workspace"};
    return ObjectOfStrings(kNames);
  }
  if (path.size() < 2) {
    return {};
  }
  return OfNames(root, path, consumed);
}

Type KnownTypes::OfNames(std::string_view root, std::span<const PathStep> path, size_t& consumed) {
  consumed = 2;
  const std::string name(path[1].name);
  if (root == "var") {
    return OfVariable(name);
  }
  if (root == "local" || root == "output") {
    return OfDeclared(std::string(root) + "." + name);
  }
  if (root == "module") {
    return OfCall(name);
  }
  ResourceMode mode = ResourceMode::kManaged;
  if (root == "data") {
    mode = ResourceMode::kData;
  } else if (root == "ephemeral") {
    mode = ResourceMode::kEphemeral;
  } else if (root != "resource") {
    return OfResource(mode, root, name);
  }
  consumed = 3;
  if (path.size() < 3) {
    return {};
  }
  return OfResource(mode, name, path[2].name);
}

const schema::Block* KnownTypes::BlockOfPath(std::span<const PathStep> path) {
  size_t at = 0;
  ResourceMode mode = ResourceMode::kManaged;
  if (!path.empty() && (path[0].name == "data" || path[0].name == "ephemeral")) {
    mode = path[0].name == "data" ? ResourceMode::kData : ResourceMode::kEphemeral;
    at = 1;
  }
  const size_t rest = path.size() - std::min(at, path.size());
  if (rest < 2 || rest > 3 || (rest == 3 && !path[at + 2].is_index)) {
    return nullptr;
  }
  const auto* schema = names_.ResourceSchemaOf(mode, path[at].name, path[at + 1].name);
  return schema == nullptr ? nullptr : &schema->block;
}

lang::TypeConstraint KnownTypes::ConstraintOf(const std::string& variable) {
  const ModuleNames::Found found = names_.Find("var." + variable);
  if (!found) {
    return {};
  }
  lang::TypeConstraint constraint = DeclaredType(*found.declaration);
  if (IsSensitive(*found.declaration)) {
    constraint.defaults = nullptr;
  }
  return constraint;
}

Type KnownTypes::OfVariable(const std::string& name) {
  return ConstraintOf(name).type.WithoutOptionalAttributes();
}

/// The collection whose element the begin of a path names, and takes that begin from the path. Only
/// the first `bound` names of the context count; those of the collection are fewer.
const hcl::Expr* KnownTypes::CollectionOf(std::vector<PathStep>& path, const CursorContext& context,
                                          std::string_view text, size_t& bound) {
  const bool has_value = path.size() > 1 && path[1].name == "value";
  while (bound > 0) {
    const BoundName& name = context.bound[--bound];
    if (name.name != path[0].name) {
      continue;
    }
    if (name.is_key || (name.is_iterator && !has_value)) {
      return nullptr;
    }
    path.erase(path.begin(), path.begin() + (name.is_iterator ? 2 : 1));
    return Parse(text, name.collection);
  }
  if (path[0].name != "each" || !has_value || context.blocks.empty()) {
    return nullptr;
  }
  const OpenBlock& block = context.blocks[0];
  const ModuleNames::Found found = names_.Find(KeyOfBlock(block.type, block.labels));
  path.erase(path.begin(), path.begin() + 2);
  return found ? ModuleNames::ArgumentOf(*found.declaration, "for_each") : nullptr;
}

std::optional<std::string> KnownTypes::DefaultOfPath(std::span<const PathStep> path,
                                                     const CursorContext& context,
                                                     std::string_view text) {
  std::vector<PathStep> steps(path.begin(), path.end());
  size_t bound = context.bound.size();
  while (!steps.empty() && steps[0].name != "var") {
    const hcl::Expr* collection = CollectionOf(steps, context, text, bound);
    if (collection == nullptr || collection->kind != hcl::ExprKind::kTraversal) {
      return std::nullopt;
    }
    std::vector<PathStep> before = StepsOf(static_cast<const hcl::TraversalExpr&>(*collection));
    before.push_back({.is_index = true});
    steps.insert(steps.begin(), before.begin(), before.end());
  }
  if (steps.size() < 3) {
    return std::nullopt;
  }
  const lang::TypeConstraint constraint = ConstraintOf(std::string(steps[1].name));
  return DefaultText(constraint.defaults.get(), std::span(steps).subspan(2));
}

Type KnownTypes::OfDeclared(const Key& key) {
  if (const auto known = known_.find(key); known != known_.end()) {
    return known->second;
  }
  if (!pending_.insert(key).second) {
    return {};
  }
  const ModuleNames::Found found = names_.Find(key);
  const hcl::Expr* value = nullptr;
  if (found) {
    value = found.declaration->value != nullptr
                ? found.declaration->value
                : ModuleNames::ArgumentOf(*found.declaration, "value");
  }
  std::vector<Bound> bound;
  std::swap(bound, bound_);  // names of the place of the cursor do not reach there
  Type type = value == nullptr ? Type() : OfExpression(*value);
  std::swap(bound, bound_);
  pending_.erase(key);
  return known_[key] = type;
}

Type KnownTypes::Repeated(const Declaration& declaration, const Type& single) {
  if (ModuleNames::ArgumentOf(declaration, "count") != nullptr) {
    return Type::List(single);
  }
  if (ModuleNames::ArgumentOf(declaration, "for_each") != nullptr) {
    return Type::Map(single);
  }
  return single;
}

Type KnownTypes::OfResource(ResourceMode mode, std::string_view type, std::string_view name) {
  const auto* schema = names_.ResourceSchemaOf(mode, type, name);
  if (schema == nullptr) {
    return {};
  }
  std::string_view block = "resource";
  if (mode == ResourceMode::kData) {
    block = "data";
  } else if (mode == ResourceMode::kEphemeral) {
    block = "ephemeral";
  }
  const std::string_view labels[] = {type, name};
  const ModuleNames::Found found = names_.Find(KeyOfBlock(block, labels));
  return found ? Repeated(*found.declaration, schema->block.implied_type())
               : schema->block.implied_type();
}

Type KnownTypes::OfCall(const std::string& call) {
  const auto directory = names_.Called(call);
  const ModuleNames::Found found = names_.Find("module." + call);
  if (!directory || !found || calls_ >= kMostCalls) {
    return {};
  }
  ModuleNames inside(names_.snapshot(), *directory, nullptr);
  KnownTypes types(inside);
  types.calls_ = calls_ + 1;
  std::vector<std::pair<std::string, Type>> outputs;
  inside.ForEach([&](const Key& key, SymbolKind kind) {
    if (kind == SymbolKind::kOutput) {
      outputs.emplace_back(key.substr(std::string_view("output.").size()), types.OfDeclared(key));
    }
  });
  std::vector<Type::Attribute> attributes;
  for (const auto& [name, type] : outputs) {
    attributes.push_back({.name = name, .type = type});
  }
  return Repeated(*found.declaration, Type::Object(attributes));
}

Type KnownTypes::OfTraversal(const hcl::TraversalExpr& traversal) {
  const std::vector<PathStep> steps = StepsOf(traversal);
  size_t consumed = 1;
  Type type = OfRoot(steps, consumed);
  for (size_t i = consumed; i < steps.size(); ++i) {
    type = StepInto(type, steps[i]);
  }
  return type;
}

Type KnownTypes::OfObject(const hcl::ObjectExpr& object) {
  std::vector<Type::Attribute> attributes;
  for (const hcl::ObjectItem& item : object.items) {
    std::string_view name = hcl::KeyWord(*item.key);
    if (name.empty()) {
      const hcl::Expr* key = item.key;
      if (key->kind == hcl::ExprKind::kObjectKey) {
        key = static_cast<const hcl::ObjectKeyExpr*>(key)->wrapped;
      }
      const auto text = hcl::AsLiteralString(*key);
      if (!text) {
        return {};  // keys that nobody knows
      }
      name = *text;
    }
    attributes.push_back({.name = name, .type = OfExpression(*item.value)});
  }
  return Type::Object(attributes);
}

Type KnownTypes::OfLoop(const hcl::ForExpr& loop) {
  const Type collection = OfExpression(*loop.collection);
  const size_t names = bound_.size();
  if (!loop.key_name.empty()) {
    const bool counts = collection.is_list() || collection.is_tuple();
    bound_.push_back({loop.key_name, counts ? Type::Number() : Type::String()});
  }
  bound_.push_back({loop.value_name, ElementOf(collection)});
  const Type element = OfExpression(*loop.value_result);
  bound_.resize(names);
  if (loop.key_result == nullptr) {
    return Type::List(element);
  }
  return Type::Map(loop.grouping ? Type::List(element) : element);
}

Type KnownTypes::OfFunction(const hcl::CallExpr& call) {
  if (call.arguments.empty()) {
    return {};
  }
  if (call.name == "try" || call.name == "coalesce") {
    return OfExpression(*call.arguments[0]);
  }
  const auto specs = functions::Table::Standard().specs();
  const auto spec = std::ranges::find(specs, call.name, &functions::FunctionSpec::name);
  if (spec == specs.end() || (*spec)->lazy || (*spec)->result_type == nullptr ||
      call.expand_final) {
    return {};
  }
  std::vector<Value> arguments;
  for (const hcl::Expr* argument : call.arguments) {
    const size_t at = arguments.size();
    if (at >= (*spec)->params.size() && !(*spec)->has_variadic) {
      return {};
    }
    const Type wanted =
        at < (*spec)->params.size() ? (*spec)->params[at].type() : (*spec)->variadic.type();
    arguments.push_back(Value::Unknown(wanted.is_dynamic() ? OfExpression(*argument) : wanted));
  }
  if (arguments.size() < (*spec)->params.size()) {
    return {};
  }
  const auto type = (*spec)->result_type(arguments);
  return type ? *type : Type();
}

Type KnownTypes::OfExpression(const hcl::Expr& expr) {
  const Level level(depth_);
  if (depth_ > kDeepestType) {
    return {};
  }
  switch (expr.kind) {
    case hcl::ExprKind::kLiteral:
      return static_cast<const hcl::LiteralExpr&>(expr).value->type();
    case hcl::ExprKind::kText:
    case hcl::ExprKind::kQuoted:
    case hcl::ExprKind::kTemplate:
      return Type::String();
    case hcl::ExprKind::kTraversal:
      return OfTraversal(static_cast<const hcl::TraversalExpr&>(expr));
    case hcl::ExprKind::kCall:
      return OfFunction(static_cast<const hcl::CallExpr&>(expr));
    case hcl::ExprKind::kConditional:
      return OfExpression(*static_cast<const hcl::ConditionalExpr&>(expr).true_result);
    case hcl::ExprKind::kIndex:
      return ElementOf(OfExpression(*static_cast<const hcl::IndexExpr&>(expr).collection));
    case hcl::ExprKind::kTuple: {
      std::vector<Type> elements;
      for (const hcl::Expr* element : static_cast<const hcl::TupleExpr&>(expr).elements) {
        elements.push_back(OfExpression(*element));
      }
      return Type::Tuple(elements);
    }
    case hcl::ExprKind::kObject:
    case hcl::ExprKind::kJsonObject:
      return OfObject(static_cast<const hcl::ObjectExpr&>(expr));
    case hcl::ExprKind::kFor:
      return OfLoop(static_cast<const hcl::ForExpr&>(expr));
    case hcl::ExprKind::kTemplateWrap:
    case hcl::ExprKind::kParentheses:
      return OfExpression(*static_cast<const hcl::WrapExpr&>(expr).wrapped);
    case hcl::ExprKind::kUnary:
    case hcl::ExprKind::kBinary:
    case hcl::ExprKind::kRelative:
    default:
      return {};
  }
}

}  // namespace kinu::ide
