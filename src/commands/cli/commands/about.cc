#include <array>
#include <optional>

#include "cli/bill_of_materials.h"
#include "cli/build_info.h"
#include "cli/command.h"
#include "install/package_source.h"
#include "json/writer.h"

namespace kinu::cli {

namespace {

std::string Compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string AboutText() {
  std::string text = "kinu " + std::string(kOwnVersion) + " (" + install::CurrentPlatform() + ")\n";
  text += "An infrastructure engine compatible with OpenTofu " + std::string(kCompatibleVersion) +
          ".\n\nBuilt from " +
          (kBuildCommit.empty()
               ? std::string("a source archive")
               : "commit " + std::string(kBuildCommit) + " of " + std::string(kBuildDate)) +
          " with " + Compiler() + ", C++ " + std::to_string(__cplusplus) +
          ".\nLicence: MPL-2.0.\n\nLibraries in use, with their licences:\n";
  for (const Library& library : Libraries()) {
    constexpr size_t kColumn = 22;
    std::string name(library.name);
    name.resize(kColumn, ' ');
    text += "  " + name + std::string(library.license) +
            (library.dynamic ? " (linked dynamically)\n" : "\n");
  }
  return text;
}

std::string AboutJson() {
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  out.BeginObject();
  out.Member("name", "kinu");
  out.Member("version", kOwnVersion);
  out.Member("compatible_with", kCompatibleVersion);
  out.Member("platform", install::CurrentPlatform());
  out.Member("commit", kBuildCommit);
  out.Member("date", kBuildDate);
  out.Member("compiler", Compiler());
  out.Member("license", "MPL-2.0");
  out.Key("libraries");
  out.BeginArray();
  for (const Library& library : Libraries()) {
    out.BeginObject();
    out.Member("name", library.name);
    out.Member("license", library.license);
    out.Member("dynamic", library.dynamic);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return text + "\n";
}

/// The bill of materials in the form that -sbom asks for, or nothing.
std::optional<std::string_view> BillOfMaterials(const std::string& form) {
  if (form == "spdx") {
    return kSpdxDocument;
  }
  if (form == "cyclonedx") {
    return kCycloneDxDocument;
  }
  return std::nullopt;
}

}  // namespace

static int RunAbout(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!diags.has_errors() && !flags.positionals().empty()) {
    diags.Error("Too many command line arguments", "The command has no arguments.");
  }
  std::optional<std::string_view> bill;
  if (!diags.has_errors() && flags.IsSet("sbom")) {
    bill = BillOfMaterials(flags.String("sbom"));
    if (!bill) {
      diags.Error("Invalid form of the bill of materials",
                  "-sbom can be \"spdx\" or \"cyclonedx\".");
    }
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  if (bill) {
    Print(*bill);
  } else {
    Print(flags.Bool("json") ? AboutJson() : AboutText());
  }
  return 0;
}

constexpr auto kAboutFlags = std::to_array<FlagSpec>({
    {.name = "json", .help = "As one JSON object."},
    {.name = "sbom",
     .kind = FlagKind::kString,
     .form = "[=FORM]",
     .help = "The bill of materials: each library with its version,\n"
             "licence and source, as JSON. FORM is spdx or cyclonedx.",
     .alone = "spdx"},
});

extern constexpr CommandSpec kAboutCommand{
    .name = "about",
    .synopsis = "Say what this program is and what it is made of",
    .group = CommandGroup::kProgram,
    .usage = "tofu about [options]",
    .description = R"(Says what this program is: its own version, how it was built, the
libraries that it uses and their licences.)",
    .flags = kAboutFlags,
    .help_column = 18,
    .run = RunAbout,
};

}  // namespace kinu::cli
