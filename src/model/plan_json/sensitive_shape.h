// The sensitive parts that a schema declares, for code that walks through a value.
#pragma once

#include <string_view>

#include "cty/value.h"
#include "json/writer.h"
#include "schema/schema.h"

namespace kinu::view {

/// The block or nested attribute whose object a value is, or (with `elements`) a collection of such
/// objects. Without both, the schema declares nothing about the value.
struct SensitiveShape {
  const schema::Block* block = nullptr;
  const schema::NestedAttributes* nested = nullptr;
  bool elements = false;

  /// Whether the members of an object of this shape are declared.
  bool declares_members() const { return !elements && (block != nullptr || nested != nullptr); }
  /// The shape of the elements of a collection.
  SensitiveShape OfElements() const {
    return elements ? SensitiveShape{.block = block, .nested = nested} : SensitiveShape{};
  }
};

/// What the schema declares about one attribute or nested block.
struct SensitiveMember {
  bool sensitive = false;
  SensitiveShape shape;
};

/// Whether an attribute or nested block of an object is sensitive, and its shape.
SensitiveMember FindSensitiveMember(const SensitiveShape& shape, std::string_view name);

/// Whether the sensitive mask of a value is `false`. Objects omit such masks.
bool SensitiveMaskIsFalse(const Value& value, bool sensitive);

/// Writes the sensitive mask of a value. `sensitive`: the value itself is sensitive.
void WriteSensitiveMask(JsonWriter& out, const Value& value, bool sensitive,
                        const SensitiveShape& shape);

}  // namespace kinu::view
