#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "json/writer.h"
#include "operation/documents.h"
#include "query/output.h"
#include "query/selector.h"
#include "query/stream.h"
#include "tfjson/path.h"

namespace kinu::cli {
namespace {

constexpr int kNotFound = 2;

/// The summary of an error with the status that JSON has.
std::string SummaryOfStatus(std::string_view status) {
  if (status == "not_found") {
    return "No value at this path";
  }
  return status == "invalid_path" ? "Invalid path" : "Failed to read document";
}

/// Prints the result of `query -path` that is no value, and returns the exit code.
int AnswerPath(bool json, Diagnostics& diags, const Invocation& invocation, int code,
               std::string_view status, std::string_view message,
               const tfjson::Path::Found* found = nullptr) {
  if (!json) {
    diags.Error(SummaryOfStatus(status), std::string(message) + ".");
    invocation.Show(diags);
    return code;
  }
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Member("status", status);
  if (found != nullptr) {
    out.Member("step", static_cast<int64_t>(found->step));
    out.Member("reason", tfjson::MismatchName(found->mismatch));
  }
  out.Member("message", message);
  out.EndObject();
  Print(text + "\n");
  return code;
}

int QueryPath(const Invocation& invocation, const Flags& flags, Diagnostics& diags) {
  const bool json = flags.Bool("json");
  const std::string& given = flags.String("path");
  const bool normalized = given == "$" || given.starts_with("$[");
  const auto path =
      normalized ? tfjson::Path::FromNormalized(given) : tfjson::Path::FromJson(given);
  if (!path) {
    return AnswerPath(json, diags, invocation, 1, "invalid_path", path.error().message);
  }
  const std::string& file = flags.positionals()[0];
  auto text = operation::ReadDocument(invocation.workspace, file, {.as_is = true}, diags);
  if (!text) {
    const std::string message = diags.list().back().detail;
    if (!json) {
      invocation.Show(diags);
      return 1;
    }
    return AnswerPath(json, diags, invocation, 1, "error", message);
  }
  const auto document = json::Document::Parse(*std::move(text));
  if (!document) {
    return AnswerPath(json, diags, invocation, 1, "error", document.error().message);
  }
  const tfjson::Path::Found found = path->Resolve((*document)->root());
  if (!found.value) {
    return AnswerPath(json, diags, invocation, kNotFound, "not_found",
                      tfjson::DescribeMismatch(*path, found), &found);
  }
  std::string out = json ? "{\"status\":\"found\",\"value\":" : "";
  json::AppendCompact(out, found.value.text());
  Print(out + (json ? "}\n" : "\n"));
  return 0;
}

/// Reads the flags that choose the output. Reports two forms at once.
query::OutputOptions OutputOf(const Flags& flags, Diagnostics& diags) {
  static constexpr std::pair<std::string_view, query::Format> kForms[] = {
      {"json", query::Format::kJson},
      {"raw", query::Format::kRaw},
      {"csv", query::Format::kCsv},
      {"table", query::Format::kTable},
      {"count", query::Format::kCount}};
  query::OutputOptions options;
  bool chosen = false;
  for (const auto& [name, format] : kForms) {
    if (flags.Bool(name)) {
      if (chosen) {
        diags.Error("Invalid output format",
                    "Only one of -json, -raw, -csv, -table and -count can be given.");
      }
      chosen = true;
      options.format = format;
    }
  }
  options.paths = flags.Bool("paths");
  options.show_sensitive = flags.Bool("show-sensitive");
  options.flatten = flags.Bool("flatten");
  for (const auto& [name, columns] :
       {std::pair("columns", &options.columns), std::pair("group-by", &options.group_by)}) {
    if (!flags.IsSet(name)) {
      continue;
    }
    auto parsed = query::ParseColumns(flags.String(name));
    if (parsed) {
      *columns = *std::move(parsed);
    } else {
      diags.Error("Invalid columns",
                  "In -" + std::string(name) + ": " + parsed.error().message + ".");
    }
  }
  if (!options.columns.empty() && (options.flatten || !options.group_by.empty())) {
    diags.Error("Invalid output format",
                "With -columns, neither -flatten nor -group-by can be given.");
  }
  return options;
}

}  // namespace

static int RunQuery(Invocation& invocation) {
  Diagnostics diags;
  auto flags = ParseFlags(invocation, FlagOrder::kAnywhere, diags);
  if (!flags) {
    return UsageError(invocation, diags);
  }
  const auto& words = flags->positionals();
  if (flags->IsSet("path")) {
    if (words.size() != 1) {
      const std::string message = "with -path, exactly one file is needed and no selector";
      if (flags->Bool("json")) {
        return AnswerPath(true, diags, invocation, 1, "error", message);
      }
      diags.Error("Invalid arguments", "The query needs a file: " + message + ".");
      return UsageError(invocation, diags);
    }
    return QueryPath(invocation, *flags, diags);
  }
  query::OutputOptions options = OutputOf(*flags, diags);
  if (isatty(STDOUT_FILENO) != 0) {
    options.width = static_cast<size_t>(invocation.stdout_width);
  }
  if (words.empty()) {
    diags.Error("Selector required",
                "The query command needs a selector such as '$.resource_changes[*].address', and "
                "the files to look into.");
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  const auto selector = query::ParseSelector(words[0]);
  if (!selector) {
    const auto source = SourceFile::Make("selector", words[0]);
    const auto offset = static_cast<uint32_t>(selector.error().offset);
    diags.Error("Invalid selector",
                selector.error().message + ", at character " +
                    std::to_string(source->PositionAt(offset).column) + " of " + words[0],
                {source.get(), offset, offset});
    invocation.Show(diags);
    return 1;
  }
  query::ResultWriter writer(options, [](std::string_view text) { Print(text); });
  const query::RunOptions run{
      .keep_masks = !options.show_sensitive && options.format != query::Format::kCount,
      .many = flags->Bool("lines")};
  std::vector<std::string> files(words.begin() + 1, words.end());
  if (files.empty()) {
    files.emplace_back("-");
  }
  for (const std::string& file : files) {
    writer.BeginDocument();
    const auto document =
        operation::OpenDocument(invocation.workspace, file, {.as_is = flags->Bool("as-is")}, diags);
    if (document != nullptr &&
        !query::RunQuery(*document->tokens, *selector, run, [&](const query::Found& found) {
          writer.Add(found);
          return true;
        })) {
      diags.Error("Failed to read document", json::DescribeProblem(document->tokens->problem()) +
                                                 ".\n\nThe document is " + file + ".");
    }
    if (diags.has_errors()) {
      break;
    }
  }
  if (diags.has_errors()) {
    invocation.Show(diags);
    return 1;
  }
  writer.Finish();
  return flags->Bool("e") && writer.count() == 0 ? kNotFound : 0;
}

constexpr auto kQueryFlags = JoinFlags(
    FlagSpec{.name = "json",
             .help = "One JSON array of the results. The default is one JSON\n"
                     "value a line."},
    FlagSpec{.name = "raw", .help = "Strings without quotes, one a line."},
    FlagSpec{.name = "csv", .help = "One row for each result, with a line of headings."},
    FlagSpec{.name = "table", .help = "The same as aligned columns."},
    FlagSpec{.name = "count", .help = "Only how many results there are."},
    FlagSpec{.name = "columns",
             .kind = FlagKind::kString,
             .form = "=LIST",
             .help = "Show these values of each result: paths into it and\n"
                     "functions of it, such as 'address,change.actions,action()'."},
    FlagSpec{.name = "group-by",
             .kind = FlagKind::kString,
             .form = "=LIST",
             .help = "Count the results with the same values of these columns."},
    FlagSpec{.name = "flatten",
             .help = "Show values inside a result side by side, named by their\n"
                     "paths."},
    FlagSpec{.name = "e", .help = "The exit code is 2 when nothing is found."},
    FlagSpec{.name = "paths", .help = "The normalized path of each result beside its value."},
    FlagSpec{.name = "show-sensitive", .help = "Print sensitive values as they are."},
    FlagSpec{.name = "as-is",
             .help = "Take a state file as the JSON that it consists of, and\n"
                     "documents of any format version."},
    FlagSpec{.name = "lines",
             .help = "The text is a stream of documents, such as the messages\n"
                     "of \"apply -json\": query each of them."},
    FlagSpec{.name = "path",
             .kind = FlagKind::kString,
             .form = "=PATH",
             .help = "Find the one value at this path, such as\n"
                     "'[\"resource_changes\", 0, \"address\"]', or a normalized path\n"
                     "as -paths prints it."},
    kColor, kNoColor);

extern constexpr CommandSpec kQueryCommand{
    .name = "query",
    .synopsis = "Find values in plans, states and other JSON documents",
    .group = CommandGroup::kDocuments,
    .usage =
        "tofu [global options] query [options] SELECTOR [FILE...]\ntofu [global options] query "
        "[-json] -path=PATH FILE",
    .description = R"help(Finds values in JSON documents: plans, states, configurations, schemas and
anything else that is JSON. SELECTOR is a JSONPath expression as RFC 9535
defines it, with functions that know the documents. PATH is a JSON array of
steps that leads to one value.

FILE may also be a plan file or a state file: then its document is what
"show -json" prints for it in this directory. Without FILE, or for "-", the
standard input is read.

Sensitive values are replaced by "(sensitive value)".)help",
    .flags = kQueryFlags,
    .notes = R"help(Functions for filters:

  length(value)      Characters, elements or members.
  count(nodes)       How many nodes a query finds.
  match(text, re)    Whether a regular expression matches the whole text.
  search(text, re)   Whether it matches a part of it.
  value(nodes)       The value of the only node that a query finds.
  action(node)       What a change does: no-op, create, read, update, delete,
                     replace, forget.
  type(node)         The resource type of what has an address.
  module(node)       The module in that address, "" for the root.
  sensitive(node)    Whether the value, or a part of the change, is sensitive.
  unknown(node)      Whether it is unknown.

Examples:

  kinu show -json plan.out | kinu query '$.resource_changes[?action(@)=="delete"].address'
  kinu query -table -columns='address,action()' '$.resource_changes[*]' plan.json)help",
    .help_column = 21,
    .run = RunQuery,
};

}  // namespace kinu::cli
