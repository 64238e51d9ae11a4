// JsonContext: where a cursor stands in a file of the JSON syntax, as the place of the native
// syntax that means the same. The text need not parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ide/cursor_context.h"
#include "ide/module_names.h"

namespace kinu::ide {

struct JsonContext {
  /// kItem, kLabel and kKey: the cursor is in the name of a member, or where one may begin.
  /// kText: in a string that is a value. kNothing: elsewhere. `in_quotes`: the word has quotes.
  CursorContext context;
  /// A colon follows the name.
  bool has_colon = false;
};

/// Which members are labels depends on the block, so the names of the module are asked for what is
/// known of its blocks.
JsonContext JsonContextAt(ModuleNames& names, FileKind kind, std::string_view text,
                          uint32_t offset);

/// The place in the last `${` of a JSON string before the cursor, as if it stood in a native file.
struct Embedded {
  std::string text;
  uint32_t offset = 0;
  uint32_t shift = 0;  ///< of offsets in the text to those in the file
};
/// Nothing if the cursor is in none. The text need not parse.
std::optional<Embedded> SequenceAt(std::string_view text, uint32_t offset);

/// The same with what is around the string: blocks, the argument, and the names that they bind.
/// Spans are those of the embedded text, behind which the collections of iterators stand.
struct Sequence {
  std::unique_ptr<const Embedded> embedded;  ///< which the context has views of
  CursorContext context;
};
std::optional<Sequence> SequenceAt(ModuleNames& names, FileKind kind, std::string_view text,
                                   uint32_t offset);

}  // namespace kinu::ide
