#include "manual/man_pages.h"

#include <algorithm>
#include <utility>

#include "cli/build_info.h"
#include "cli/command_help.h"

namespace kinu::manual {
namespace {

using cli::CommandsBelow;
using cli::CommandSpec;
using cli::FlagSpec;
using cli::ForEachLine;
using cli::kOwnVersion;
using cli::OneLine;

/// A text of a manual page: no line is a request, and no character an escape.
std::string Roff(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_starts = c == '\n';
  }
  return out;
}

/// The usage of a command by the program's own name; help shows it by the compatible one.
std::string OwnUsage(std::string_view usage) {
  std::string out;
  ForEachLine(usage, [&](std::string_view line) {
    out += out.empty() ? "" : "\n";
    if (line.starts_with("tofu ")) {
      out += "kinu ";
      line.remove_prefix(5);
    }
    out += line;
  });
  return out;
}

std::string ManHeader(const std::string& page, std::string_view synopsis) {
  std::string upper = page;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return ".TH " + upper + " 1 \"\" \"kinu " + std::string(kOwnVersion) + "\" \"kinu manual\"\n" +
         ".SH NAME\n" + Roff(page) + " \\- " + Roff(synopsis) + "\n";
}

}  // namespace

std::string ManPageName(const CommandSpec& command) {
  std::string name = "kinu-" + std::string(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string ManPage(const CommandSpec& command) {
  std::string out = ManHeader(ManPageName(command), command.synopsis) + ".SH SYNOPSIS\n.nf\n" +
                    Roff(OwnUsage(command.usage)) + "\n.fi\n";
  if (!command.description.empty()) {
    out += ".SH DESCRIPTION\n";
    ForEachLine(command.description,
                [&](std::string_view line) { out += line.empty() ? ".PP\n" : Roff(line) + "\n"; });
  }
  if (command.lists_subcommands) {
    out += ".SH SUBCOMMANDS\n";
    for (const CommandSpec* inner : CommandsBelow(command.name)) {
      out += ".TP\n.BR " + Roff(ManPageName(*inner)) + " (1)\n" + Roff(inner->synopsis) + "\n";
    }
  }
  bool first = true;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.help.empty()) {
      out += std::exchange(first, false) ? ".SH OPTIONS\n" : "";
      out += ".TP\n.B " + Roff("-" + std::string(flag.name) + std::string(flag.form)) + "\n" +
             Roff(OneLine(flag.help)) + "\n";
    }
  }
  if (!command.notes.empty()) {
    out += ".SH NOTES\n.nf\n" + Roff(command.notes) + "\n.fi\n";
  }
  return out + ".SH SEE ALSO\n.BR kinu (1)\n";
}

std::string TopManPage() {
  std::string out = ManHeader("kinu", "infrastructure as code, compatible with OpenTofu") +
                    ".SH SYNOPSIS\n.nf\n" + Roff("kinu [global options] <subcommand> [args]") +
                    "\n.fi\n.SH COMMANDS\n";
  for (const CommandSpec* command : CommandsBelow("")) {
    out += ".TP\n.BR " + Roff(ManPageName(*command)) + " (1)\n" + Roff(command->synopsis) + "\n";
  }
  return out +
         ".SH GLOBAL OPTIONS\nThese stand in front of the subcommand.\n"
         ".TP\n.B \\-chdir=DIR\nWork in that directory.\n"
         ".TP\n.B \\-help\nShow help, of the program or of a subcommand.\n"
         ".TP\n.B \\-version\nThe same as the subcommand version.\n";
}

}  // namespace kinu::manual
