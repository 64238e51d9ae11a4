// Texts in other character encodings, by their IANA names (the C library's iconv).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// IANA's name of the encoding with that name or alias (in any case); empty when there is none.
std::string_view EncodingName(std::string_view name);
/// UTF-8 text in another encoding. UTF-16 begins with a byte order mark and is big-endian. Fails
/// when a character does not exist there.
Result<std::string> EncodeText(std::string_view text, std::string_view encoding);
/// The UTF-8 text of bytes in another encoding. Fails when they are not valid there.
Result<std::string> DecodeText(std::string_view bytes, std::string_view encoding);

}  // namespace kinu
