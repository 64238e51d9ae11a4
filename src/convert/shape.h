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
/// The shape of a file by the suffix of its name.
const BodyShape& ShapeForFile(std::string_view name);

}  // namespace kinu::convert
