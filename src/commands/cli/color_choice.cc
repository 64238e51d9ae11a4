#include "cli/color_choice.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

namespace kinu::cli {
namespace {

/// Whether the command has -color, as those do that only kinu has.
bool HasColorFlag(const CommandSpec& command) {
  return std::ranges::any_of(command.flags,
                             [](const FlagSpec& flag) { return flag.name == "color"; });
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets any
  return value == nullptr ? std::string_view() : value;
}

bool ColorOfSurroundings() {
  if (!Variable("NO_COLOR").empty()) {
    return false;
  }
  if (const std::string_view force = Variable("CLICOLOR_FORCE"); !force.empty() && force != "0") {
    return true;
  }
  return ::isatty(STDOUT_FILENO) != 0 && Variable("TERM") != "dumb";
}

}  // namespace

void ChooseColor(const CommandSpec& command, std::vector<std::string>& args, ViewOptions& view,
                 Diagnostics& diags) {
  if (!HasColorFlag(command)) {
    return;
  }
  constexpr std::string_view kFlag = "-color=";
  std::string choice = view.color ? "auto" : "never";
  std::erase_if(args, [&](const std::string& word) {
    const bool is = word.starts_with(kFlag);
    if (is) {
      choice = word.substr(kFlag.size());
    }
    return is;
  });
  if (choice != "auto" && choice != "always" && choice != "never") {
    diags.Error("Invalid color", "The -color option takes auto, always or never.");
    choice = "never";
  }
  view.color = choice == "always" || (choice == "auto" && ColorOfSurroundings());
}

}  // namespace kinu::cli
