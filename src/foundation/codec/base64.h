// Base64 and hexadecimal text of bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// The standard alphabet, padded.
std::string EncodeBase64(std::string_view bytes);
/// Ignores line breaks, demands padding. The message names the offset of the wrong character, as
/// Go's CorruptInputError does. Ref: Go encoding/base64, StdEncoding.
Result<std::string> DecodeBase64(std::string_view text);

/// The alphabet for URLs, without padding (RFC 4648, 5).
std::string EncodeBase64Url(std::string_view bytes);
/// With padding or without it.
Result<std::string> DecodeBase64Url(std::string_view text);

/// Lower case.
std::string EncodeHex(std::string_view bytes);
Result<std::string> DecodeHex(std::string_view text);

}  // namespace kinu
