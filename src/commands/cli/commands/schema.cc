#include "cli/commands/schema.h"

#include "cli/command.h"
#include "cli/flag_groups.h"
#include "text/suggest.h"

namespace kinu::cli {

static int RunSchema(Invocation& invocation) {
  Diagnostics diags;
  auto flags = ParseFlags(invocation, FlagOrder::kFirst, diags);
  if (!flags) {
    return UsageError(invocation, diags);
  }
  const auto& words = flags->positionals();
  if (words.size() > 1) {
    WordsError(diags, "Unexpected argument", "The schema command takes one name at most.");
    return UsageError(invocation, diags);
  }
  if (words.empty()) {
    for (const JsonSchema& schema : JsonSchemas()) {
      Print(std::string(schema.name) + "\n");
    }
    return 0;
  }
  std::vector<std::string_view> names;
  for (const JsonSchema& schema : JsonSchemas()) {
    if (schema.name == words[0]) {
      Print(schema.text);
      return 0;
    }
    names.push_back(schema.name);
  }
  std::string detail = "There is no schema \"" + words[0] + "\".";
  if (const std::string_view near = text::SuggestName(words[0], names); !near.empty()) {
    detail += " Did you mean \"" + std::string(near) + "\"?";
  }
  diags.Error("Unknown schema", detail + " Without a name, the command lists them.");
  invocation.Show(diags);
  return 1;
}

constexpr auto kSchemaFlags = JoinFlags(kColor, kNoColor);

extern constexpr CommandSpec kSchemaCommand{
    .name = "schema",
    .synopsis = "Print the JSON Schema of a document",
    .group = CommandGroup::kDocuments,
    .usage = "tofu [global options] schema [NAME]",
    .description = R"(Prints the JSON Schema (draft 2020-12) of a document, such as "plan" or
"state". Without NAME, lists the names.)",
    .flags = kSchemaFlags,
    .help_column = 21,
    .run = RunSchema,
};

}  // namespace kinu::cli
