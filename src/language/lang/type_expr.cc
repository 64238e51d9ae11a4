#include "lang/type_expr.h"

#include <optional>
#include <string_view>

#include "base/invariant.h"
#include "cty/collections.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "lang/eval.h"
#include "lang/evaluator.h"
#include "text/quote.h"

namespace kinu::lang {

using hcl::Expr;
using hcl::StaticCall;

namespace {

using DefaultsRef = std::shared_ptr<const Defaults>;

constexpr const char* kSummary = "Invalid type specification";

using text::Quoted;

DefaultsRef MakeDefaults(
    const Type& type, std::vector<std::pair<std::string, Value>> values,
    std::vector<std::pair<std::string, std::shared_ptr<const Defaults>>> children) {
  if (values.empty() && children.empty()) {
    return nullptr;
  }
  return std::make_shared<const Defaults>(Defaults{type, std::move(values), std::move(children)});
}

class TypeReader {
 public:
  TypeReader(hcl::SyntaxTree& tree, Diagnostics& diags) : tree_(tree), diags_(diags) {}

  TypeConstraint Read(const Expr& expr) {
    if (const std::string_view word = hcl::AsKeyword(expr, tree_); !word.empty()) {
      return ReadWord(word, expr);
    }
    const std::optional<StaticCall> call = hcl::AsCall(expr, tree_);
    if (!call) {
      return Fail(
          "A type specification is either a primitive type keyword (bool, number, string) or a "
          "complex type constructor call, like list(string).",
          expr.range());
    }
    if (call->name == "bool" || call->name == "string" || call->name == "number" ||
        call->name == "any") {
      return Fail((call->name == "any" ? "Type constraint keyword " : "Primitive type keyword ") +
                      Quoted(call->name) + " does not expect arguments.",
                  call->arguments_range);
    }
    if (const std::string_view argument = ArgumentOf(call->name);
        !argument.empty() && call->arguments.size() != 1) {
      SourceRange subject = call->arguments_range;
      if (call->arguments.size() > 1) {
        subject =
            SourceRange::Between(call->arguments[1]->range(), call->arguments.back()->range());
      }
      return Fail(ArgumentRequired(call->name, argument), subject, call->arguments_range);
    }
    if (const std::optional<TypeKind> kind = CollectionNamed(call->name)) {
      return ReadCollection(*kind, *call->arguments.front());
    }
    if (call->name == "object") {
      return ReadObject(*call->arguments.front(), expr);
    }
    if (call->name == "tuple") {
      return ReadTuple(*call->arguments.front(), expr);
    }
    if (call->name == "optional") {
      return Fail("Keyword \"optional\" is valid only as a modifier for object type attributes.",
                  call->name_range);
    }
    return Fail("Keyword " + Quoted(call->name) + " is not a valid type constructor.",
                expr.range());
  }

 private:
  TypeConstraint Fail(std::string detail, const SourceRange& subject, SourceRange context = {}) {
    diags_.Error(kSummary, std::move(detail), subject, context);
    return {};
  }

  // Describes the argument of a type constructor; empty for an unknown constructor.
  static std::string_view ArgumentOf(std::string_view constructor) {
    if (CollectionNamed(constructor)) {
      return "the element type";
    }
    if (constructor == "object") {
      return "the attribute types and values as a map";
    }
    if (constructor == "tuple") {
      return "the element types as a list";
    }
    return {};
  }
  static std::string ArgumentRequired(std::string_view constructor, std::string_view argument) {
    return "The " + std::string(constructor) +
           " type constructor requires one argument specifying " + std::string(argument) + ".";
  }

  TypeConstraint ReadWord(std::string_view word, const Expr& expr) {
    if (word == "bool") {
      return {Type::Bool(), nullptr};
    }
    if (word == "string") {
      return {Type::String(), nullptr};
    }
    if (word == "number") {
      return {Type::Number(), nullptr};
    }
    if (word == "any") {
      return {Type::Dynamic(), nullptr};
    }
    if (const std::string_view argument = ArgumentOf(word); !argument.empty()) {
      return Fail(ArgumentRequired(word, argument), expr.range());
    }
    return Fail("The keyword " + Quoted(word) + " is not a valid type specification.",
                expr.range());
  }

  TypeConstraint ReadCollection(TypeKind kind, const Expr& argument) {
    TypeConstraint element = Read(argument);
    const Type type = CollectionOf(kind, element.type);
    if (element.defaults == nullptr) {
      return {type, nullptr};
    }
    return {type, MakeDefaults(type, {}, {{"", std::move(element.defaults)}})};
  }

