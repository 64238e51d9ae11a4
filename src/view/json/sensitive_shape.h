// What a schema says about the sensitive parts of a value while somebody walks through it.
#pragma once

#include <string_view>

#include "codec/json_writer.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::view {

/// The block or nested attribute that a value is an object of, or (with `elements`) a collection
/// of. Neither: nothing is known of it.
struct SensitiveShape {
  const schema::Block* block = nullptr;
  const schema::NestedAttributes* nested = nullptr;
  bool elements = false;

  /// Of the elements of a collection.
  SensitiveShape OfElements() const {
    return elements ? SensitiveShape{.block = block, .nested = nested} : SensitiveShape{};
  }
};

struct SensitiveMember {
  bool sensitive = false;
  SensitiveShape shape;
};

/// What is said of an attribute or nested block of an object.
SensitiveMember FindSensitiveMember(const SensitiveShape& shape, std::string_view name);

/// Whether the sensitive mask of a value is plain `false`, which objects leave out.
bool SensitiveMaskIsFalse(const Value& value, bool sensitive);

/// The mask of a value that is or is not sensitive itself.
void WriteSensitiveMask(JsonWriter& out, const Value& value, bool sensitive,
                        const SensitiveShape& shape);

}  // namespace kinu::view
