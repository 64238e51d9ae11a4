#include "cli/audience.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/command_help.h"
#include "compatibility/features.h"
#include "terminal/status_line.h"

namespace kinu::cli {
namespace {

/// Opens the file of -json-into. Negative after an error.
int OpenJsonInto(const std::string& path, Diagnostics& diags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    diags.Error("Invalid argument", "Unable to open the file \"" + path +
                                        "\" specified by -json-into for writing: open " + path +
                                        ": " + SystemMessage(errno));
  }
  return fd;
}

/// Whether a summary is all that people read: it comes without a line for each object.
bool AsksForSummary(const Flags* flags) {
  return flags != nullptr && flags->Has("summary") && flags->IsSet("summary");
}

}  // namespace

std::unique_ptr<Audience> MakeAudience(const Invocation& invocation, const Flags* flags,
                                       Diagnostics& diags, bool people_too) {
  Audience::Options options{.style = invocation.style(),
                            .concise = invocation.view.concise || AsksForSummary(flags),
                            .status = terminal::CanDrawStatus(),
                            .columns = [] { return terminal::WidthOf(STDOUT_FILENO); },
                            .version = compatibility::FullRelease(),
                            .print = [](std::string_view text) { Print(text); },
                            .print_error = [](std::string_view text) { PrintError(text); },
                            .show = [&invocation](Diagnostics& shown) { invocation.Show(shown); }};
  if (flags != nullptr) {
    const std::string into = flags->Has("json-into") ? flags->String("json-into") : "";
    if (!into.empty()) {
      options.json_fd = OpenJsonInto(into, diags);
    }
    if (flags->Bool("json")) {
      options.json_only = !people_too;
      if (!into.empty()) {
        diags.Error("Invalid output format",
                    "The -json and -json-into arguments are mutually exclusive");
      }
    }
  }
  return std::make_unique<Audience>(std::move(options));
}

int UsageError(const Invocation& invocation, Audience& audience, Diagnostics& diags) {
  const bool wrong_flags = ArrangeProblems(diags);
  if (audience.json() != nullptr) {
    audience.json()->Diagnostics(diags);
  }
  if (!audience.json_only()) {
    return UsageError(invocation, diags);
  }
  if (wrong_flags) {
    Print(HelpText(*invocation.command));
  }
  return 1;
}

int UsageError(const Invocation& invocation, const Flags& flags, Diagnostics& diags) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return UsageError(invocation, diags);
  }
  Diagnostics reported;  // they are in `diags` already
  return UsageError(invocation, *MakeAudience(invocation, &flags, reported), diags);
}

JsonCopy::JsonCopy(const Flags& flags, Diagnostics& diags) {
  const std::string& into = flags.String("json-into");
  if (into.empty()) {
    return;
  }
  fd_ = OpenJsonInto(into, diags);
  if (flags.Bool("json")) {
    diags.Error("Invalid output format",
                "The -json and -json-into arguments are mutually exclusive");
  }
}

JsonCopy::~JsonCopy() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

bool JsonCopy::ShowProblems(const Invocation& invocation, Diagnostics& diags) const {
  if (wanted()) {
    invocation.Show(diags);
  }
  return invocation.Show(diags);
}

void JsonCopy::Write(std::string_view text) const {
  while (wanted() && !text.empty()) {
    const ssize_t written = ::write(fd_, text.data(), text.size());
    if (written <= 0) {
      return;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace kinu::cli
