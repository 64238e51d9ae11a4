#include "base/files.h"
#include "cli/audience.h"
#include "cli/flag_groups.h"
#include "compatibility/features.h"
#include "install/lock_file.h"
#include "install/package_source.h"
#include "json/writer.h"
#include "plan_json/documents.h"

namespace kinu::cli {

static int RunVersion(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  const bool reads_words = compatibility::Has(compatibility::Feature::kArgumentErrors);
  if (reads_words && !flags.positionals().empty()) {
    WordsError(diags, kUnexpectedWord,
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (diags.has_errors()) {
    if (!reads_words && flags.Bool("json")) {
      invocation.Show(diags);
      return 1;
    }
    return UsageError(invocation, flags, diags);
  }
  view::VersionDocument document;
  document.version = compatibility::FullRelease();
  document.platform = install::CurrentPlatform();
  std::string path(install::kLockFileName);
  if (FileExists(path)) {
    Diagnostics problems;
    const install::LockFile locks = install::LockFile::Read(path, problems);
    for (const auto& [address, lock] : locks.providers) {
      if (!problems.has_errors()) {
        document.provider_selections.emplace_back(address, lock.version.ToText());
      }
    }
  }
  if (flags.Bool("json")) {
    std::string text;
    JsonWriter out(text, {.indent = "  "});
    view::WriteVersion(out, document);
    Print(text + "\n");
    return 0;
  }
  std::string text = "OpenTofu v" + document.version + "\non " + document.platform + "\n";
  for (const auto& [address, version] : document.provider_selections) {
    text += "+ provider " + address + " v" + version + "\n";
  }
  Print(text);
  return 0;
}

constexpr auto kVersionFlags = std::to_array<FlagSpec>({
    {.name = "json", .help = "As JSON."},
    {.name = "v"},
    {.name = "version"},
});

extern constexpr CommandSpec kVersionCommand{
    .name = "version",
    .synopsis = "Show the current version",
    .group = CommandGroup::kProgram,
    .usage = "tofu [global options] version [options]",
    .description = R"(Shows the version that this program is compatible with, and the versions of
the providers that are locked.)",
    .flags = kVersionFlags,
    .help_column = 11,
    .run = RunVersion,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
