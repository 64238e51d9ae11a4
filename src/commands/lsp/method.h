// The table of methods.
#pragma once

#include <string_view>

#include "lsp/session.h"

namespace kinu::lsp {

struct Session::Method {
  std::string_view name;
  Message::Kind kind = Message::Kind::kRequest;
  /// What the owner does at once. A request's handler sends its answer itself.
  Outcome<void> (Session::*handle)(const Request& message) = nullptr;
  /// Else what answers the request.
  Answer answer = nullptr;
  bool from_text = false;  ///< needs only the text: it is answered at once, before any analysis
  /// Clients ask again after an edit: an answer about an older text has no use.
  bool repeats = false;
};

/// The row of a method, or null.
const Session::Method* FindMethod(std::string_view name);

}  // namespace kinu::lsp
