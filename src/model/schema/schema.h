// Schemas: what a provider declares about its configuration, resource types and data sources. Ref:
// opentofu internal/configs/configschema; proto/tfplugin5.proto, tfplugin6.proto.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cty/path.h"
#include "cty/type.h"
#include "cty/value.h"
#include "hcl/body.h"

namespace kinu::schema {

/// How often a block or nested attribute may occur and the type of its value: an object (kGroup:
/// never null), or a list, set or map of objects.
enum class Nesting : uint8_t { kSingle, kGroup, kList, kSet, kMap };
/// The markup of a description.
enum class TextKind : uint8_t { kPlain, kMarkdown };

struct NestedAttributes;

/// An attribute of a block, or a member of a nested attribute.
struct Attribute {
  std::string name;
  Type type;  ///< the wire type; a nested attribute has the type that its members imply
  std::unique_ptr<NestedAttributes> nested;  ///< protocol 6 nested attribute, else null
  /// The type that the configured value is converted to: as `type`, but optional and computed
  /// members of a nested attribute may be absent. Set by Block::Finish().
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

/// The members of a nested attribute (protocol 6).
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
  /// The object type of a value of this block. Set by Finish(). Ref: configschema/implied_type.go.
  const Type& implied_type() const { return implied_type_; }
  /// Sorts the members and computes implied types, empty values and the flags below, here and in
  /// all nested blocks. An attribute hides a block of the same name, which only an invalid schema
  /// has.
  void Finish();
  /// Attributes and nested blocks in the order of implied_type().attributes(): member i describes
  /// element i of a value. Exactly one of the pointers is set.
  struct Member {
    const Attribute* attribute = nullptr;
    const NestedBlock* nested = nullptr;
  };
  std::span<const Member> members() const { return members_; }
  /// What a body of this block may contain: its attributes and its nested blocks, in their order.
  std::span<const hcl::AttributeSchema> body_attributes() const { return body_attributes_; }
  std::span<const hcl::BlockSchema> body_blocks() const { return body_blocks_; }
  /// Whether any attribute, at any depth, is sensitive (write-only). False lets callers skip a
  /// walk.
  bool has_sensitive() const { return has_sensitive_; }
  bool has_write_only() const { return has_write_only_; }
  /// Whether attributes that are lists or sets of objects may be written as blocks. Only schemas
  /// that an SDK before nested attributes can have made allow it. Ref: opentofu
  /// internal/lang/blocktoattr.
  bool allows_attributes_as_blocks() const { return allows_attributes_as_blocks_; }
  /// The value of an absent block: every attribute is null, and each nested block has its
  /// NestedBlock::EmptyValue(). Ref: configschema/empty_value.go.
  const Value& EmptyValue() const { return empty_value_; }

 private:
  friend struct NestedBlock;
  void Sort();
  void DeriveTypes();
  std::vector<Member> members_;
  std::vector<hcl::AttributeSchema> body_attributes_;
  std::vector<hcl::BlockSchema> body_blocks_;
  Value empty_value_ = Value::EmptyObject();
  Type implied_type_ = Type::EmptyObject();
  bool has_sensitive_ = false;
  bool has_write_only_ = false;
  bool allows_attributes_as_blocks_ = true;
};

/// A block type inside a block.
struct NestedBlock {
  std::string name;
  Nesting nesting = Nesting::kList;
  int64_t min_items = 0;
  int64_t max_items = 0;
  Block block;
  /// The type of this attribute in the parent's value: an object, or a list, set or map of objects.
  /// Dynamic for a list or map whose object type has a dynamic part.
  const Type& implied_type() const { return implied_type_; }
  /// The value when no such block is written: null (single), an object of empty values (group) or
  /// an empty collection.
  const Value& EmptyValue() const { return empty_value_; }

 private:
  friend struct Block;
  void DeriveTypes();
  Type implied_type_;
  Value empty_value_;
};

/// The attribute that a path leads to, or null. Index steps are skipped. Steps inside an attribute
/// without nested attributes lead to that attribute.
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

/// A parameter of a provider function. Without the flags, a null or unknown argument never reaches
/// the provider.
struct FunctionParameter {
  std::string name;
  Type type;
  bool allow_null = false;
  bool allow_unknown = false;
  std::string description;
  TextKind description_kind = TextKind::kPlain;
};
/// A provider function.
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

/// Protocol features of a provider: it plans destruction too; its other calls need no schema call
/// before; it converts objects of other types.
struct Capabilities {
  bool plan_destroy = false;
  bool get_provider_schema_optional = false;
  bool move_resource_state = false;
};

/// The types of a provider that have a schema; kIdentities: resource types with an identity.
enum class TypeSet : uint8_t { kResources, kData, kEphemeral, kIdentities };
struct Declaration;  // declarations.h
/// Receives the name of a type and what its schema declares.
using TypeVisitor = std::function<void(std::string_view name, const Declaration& declaration)>;

/// Everything that a provider declares. Each type is decoded at its first use and then kept, so
/// that a command with a warm cache decodes only the types it uses. Thread-safe.
class ProviderSchema {
 public:
  virtual ~ProviderSchema() = default;
  virtual const ResourceSchema& provider_config() const = 0;
  virtual const ResourceSchema* provider_meta() const = 0;  ///< null: the provider has none
  /// These return null when the provider has no such type or function.
  virtual const ResourceSchema* FindResource(std::string_view type) const = 0;
  virtual const ResourceSchema* FindData(std::string_view type) const = 0;
  virtual const ResourceSchema* FindEphemeral(std::string_view type) const = 0;
  virtual const FunctionSignature* FindFunction(std::string_view name) const = 0;
  /// Calls `visit` with each type of a set, in the order of their names. A declaration may be gone
  /// after the call, and for kIdentities may lack all but the identity.
  virtual void Visit(TypeSet set, const TypeVisitor& visit) const = 0;
  /// Sorted.
  virtual std::vector<std::string> FunctionNames() const = 0;
  /// Protocol features that the provider supports.
  virtual Capabilities capabilities() const = 0;
};

}  // namespace kinu::schema
