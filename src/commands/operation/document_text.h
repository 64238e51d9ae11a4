// What other programs put around documents: byte order marks, UTF-16, lines of wrappers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::operation {

/// Whether a text with these first bytes begins with a byte order mark.
bool HasMark(std::string_view first);
/// The text in UTF-8 without its byte order mark. Fails if it is no valid UTF-16 and marked as
/// such.
Result<std::string> WithoutMark(std::string text);

/// A line that is no part of the document.
struct OtherLine {
  std::string line;
  size_t offset = 0;
};
/// The first line before a document, of a text with these first bytes. Nothing if the text begins
/// with JSON, or if no later line begins with an object.
std::optional<OtherLine> FindLineBefore(std::string_view first);
/// From the line on that begins with an object.
std::string_view FromObject(std::string_view first);
/// The first line behind the object that a text begins with. Nothing if there is none.
std::optional<OtherLine> FindLineBehind(const std::string& text);

}  // namespace kinu::operation
