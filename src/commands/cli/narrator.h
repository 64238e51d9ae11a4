// Narrator: shows the steps of a command while they happen, as lines for people and as messages of
// a JSON stream, from one text.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_run.h"
#include "session/narrator.h"

namespace kinu::cli {

class Narrator final : public session::Narrator {
 public:
  Narrator(const Invocation& invocation, Audience& audience)
      : style_(invocation.style()), audience_(audience) {}

  /// Prints one or more lines for people. The JSON message has the same words in one line, without
  /// markup and without the "- " of a list.
  void Say(std::string_view markup) override { Say(markup, Plain(markup)); }
  /// Prints lines for people; the JSON message has the words of `message`.
  void Say(std::string_view markup, std::string_view message) override;
  void Warn(std::string_view markup) override;
  void Text(std::string_view markup) override;
  /// Prints why something ends, for people on the error stream.
  void Refuse(std::string_view text);
  /// Prints an empty line for people.
  void BlankLine() { audience_.Text("\n"); }

  /// The words of `markup` in one line, for JSON.
  static std::string Plain(std::string_view markup);

 private:
  terminal::Style style_;
  Audience& audience_;
};

}  // namespace kinu::cli
