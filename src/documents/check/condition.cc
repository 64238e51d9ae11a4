#include "check/condition.h"

#include <algorithm>
#include <optional>

#include "check/outcome.h"
#include "lang/eval.h"
#include "lang/template.h"
#include "tfjson/address.h"

namespace kinu::check {
namespace {

using json::Member;
using json::Node;

// --- Values of parts of an object ---

/// The mask of a member; a mask that is `true` holds for all members.
Node MaskOfMember(const Node& mask, std::string_view name) {
  return !mask || mask.is_true() ? mask : mask.Find(name);
}
Node MaskOfElement(const Node& mask, uint64_t index) {
  if (!mask || mask.is_true()) {
    return mask;
  }
  return mask.is_array() ? mask.At(index) : Node();
}
bool IsWhole(const Node& mask) {
  return mask && mask.is_true();
}

MaskedNode MemberOf(const MaskedNode& object, std::string_view name) {
  return {.value = object.value ? object.value.Find(name) : Node(),
          .sensitive = MaskOfMember(object.sensitive, name),
          .unknown = MaskOfMember(object.unknown, name)};
}
MaskedNode ElementOf(const MaskedNode& array, uint64_t index) {
  return {.value = array.value ? array.value.At(index) : Node(),
          .sensitive = MaskOfElement(array.sensitive, index),
          .unknown = MaskOfElement(array.unknown, index)};
}

Value ConvertKnown(const MaskedNode& node);

/// The value of a node: unknown and sensitive parts are those of its masks. No node is null.
Value Convert(const MaskedNode& node) {
  Value value = IsWhole(node.unknown) ? Value::DynamicUnknown() : ConvertKnown(node);
  return IsWhole(node.sensitive) ? value.WithMarks(MarkSet::Sensitive()) : value;
}

Value ConvertObject(const MaskedNode& node) {
  std::vector<std::pair<std::string, Value>> attributes;
  attributes.reserve(node.value.size());
  if (node.unknown && node.unknown.is_object()) {
    // Documents leave out what is unknown as a whole.
    for (const Member member : node.unknown.members()) {
      if (member.value.is_true()) {
        attributes.emplace_back(member.name.String(), Value::DynamicUnknown());
      }
    }
  }
  const bool masked = node.sensitive || node.unknown;
  for (const Member member : node.value.members()) {
    std::string name = member.name.String();
    Value value = Convert(masked ? MaskedNode{.value = member.value,
                                              .sensitive = MaskOfMember(node.sensitive, name),
                                              .unknown = MaskOfMember(node.unknown, name)}
                                 : MaskedNode{.value = member.value});
    attributes.emplace_back(std::move(name), std::move(value));
  }
  return Value::Object(std::move(attributes));
}

Value ConvertArray(const MaskedNode& node) {
  std::vector<Value> elements;
  elements.reserve(node.value.size());
  uint64_t index = 0;
  for (const Node element : node.value.elements()) {
    elements.push_back(Convert({.value = element,
                                .sensitive = MaskOfElement(node.sensitive, index),
                                .unknown = MaskOfElement(node.unknown, index)}));
    ++index;
  }
  return Value::Tuple(std::move(elements));
}

Value ConvertKnown(const MaskedNode& node) {
  if (!node.value) {
    return Value();
  }
  switch (node.value.kind()) {
    case json::Kind::kFalse:
      return Value::False();
    case json::Kind::kTrue:
      return Value::True();
    case json::Kind::kNumber: {
      std::optional<Number> number = Number::Parse(node.value.text());
      return number ? Value::Of(*std::move(number)) : Value::DynamicUnknown();
    }
    case json::Kind::kString: {
      std::string scratch;
      return Value::String(node.value.String(scratch));
    }
    case json::Kind::kArray:
      return ConvertArray(node);
    case json::Kind::kObject:
      return ConvertObject(node);
    default:
      return Value();
  }
}

/// The scope of a condition.
class SubjectScope final : public lang::Scope {
 public:
  SubjectScope(const Expression& expression, const Subject& subject)
      : expression_(expression), subject_(subject) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override {
    // Only traversals of the expression stay where they are.
    const std::optional<Name> own = expression_.NameOf(traversal);
    const std::optional<Name> name = own ? own : FindName(traversal.root);
    if (!name) {
      diags.Error("Unknown variable",
                  "Conditions have no name \"" + std::string(traversal.root) + "\".",
                  traversal.root_range());
      return Value::DynamicUnknown();
    }
    ReadValues::Column* const column = !own || subject_.list == nullptr
                                           ? nullptr
                                           : subject_.list->read_values().ColumnOf(traversal);
    if (column == nullptr) {
      return Noted(Read(*name, traversal, diags));
    }
    const size_t object = static_cast<size_t>(subject_.object - subject_.list->all().data());
    if (const Value* kept = column->Find(object)) {
      return Noted(*kept);
    }
    const size_t errors = diags.error_count();
    Value value = Read(*name, traversal, diags);
    if (diags.error_count() == errors) {
      column->Keep(object, value);
    }
    return Noted(std::move(value));
  }

