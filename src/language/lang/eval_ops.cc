// Operators and conditionals. Ref: hclsyntax expression_ops.go, expression.go ConditionalExpr.
#include <array>
#include <optional>

#include "base/invariant.h"
#include "cty/collections.h"
#include "cty/conversion.h"
#include "cty/ops.h"
#include "cty/unified.h"
#include "lang/evaluator.h"

namespace kinu::lang {

using hcl::BinaryOperator;
using hcl::Expr;

namespace {

bool IsTrue(const Value& value) {
  return value.IsKnown() && !value.IsNull() && value.AsBool();
}
// Known and not true. The reference's operators treat null as false.
bool IsFalse(const Value& value) {
  return value.IsKnown() && !IsTrue(value);
}

Value UnknownNotNull(const Type& type) {
  return Value::Unknown(type, Refinements{.not_null = true});
}

// The result of a logical operator of which one side decides: true for ||, false for &&. An unknown
// side beside the other constant makes the result unknown. Only the diagnostics of the side that
// decides are reported.
struct ShortCircuit {
  Value result;
  bool from_left;
};
std::optional<ShortCircuit> Decide(BinaryOperator op, const Value& left, const Value& right,
                                   bool left_failed) {
  const bool is_or = op == BinaryOperator::kOr;
  const auto decisive = [is_or](const Value& v) { return is_or ? IsTrue(v) : IsFalse(v); };
  const auto neutral = [is_or](const Value& v) { return is_or ? IsFalse(v) : IsTrue(v); };
  const auto unknown = [] { return UnknownNotNull(Type::Bool()); };
  if (!left.IsKnown() && !right.IsKnown()) {
    if (left_failed) {
      return std::nullopt;
    }
    return ShortCircuit{unknown(), true};
  }
  if (decisive(left)) {
    return ShortCircuit{Value::Bool(is_or), true};
  }
  if (decisive(right)) {
    return ShortCircuit{Value::Bool(is_or), false};
  }
  if (!left.IsKnown() && neutral(right)) {
    return ShortCircuit{unknown(), true};
  }
  if (!right.IsKnown() && neutral(left)) {
    return ShortCircuit{unknown(), false};
  }
  return std::nullopt;
}

bool IsInfinite(const Value& value, bool* negative) {
  const Number number = value.AsNumber();
  *negative = number.Sign() < 0;
  return !number.is_inline() && number.IsInfinite();
}

// The result for known numbers. Fails if it would be NaN.
ValueResult<Value> Arithmetic(BinaryOperator op, const Value& a, const Value& b) {
  bool a_negative = false;
  bool b_negative = false;
  const bool a_infinite = IsInfinite(a, &a_negative);
  const bool b_infinite = IsInfinite(b, &b_negative);
  switch (op) {
    case BinaryOperator::kAdd:
      if (a_infinite && b_infinite && a_negative != b_negative) {
        return ValueFail("can't compute sum of opposing infinities");
      }
      return Add(a, b);
    case BinaryOperator::kSubtract:
      if (a_infinite && b_infinite && a_negative == b_negative) {
        return ValueFail("can't subtract infinity from itself");
      }
      return Subtract(a, b);
    case BinaryOperator::kMultiply:
      if ((a_infinite && b.AsNumber().Sign() == 0) || (b_infinite && a.AsNumber().Sign() == 0)) {
        return ValueFail("can't multiply zero by infinity");
      }
      return Multiply(a, b);
    case BinaryOperator::kDivide:
      if ((a_infinite && b_infinite) || (a.AsNumber().Sign() == 0 && b.AsNumber().Sign() == 0)) {
        return ValueFail("can't divide zero by zero or infinity by infinity");
      }
      return Divide(a, b);
    default:
      return Modulo(a, b);
  }
}

Value Compare(BinaryOperator op, const Value& a, const Value& b) {
  switch (op) {
    case BinaryOperator::kGreater:
      return GreaterThan(a, b);
    case BinaryOperator::kGreaterEqual:
      return GreaterThanOrEqual(a, b);
    case BinaryOperator::kLess:
      return LessThan(a, b);
    default:
      return LessThanOrEqual(a, b);
  }
}

enum class OperatorClass { kLogical, kEquality, kComparison, kArithmetic };
OperatorClass ClassOf(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kOr:
    case BinaryOperator::kAnd:
      return OperatorClass::kLogical;
    case BinaryOperator::kEqual:
    case BinaryOperator::kNotEqual:
      return OperatorClass::kEquality;
    case BinaryOperator::kGreater:
    case BinaryOperator::kGreaterEqual:
    case BinaryOperator::kLess:
    case BinaryOperator::kLessEqual:
      return OperatorClass::kComparison;
    default:
      return OperatorClass::kArithmetic;
  }
}

// Applies an operator to converted operands without top-level marks.
ValueResult<Value> Apply(BinaryOperator op, const Value& left, const Value& right) {
  const OperatorClass kind = ClassOf(op);
  if (kind == OperatorClass::kEquality) {
    if (!left.ContainsMarked() && !right.ContainsMarked()) {
      return RefinedNotNull(op == BinaryOperator::kEqual ? Equals(left, right)
                                                         : NotEquals(left, right));
    }
    MarkSet marks;
    const Value a = left.UnmarkDeep(&marks);
    MarkSet more;
    const Value b = right.UnmarkDeep(&more);
    const Value result = op == BinaryOperator::kEqual ? Equals(a, b) : NotEquals(a, b);
    return RefinedNotNull(result).WithMarks(marks.Union(more));
  }
  if (left.IsNull() || right.IsNull()) {
    return ValueFail("argument must not be null");
  }
  switch (kind) {
    case OperatorClass::kLogical:
      return op == BinaryOperator::kOr ? LogicalOr(left, right) : LogicalAnd(left, right);
    case OperatorClass::kComparison:
      return RefinedNotNull(Compare(op, left, right));
    default:
      if (!left.IsKnown() || !right.IsKnown()) {
        return UnknownNotNull(Type::Number());
      }
      return Arithmetic(op, left, right);
  }
}

// Describes the first difference of two types. Ref: describeConditionalTypeMismatch.
std::string DescribeMismatch(const Type& a, const Type& b) {
  if (a.is_object() && b.is_object()) {
    for (const ObjectAttribute& attribute : a.attributes()) {
      const int at = b.FindAttribute(attribute.name);
      const std::string name = "\"" + std::string(attribute.name) + "\"";
      if (at < 0) {
        return "The 'true' value includes object attribute " + name +
               ", which is absent in the 'false' value";
      }
      const Type& other = b.attributes()[static_cast<size_t>(at)].type;
      if (!(attribute.type == other)) {
        return "Type mismatch for object attribute " + name + ": " +
               DescribeMismatch(attribute.type, other);
      }
    }
    for (const ObjectAttribute& attribute : b.attributes()) {
      if (a.FindAttribute(attribute.name) < 0) {
        return "The 'false' value includes object attribute \"" + std::string(attribute.name) +
               "\", which is absent in the 'true' value";
      }
    }
  }
  if (a.is_tuple() && b.is_tuple()) {
    if (a.elements().size() != b.elements().size()) {
      return "The 'true' tuple has length " + std::to_string(a.elements().size()) +
             ", but the 'false' tuple has length " + std::to_string(b.elements().size());
    }
    for (size_t i = 0; i < a.elements().size(); ++i) {
      if (!(a.elements()[i] == b.elements()[i])) {
        return "Type mismatch for tuple element " + std::to_string(i) + ": " +
               DescribeMismatch(a.elements()[i], b.elements()[i]);
      }
    }
  }
  if (a.kind() == b.kind() && a.is_collection() && a.element().kind() == b.element().kind() &&
      a.element().is_structural()) {
    return "Mismatched " + std::string(CollectionName(a.kind())) +
           " element types: " + DescribeMismatch(a.element(), b.element());
  }
  const std::string a_name = a.FriendlyName();
  const std::string b_name = b.FriendlyName();
  if (a_name == b_name) {
    return "At least one deeply-nested attribute or element is not compatible across both the "
           "'true' and the 'false' value";
  }
  return "The 'true' value is " + a_name + ", but the 'false' value is " + b_name;
}

// A bound that holds for both of two values; empty if one of them is unbounded.
struct Bound {
  std::optional<Number> value;
  bool inclusive = true;
};
Bound Looser(const std::optional<Number>& a, bool a_inclusive, const std::optional<Number>& b,
             bool b_inclusive, bool lower) {
  if (!a || !b) {
    return {};
  }
  const int order = lower ? Number::Compare(*a, *b) : Number::Compare(*b, *a);
  if (order == 0) {
    return {a, a_inclusive || b_inclusive};
  }
  return order < 0 ? Bound{a, a_inclusive} : Bound{b, b_inclusive};
}

// The result of a conditional whose condition is unknown: unknown, with the refinements that hold
// for both branches.
Value UndecidedResult(const Value& a, const Value& b, const Type& type) {
  if (a.IsNull() && b.IsNull()) {
    return Value::Null(type);
  }
  const Refinements of_a = a.refinements();
  const Refinements of_b = b.refinements();
  Refinements result;
  result.not_null = of_a.not_null && of_b.not_null;
  const Type a_type = a.type();
  const Type b_type = b.type();
  if (a_type == Type::Number() && b_type == Type::Number()) {
    const Bound low = Looser(of_a.min, of_a.min_inclusive, of_b.min, of_b.min_inclusive, true);
    const Bound high = Looser(of_a.max, of_a.max_inclusive, of_b.max, of_b.max_inclusive, false);
    result.min = low.value;
    result.min_inclusive = low.inclusive;
    result.max = high.value;
    result.max_inclusive = high.inclusive;
    return Value::Unknown(Type::Number(), std::move(result));
  }
  if (a_type.is_collection() && a_type == b_type) {
    result.min_length = std::min(of_a.min_length, of_b.min_length);
    result.max_length = std::max(of_a.max_length, of_b.max_length);
  }
  return type.is_dynamic() ? Value::DynamicUnknown() : Value::Unknown(type, std::move(result));
}

Type OperandType(OperatorClass kind) {
  switch (kind) {
    case OperatorClass::kLogical:
      return Type::Bool();
    case OperatorClass::kEquality:
      return Type::Dynamic();
    case OperatorClass::kComparison:
    case OperatorClass::kArithmetic:
      break;
  }
  return Type::Number();
}

bool IsUntypedNull(const Value& value) {
  return value.IsNull() && !value.IsMarked() && value.type().is_dynamic();
}

}  // namespace

