// The types that arguments of the CLI configuration have, and what is said of other values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "install/hcl1.h"

namespace kinu::install {

/// A form of values. Names are compared in any case; members that are not listed are ignored.
struct Hcl1Form {
  enum class Type : uint8_t { kAny, kText, kBool, kInteger, kTexts, kMap, kBlock };
  struct Member {
    std::string_view name;
    const Hcl1Form* form;
  };
  Type type = Type::kAny;
  std::span<const Member> members{};  ///< of kBlock
  const Hcl1Form* element = nullptr;  ///< of kMap
};

inline constexpr Hcl1Form kHcl1Any{};
inline constexpr Hcl1Form kHcl1AnyMap{.type = Hcl1Form::Type::kMap, .element = &kHcl1Any};
inline constexpr Hcl1Form kHcl1Text{.type = Hcl1Form::Type::kText};
inline constexpr Hcl1Form kHcl1Bool{.type = Hcl1Form::Type::kBool};
inline constexpr Hcl1Form kHcl1Integer{.type = Hcl1Form::Type::kInteger};
inline constexpr Hcl1Form kHcl1Texts{.type = Hcl1Form::Type::kTexts};

/// Says what of an object does not have the form: "At 1:20: root.plugin_cache_dir: unknown type for
/// string *ast.LiteralType". Empty if all has.
/// Ref: the messages of hashicorp/hcl v1, which scripts match.
std::string Hcl1Misfit(const Hcl1Value& object, const Hcl1Form& form);

/// Whether two names are the same for arguments that have a form.
bool IsSameHcl1Name(std::string_view a, std::string_view b);

/// The values of an argument, in order: those of items with this name, in any case, and no labels.
std::vector<const Hcl1Value*> Hcl1Values(const Hcl1Value& object, std::string_view name);
/// The texts of an argument of the form kTexts, those of all its items.
std::vector<std::string> Hcl1Texts(const Hcl1Value& object, std::string_view name);
/// The last of those values; null if there is none.
const Hcl1Value* FindHcl1(const Hcl1Value& object, std::string_view name);
/// The number of an argument of the form kInteger; nothing if there is none.
std::optional<int64_t> Hcl1Number(const Hcl1Value& object, std::string_view name);

}  // namespace kinu::install
