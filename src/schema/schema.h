// Schemas: what a provider says about its configuration, resource types and data sources.
// Ref: opentofu internal/configs/configschema; the wire forms are in proto/tfplugin*.proto.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cty/path.h"
#include "cty/type.h"
#include "cty/value.h"

namespace kinu::schema {

enum class Nesting : uint8_t { kSingle, kGroup, kList, kSet, kMap };
enum class TextKind : uint8_t { kPlain, kMarkdown };

struct NestedAttributes;

struct Attribute {
  std::string name;
  Type type;  ///< the wire type; for a nested attribute the type that follows from it
  std::unique_ptr<NestedAttributes> nested;  ///< protocol 6 nested attribute, else null
  /// What configuration is converted to: as `type`, but members of a nested attribute that are
  /// optional or computed may be absent. Set by Block::Finish().
  Type config_type;
  std::string description;
  TextKind description_kind = TextKind::kPlain;
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool deprecated = false;
  bool write_only = false;
  std::string deprecation_message;
};

/// The object behind a nested attribute.
struct NestedAttributes {
  Nesting nesting = Nesting::kSingle;  ///< never kGroup
  std::vector<Attribute> attributes;   ///< sorted by name
  const Attribute* Find(std::string_view name) const;
};

struct NestedBlock;

/// A block: attributes and nested blocks, each sorted by name. Call Finish() once after filling.
struct Block {
  std::vector<Attribute> attributes;
  std::vector<NestedBlock> blocks;
  std::string description;
  TextKind description_kind = TextKind::kPlain;
  bool deprecated = false;
  std::string deprecation_message;

  const Attribute* FindAttribute(std::string_view name) const;
  const NestedBlock* FindBlock(std::string_view name) const;
  /// The object type of a value of this block; computed once by Finish(). Ref: provider contract 5.
  const Type& implied_type() const { return implied_type_; }
  /// Sorts and computes what follows from the content, here and in all nested blocks.
  void Finish();
  /// Attributes and nested blocks in the order of implied_type().attributes(): member i is what
  /// element i of a value stands for. Exactly one pointer is set.
  struct Member {
    const Attribute* attribute = nullptr;
    const NestedBlock* nested = nullptr;
  };
  std::span<const Member> members() const { return members_; }
  /// Whether any attribute, at any depth, is sensitive or write-only: a quick way out.
  bool has_sensitive() const { return has_sensitive_; }
  bool has_write_only() const { return has_write_only_; }
  /// Whether attributes that are lists or sets of objects may be written as blocks: only in schemas
  /// simple enough to come from a provider of old. Ref: opentofu internal/lang/blocktoattr.
  bool allows_attributes_as_blocks() const { return allows_attributes_as_blocks_; }
  /// The value of an absent block: attributes null, blocks as the contract's table says.
  const Value& EmptyValue() const { return empty_value_; }

 private:
  std::vector<Member> members_;
  Value empty_value_ = Value::EmptyObject();
  Type implied_type_ = Type::EmptyObject();
  bool has_sensitive_ = false;
  bool has_write_only_ = false;
  bool allows_attributes_as_blocks_ = true;
};

struct NestedBlock {
  std::string name;
  Nesting nesting = Nesting::kList;
  int64_t min_items = 0;
  int64_t max_items = 0;
  Block block;
  /// The type of the block's value in its parent.
  const Type& implied_type() const { return implied_type_; }
  /// The value where no such block is written.
  const Value& EmptyValue() const { return empty_value_; }

 private:
  friend struct Block;
  void Finish();
  Type implied_type_;
  Value empty_value_;
};

/// The attribute that a path leads to, or null: index steps are looked through, and so is the
/// inside of an attribute that has no nested attributes.
const Attribute* FindAttributeByPath(const Block& block, const Path& path);
const Attribute* FindAttributeByPath(const NestedAttributes& nested, const Path& path);

/// Schema of one resource type, data source or ephemeral resource.
struct ResourceSchema {
  int64_t version = 0;
  Block block;
  Type identity_type;  ///< dynamic when there is no identity
  int64_t identity_version = 0;
  std::unique_ptr<Block> identity;
};

struct FunctionParameter {
  std::string name;
  Type type;
  bool allow_null = false;
  bool allow_unknown = false;
  std::string description;
  TextKind description_kind = TextKind::kPlain;
};
struct FunctionSignature {
  std::string name;
  std::vector<FunctionParameter> parameters;
  std::unique_ptr<FunctionParameter> variadic;
  Type return_type;
  std::string summary;
  std::string description;
  TextKind description_kind = TextKind::kPlain;
  std::string deprecation_message;
};

struct Capabilities {
  bool plan_destroy = false;
  bool get_provider_schema_optional = false;
  bool move_resource_state = false;
};

/// Everything a provider declares. Types are decoded when first asked for, then kept: with a warm
/// cache a command pays only for what it uses. Thread-safe.
class ProviderSchema {
 public:
  virtual ~ProviderSchema() = default;
  virtual const ResourceSchema& provider_config() const = 0;
  virtual const ResourceSchema* provider_meta() const = 0;  ///< null: none
  /// Null when the provider has no such type.
  virtual const ResourceSchema* FindResource(std::string_view type) const = 0;
  virtual const ResourceSchema* FindData(std::string_view type) const = 0;
  virtual const ResourceSchema* FindEphemeral(std::string_view type) const = 0;
  virtual const FunctionSignature* FindFunction(std::string_view name) const = 0;
  /// Names, sorted.
  virtual std::vector<std::string> ResourceTypes() const = 0;
  virtual std::vector<std::string> DataTypes() const = 0;
  virtual std::vector<std::string> EphemeralTypes() const = 0;
  virtual std::vector<std::string> FunctionNames() const = 0;
  virtual Capabilities capabilities() const = 0;
};

}  // namespace kinu::schema