Value Evaluator::EvalBinary(const hcl::BinaryExpr& expr, const Binding* bindings,
                            Diagnostics& diags) const {
  const OperatorClass kind = ClassOf(expr.op);
  const Type result_type = kind == OperatorClass::kArithmetic ? Type::Number() : Type::Bool();
  const Type operand_type = OperandType(kind);
  Diagnostics left_diags = diags.Another();
  Diagnostics right_diags = diags.Another();
  ValueResult<Value> left = ConvertTo(Eval(*expr.left, bindings, left_diags), operand_type);
  const size_t first = diags.error_count();
  if (!left) {
    Fail("Invalid operand", "Unsuitable value for left operand: " + left.error().message + ".",
         expr.left->range(), expr.range(), *expr.left, bindings, diags);
  }
  ValueResult<Value> right = ConvertTo(Eval(*expr.right, bindings, right_diags), operand_type);
  if (!right) {
    Fail("Invalid operand", "Unsuitable value for right operand: " + right.error().message + ".",
         expr.right->range(), expr.range(), *expr.right, bindings, diags);
  }
  if (diags.error_count() != first) {
    diags.Append(std::move(left_diags));
    diags.Append(std::move(right_diags));
    return Value::Unknown(result_type);
  }

  const bool marked = left->IsMarked() || right->IsMarked();
  MarkSet marks;
  if (marked) {
    marks = left->marks().Union(right->marks());
    *left = left->Unmark();
    *right = right->Unmark();
  }
  const auto remark = [&](Value value) {
    if (marked) {
      value = value.WithMarks(marks);
    }
    return value;
  };

  if (kind == OperatorClass::kLogical) {
    if (auto decided = Decide(expr.op, *left, *right, left_diags.has_errors())) {
      diags.Append(std::move(decided->from_left ? left_diags : right_diags));
      return remark(std::move(decided->result));
    }
  }
  const bool failed = left_diags.has_errors() || right_diags.has_errors();
  if (!left_diags.empty() || !right_diags.empty()) {
    diags.Append(std::move(left_diags));
    diags.Append(std::move(right_diags));
  }
  if (failed) {
    return remark(Value::Unknown(result_type));
  }
  ValueResult<Value> result = Apply(expr.op, *left, *right);
  if (!result) {
    Fail("Operation failed", "Error during operation: " + result.error().message + ".",
         expr.range(), {}, expr, bindings, diags);
    return Value::Unknown(result_type);
  }
  return remark(*std::move(result));
}

