// `for` expressions and splats. Ref: hclsyntax expression.go ForExpr, SplatExpr.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "lang/evaluator.h"

namespace kinu::lang {

using hcl::Expr;

namespace {

// The key of element `index`: its position, its name, or, in sets, the element itself.
Value KeyOf(const Value& collection, const Type& type, size_t index) {
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kTuple:
      return Value::Int(static_cast<int64_t>(index));
    case TypeKind::kSet:
      return collection.elements()[index];
    default:
      return Value::NormalizedString(collection.key(index));
  }
}

// The bindings of the two names of a `for`. If the names are equal, the value hides the key.
class ForNames {
 public:
  ForNames(const hcl::ForExpr& expr, const Binding* outer)
      : key_{expr.key_name, &key_value_, outer},
        value_{expr.value_name, &key_value_, expr.key_name.empty() ? outer : &key_} {}
  ForNames(const ForNames&) = delete;
  ForNames& operator=(const ForNames&) = delete;

  /// `value` must not move until the next call.
  void Set(Value key, const Value& value) {
    key_value_ = std::move(key);
    value_.value = &value;
  }
  const Binding* bindings() const { return &value_; }
  bool has_key() const { return !key_.name.empty(); }

 private:
  Value key_value_;
  Binding key_;
  Binding value_;
};

// Collects the results of a `for`: a tuple, an object, or an object of tuples (grouping).
class ForResults {
 public:
  /// `count` is the maximal number of results.
  ForResults(const hcl::ForExpr& expr, size_t count) : expr_(expr) {
    if (expr.key_result == nullptr && expr.condition == nullptr) {
      values_.reserve(count);
    }
  }

  void Append(Value value) { values_.push_back(std::move(value)); }
  /// False if the key exists and the `for` does not group.
  bool Put(std::string_view key, Value value) {
    const auto [at, is_new] = index_.try_emplace(std::string(key), keys_.size());
    if (is_new) {
      keys_.emplace_back(key);
      if (expr_.grouping) {
        groups_.emplace_back();
      }
    } else if (!expr_.grouping) {
      return false;
    }
    if (expr_.grouping) {
      groups_[at->second].push_back(std::move(value));
    } else {
      values_.push_back(std::move(value));
    }
    return true;
  }
  Value Take() {
    if (expr_.key_result == nullptr) {
      return Value::Tuple(std::move(values_));
    }
    std::vector<std::pair<std::string, Value>> attributes;
    attributes.reserve(keys_.size());
    for (size_t i = 0; i < keys_.size(); ++i) {
      attributes.emplace_back(std::move(keys_[i]), expr_.grouping
                                                       ? Value::Tuple(std::move(groups_[i]))
                                                       : std::move(values_[i]));
    }
    return Value::Object(std::move(attributes));
  }

 private:
  const hcl::ForExpr& expr_;
  std::vector<std::string> keys_;
  std::vector<Value> values_;
  std::vector<std::vector<Value>> groups_;
  FlatMap<std::string, size_t> index_;
};

}  // namespace

// The results of a `for` while its elements are evaluated one after the other.
class Evaluator::ForLoop {
 public:
  /// `bindings` have the names of the current element; `count` is the number of elements.
  ForLoop(const Evaluator& evaluator, const hcl::ForExpr& expr, const Binding* bindings,
          MarkSet marks, size_t count, Diagnostics& diags)
      : evaluator_(evaluator),
        expr_(expr),
        bindings_(bindings),
        marks_(std::move(marks)),
        results_(expr, count),
        diags_(diags) {}

  void AddElement() {
    if (expr_.condition != nullptr && !Includes()) {
      return;
    }
    if (expr_.key_result == nullptr) {
      results_.Append(evaluator_.Eval(*expr_.value_result, bindings_, diags_));
    } else {
      AddKeyedResult();
    }
  }
  Value TakeResult() {
    Value result = complete_ ? results_.Take() : Value::DynamicUnknown();
    return marks_.empty() ? result : result.WithMarks(marks_);
  }

 private:
  // Whether the condition holds. An unknown or invalid one makes the result unknown.
  bool Includes() {
    const Value raw = evaluator_.Eval(*expr_.condition, bindings_, diags_);
    if (raw.IsNull()) {
      Reject("Invalid 'for' condition", "The value of the 'if' clause must not be null.",
             *expr_.condition);
      return false;
    }
    CollectMarks(raw);
    const ValueResult<Value> include = ConvertTo(raw, Type::Bool());
    if (!raw.IsKnown() && expr_.key_result == nullptr) {
      complete_ = false;
      return false;
    }
    if (!include) {
      Reject("Invalid 'for' condition",
             "The 'if' clause value is invalid: " + include.error().message + ".",
             *expr_.condition);
      return false;
    }
    if (!include->IsKnown()) {
      complete_ = false;
      return false;
    }
    return include->AsBool();
  }

