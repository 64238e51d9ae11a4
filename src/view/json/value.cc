#include "view/json/value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cty/json.h"

namespace kinu::view {
namespace {

bool IsSequence(const Type& type) {
  return type.is_list() || type.is_set() || type.is_tuple();
}

/// What a schema says about a value: the block or nested attribute that it is an object of, or
/// (with `elements`) a collection of.
struct Shape {
  const schema::Block* block = nullptr;
  const schema::NestedAttributes* nested = nullptr;
  bool elements = false;
};

struct Member {
  bool sensitive = false;
  Shape shape;
};

Member OfAttribute(const schema::Attribute* attribute) {
  if (attribute == nullptr) {
    return {};
  }
  Member member{.sensitive = attribute->sensitive};
  if (attribute->nested != nullptr) {
    member.shape.nested = attribute->nested.get();
    member.shape.elements = attribute->nested->nesting != schema::Nesting::kSingle;
  }
  return member;
}

Member MemberOf(const Shape& shape, std::string_view name) {
  if (shape.elements) {
    return {};
  }
  if (shape.nested != nullptr) {
    return OfAttribute(shape.nested->Find(name));
  }
  if (shape.block == nullptr) {
    return {};
  }
  if (const schema::NestedBlock* nested = shape.block->FindBlock(name); nested != nullptr) {
    const bool single =
        nested->nesting == schema::Nesting::kSingle || nested->nesting == schema::Nesting::kGroup;
    return {.shape = {.block = &nested->block, .elements = !single}};
  }
  return OfAttribute(shape.block->FindAttribute(name));
}

Shape ElementOf(const Shape& shape) {
  if (!shape.elements) {
    return {};
  }
  return {.block = shape.block, .nested = shape.nested};
}

/// Whether the sensitive mask of a value is plain `false`, which objects leave out.
bool SensitiveMaskIsFalse(const Value& value, bool sensitive) {
  if (sensitive) {
    return false;
  }
  const Type type = value.type();
  return value.IsNull() || type.is_primitive() || type.is_dynamic() || type.is_capsule();
}

bool IsSensitive(const Value& value) {
  return value.IsMarked() && value.marks().sensitive();
}

void SensitiveMask(JsonWriter& out, const Value& value, bool sensitive, const Shape& shape) {
  if (sensitive) {
    out.Bool(true);
    return;
  }
  if (SensitiveMaskIsFalse(value, false)) {
    out.Bool(false);
    return;
  }
  const Type type = value.type();
  if (IsSequence(type)) {
    out.BeginArray();
    if (value.IsKnown()) {
      const Shape element_shape = ElementOf(shape);
      for (const Value& element : value.elements()) {
        SensitiveMask(out, element, IsSensitive(element), element_shape);
      }
    }
    out.EndArray();
    return;
  }
  out.BeginObject();
  if (value.IsKnown()) {
    const std::span<const Value> elements = value.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      Member member;
      if (type.is_object()) {
        member = MemberOf(shape, value.key(i));
      } else {
        member.shape = ElementOf(shape);
      }
      const bool marked = member.sensitive || IsSensitive(elements[i]);
      if (!SensitiveMaskIsFalse(elements[i], marked)) {
        out.Key(value.key(i));
        SensitiveMask(out, elements[i], marked, member.shape);
      }
    }
  }
  out.EndObject();
}

bool UnknownMaskIsFalse(const Value& value) {
  return value.IsNull() || (value.IsKnown() && !IsSequence(value.type()) &&
                            !value.type().is_map() && !value.type().is_object());
}

constexpr std::array<uint64_t, 256> MakeCrcTable() {
  std::array<uint64_t, 256> table{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xD800000000000000ULL : crc >> 1;
    }
    table[i] = crc;
  }
  return table;
}
constexpr std::array<uint64_t, 256> kCrcTable = MakeCrcTable();