  TypeConstraint ReadTuple(const Expr& argument, const Expr& whole) {
    const auto elements = hcl::AsList(argument);
    if (!elements) {
      return Fail("Tuple type constructor requires a list of element types.", argument.range(),
                  whole.range());
    }
    std::vector<Type> types;
    std::vector<std::pair<std::string, DefaultsRef>> children;
    for (const Expr* expr : *elements) {
      TypeConstraint element = Read(*expr);
      if (element.defaults != nullptr) {
        children.emplace_back(std::to_string(types.size()), std::move(element.defaults));
      }
      types.push_back(std::move(element.type));
    }
    const Type type = Type::Tuple(types);
    return {type, MakeDefaults(type, {}, std::move(children))};
  }

  TypeConstraint ReadObject(const Expr& argument, const Expr& whole) {
    const auto items = hcl::AsMap(argument);
    if (!items) {
      return Fail(
          "Object type constructor requires a map whose keys are attribute names and whose values "
          "are the corresponding attribute types.",
          argument.range(), whole.range());
    }
    std::vector<Type::Attribute> attributes;
    std::vector<std::pair<std::string, Value>> values;
    std::vector<std::pair<std::string, DefaultsRef>> children;
    FlatSet<std::string> names;
    for (const hcl::ObjectItem& item : *items) {
      const std::string_view name = hcl::AsKeyword(*item.key, tree_);
      if (name.empty()) {
        Fail("Object constructor map keys must be attribute names.", item.key->range(),
             whole.range());
        continue;
      }
      if (names.contains(name)) {
        Fail("Object constructor map keys must be unique.", item.key->range(), whole.range());
        continue;
      }
      Type::Attribute attribute{name, Type::Dynamic(), false};
      const Expr* type_expr = item.value;
      const Expr* default_expr = nullptr;
      if (!ReadOptional(type_expr, attribute.optional, default_expr)) {
        continue;
      }
      std::optional<Value> given;
      if (default_expr != nullptr) {
        given = EvaluateDefault(*default_expr);
        attribute.optional = given.has_value();
      }
      TypeConstraint inner = Read(*type_expr);
      if (given) {
        ValueResult<Value> converted = ConvertTo(*given, inner.type);
        if (converted) {
          values.emplace_back(name, *std::move(converted));
        } else {
          diags_.Error(
              "Invalid default value for optional attribute",
              "This default value is not compatible with the attribute's type constraint: " +
                  converted.error().message + ".",
              default_expr->range());
        }
      }
      names.insert(std::string(name));
      if (inner.defaults != nullptr) {
        children.emplace_back(name, std::move(inner.defaults));
      }
      attribute.type = std::move(inner.type);
      attributes.push_back(std::move(attribute));
    }
    const Type type = Type::Object(attributes);
    return {type, MakeDefaults(type, std::move(values), std::move(children))};
  }

  // Replaces `optional(type, default)` by its parts. False if it has no type; the attribute is then
  // omitted.
  bool ReadOptional(const Expr*& type_expr, bool& optional, const Expr*& default_expr) {
    const std::optional<StaticCall> call = hcl::AsCall(*type_expr, tree_);
    if (!call || call->name != "optional") {
      return true;
    }
    const SourceRange context = type_expr->range();
    switch (call->arguments.size()) {
      case 0:
        Fail("Optional attribute modifier requires the attribute type as its argument.",
             call->arguments_range, context);
        return false;
      case 1:
        optional = true;
        break;
      case 2:
        default_expr = call->arguments[1];
        break;
      default:
        Fail(
            "Optional attribute modifier expects at most two arguments: the attribute type, and a "
            "default value.",
            call->arguments_range, context);
        break;
    }
    type_expr = call->arguments.front();
    return true;
  }

  std::optional<Value> EvaluateDefault(const Expr& expr) {
    const functions::CallContext context;
    const VariableScope nothing(nullptr, nullptr, context);
    const size_t errors = diags_.error_count();
    Value value = Evaluate(expr, nothing, diags_);
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    return value;
  }