Value Evaluator::EvalUnary(const hcl::UnaryExpr& expr, const Binding* bindings,
                           Diagnostics& diags) const {
  const bool is_not = expr.op == hcl::UnaryOperator::kNot;
  const Type type = is_not ? Type::Bool() : Type::Number();
  const size_t errors = diags.error_count();
  const ValueResult<Value> operand = ConvertTo(Eval(*expr.operand, bindings, diags), type);
  if (!operand) {
    Fail("Invalid operand", "Unsuitable value for unary operand: " + operand.error().message + ".",
         expr.operand->range(), expr.range(), *expr.operand, bindings, diags);
  }
  if (diags.error_count() != errors) {
    return Value::Unknown(type);
  }
  if (operand->IsNull()) {
    Fail("Operation failed", "Error during operation: argument must not be null.", expr.range(), {},
         expr, bindings, diags);
    return Value::Unknown(type);
  }
  if (!operand->IsKnown()) {
    return UnknownNotNull(type);
  }
  return is_not ? LogicalNot(*operand) : Negate(*operand);
}

void Evaluator::Choose(const hcl::ConditionalExpr& expr, bool true_branch) const {
  if (choices_ != nullptr) {
    choices_->emplace_back(&expr, true_branch);
  } else {
    scope_.coverage()->Take(expr, true_branch);
  }
}

