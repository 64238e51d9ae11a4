// The types of key providers and encryption methods with their arguments. Private to config. Ref:
// opentofu internal/encryption/keyprovider, method.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cty/type.h"

namespace kinu::config {

/// What the value of an argument is.
enum class Shape : uint8_t { kString, kBool, kInteger, kStrings, kTexts, kBytes, kKey, kRole };

/// An argument of a key provider or method.
struct Argument {
  std::string_view name;
  Shape shape = Shape::kString;
  bool required = false;
};
/// A block of texts. Its value is a tuple of objects, one for each block.
struct PartBlock {
  std::string_view name;
  std::span<const std::string_view> texts;
};
/// A type of key provider or method.
struct PartType {
  std::string_view name;
  std::span<const Argument> arguments;
  std::span<const PartBlock> blocks = {};
  std::span<const std::string_view> hidden = {};  ///< arguments that another reader has read
};

/// The method that stores what it is given.
inline constexpr std::string_view kUnencrypted = "unencrypted";

std::span<const PartType> KeyProviderTypes();
std::span<const PartType> MethodTypes();
/// A role of AWS that is assumed, with or without the token of an identity provider.
Type RoleType();

}  // namespace kinu::config
