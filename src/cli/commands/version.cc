#include "base/files.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "codec/json_writer.h"
#include "install/lock_file.h"
#include "view/json/documents.h"

namespace kinu::cli {

int RunVersion(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"json"}, {"v"}, {"version"}};
  const std::span<const FlagSpec> tables[] = {kFlags};
  Diagnostics diags;
  const Flags flags = Flags::Read(tables, invocation.args, diags);
  if (diags.has_errors()) {
    if (flags.Bool("json")) {
      invocation.Show(diags);
      return 1;
    }
    return UsageError(invocation, diags);
  }
  view::VersionDocument document;
  document.version = kCompatibleVersion;
  document.platform = Platform();
  std::string path(install::kLockFileName);
  if (FileExists(path)) {
    Diagnostics ignored;
    for (const auto& [address, lock] : install::LockFile::Read(path, ignored).providers) {
      document.provider_selections.emplace_back(address, lock.version.ToText());
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

}  // namespace kinu::cli
