#include "plan_json/value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cty/json.h"
#include "plan_json/sensitive_shape.h"

namespace kinu::view {
namespace {

bool IsSequence(TypeKind kind) {
  return kind == TypeKind::kList || kind == TypeKind::kSet || kind == TypeKind::kTuple;
}

/// Whether values of the kind have named elements.
bool HasNames(TypeKind kind) {
  return kind == TypeKind::kMap || kind == TypeKind::kObject;
}

SensitiveMember OfAttribute(const schema::Attribute* attribute) {
  if (attribute == nullptr) {
    return {};
  }
  SensitiveMember member{.sensitive = attribute->sensitive};
  if (attribute->nested != nullptr) {
    member.shape.nested = attribute->nested.get();
    member.shape.elements = attribute->nested->nesting != schema::Nesting::kSingle;
  }
  return member;
}

bool IsSensitive(const Value& value) {
  return value.IsMarked() && value.marks().sensitive();
}

bool UnknownMaskIsFalse(const Value& value) {
  if (value.IsNull()) {
    return true;
  }
  if (!value.IsKnown()) {
    return false;
  }
  const TypeKind kind = value.kind();
  return !IsSequence(kind) && !HasNames(kind);
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

/// CRC-64/ISO of the path's names, with "#" for each index. Ref: go-cty cty/path_set.go.
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

SensitiveMember FindSensitiveMember(const SensitiveShape& shape, std::string_view name) {
  if (!shape.declares_members()) {
    return {};
  }
  if (shape.nested != nullptr) {
    return OfAttribute(shape.nested->Find(name));
  }
  if (const schema::NestedBlock* nested = shape.block->FindBlock(name); nested != nullptr) {
    const bool single =
        nested->nesting == schema::Nesting::kSingle || nested->nesting == schema::Nesting::kGroup;
    return {.shape = {.block = &nested->block, .elements = !single}};
  }
  return OfAttribute(shape.block->FindAttribute(name));
}

bool SensitiveMaskIsFalse(const Value& value, bool sensitive) {
  if (sensitive) {
    return false;
  }
  if (value.IsNull()) {
    return true;
  }
  const TypeKind kind = value.kind();
  return !IsSequence(kind) && !HasNames(kind);
}

void WriteSensitiveMask(JsonWriter& out, const Value& value, bool sensitive,
                        const SensitiveShape& shape) {
  if (sensitive) {
    out.Bool(true);
    return;
  }
  if (SensitiveMaskIsFalse(value, false)) {
    out.Bool(false);
    return;
  }
  const TypeKind kind = value.kind();
  if (IsSequence(kind)) {
    out.BeginArray();
    if (value.IsKnown()) {
      const SensitiveShape element_shape = shape.OfElements();
      for (const Value& element : value.elements()) {
        WriteSensitiveMask(out, element, IsSensitive(element), element_shape);
      }
    }
    out.EndArray();
    return;
  }
  out.BeginObject();
  if (value.IsKnown()) {
    const std::span<const Value> elements = value.elements();
    const bool by_name = kind == TypeKind::kObject && shape.declares_members();
    for (size_t i = 0; i < elements.size(); ++i) {
      SensitiveMember member;
      if (by_name) {
        member = FindSensitiveMember(shape, value.key(i));
      } else if (kind == TypeKind::kMap) {
        member.shape = shape.OfElements();
      }
      const bool marked = member.sensitive || IsSensitive(elements[i]);
      if (!SensitiveMaskIsFalse(elements[i], marked)) {
        out.Key(value.key(i));
        WriteSensitiveMask(out, elements[i], marked, member.shape);
      }
    }
  }
  out.EndObject();
}

void WriteValue(JsonWriter& out, const Value& value) {
  if (value.IsNull() || !value.IsKnown()) {
    out.Null();
    return;
  }
  if (value.IsWhollyKnown() && !value.ContainsMarked()) {
    // Plans and states cannot hold infinite numbers. If one did, null keeps the document valid.
    const size_t before = out.out().size();
    if (!WriteSimpleJson(out, value) && out.out().size() == before) {
      out.Null();
    }
    return;
  }
  const TypeKind kind = value.kind();
  if (IsSequence(kind)) {
    out.BeginArray();
    for (const Value& element : value.elements()) {
      WriteValue(out, element);
    }
    out.EndArray();
  } else if (HasNames(kind)) {
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
  const TypeKind kind = value.kind();
  if (IsSequence(kind)) {
    out.BeginArray();
    for (const Value& element : value.elements()) {
      WriteUnknownMask(out, element);
    }
    out.EndArray();
  } else if (HasNames(kind)) {
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
  WriteSensitiveMask(out, value, IsSensitive(value), SensitiveShape{.block = block});
}

void WriteType(JsonWriter& out, const Type& type) {
  if (type.is_primitive()) {
    out.String(type.FriendlyName());
    return;
  }
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

void WriteOptional(JsonWriter& out, JsonKey key, std::string_view text) {
  if (!text.empty()) {
    out.Member(key, text);
  }
}

void WriteOptional(JsonWriter& out, JsonKey key, bool value) {
  if (value) {
    out.Member(key, true);
  }
}

}  // namespace kinu::view