/// CRC-64/ISO of the path's names, with one "#" for any index. Ref: go-cty cty/path_set.go.
int64_t PathHash(const Path& path) {
  uint64_t crc = ~uint64_t{0};
  const auto add = [&crc](std::string_view text) {
    for (const char c : text) {
      crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> 8);
    }
  };
  for (const PathStep& step : path.steps()) {
    add(step.kind == PathStep::Kind::kAttribute ? std::string_view(step.name) : "#");
  }
  return static_cast<int64_t>(~crc);
}

}  // namespace

void WriteValue(JsonWriter& out, const Value& value) {
  if (value.IsNull() || !value.IsKnown()) {
    out.Null();
    return;
  }
  if (value.IsWhollyKnown() && !value.ContainsMarked()) {
    // Infinities cannot be stored in a plan or state, so none gets here; nothing may stop a
    // document half-way through.
    const size_t before = out.out().size();
    if (!WriteSimpleJson(out, value) && out.out().size() == before) {
      out.Null();
    }
    return;
  }
  const Type type = value.type();
  if (IsSequence(type)) {
    out.BeginArray();
    for (const Value& element : value.elements()) {
      WriteValue(out, element);
    }
    out.EndArray();
  } else if (type.is_map() || type.is_object()) {
    out.BeginObject();
    const std::span<const Value> elements = value.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].IsKnown()) {
        out.Key(value.key(i));
        WriteValue(out, elements[i]);
      }
    }
    out.EndObject();
  } else {
    WriteValue(out, value.Unmark());
  }
}

std::string ValueText(const Value& value) {
  std::string text;
  JsonWriter out(text);
  WriteValue(out, value);
  return text;
}

void WriteUnknownMask(JsonWriter& out, const Value& value) {
  if (value.IsNull()) {
    out.Bool(false);
    return;
  }
  if (!value.IsKnown()) {
    out.Bool(true);
    return;
  }
  const Type type = value.type();
  if (IsSequence(type)) {
    out.BeginArray();
    for (const Value& element : value.elements()) {
      WriteUnknownMask(out, element);
    }
    out.EndArray();
  } else if (type.is_map() || type.is_object()) {
    out.BeginObject();
    const std::span<const Value> elements = value.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!UnknownMaskIsFalse(elements[i])) {
        out.Key(value.key(i));
        WriteUnknownMask(out, elements[i]);
      }
    }
    out.EndObject();
  } else {
    out.Bool(false);
  }
}

void WriteSensitiveMask(JsonWriter& out, const Value& value, const schema::Block* block) {
  SensitiveMask(out, value, IsSensitive(value), {.block = block});
}

void WriteType(JsonWriter& out, const Type& type) {
  out.Embed(TypeToJson(type));
}

void WritePath(JsonWriter& out, const Path& path) {
  out.BeginArray();
  for (const PathStep& step : path.steps()) {
    if (step.kind == PathStep::Kind::kAttribute) {
      out.String(step.name);
    } else {
      WriteValue(out, step.key);
    }
  }
  out.EndArray();
}

void WritePathSet(JsonWriter& out, std::span<const Path> paths) {
  std::vector<std::pair<int64_t, const Path*>> order;
  order.reserve(paths.size());
  for (const Path& path : paths) {
    order.emplace_back(PathHash(path), &path);
  }
  std::ranges::stable_sort(order, {}, &std::pair<int64_t, const Path*>::first);
  out.BeginArray();
  for (const auto& [hash, path] : order) {
    WritePath(out, *path);
  }
  out.EndArray();
}

void WriteInstanceKey(JsonWriter& out, const Program& program, const InstanceKey& key) {
  if (key.kind() == InstanceKey::Kind::kInt) {
    out.Int(key.index());
  } else {
    out.String(program.Text(key.symbol()));
  }
}

void WriteOptional(JsonWriter& out, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    out.Member(key, text);
  }
}

void WriteOptional(JsonWriter& out, std::string_view key, bool value) {
  if (value) {
    out.Member(key, true);
  }
}

}  // namespace kinu::view