  void AddKeyedResult() {
    const Value raw_key = evaluator_.Eval(*expr_.key_result, bindings_, diags_);
    if (raw_key.IsNull()) {
      Reject("Invalid object key",
             "Key expression in 'for' expression must not produce a null value.",
             *expr_.key_result);
      return;
    }
    CollectMarks(raw_key);
    if (!raw_key.IsKnown()) {
      complete_ = false;
      return;
    }
    const ValueResult<Value> key = ConvertTo(raw_key, Type::String());
    if (!key) {
      Reject("Invalid object key",
             "The key expression produced an invalid result: " + key.error().message + ".",
             *expr_.key_result);
      return;
    }
    Value value = evaluator_.Eval(*expr_.value_result, bindings_, diags_);
    if (!results_.Put(key->AsString(), std::move(value))) {
      ReportDuplicate(*key);
    }
  }

  void ReportDuplicate(const Value& key) {
    const std::string shown = key.IsMarked() ? std::string("the same key")
                                             : "the key \"" + std::string(key.AsString()) + "\"";
    evaluator_.Fail(
        "Duplicate object key",
        "Two different items produced " + shown +
            " in this 'for' expression. If that is meant, put an ellipsis (...) after the value "
            "expression to group the values by key.",
        expr_.key_result->range(), expr_.range(), *expr_.key_result, bindings_, diags_);
  }

  // Reports a problem only while the result is complete, because every element may repeat it.
  void Reject(std::string_view summary, std::string detail, const Expr& about) {
    if (complete_) {
      evaluator_.Fail(summary, std::move(detail), about.range(), expr_.range(), about, bindings_,
                      diags_);
    }
    complete_ = false;
  }

  void CollectMarks(const Value& value) {
    if (value.IsMarked()) {
      marks_ = marks_.Union(value.marks());
    }
  }

  const Evaluator& evaluator_;
  const hcl::ForExpr& expr_;
  const Binding* bindings_;
  MarkSet marks_;
  ForResults results_;
  bool complete_ = true;
  Diagnostics& diags_;
};

std::optional<MarkSet> Evaluator::ProbeForCondition(const hcl::ForExpr& expr, const Binding* inner,
                                                    const Binding* bindings,
                                                    Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  const Value probe = Eval(*expr.condition, inner, diags);
  if (probe.IsNull()) {
    Fail("Condition is null", "The value of the 'if' clause must not be null.",
         expr.condition->range(), expr.range(), *expr.condition, bindings, diags);
    return std::nullopt;
  }
  if (const auto converted = ConvertTo(probe, Type::Bool()); !converted) {
    Fail("Invalid 'for' condition",
         "The 'if' clause value is invalid: " + converted.error().message + ".",
         expr.condition->range(), expr.range(), *expr.condition, bindings, diags);
    return std::nullopt;
  }
  return diags.error_count() == errors ? std::optional(probe.marks()) : std::nullopt;
}

Value Evaluator::EvalFor(const hcl::ForExpr& expr, const Binding* bindings,
                         Diagnostics& diags) const {
  const Expr& source = *expr.collection;
  Value collection = Eval(source, bindings, diags);
  if (collection.IsNull()) {
    Fail("Iteration over null value",
         "A null value cannot be used as the collection in a 'for' expression.", source.range(),
         expr.range(), source, bindings, diags);
    return Value::DynamicUnknown();
  }
  const Type type = collection.type();
  if (type.is_dynamic()) {
    return Value::DynamicUnknown();
  }
  MarkSet marks = collection.marks();
  collection = collection.Unmark();
  if (!type.is_iterable()) {
    Fail("Iteration over non-iterable value",
         "A value of type " + type.FriendlyName() +
             " cannot be used as the collection in a 'for' expression.",
         source.range(), expr.range(), source, bindings, diags);
    return Value::DynamicUnknown();
  }

  const Value any = Value::DynamicUnknown();
  ForNames names(expr, bindings);
  MarkSet condition_marks;
  if (expr.condition != nullptr) {
    names.Set(any, any);
    const std::optional<MarkSet> probed =
        ProbeForCondition(expr, names.bindings(), bindings, diags);
    if (!probed) {
      return Value::DynamicUnknown();
    }
    condition_marks = *probed;
  }
  if (!collection.IsKnown()) {
    return Value::DynamicUnknown().WithMarks(marks.Union(condition_marks));
  }

  const std::span<const Value> elements = collection.elements();
  ForLoop loop(*this, expr, names.bindings(), std::move(marks), elements.size(), diags);
  for (size_t i = 0; i < elements.size(); ++i) {
    names.Set(names.has_key() ? KeyOf(collection, type, i) : Value(), elements[i]);
    loop.AddElement();
  }
  return loop.TakeResult();
}