  const functions::Callable* FindFunction(std::string_view name) const override {
    return check::FindFunction(name);
  }
  const functions::Callable* FunctionOf(const hcl::CallExpr& call) const override {
    return expression_.FunctionOf(call);
  }
  const functions::CallContext& call_context() const override {
    static const functions::CallContext kContext =
        lang::WithTemplates({}, functions::Table::Standard());
    return kContext;
  }

  /// Whether a value with sensitive parts has been read.
  bool read_sensitive() const { return read_sensitive_; }

 private:
  Value Read(Name name, const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
    switch (name) {
      case Name::kPath:
        return lang::ApplySteps(PathText(), traversal.steps, traversal, diags);
      case Name::kModule:
        return lang::ApplySteps(ModuleText(), traversal.steps, traversal, diags);
      case Name::kChange:
        return Walk(Change(), true, traversal, diags);
      default:
        return Walk(Root(name), false, traversal, diags);
    }
  }

  Value Noted(Value value) const {
    read_sensitive_ = read_sensitive_ || value.ContainsMarked();
    return value;
  }

  MaskedNode Root(Name name) const {
    if (name == Name::kValue) {
      return subject_.value;
    }
    if (subject_.object == nullptr) {
      return {};
    }
    const Object& object = *subject_.object;
    switch (name) {
      case Name::kAddress:
        return {.value = object.address};
      case Name::kType:
        return {.value = object.type};
      case Name::kActions:
        return {.value = object.actions};
      case Name::kBefore:
        return object.before;
      case Name::kAfter:
      case Name::kValues:
        return object.after;
      case Name::kProvider:
        return {.value = object.entry.Find("provider_name")};
      case Name::kResourceName:
        return {.value = object.entry.Find("name")};
      case Name::kMode:
        return {.value = object.entry.Find("mode")};
      case Name::kIndex:
        return {.value = object.entry.Find("index")};
      case Name::kActionReason:
        return {.value = object.entry.Find("action_reason")};
      default:
        return {};
    }
  }

  /// `change` itself; its values are reached through Walk().
  MaskedNode Change() const {
    return {.value = subject_.object == nullptr ? Node() : subject_.object->change};
  }

  Value PathText() const { return Value::String(subject_.path.ToNormalized()); }
  /// The address of the module; "" for the root module.
  Value ModuleText() const {
    const Node entry = subject_.object == nullptr ? Node() : subject_.object->entry;
    const Node module = entry ? entry.Find("module_address") : Node();
    if (module && module.is_string()) {
      return Value::String(module.String());
    }
    // States have no member for it.
    const Node address = entry ? subject_.object->address : Node();
    return Value::String(!address || subject_.object->change ? std::string_view()
                                                             : tfjson::ModuleIn(address.String()));
  }

  /// The masks of a value inside `change`.
  MaskedNode InChange(const MaskedNode& change, std::string_view name) const {
    if (name == "before") {
      return subject_.object->before;
    }
    return name == "after" ? subject_.object->after : MemberOf(change, name);
  }

  /// The value at the steps. Steps that do not fit are applied to the value before them, so that
  /// errors are those of the language. `in_change`: the node is `change`.
  Value Walk(MaskedNode node, bool in_change, const hcl::TraversalExpr& traversal,
             Diagnostics& diags) const {
    for (size_t i = 0; i < traversal.steps.size(); ++i) {
      const hcl::TraversalStep& step = traversal.steps[i];
      const std::optional<MaskedNode> next = Step(node, step, in_change);
      if (!next) {
        return lang::ApplySteps(in_change ? WholeChange(node) : Convert(node),
                                traversal.steps.subspan(i), traversal, diags);
      }
      if (!next->value && !IsWhole(next->unknown)) {
        return Absent(step, traversal, diags);
      }
      in_change = false;
      node = *next;
      if (IsWhole(node.unknown)) {
        return Convert(node);
      }
    }
    return in_change ? WholeChange(node) : Convert(node);
  }

