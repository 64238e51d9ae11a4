// `dynamic` blocks of the JSON syntax, which are objects that look like them: no schema says so.
// Private to ide.
#pragma once

#include <string_view>
#include <vector>

#include "ide/parsed_file.h"

namespace kinu::ide {

/// One `dynamic` block: an object with a member `for_each` or `content`.
struct JsonDynamic {
  std::string_view label;     ///< the type of the blocks that it makes
  std::string_view iterator;  ///< the name that it binds in `content` and `labels`
  /// Where that name is given, without quotes: in the argument `iterator`, or in the label.
  Span declaration;
  bool is_label = false;
  uint32_t block_open = 0;               ///< the offset after its opening brace
  const hcl::Expr* for_each = nullptr;   ///< null: it is missing
  std::vector<const hcl::Expr*> inside;  ///< the values of `content` and `labels`
};

/// The blocks in the value of a member. None: the member is not named `dynamic`, or its value means
/// something else.
std::vector<JsonDynamic> JsonDynamicsOf(std::string_view name, const hcl::Expr& value);

}  // namespace kinu::ide