// The type of the splat's result for a source of this type.
Type Evaluator::SplatType(const hcl::SplatExpr& expr, const Type& source, const Binding* bindings,
                          Diagnostics& diags) const {
  const auto type_for = [&](const Type& element) {
    const Value placeholder = Value::Unknown(element);
    const Binding item{{}, &placeholder, bindings, expr.item};
    return Eval(*expr.each, &item, diags).type();
  };
  if (source.is_tuple()) {
    std::vector<Type> types;
    types.reserve(source.elements().size());
    for (const Type& element : source.elements()) {
      types.push_back(type_for(element));
    }
    return Type::Tuple(types);
  }
  return Type::List(type_for(source.element()));
}

Value Evaluator::EvalSplat(const hcl::SplatExpr& expr, const Binding* bindings,
                           Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  Value source = Eval(*expr.source, bindings, diags);
  if (diags.error_count() != errors) {
    return Value::DynamicUnknown();
  }
  Type type = source.type();
  const MarkSet marks = source.marks();
  const auto remark = [&marks](const Value& value) {
    return marks.empty() ? value : value.WithMarks(marks);
  };
  // A value that is not a sequence counts as a sequence of one element; null counts as empty.
  const bool single = !type.is_tuple() && !type.is_list() && !type.is_set();
  if (source.IsNull()) {
    if (single) {
      return remark(Value::EmptyTuple());
    }
    Fail("Splat of null value",
         "Splat expressions (with the * symbol) cannot be applied to null sequences.",
         expr.source->range(),
         SourceRange::Between(expr.source->range(),
                              {expr.file(), expr.marker_begin, expr.marker_end}),
         *expr.source, bindings, diags);
    return Value::DynamicUnknown();
  }
  if (type.is_dynamic()) {
    return remark(Value::DynamicUnknown());
  }
  bool may_be_empty = false;
  if (single) {
    may_be_empty = !source.IsKnown() && !source.Unmark().refinements().not_null;
    std::vector<Value> one;
    one.push_back(source);
    source = Value::Tuple(std::move(one));
    type = source.type();
  } else {
    source = source.Unmark();
  }

  if (!source.IsKnown()) {
    const Type result_type = SplatType(expr, type, bindings, diags);
    Refinements refinements;
    refinements.not_null = true;
    if (result_type.is_list()) {
      const Refinements known = source.refinements();
      refinements.min_length = known.min_length;
      refinements.max_length = known.max_length;
    }
    return remark(Value::Unknown(result_type, std::move(refinements)));
  }

  std::vector<Value> results;
  results.reserve(source.size());
  const size_t errors_before = diags.error_count();
  for (const Value& element : source.elements()) {
    const Binding item{{}, &element, bindings, expr.item};
    results.push_back(Eval(*expr.each, &item, diags));
  }
  if (may_be_empty) {
    return remark(Value::DynamicUnknown());
  }
  if (diags.error_count() != errors_before) {
    Diagnostics repeated;
    return remark(Value::Unknown(SplatType(expr, type, bindings, repeated)));
  }
  if (type.is_tuple()) {
    return remark(Value::Tuple(std::move(results)));
  }
  if (results.empty()) {
    return remark(Value::List(SplatType(expr, type, bindings, diags).element(), {}));
  }
  Type element_type;
  for (const Value& result : results) {
    const Type own = result.type();
    if (element_type.is_dynamic()) {
      element_type = own;
    } else if (!own.is_dynamic() && !(own == element_type)) {
      diags.Error("Invalid nested splat expressions",
                  "The second level of splat expression produced elements of different types, so "
                  "it isn't possible to construct a valid list to represent the top-level result. "
                  "A for expression gives a tuple, whose elements may differ.",
                  expr.each->range(), expr.range());
      return Value::DynamicUnknown();
    }
  }
  return remark(Value::List(element_type, std::move(results)));
}

}  // namespace kinu::lang