  hcl::SyntaxTree& tree_;
  Diagnostics& diags_;
};

const Defaults* FindChild(const Defaults& defaults, std::string_view key) {
  for (const auto& [name, child] : defaults.children) {
    if (name == key) {
      return child.get();
    }
  }
  return nullptr;
}

Value ApplyTo(const Defaults* defaults, const Value& value) {
  return defaults == nullptr ? value : ApplyDefaults(value, *defaults);
}

// Converts the values to one common type and returns it; nothing if there is none.
std::optional<Type> UnifyValues(std::vector<Value>& values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const Value& value : values) {
    types.push_back(value.type());
  }
  const std::optional<Type> unified = UnifyUnsafe(types);
  if (!unified) {
    return std::nullopt;
  }
  std::vector<Value> converted;
  converted.reserve(values.size());
  Type element;
  for (const Value& value : values) {
    ValueResult<Value> result = ConvertTo(value, *unified);
    if (!result) {
      return std::nullopt;
    }
    const Type own = result->type();
    if (element.is_dynamic()) {
      element = own;
    } else if (!own.is_dynamic() && !(own == element)) {
      return std::nullopt;
    }
    converted.push_back(*std::move(result));
  }
  values = std::move(converted);
  return element;
}

Value ApplyToSequence(const Value& sequence, const Type& type, const Defaults& defaults) {
  std::vector<Value> values;
  values.reserve(sequence.size());
  const Defaults* for_each_element = defaults.type.is_tuple() ? nullptr : FindChild(defaults, "");
  for (size_t i = 0; i < sequence.size(); ++i) {
    const Defaults* child =
        defaults.type.is_tuple() ? FindChild(defaults, std::to_string(i)) : for_each_element;
    values.push_back(ApplyTo(child, sequence.elements()[i]));
  }
  if (type.is_tuple()) {
    return Value::Tuple(std::move(values));
  }
  std::optional<Type> element = type.element();
  if (!values.empty()) {
    element = UnifyValues(values);
  }
  if (!element) {
    return Value::Tuple(std::move(values));
  }
  return type.is_set() ? Value::Set(*element, std::move(values))
                       : Value::List(*element, std::move(values));
}

Value ApplyToMapping(const Value& mapping, const Type& type, const Defaults& defaults) {
  std::vector<std::pair<std::string, Value>> entries;
  FlatMap<std::string, size_t> positions;
  const bool by_name = defaults.type.is_object();
  const Defaults* for_each_element = by_name ? nullptr : FindChild(defaults, "");
  for (size_t i = 0; i < mapping.size(); ++i) {
    const std::string_view key = mapping.key(i);
    const Defaults* child = by_name ? FindChild(defaults, key) : for_each_element;
    positions.emplace(std::string(key), entries.size());
    entries.emplace_back(key, ApplyTo(child, mapping.elements()[i]));
  }
  for (const auto& [name, fallback] : defaults.values) {
    const auto found = positions.find(name);
    if (found == positions.end()) {
      entries.emplace_back(name, ApplyTo(FindChild(defaults, name), fallback));
      continue;
    }
    Value& value = entries[found->second].second;
    if (value.IsNull()) {
      value = ApplyTo(FindChild(defaults, name), fallback);
    } else if (fallback.refinements().not_null) {
      value = RefinedNotNull(value);
    }
  }
  if (type.is_map()) {
    if (entries.empty()) {
      return Value::Map(type.element(), {});
    }
    std::vector<Value> values;
    values.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      values.push_back(value);
    }
    if (const std::optional<Type> element = UnifyValues(values)) {
      for (size_t i = 0; i < entries.size(); ++i) {
        entries[i].second = std::move(values[i]);
      }
      return Value::Map(*element, std::move(entries));
    }
  }
  return Value::Object(std::move(entries));
}

}  // namespace

TypeConstraint ParseTypeConstraint(const Expr& expr, hcl::SyntaxTree& tree, Diagnostics& diags) {
  return TypeReader(tree, diags).Read(expr);
}

Value ApplyDefaults(const Value& value, const Defaults& defaults) {
  if (!value.IsKnown() || value.IsNull()) {
    return value;
  }
  const Type type = value.type();
  const MarkSet marks = value.marks();
  const Value unmarked = value.Unmark();
  Value result = unmarked;
  if (type.is_list() || type.is_set() || type.is_tuple()) {
    result = ApplyToSequence(unmarked, type, defaults);
  } else if (type.is_map() || type.is_object()) {
    result = ApplyToMapping(unmarked, type, defaults);
  }
  return marks.empty() ? result : result.WithMarks(marks);
}

std::string TypeString(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kDynamic:
      return "any";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kNumber:
      return "number";
    case TypeKind::kString:
      return "string";
    case TypeKind::kList:
      return "list(" + TypeString(type.element()) + ")";
    case TypeKind::kSet:
      return "set(" + TypeString(type.element()) + ")";
    case TypeKind::kMap:
      return "map(" + TypeString(type.element()) + ")";
    case TypeKind::kTuple: {
      std::string out = "tuple([";
      for (size_t i = 0; i < type.elements().size(); ++i) {
        out += (i == 0 ? "" : ",") + TypeString(type.elements()[i]);
      }
      return out + "])";
    }
    case TypeKind::kObject: {
      std::string out = "object({";
      bool first = true;
      for (const ObjectAttribute& attribute : type.attributes()) {
        if (!first) {
          out += ',';
        }
        first = false;
        out += hcl::IsIdentifier(attribute.name) ? std::string(attribute.name)
                                                 : text::GoQuote(attribute.name);
        out += '=' + TypeString(attribute.type);
      }
      return out + "})";
    }
    case TypeKind::kCapsule:
      break;
  }
  KINU_INVARIANT(false, "a capsule type cannot be written as a constraint");
}

}  // namespace kinu::lang
