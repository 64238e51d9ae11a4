#include "view/human/output.h"

#include "lang/console_text.h"
#include "text/unicode.h"

namespace kinu::view {

std::string RenderOutputs(std::span<const state::OutputValue> outputs, bool show_sensitive) {
  std::string out;
  for (const state::OutputValue& output : outputs) {
    out += output.name;
    out += " = ";
    // The output decides whether its value is sensitive; marks in the value would hide it again.
    out += output.sensitive && !show_sensitive ? "<sensitive>"
                                               : lang::ConsoleText(output.value.UnmarkDeep());
    out += '\n';
  }
  return std::string(text::TrimSpace(out)) + "\n";
}

}  // namespace kinu::view
