// The form that a document must have which another run wrote, and what is said when it has another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "json/reader.h"

namespace kinu::json {

/// A form: which JSON a value must be, and the names that messages give it. Null always fits;
/// members that are not listed are not looked at.
struct Expected {
  enum class Type : uint8_t { kAny, kText, kBool, kInteger, kUnsigned, kObject, kMap, kList };
  struct Member {
    std::string_view name;
    const Expected* form;
  };
  Type type = Type::kAny;
  std::string_view name{};            ///< of its Go type: "string", "modsdir.Record"
  std::span<const Member> members{};  ///< of kObject
  const Expected* element = nullptr;  ///< of kMap and kList
};

inline constexpr Expected kExpectedText{.type = Expected::Type::kText, .name = "string"};
inline constexpr Expected kExpectedBool{.type = Expected::Type::kBool, .name = "bool"};
inline constexpr Expected kExpectedInt{.type = Expected::Type::kInteger, .name = "int"};
inline constexpr Expected kExpectedUint64{.type = Expected::Type::kUnsigned, .name = "uint64"};
inline constexpr Expected kExpectedAny{};

/// Says what of a document is not as expected, the first in the order of the text: "json: cannot
/// unmarshal number into Go struct field Record.Modules.Key of type string". Empty if all is.
/// Ref: the messages of Go's encoding/json, which scripts match.
std::string Mismatch(const JsonNode& root, const Expected& form);

/// What keeps a text from being used: it is no JSON, or not as expected. Empty if nothing does.
std::string ProblemOf(std::string_view text, const JsonDocument& document, const Expected& form);

/// The last member whose name has these letters, in any case; null if there is none.
const JsonNode* FindInAnyCase(const JsonNode& object, std::string_view name);
/// The text of that member; empty if there is none or it is no string.
std::string TextInAnyCase(const JsonNode& object, std::string_view name);

}  // namespace kinu::json
