#include "ide/answers.h"

namespace kinu::ide {

std::optional<std::vector<TextEdit>> FormatText(std::string_view, bool) {
  return {};
}

std::optional<std::vector<TextEdit>> FormatRange(std::string_view, bool, Span) {
  return {};
}

}  // namespace kinu::ide
