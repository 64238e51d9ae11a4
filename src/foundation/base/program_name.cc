#include "base/program_name.h"

#include <algorithm>
#include <array>

namespace kinu {
namespace {

constexpr std::string_view kReferenceName = "tofu";
constexpr std::array kNames{kReferenceName, std::string_view("terraform"), kOwnProgramName};

std::string_view program_name = kReferenceName;

bool IsLetter(char c) {
  return c >= 'a' && c <= 'z';
}

/// Whether the word at `at` is followed by a command or a flag, and is a word of its own.
bool NamesCommand(std::string_view text, size_t at) {
  const size_t end = at + kReferenceName.size();
  const bool starts = at == 0 || (!IsLetter(text[at - 1]) && text[at - 1] != '.');
  return starts && end + 1 < text.size() && text[end] == ' ' &&
         (IsLetter(text[end + 1]) || text[end + 1] == '-' || text[end + 1] == '[');
}

}  // namespace

void SetProgramName(std::string_view called_as) {
  const std::string_view last = called_as.substr(called_as.rfind('/') + 1);
  const auto* known = std::ranges::find(kNames, last);
  program_name = known == kNames.end() ? kOwnProgramName : *known;
}

std::string_view ProgramName() {
  return program_name;
}

std::string Hint(std::string_view text) {
  std::string out;
  size_t copied = 0;
  for (size_t at = text.find(kReferenceName); at != std::string_view::npos;
       at = text.find(kReferenceName, at + 1)) {
    if (NamesCommand(text, at)) {
      out += text.substr(copied, at - copied);
      out += program_name;
      copied = at + kReferenceName.size();
    }
  }
  out += text.substr(copied);
  return out;
}

}  // namespace kinu
