// Writing values as msgpack; msgpack_read.cc reads them.
#include <array>
#include <bit>

#include "cty/collections.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "cty/msgpack_codes.h"
#include "cty/ops.h"
#include "text/unicode.h"

namespace kinu {
namespace {

using namespace msgpack;  // NOLINT(google-build-using-namespace): the codes

void AppendBigEndian(std::string& out, uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(value >> shift);
  }
}

void AppendCode(std::string& out, unsigned code) {
  out += static_cast<char>(code);
}

// A length behind the code for its width; `code8` 0: the family starts with 16 bits, at code16.
void AppendLength(std::string& out, size_t size, unsigned code8, unsigned code16) {
  if (code8 != 0 && size <= UINT8_MAX) {
    AppendCode(out, code8);
    AppendBigEndian(out, size, 1);
  } else if (size <= UINT16_MAX) {
    AppendCode(out, code16);
    AppendBigEndian(out, size, 2);
  } else {
    AppendCode(out, code16 + 1);
    AppendBigEndian(out, size, 4);
  }
}

void AppendString(std::string& out, std::string_view text) {
  if (text.size() < 32) {
    AppendCode(out, kFixString | static_cast<unsigned>(text.size()));
  } else {
    AppendLength(out, text.size(), kString8, kString8 + 1);
  }
  out += text;
}

void AppendArrayHeader(std::string& out, size_t size) {
  if (size < 16) {
    AppendCode(out, kFixArray | static_cast<unsigned>(size));
  } else {
    AppendLength(out, size, 0, kArray16);
  }
}

void AppendMapHeader(std::string& out, size_t size) {
  if (size < 16) {
    AppendCode(out, kFixMap | static_cast<unsigned>(size));
  } else {
    AppendLength(out, size, 0, kMap16);
  }
}

void AppendInt(std::string& out, int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  if (value >= -32 && value < 128) {
    AppendCode(out, static_cast<uint8_t>(bits));
    return;
  }
  bool negative = value < 0;
  int width = 3;  // of 8, 16, 32, 64 bits: the narrowest that holds it
  if (negative ? value >= INT8_MIN : value <= UINT8_MAX) {
    width = 0;
  } else if (negative ? value >= INT16_MIN : value <= UINT16_MAX) {
    width = 1;
  } else if (negative ? value >= INT32_MIN : value <= UINT32_MAX) {
    width = 2;
  }
  AppendCode(out, (negative ? kInt8 : kUint8) + static_cast<unsigned>(width));
  AppendBigEndian(out, bits, 1 << width);
}

void AppendNumber(std::string& out, const Number& number, WholeNumbers whole) {
  if (std::optional<int64_t> integer = number.ToInt64()) {
    AppendInt(out, *integer);
    return;
  }
  bool exact = false;
  double value = number.ToDouble(&exact);
  const bool precise =
      whole == WholeNumbers::kPrecise && exact && number.precision() == kFloatPrecision;
  if (number.IsInfinite() || precise || (exact && !number.IsInteger())) {
    AppendCode(out, kFloat64);
    AppendBigEndian(out, std::bit_cast<uint64_t>(value), 8);
  } else {
    AppendString(out, whole == WholeNumbers::kShortest ? number.ToText() : ExactText(number));
  }
}

void AppendBound(std::string& out, RefinementKey key, const Number& bound, bool inclusive,
                 WholeNumbers whole) {
  AppendInt(out, key);
  AppendArrayHeader(out, 2);
  AppendNumber(out, bound, whole);
  AppendCode(out, inclusive ? kTrue : kFalse);
}

void AppendUnknown(std::string& out, const Refinements& known, WholeNumbers whole) {
  std::string entries;
  size_t count = 0;
  if (known.not_null) {
    ++count;
    AppendInt(entries, kNullness);
    AppendCode(entries, kFalse);
  }
  if (known.min) {
    ++count;
    AppendBound(entries, kNumberMin, *known.min, known.min_inclusive, whole);
  }
  if (known.max) {
    ++count;
    AppendBound(entries, kNumberMax, *known.max, known.max_inclusive, whole);
  }
  if (!known.prefix.empty()) {
    ++count;
    AppendInt(entries, kStringPrefix);
    if (known.prefix.size() > kLongestPrefix) {
      AppendString(entries, text::SafePrefix(known.prefix.substr(0, kLongestPrefix - 1)));
    } else {
      AppendString(entries, known.prefix);
    }
  }
  if (known.min_length != 0) {
    ++count;
    AppendInt(entries, kLengthMin);
    AppendInt(entries, known.min_length);
  }
  if (known.max_length != INT64_MAX) {
    ++count;
    AppendInt(entries, kLengthMax);
    AppendInt(entries, known.max_length);
  }
  if (count == 0) {
    AppendCode(out, kFixExt1);
    out.append(2, '\0');
    return;
  }
  size_t size = entries.size() + 1;
  if (std::has_single_bit(size) && size <= 16) {
    AppendCode(out, kFixExt1 + static_cast<unsigned>(std::countr_zero(size)));
  } else {
    AppendLength(out, size, kExt8, kExt8 + 1);
  }
  AppendCode(out, kRefinedExtension);
  AppendMapHeader(out, count);
  out += entries;
}

ValueResult<void> Write(std::string& out, const Value& value, const Type& type, WholeNumbers whole);

// The JSON notation of a type. The values of a plan have few types, so each thread remembers what
// it has written lately. Valid until the next call.
std::string_view NotationOf(const Type& type) {
  struct Entry {
    Type type;
    std::string notation;
  };
  constexpr size_t kEntries = 32;
  thread_local std::array<Entry, kEntries> entries;
  Entry& entry = entries[type.Hash() % kEntries];
  if (entry.notation.empty() || entry.type != type) {
    entry = {type, TypeToJson(type)};
  }
  return entry.notation;
}

ValueResult<void> WriteDynamic(std::string& out, const Value& value, WholeNumbers whole) {
  const Type type = value.type();
  if (type.is_capsule()) {
    return ValueFail("failed to serialize type: type not allowed: " + type.FriendlyName());
  }
  AppendArrayHeader(out, 2);
  const std::string_view notation = NotationOf(type);
  AppendLength(out, notation.size(), kBin8, kBin8 + 1);
  out += notation;
  return Write(out, value, type, whole);
}

ValueResult<void> Write(std::string& out, const Value& value, const Type& type,
                        WholeNumbers whole) {
  if (value.IsMarked()) {
    return ValueFail("value has marks, so it cannot be serialized");
  }
  if (type.is_dynamic() && !value.type().is_dynamic()) {
    return WriteDynamic(out, value, whole);
  }
  if (!value.IsKnown()) {
    AppendUnknown(out, value.refinements(), whole);
    return {};
  }
  if (value.IsNull()) {
    AppendCode(out, kNil);
    return {};
  }
  bool named = false;
  switch (type.kind()) {
    case TypeKind::kString:
      AppendString(out, value.AsString());
      return {};
    case TypeKind::kNumber:
      AppendNumber(out, value.AsNumber(), whole);
      return {};
    case TypeKind::kBool:
      AppendCode(out, value.AsBool() ? kTrue : kFalse);
      return {};
    case TypeKind::kCapsule:
    case TypeKind::kDynamic:
      return ValueFail("capsule types not supported for msgpack encoding");
    case TypeKind::kMap:
    case TypeKind::kObject:
      named = true;
      AppendMapHeader(out, value.size());
      break;
    default:
      AppendArrayHeader(out, value.size());
  }
  std::span<const Value> elements = value.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (named) {
      AppendString(out, value.key(i));
    }
    if (ValueResult<void> written = Write(out, elements[i], ElementType(type, i), whole);
        !written) {
      return std::unexpected(ErrorInside(StepToElement(value, i), written.error()));
    }
  }
  return {};
}

}  // namespace

ValueResult<void> AppendMsgpack(std::string& out, const Value& value, const Type& type,
                                WholeNumbers whole) {
  if (value.type().ConformsTo(type)) {
    return Write(out, value, type, whole);
  }
  ValueResult<Value> converted = Convert(value, type);
  if (!converted) {
    return std::unexpected(std::move(converted.error()));
  }
  return Write(out, *converted, type, whole);
}

ValueResult<std::string> ValueToMsgpack(const Value& value, const Type& type, WholeNumbers whole) {
  std::string out;
  if (ValueResult<void> written = AppendMsgpack(out, value, type, whole); !written) {
    return std::unexpected(std::move(written.error()));
  }
  return out;
}

}  // namespace kinu
