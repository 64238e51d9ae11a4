// Base64 (standard alphabet, padded) and hexadecimal text of bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

std::string EncodeBase64(std::string_view bytes);
/// Ignores line breaks, demands padding. The message names the offset of the wrong character, as
/// Go's CorruptInputError does. Ref: Go encoding/base64, StdEncoding.
Result<std::string> DecodeBase64(std::string_view text);

/// Lower case.
std::string EncodeHex(std::string_view bytes);
Result<std::string> DecodeHex(std::string_view text);

}  // namespace kinu