Value Evaluator::EvalConditional(const hcl::ConditionalExpr& expr, const Binding* bindings,
                                 Diagnostics& diags) const {
  const bool covers = scope_.coverage() != nullptr;
  std::array<Choices, 2> branch_choices;  // only those of the taken branch count
  std::array<Diagnostics, 2> branch_diags = {diags.Another(), diags.Another()};
  std::array<Value, 2> branches;
  for (const size_t branch : {0, 1}) {
    Choices* const outer = choices_;
    choices_ = covers ? &branch_choices[branch] : nullptr;
    branches[branch] =
        Eval(branch == 0 ? *expr.true_result : *expr.false_result, bindings, branch_diags[branch]);
    choices_ = outer;
  }
  const std::array<Type, 2> types = {branches[0].type(), branches[1].type()};

  // The type of the result, which does not depend on the condition.
  Type type;
  bool is_unified = false;
  if (IsUntypedNull(branches[0])) {
    type = types[1];
  } else if (IsUntypedNull(branches[1]) || types[0] == types[1]) {
    type = types[0];
  } else if (!types[0].is_dynamic() && !types[1].is_dynamic()) {
    const std::optional<Type> unified = UnifyUnsafe(types);
    if (!unified) {
      Fail("Inconsistent conditional result types",
           "The true and false result expressions must have consistent types. " +
               DescribeMismatch(types[0], types[1]) + ".",
           SourceRange::Between(expr.true_result->range(), expr.false_result->range()),
           expr.range(), expr, bindings, diags);
      return Value::DynamicUnknown();
    }
    type = *unified;
    is_unified = true;
  }

  Value condition = Eval(*expr.condition, bindings, diags);
  if (condition.IsNull()) {
    Fail("Null condition", "The condition value is null. Conditions must either be true or false.",
         expr.condition->range(), expr.range(), *expr.condition, bindings, diags);
    return Value::Unknown(type);
  }

  const bool marked = condition.IsMarked() || branches[0].IsMarked() || branches[1].IsMarked();
  MarkSet marks;
  if (marked) {
    marks = condition.marks().Union(branches[0].marks()).Union(branches[1].marks());
    condition = condition.Unmark();
    branches[0] = branches[0].Unmark();
    branches[1] = branches[1].Unmark();
  }
  const auto remark = [&](const Value& value) { return marked ? value.WithMarks(marks) : value; };
  if (!condition.IsKnown()) {
    return remark(UndecidedResult(branches[0], branches[1], type));
  }
  const ValueResult<Value> decision = ConvertTo(condition, Type::Bool());
  if (!decision) {
    Fail("Incorrect condition type", "The condition expression must be of type bool.",
         expr.condition->range(), expr.range(), *expr.condition, bindings, diags);
    return Value::Unknown(type);
  }

  const size_t taken = decision->AsBool() ? 0 : 1;
  if (covers) {
    Choose(expr, taken == 0);
    for (const auto& [nested, true_branch] : branch_choices[taken]) {
      Choose(*nested, true_branch);
    }
  }
  const Expr& branch = taken == 0 ? *expr.true_result : *expr.false_result;
  diags.Append(std::move(branch_diags[taken]));
  ValueResult<Value> result = is_unified ? ConvertToUnified(branches[taken], types[1 - taken], type)
                                         : ConvertTo(branches[taken], type);
  if (!result) {
    Fail("Inconsistent conditional result types",
         std::string("The ") + (taken == 0 ? "true" : "false") +
             " result value has the wrong type: " + result.error().message + ".",
         branch.range(), expr.range(), branch, bindings, diags);
    return remark(Value::Unknown(type));
  }
  return remark(*std::move(result));
}

}  // namespace kinu::lang
