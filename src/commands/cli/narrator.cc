#include "cli/narrator.h"

namespace kinu::cli {

void Narrator::Say(std::string_view markup, std::string_view message) {
  audience_.Text(style_.Paint(markup) + "\n");
  if (audience_.json() != nullptr) {
    audience_.json()->Message(view::JsonUi::Level::kInfo, message);
  }
}

void Narrator::Text(std::string_view markup) {
  audience_.Text(style_.Paint(markup) + "\n");
}

void Narrator::Warn(std::string_view markup) {
  audience_.Text(style_.Paint(markup) + "\n");
  if (audience_.json() != nullptr) {
    audience_.json()->Message(view::JsonUi::Level::kWarn, Plain(markup));
  }
}

void Narrator::Refuse(std::string_view text) {
  if (!audience_.json_only()) {
    terminal::PrintError(text);
  }
  if (audience_.json() != nullptr) {
    audience_.json()->Message(view::JsonUi::Level::kError, Plain(text));
  }
}

std::string Narrator::Plain(std::string_view markup) {
  std::string text = terminal::Style(false).Paint(markup);
  std::string out;
  bool space = false;
  for (char c : text) {
    if (c == '\n' || c == ' ') {
      space = !out.empty();
      continue;
    }
    if (space) {
      out += ' ';
    }
    space = false;
    out += c;
  }
  return out.starts_with("- ") ? out.substr(2) : out;
}

}  // namespace kinu::cli
