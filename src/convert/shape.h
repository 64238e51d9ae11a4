// What bodies look like, as far as a conversion between the two syntaxes must know: JSON alone does
// not tell a block from an object, nor a text from a reference.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kinu::convert {

/// How a program reads an argument, which decides what a JSON string in it means.
enum class Reading : uint8_t {
  kExpression,   ///< evaluated: strings are templates
  kLiteral,      ///< evaluated without any names: strings stand for themselves
  kStatic,       ///< never evaluated: a string holds a type, a reference or a keyword
  kReferences,   ///< likewise, and so do the strings in a list or in an object
  kRequirement,  ///< an entry of required_providers
};

struct BodyShape;
struct ArgumentShape {
  std::string_view name;
  Reading reading;
};
struct BlockShape {
  std::string_view type;
  uint8_t labels;
  const BodyShape* body;
};
struct BodyShape {
  /// Those that are not read as `others`, or are arguments where blocks may be, too.
  std::span<const ArgumentShape> arguments = {};
  std::span<const BlockShape> blocks = {};
  Reading others = Reading::kExpression;
  /// Blocks of other types may stand here: somebody else's schema, a provider's, adds to this one.
  bool open = false;

  const ArgumentShape* FindArgument(std::string_view name) const;
  Reading ReadingOf(std::string_view name) const;
  const BlockShape* FindBlock(std::string_view type) const;
};

/// A file of a module. Ref: opentofu internal/configs/parser_config.go and the block types there.
const BodyShape& ModuleShape();
/// A file of variables' values.
const BodyShape& VariablesShape();
/// A file of which nothing is known.
const BodyShape& PlainShape();
/// A body with somebody else's schema.
const BodyShape& ForeignShape();
/// The shape that a file's name promises.
const BodyShape& ShapeForFile(std::string_view name);

}  // namespace kinu::convert
