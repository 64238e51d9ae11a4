// Declarations: what a schema declares, as views of texts that others own. Documents about whole
// providers read thousands of types once, so nothing here is allocated by itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "schema/schema.h"

namespace kinu::schema {

struct DeclaredNestedAttributes;
struct DeclaredNestedBlock;

/// As Attribute.
struct DeclaredAttribute {
  std::string_view name;
  std::string_view type;  ///< as TypeToJson() writes it; not used if there are nested attributes
  const DeclaredNestedAttributes* nested = nullptr;
  std::string_view description;
  std::string_view deprecation_message;
  TextKind description_kind = TextKind::kPlain;
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool deprecated = false;
  bool write_only = false;
};

/// As NestedAttributes.
struct DeclaredNestedAttributes {
  Nesting nesting = Nesting::kSingle;
  ArenaList<DeclaredAttribute> attributes;  ///< sorted by name
};

/// As Block. The members are sorted by name.
struct DeclaredBlock {
  ArenaList<DeclaredAttribute> attributes;
  ArenaList<DeclaredNestedBlock> blocks;
  std::string_view description;
  std::string_view deprecation_message;
  TextKind description_kind = TextKind::kPlain;
  bool deprecated = false;

  /// Sorts the members as Block::Finish() does, here and in all nested blocks.
  void Sort();
};

/// As NestedBlock.
struct DeclaredNestedBlock {
  std::string_view name;
  Nesting nesting = Nesting::kList;
  int64_t min_items = 0;
  int64_t max_items = 0;
  DeclaredBlock block;
};

/// As ResourceSchema.
struct Declaration {
  int64_t version = 0;
  DeclaredBlock block;
  int64_t identity_version = 0;
  DeclaredBlock* identity = nullptr;  ///< null: there is none
};

/// What a schema declares. Valid as long as both arguments.
Declaration Declare(const ResourceSchema& schema, Arena& arena);

}  // namespace kinu::schema
