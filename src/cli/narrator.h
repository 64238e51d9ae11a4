// Narrator: steps of a command that are told as they happen, as lines for people and as messages
// of a JSON stream, from one text.
#pragma once

#include <string>
#include <string_view>

#include "cli/planning.h"

namespace kinu::cli {

class Narrator {
 public:
  Narrator(const Invocation& invocation, Audience& audience)
      : style_(invocation.style()), audience_(audience) {}

  /// A line (or some) for people; the JSON message has the same words in one line, without markup
  /// and without the "- " of a list.
  void Say(std::string_view markup) { Say(markup, Plain(markup)); }
  /// The same, where the words differ.
  void Say(std::string_view markup, std::string_view message);
  /// An empty line for people.
  void BlankLine() { audience_.Text("\n"); }

  /// What JSON says where people read `markup`.
  static std::string Plain(std::string_view markup);

 private:
  view::Style style_;
  Audience& audience_;
};

}  // namespace kinu::cli