  /// The value at one step; a node without a value if an object has no such attribute. Nothing if
  /// the step is not one into an object by name or an array by number.
  std::optional<MaskedNode> Step(const MaskedNode& node, const hcl::TraversalStep& step,
                                 bool in_change) const {
    if (!node.value) {
      return std::nullopt;
    }
    if (step.kind == hcl::TraversalStep::Kind::kAttribute && node.value.is_object()) {
      return in_change ? InChange(node, step.name()) : MemberOf(node, step.name());
    }
    if (step.kind != hcl::TraversalStep::Kind::kIndex || step.key() == nullptr) {
      return std::nullopt;
    }
    if (node.value.is_object() && step.key()->type() == Type::String()) {
      return in_change ? InChange(node, step.key()->AsString())
                       : MemberOf(node, step.key()->AsString());
    }
    const std::optional<int64_t> index =
        step.key()->type() == Type::Number() ? step.key()->AsInt64() : std::nullopt;
    if (!node.value.is_array() || !index || *index < 0 || *index >= node.value.size()) {
      return std::nullopt;
    }
    return ElementOf(node, static_cast<uint64_t>(*index));
  }

  Value Absent(const hcl::TraversalStep& step, const hcl::TraversalExpr& traversal,
               Diagnostics& diags) const {
    if (diags.only_counts()) {
      diags.CountError();
      return Value::DynamicUnknown();
    }
    const std::string name(
        step.kind == hcl::TraversalStep::Kind::kAttribute ? step.name() : step.key()->AsString());
    diags.Error("Unsupported attribute",
                "This object does not have an attribute named \"" + name + "\".",
                traversal.step_range(step));
    return Value::DynamicUnknown();
  }

  Value WholeChange(const MaskedNode& change) const {
    if (!change.value) {
      return Value();
    }
    std::vector<std::pair<std::string, Value>> attributes;
    for (const Member member : change.value.members()) {
      std::string name = member.name.String();
      Value value = Convert(InChange(change, name));
      attributes.emplace_back(std::move(name), std::move(value));
    }
    return Value::Object(std::move(attributes));
  }

  const Expression& expression_;
  const Subject& subject_;
  mutable bool read_sensitive_ = false;
};

/// The first error. Its detail can quote values, so it is left out where sensitive ones were read.
std::string ErrorText(const Diagnostics& diags, const SubjectScope& scope) {
  for (const Diagnostic& diagnostic : diags) {
    if (diagnostic.is_error()) {
      return diagnostic.detail.empty() || scope.read_sensitive()
                 ? diagnostic.summary
                 : diagnostic.summary + ": " + diagnostic.detail;
    }
  }
  return {};
}

}  // namespace

Judgement Judge(const Expression& condition, const Subject& subject) {
  using Judged = Judgement::Verdict;
  const SubjectScope scope(condition, subject);
  Diagnostics diags;
  const Value value = lang::Evaluate(condition.syntax(), scope, diags);
  if (diags.has_errors()) {
    return {Judged::kError, ErrorText(diags, scope)};
  }
  if (!value.IsKnown()) {
    return {Judged::kUnknown, {}};
  }
  if (value.IsNull() || value.type() != Type::Bool()) {
    return {Judged::kError, "the condition must be true or false"};
  }
  return {value.AsBool() ? Judged::kTrue : Judged::kFalse, {}};
}

std::string MessageOf(const Expression& message, const Subject& subject) {
  const SubjectScope scope(message, subject);
  Diagnostics diags;
  const Value value = lang::EvaluateTo(message.syntax(), Type::String(), scope, diags);
  if (diags.has_errors()) {
    return "the message cannot be made: " + ErrorText(diags, scope);
  }
  if (value.ContainsMarked()) {
    return "(the message contains a sensitive value)";
  }
  if (!value.IsKnown() || value.IsNull()) {
    return "(the message is not known before apply)";
  }
  return std::string(value.AsString());
}

}  // namespace kinu::check
