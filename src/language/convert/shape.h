// Shapes of bodies: the knowledge that a conversion between the syntaxes needs, because JSON alone
// does not distinguish blocks from objects, or texts from references.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kinu::convert {

/// How programs read an argument, which decides the meaning of JSON strings in it.
enum class Reading : uint8_t {
  kExpression,   ///< evaluated: strings are templates
  kLiteral,      ///< evaluated without a scope: strings are literal
  kStatic,       ///< never evaluated: a string contains a type, a reference or a keyword
  kReferences,   ///< never evaluated: a list or object whose strings contain references
  kRequirement,  ///< an entry of required_providers
};

struct BodyShape;
/// An argument that is read in a special way.
struct ArgumentShape {
  std::string_view name;
  Reading reading;
};
/// A block type of a body.
struct BlockShape {
  std::string_view type;
  uint8_t labels;
  const BodyShape* body;
};
/// A body: its block types, and how its arguments are read.
struct BodyShape {
  /// Arguments that are not read as `others`, or whose values could be taken for blocks.
  std::span<const ArgumentShape> arguments = {};
  std::span<const BlockShape> blocks = {};
  Reading others = Reading::kExpression;
  /// Blocks of other types are possible, because a provider's schema extends this one.
  bool open = false;
  /// The first label names a type of a provider, or the provider, whose schema this body has.
  bool provider_defined = false;

  const ArgumentShape* FindArgument(std::string_view name) const;
  Reading ReadingOf(std::string_view name) const;
  const BlockShape* FindBlock(std::string_view type) const;
};

/// A file of a module. Ref: opentofu internal/configs/parser_config.go and the block types there.
const BodyShape& ModuleShape();
/// A file of values of variables (.tfvars).
const BodyShape& VariablesShape();
/// A file of an unknown language.
const BodyShape& PlainShape();
/// A body with the schema of a provider.
const BodyShape& ForeignShape();
/// A block of resources, data sources or ephemeral resources without what a provider adds.
const BodyShape& ResourceShape();
/// A provider's configuration without what the provider adds.
const BodyShape& ProviderShape();
/// The shape of a file by the suffix of its name.
const BodyShape& ShapeForFile(std::string_view name);

/// The shapes that schemas of providers give to bodies.
class SchemaShapes {
 public:
  virtual ~SchemaShapes() = default;
  /// The shape of a body: `block` is "resource", "data", "ephemeral" or "provider", `label` its
  /// first label. Null if the schema is not available.
  virtual const BodyShape* Find(std::string_view block, std::string_view label) const = 0;
};

}  // namespace kinu::convert
