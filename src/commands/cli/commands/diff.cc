#include "cli/command.h"
#include "cli/flag_groups.h"
#include "compare/compare.h"
#include "operation/documents.h"

namespace kinu::cli {
namespace {

constexpr int kDifferent = 2;

/// Reads one side of a comparison: a state file as it is stored, anything else as a document.
/// Null when it fails.
std::unique_ptr<json::Document> ReadSide(const Invocation& invocation, const std::string& path,
                                         Diagnostics& diags) {
  for (const bool as_is : {true, false}) {
    auto document = operation::ReadTree(invocation.workspace, path, {.as_is = as_is},
                                        compare::kComparedShape, diags);
    if (document == nullptr) {
      return nullptr;
    }
    const json::Node root = document->root();
    const bool encrypted = root.is_object() && root.Find("encrypted_data");
    if (!encrypted || path == "-") {
      return document;
    }
  }
  return nullptr;
}

int CompareFiles(const Invocation& invocation, const Flags& flags, Diagnostics& diags) {
  const auto& files = flags.positionals();
  const auto left = ReadSide(invocation, files[0], diags);
  const auto right = left == nullptr ? nullptr : ReadSide(invocation, files[1], diags);
  if (right == nullptr) {
    return 1;
  }
  const auto difference = compare::Compare(left->root(), right->root());
  if (!difference) {
    diags.Error("Failed to compare documents", "The documents are " + files[0] + " and " +
                                                   files[1] + ": " + difference.error().message +
                                                   ".");
    return 1;
  }
  if (flags.Bool("json")) {
    Print(compare::RenderJson(*difference));
  } else if (flags.Bool("markdown")) {
    Print(compare::RenderMarkdown(*difference));
  } else {
    Print(compare::RenderText(*difference, invocation.view.color));
  }
  return flags.Bool("exit-code") && !difference->empty() ? kDifferent : 0;
}

}  // namespace

static int RunDiff(Invocation& invocation) {
  Diagnostics diags;
  auto flags = ParseFlags(invocation, FlagOrder::kAnywhere, diags);
  if (!flags) {
    return UsageError(invocation, diags);
  }
  if (flags->positionals().size() != 2) {
    diags.Error("Two documents required",
                "The diff command compares exactly two plans, or two states.");
  } else if (flags->positionals()[0] == "-" && flags->positionals()[1] == "-") {
    diags.Error("Two documents required", "Only one document can be the standard input.");
  }
  if (flags->Bool("json") && flags->Bool("markdown")) {
    diags.Error("Conflicting output formats",
                "The -json and -markdown options are mutually-exclusive.");
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  const int code = CompareFiles(invocation, *flags, diags);
  return invocation.Show(diags) ? 1 : code;
}

constexpr auto kDiffFlags = JoinFlags(
    kJson, FlagSpec{.name = "markdown", .help = "As Markdown: a fold with a table per object."},
    FlagSpec{.name = "exit-code", .help = "The exit code is 2 when there are differences."}, kColor,
    kNoColor);

extern constexpr CommandSpec kDiffCommand{
    .name = "diff",
    .synopsis = "Compare two plans or two states",
    .group = CommandGroup::kDocuments,
    .usage = "tofu [global options] diff [options] A B",
    .description = R"help(Shows which resources and outputs of two plans, or of two states, differ,
and in which values. A and B are plan files, state files, or documents that
"show -json" has written; "-" is the standard input.

Numbers are compared by value, members of objects by name, arrays in order.
Timestamps, versions, serial, lineage and the order of resources do not count.
Sensitive values are replaced by "(sensitive value)".

The exit code is 0, or 1 when a document cannot be read or compared.)help",
    .flags = kDiffFlags,
    .run = RunDiff,
};

}  // namespace kinu::cli
