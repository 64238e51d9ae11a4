// Sets: which elements are equal, and their order. Both are visible in state and plan
// documents, so they follow the reference to the byte. Ref: go-cty cty/set_internals.go, cty/set.

#include <algorithm>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "cty/normalize.h"
#include "cty/value_node.h"

namespace kinu {
namespace {

using Access = ValueAccess;

std::string NumberHashText(const Number& number) {
  constexpr int64_t kTenDigits = 9999999999;
  if (number.is_inline() && number.inline_value() <= kTenDigits &&
      number.inline_value() >= -kTenDigits) {
    return std::to_string(number.inline_value());
  }
  return number.Format('g', 10);
}

// Known values first, then unknown ones, then nulls.
int Rank(const Value& value) {
  if (value.IsNull()) {
    return 2;
  }
  return value.IsKnown() ? 0 : 1;
}

bool IsMinusZero(const Number& number) {
  return !number.is_inline() && number.Sign() == 0;
}

// An element with what its order and identity need, computed once.
struct Member {
  Value value;
  std::string hash_bytes;  // of composites, and of numbers that are not plain integers
};

bool MemberLess(const Member& a, const Member& b, TypeKind kind) {
  int rank_a = Rank(a.value);
  int rank_b = Rank(b.value);
  if (rank_a != rank_b || rank_a != 0) {
    return rank_a < rank_b;
  }
  switch (kind) {
    case TypeKind::kString:
      return a.value.AsString() < b.value.AsString();
    case TypeKind::kBool:
      return !a.value.AsBool() && b.value.AsBool();
    case TypeKind::kNumber: {
      Number x = a.value.AsNumber();
      Number y = b.value.AsNumber();
      int order = Number::Compare(x, y);
      // Zero and minus zero are two elements; their hashes order them.
      return order != 0 ? order < 0 : IsMinusZero(x) && !IsMinusZero(y);
    }
    default:
      return a.hash_bytes < b.hash_bytes;
  }
}

bool IsPrimitive(TypeKind kind) {
  return kind == TypeKind::kString || kind == TypeKind::kBool || kind == TypeKind::kNumber;
}

// Drops members that equal an earlier one. Elements that contain something unknown equal nothing.
void RemoveDuplicates(std::vector<Member>& members, TypeKind kind) {
  constexpr uint32_t kNone = UINT32_MAX;
  FlatMap<uint64_t, uint32_t> first_with_hash;
  first_with_hash.reserve(members.size());
  std::vector<uint32_t> next_with_hash;
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    uint32_t head = kNone;
    bool duplicate = false;
    if (member.value.IsWhollyKnown()) {
      uint64_t hash = member.value.Hash();
      auto [slot, fresh] = first_with_hash.insert({hash, kNone});
      head = slot->second;
      for (uint32_t at = head; at != kNone && !duplicate; at = next_with_hash[at]) {
        duplicate = Value::RawEquals(members[at].value, member.value) &&
                    (kind == TypeKind::kString || members[at].hash_bytes == member.hash_bytes);
      }
      if (!duplicate) {
        slot.value() = static_cast<uint32_t>(kept);
      }
    }
    if (!duplicate) {
      next_with_hash.push_back(head);
      if (kept != i) {
        members[kept] = std::move(member);
      }
      ++kept;
    }
  }
  members.resize(kept);
}

// Strings need no identity beyond their order: equal ones are adjacent once sorted.
void SortStrings(std::vector<Value>& values) {
  std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
    int rank_a = Rank(a);
    int rank_b = Rank(b);
    return rank_a != rank_b || rank_a != 0 ? rank_a < rank_b : a.AsString() < b.AsString();
  });
  auto same = [](const Value& a, const Value& b) {
    return a.IsKnown() && b.IsKnown() && Value::RawEquals(a, b);
  };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
}

Member MakeMember(Value value, TypeKind kind) {
  Member member{std::move(value), {}};
  if (Rank(member.value) != 0) {
    return member;
  }
  if (kind == TypeKind::kNumber) {
    if (Access::Tag(member.value) == ValueTag::kNumber) {
      member.hash_bytes = NumberHashText(member.value.AsNumber());
    }
  } else if (!IsPrimitive(kind)) {
    AppendSetHash(member.hash_bytes, member.value);
  }
  return member;
}

}  // namespace

void AppendSetHash(std::string& out, const Value& value) {
  if (!value.IsKnown()) {
    out += '?';
    return;
  }
  if (value.IsNull()) {
    out += '~';
    return;
  }
  char open = '<';
  char close = '>';
  switch (Access::Tag(value)) {
    case ValueTag::kBool:
      out += value.AsBool() ? 'T' : 'F';
      return;
    case ValueTag::kInt:
    case ValueTag::kNumber:
      out += NumberHashText(value.AsNumber());
      return;
    case ValueTag::kString:
      text::AppendGoQuoted(out, value.AsString());
      return;
    case ValueTag::kCapsule:
      out += "\u00AB?\u00BB";
      return;
    case ValueTag::kMap:
      out += '{';
      for (size_t i = 0; i < value.size(); ++i) {
        text::AppendGoQuoted(out, value.key(i));
        out += ':';
        AppendSetHash(out, value.elements()[i]);
        out += ';';
      }
      out += '}';
      return;
    case ValueTag::kList:
    case ValueTag::kSet:
      open = '[';
      close = ']';
      break;
    default:
      break;
  }
  out += open;
  for (const Value& element : value.elements()) {
    AppendSetHash(out, element);
    out += ';';
  }
  out += close;
}

bool Value::SetLess(const Value& a, const Value& b) {
  TypeKind kind = Access::TypeOf(a)->kind;
  return MemberLess(MakeMember(a, kind), MakeMember(b, kind), kind);
}

Value Value::Set(const Type& element, std::vector<Value> values) {
  MarkSet marks;
  for (Value& value : values) {
    if (value.ContainsMarked()) {
      MarkSet of_element;
      value = value.UnmarkDeep(&of_element);
      marks = marks.Union(of_element);
    }
  }
  Type type = element;
  if (type.is_dynamic()) {
    std::optional<Type> common = CommonElementType(values);
    KINU_INVARIANT(common.has_value(), "elements of a set differ in type");
    type = *std::move(common);
  } else {
    type = type.WithoutOptionalAttributes();
  }
  for (Value& value : values) {
    if (Access::TypeOf(value) != type.node()) {
      KINU_INVARIANT(Access::TypeOf(value) == &kDynamicTypeNode,
                     "an element's type is not that of the set");
      value = value.IsNull() ? Null(type) : Unknown(type);
    }
  }
  TypeKind kind = type.kind();
  bool any_unknown = std::any_of(values.begin(), values.end(),
                                 [](const Value& value) { return !value.IsKnown(); });
  if (kind == TypeKind::kString && !any_unknown) {
    SortStrings(values);
  } else if (values.size() > 1) {
    std::vector<Member> members;
    members.reserve(values.size());
    for (Value& value : values) {
      members.push_back(MakeMember(std::move(value), kind));
    }
    values.clear();
    RemoveDuplicates(members, kind);
    std::stable_sort(members.begin(), members.end(),
                     [kind](const Member& a, const Member& b) { return MemberLess(a, b, kind); });
    for (Member& member : members) {
      values.push_back(std::move(member.value));
    }
  }
  return Access::Container(ValueTag::kSet, Type::Set(type), values).WithMarks(marks);
}

}  // namespace kinu
