// The schema of a provider's object as the functions of this library read it: one level of members,
// each with its type and, if it is nested, its own level.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kinu/provider.h>

#include "cty/type.h"
#include "cty/value.h"

namespace kinu::sdk {

struct Level;

/// An attribute or a block.
struct Member {
  std::string name;
  Type type;
  bool is_block = false;
  bool optional = false;
  bool computed = false;
  bool write_only = false;
  bool requires_replace = false;
  bool stable = false;
  std::optional<Value> default_value;
  v1::Nesting nesting = v1::Nesting::kSingle;  ///< if `level` is set
  std::unique_ptr<Level> level;                ///< of nested attributes and blocks
};

struct Level {
  std::vector<Member> members;
  Type type;  ///< of one object
};

/// The level of a schema. A default that does not fit its type is null.
Level MakeLevel(const v1::ProviderSchema& schema);

/// The type that an attribute's notation means.
Type ToType(const v1::AttributeType& type);

}  // namespace kinu::sdk
