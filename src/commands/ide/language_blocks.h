// LanguageBlocks: the arguments and blocks that the language itself has, with a line about each.
// Those of resources, data sources and providers come from schemas, besides.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kinu::ide {

/// What the value of an argument is.
enum class ValueKind : uint8_t {
  kAny,
  kText,
  kNumber,
  kBool,
  kList,
  kMap,
  kType,        ///< a type constraint
  kProvider,    ///< the name of a provider configuration
  kProviders,   ///< a map of such names
  kReferences,  ///< a list of objects of the module
  kAddress,     ///< an object of this module or of one that it calls
  kAttributes,  ///< a list of attributes of the resource around
  kSource,      ///< the source of a module
  kWhen,
  kOnFailure,
  kCommand,
  kMode,
  kWord,  ///< a word of its own
};

struct LanguageArgument {
  std::string_view name;
  std::string_view doc;
  ValueKind kind = ValueKind::kAny;
  bool required = false;
  std::string_view label = {};  ///< first label of the blocks that have it; empty: of all
};

struct LanguageBlock;

/// A type of block inside another, or at the top of a file.
struct LanguageNested {
  const LanguageBlock* block = nullptr;
  bool repeatable = false;
};

struct LanguageBlock {
  std::string_view type;
  std::string_view doc;
  std::span<const std::string_view> labels;  ///< what its labels are
  std::span<const LanguageArgument> arguments;
  std::span<const LanguageNested> blocks;
  bool any_names = false;  ///< authors choose the names of arguments

  const LanguageBlock* FindBlock(std::string_view name) const;
  const LanguageArgument* FindArgument(std::string_view name) const;
};

/// Files as blocks without a header.
const LanguageBlock& ConfigurationFile();
const LanguageBlock& TestFile();
/// The types that `backend` may have.
std::span<const std::string_view> BackendTypes();
/// What stands between the braces of each `dynamic` block.
const LanguageBlock& DynamicBlock();

}  // namespace kinu::ide
