// Readers of what the params of many methods have in common. What is missing or of another type is
// refused with kInvalidParams.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"
#include "lsp/message.h"
#include "lsp/positions.h"

namespace kinu::lsp {

/// The member at a path of names ("capabilities.workspace.symbol"); null if a part is missing.
const JsonNode* FindIn(const JsonNode* node, std::string_view path);
/// Whether the member at a path is `true`.
bool IsTrue(const JsonNode* node, std::string_view path);
/// The strings of an array at a path.
std::vector<std::string> StringsIn(const JsonNode* node, std::string_view path);
/// Whether an array at a path has a string.
bool Lists(const JsonNode* node, std::string_view path, std::string_view text);

/// An unsigned integer below 2^31.
std::optional<uint32_t> UnsignedOf(const JsonNode* node);
/// An integer of 32 bits.
std::optional<int32_t> IntegerOf(const JsonNode* node);

Outcome<std::string> StringOf(const JsonNode& params, std::string_view name);
/// What names a document: the path of its `file:` URI, or another URI as it is.
std::string KeyOfUri(std::string_view uri);
/// The key of `textDocument.uri`.
Outcome<std::string> DocumentOf(const JsonNode& params);
Outcome<LinePosition> PositionOf(const JsonNode* node);
Outcome<LineRange> RangeOf(const JsonNode* node);

}  // namespace kinu::lsp
