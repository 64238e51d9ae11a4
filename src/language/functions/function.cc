#include "functions/function.h"

#include <algorithm>
#include <limits>

#include "base/invariant.h"
#include "functions/support.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

Value Refine(const FunctionSpec& spec, Arguments args, const Value& value) {
  if (spec.refine == nullptr || value.IsKnown() || value.type().is_dynamic()) {
    return value;
  }
  const Refinements wanted = spec.refine(args);
  const MarkSet marks = value.marks();
  Refinements merged = value.refinements();
  merged.not_null = merged.not_null || wanted.not_null;
  if (!merged.min) {
    merged.min = wanted.min;
    merged.min_inclusive = wanted.min_inclusive;
  }
  return Value::Unknown(value.type(), merged).WithMarks(marks);
}

// Arguments checked according to their parameters.
struct Prepared {
  Arguments values;  // the given ones while none of them is changed, else `changed`
  std::vector<Value> changed;
  MarkSet marks;             // of arguments whose parameters have no allow_marked
  bool has_dynamic = false;  // an argument has unknown type, without allow_dynamic
  bool has_unknown = false;  // an argument is unknown, without allow_unknown

  /// Puts a value in place of an argument.
  void Replace(size_t i, Value value) {
    if (changed.empty()) {
      changed.assign(values.begin(), values.end());
      values = changed;
    }
    changed[i] = std::move(value);
  }
};

std::expected<Prepared, CallError> Prepare(std::span<const Parameter> params,
                                           const Parameter* variadic, Arguments args) {
  KINU_INVARIANT(variadic != nullptr ? args.size() >= params.size() : args.size() == params.size(),
                 "the evaluator has checked the number of arguments");
  Prepared out{.values = args};
  for (size_t i = 0; i < args.size(); ++i) {
    const Parameter& parameter = i < params.size() ? params[i] : *variadic;
    if (!parameter.allow_marked && out.values[i].ContainsMarked()) {
      MarkSet marks;
      out.Replace(i, out.values[i].UnmarkDeep(&marks));
      out.marks = out.marks.Union(marks);
    }
    const Value& value = out.values[i];
    if (!out.has_dynamic) {
      if (value.IsNull() && !parameter.allow_null) {
        return CallFail("argument must not be null", static_cast<int>(i));
      }
      out.has_dynamic = value.type().is_dynamic() && !parameter.allow_dynamic;
    }
    out.has_unknown = out.has_unknown || (!value.IsKnown() && !parameter.allow_unknown);
  }
  return out;
}

}  // namespace

CallResult CallFunction(std::span<const Parameter> params, const Parameter* variadic,
                        const Type& result, Arguments args, const Implementation& impl) {
  KINU_TRY(Prepared prepared, Prepare(params, variadic, args));
  if (prepared.has_dynamic) {
    return Value::DynamicUnknown().WithMarks(prepared.marks);
  }
  if (prepared.has_unknown) {
    return Value::Unknown(result).WithMarks(prepared.marks);
  }
  KINU_TRY(Value value, impl(prepared.values));
  return value.WithMarks(prepared.marks);
}

CallResult CallFunction(const FunctionSpec& spec, Arguments args, const CallContext& context) {
  KINU_INVARIANT(!spec.lazy, "the evaluator implements lazy functions");
  KINU_TRY(Prepared prepared, Prepare(std::span(spec.params.begin(), spec.params.size()),
                                      spec.has_variadic ? &spec.variadic : nullptr, args));
  if (prepared.has_dynamic) {
    return Value::DynamicUnknown().WithMarks(prepared.marks);
  }
  KINU_TRY(const Type type, spec.result_type(prepared.values));
  if (prepared.has_unknown || (spec.impure && context.pure_only)) {
    return Refine(spec, prepared.values, Value::Unknown(type)).WithMarks(prepared.marks);
  }
  CallResult called = spec.impl(prepared.values, type, context);
  if (!called && called.error().withheld) {
    return Value::Unknown(type).WithMarks(prepared.marks);
  }
  KINU_TRY(Value result, std::move(called));
  if (!type.has_dynamic() && result.type() != type && !result.type().is_dynamic()) {
    return CallFail("the result does not have the type that the arguments promise");
  }
  return Refine(spec, prepared.values, result).WithMarks(prepared.marks);
}

std::expected<int64_t, CallError> ToInteger(const Value& number, int index) {
  const std::optional<int64_t> integer = number.AsInt64();
  if (!integer) {
    return CallFail(
        "value must be a whole number, between -9223372036854775808 and 9223372036854775807",
        index);
  }
  return *integer;
}

std::expected<double, CallError> ToDouble(const Value& number) {
  const Number value = number.AsNumber();
  const double out = value.ToDouble();
  if (!value.IsInfinite() &&
      (out > std::numeric_limits<double>::max() || out < std::numeric_limits<double>::lowest())) {
    return CallFail("the number is too large for a double");
  }
  return out;
}

std::string ShowText(std::string_view text, const MarkSet& marks) {
  if (marks.ephemeral()) {
    return marks.sensitive() ? "(ephemeral sensitive value)" : "(ephemeral value)";
  }
  return marks.sensitive() ? "(sensitive value)" : text::GoQuote(text);
}

bool HasTooManyParts(const Value& value) {
  constexpr size_t kMostParts = size_t{1} << 24;
  size_t parts = 0;
  std::vector<std::span<const Value>> pending{{&value, 1}};
  while (!pending.empty()) {
    std::span<const Value>& rest = pending.back();
    if (rest.empty()) {
      pending.pop_back();
      continue;
    }
    const Value& next = rest.front();
    rest = rest.subspan(1);
    if (++parts > kMostParts) {
      return true;
    }
    const Type type = next.type();
    if (next.IsKnown() && !next.IsNull() && type.is_iterable()) {
      pending.push_back(next.elements());
    }
  }
  return false;
}

std::unexpected<CallError> TooManyParts() {
  return CallFail("the value has too many parts for a text");
}

bool ValueIndex::Insert(const Value& value) {
  std::vector<Value>& bucket = buckets_[value.Hash()];
  for (const Value& seen : bucket) {
    const Value equal = Equals(seen, value);
    if (equal.IsKnown() && equal.AsBool()) {
      return false;
    }
  }
  bucket.push_back(value);
  return true;
}

bool ValueIndex::Contains(const Value& value) const {
  const auto found = buckets_.find(value.Hash());
  return found != buckets_.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&value](const Value& seen) {
           const Value equal = Equals(seen, value);
           return equal.IsKnown() && equal.AsBool();
         });
}

}  // namespace kinu::functions
