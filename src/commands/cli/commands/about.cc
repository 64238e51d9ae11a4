#include <array>
#include <optional>

#include "cli/bill_of_materials.h"
#include "cli/build_info.h"
#include "cli/command.h"
#include "compatibility/features.h"
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

/// The level and what the levels differ in, for people.
std::string LevelText() {
  std::string text =
      "\nLevel of compatibility: " + std::string(compatibility::NameOf(compatibility::Current())) +
      " (KINU_COMPATIBILITY and configurations choose it).\n"
      "Of later releases, it has:\n";
  constexpr size_t kColumn = 22;
  for (const compatibility::FeatureRow& row : compatibility::Features()) {
    std::string name(row.name);
    name.resize(kColumn, ' ');
    text += "  " + name + std::string(row.shows);
    if (!compatibility::Has(row.feature)) {
      text += " (at level " + std::string(compatibility::NameOf(row.since)) + ")";
    }
    text += '\n';
  }
  return text;
}

/// The same for programs.
void WriteLevel(JsonWriter& out) {
  out.Member("compatibility", compatibility::NameOf(compatibility::Current()));
  out.Key("features");
  out.BeginArray();
  for (const compatibility::FeatureRow& row : compatibility::Features()) {
    out.BeginObject();
    out.Member("name", row.name);
    out.Member("since", compatibility::NameOf(row.since));
    out.Member("every_level", row.reach == compatibility::Reach::kEveryLevel);
    out.Member("active", compatibility::Has(row.feature));
    out.Member("shows", row.shows);
    out.EndObject();
  }
  out.EndArray();
}

std::string AboutText() {
  std::string text = "kinu " + std::string(kOwnVersion) + " (" + install::CurrentPlatform() + ")\n";
  text += "An infrastructure engine compatible with OpenTofu " +
          std::string(compatibility::FullRelease()) + ".\n\nBuilt from " +
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
  return text + LevelText();
}

std::string AboutJson() {
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  out.BeginObject();
  out.Member("name", "kinu");
  out.Member("version", kOwnVersion);
  out.Member("compatible_with", compatibility::FullRelease());
  WriteLevel(out);
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
libraries that it uses and their licences, its level of compatibility, and
what later releases of OpenTofu brought.)",
    .flags = kAboutFlags,
    .help_column = 18,
    .run = RunAbout,
};

}  // namespace kinu::cli
