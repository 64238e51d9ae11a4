// Offsets through the escapes of JSON: between the text of a template, which is a decoded string,
// and the JSON file that has the string.
#pragma once

#include <cstdint>
#include <optional>

#include "diag/source.h"

namespace kinu {

/// The offset in the outermost file (SourceFile::root()) of an offset in the text of the source,
/// which is a file, or a template in a string of a JSON file: where the character begins; for an
/// offset inside of a character that is written as an escape, where the escape begins. The end of
/// the text is the closing quote.
uint32_t OffsetInRoot(const SourceFile& source, uint32_t offset);

/// The offset in the text of the source of an offset in the outermost file: inside of an escape,
/// where its character begins. None if the offset is not between the quotes of the string; the
/// places of the two quotes' inner sides count.
std::optional<uint32_t> OffsetFromRoot(const SourceFile& source, uint32_t offset);

}  // namespace kinu
