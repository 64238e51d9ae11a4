#include <algorithm>
#include <ranges>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "operation/documents.h"
#include "table/reader.h"
#include "table/table.h"
#include "table/writer.h"

namespace kinu::cli {
namespace {

constexpr const table::FormatSpec* kFormats[] = {&table::kJsonLines, &table::kCsv, &table::kArrow};

/// The names of a list as a text: "a, b and c".
std::string Enumerated(const auto& names) {
  std::string out;
  size_t left = std::ranges::size(names);
  for (const std::string_view name : names) {
    out += name;
    if (--left > 0) {
      out += left == 1 ? " and " : ", ";
    }
  }
  return out;
}

/// Whether a file below a directory is one of its documents.
bool IsExported(const std::string& path) {
  return path.ends_with(".tfstate") || path.ends_with(".tfplan") ||
         (path.ends_with(".json") && operation::IsDocument(path));
}

/// Visits a file, or the documents in a directory and below in the order of their names. False: the
/// visitor wants no more.
bool VisitFiles(const std::string& path, const std::function<bool(const std::string&)>& visit) {
  if (!IsDirectory(path)) {
    return visit(path);
  }
  auto names = ListDirectory(path);
  if (!names) {
    return visit(path);  // which reports the problem
  }
  std::ranges::sort(*names);
  for (const std::string& name : *names) {
    const std::string inside = JoinPath(path, name);
    if (!name.starts_with('.') && (IsDirectory(inside) || IsExported(inside)) &&
        !VisitFiles(inside, visit)) {
      return false;
    }
  }
  return true;
}

std::string FirstProblem(const Diagnostics& diags) {
  const Diagnostic& problem = diags.list().back();
  return problem.detail.empty() ? problem.summary : problem.summary + ": " + problem.detail;
}

int ListTables() {
  std::string text;
  for (const table::TableSpec& table : table::Tables()) {
    text += std::string(table.name) + ": " + std::string(table.description) + ".\n";
    for (const table::ColumnSpec& column : table.columns) {
      static constexpr std::string_view kTypes[] = {"text", "integer", "number", "boolean"};
      std::string name(column.name);
      name.resize(std::max<size_t>(name.size(), 20), ' ');
      std::string type(kTypes[static_cast<size_t>(column.type)]);
      type.resize(8, ' ');
      text += "  " + name + ' ' + type + ' ' + std::string(column.description) + '\n';
    }
  }
  Print(text);
  return 0;
}

struct Choice {
  const table::TableSpec* table = nullptr;
  const table::FormatSpec* format = nullptr;
};

Choice Choose(const Flags& flags, Diagnostics& diags) {
  Choice choice;
  choice.table = table::FindTable(flags.String("table"));
  if (choice.table == nullptr) {
    diags.Error("Invalid table",
                "There is no table \"" + flags.String("table") + "\". The tables are " +
                    Enumerated(table::Tables() | std::views::transform(&table::TableSpec::name)) +
                    ".");
  }
  const auto names = kFormats | std::views::transform([](const auto* spec) { return spec->name; });
  const auto format = std::ranges::find(names, std::string_view(flags.String("to")));
  if (format == names.end()) {
    diags.Error("Invalid output format", "There is no format \"" + flags.String("to") +
                                             "\". The formats are " + Enumerated(names) + ".");
  } else {
    choice.format = kFormats[format - names.begin()];
  }
  return choice;
}

}  // namespace

static int RunExport(Invocation& invocation) {
  Diagnostics diags;
  auto flags = ParseFlags(invocation, FlagOrder::kAnywhere, diags);
  if (!flags) {
    return UsageError(invocation, diags);
  }
  if (flags->Bool("tables")) {
    return ListTables();
  }
  const Choice choice = Choose(*flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  const auto writer = choice.format->open(choice.table->columns, Print);
  uint64_t problems = 0;
  table::TableReader reader(
      *choice.table, {.show_sensitive = flags->Bool("show-sensitive")},
      [&](table::Batch&& batch) { return writer->Add(batch); },
      [&](std::string_view source, std::string_view problem) {
        ++problems;
        if (choice.table->append != nullptr) {
          PrintError("Left out: " + std::string(source) + ": " + std::string(problem) + '\n');
        }
      });
  std::vector<std::string> sources = flags->positionals();
  if (sources.empty()) {
    sources.emplace_back("-");
  }
  const operation::DocumentOptions options = {.as_is = true,
                                              .parts = choice.table->reads_configuration
                                                           ? view::PlanParts::kAll
                                                           : view::PlanParts::kChanges};
  for (const std::string& source : sources) {
    bool any = false;
    VisitFiles(source, [&](const std::string& file) {
      any = true;
      Diagnostics failed;
      auto text = operation::ReadDocument(invocation.workspace, file, options, failed);
      return text ? reader.Add(file, *std::move(text))
                  : reader.AddProblem(file, FirstProblem(failed));
    });
    if (!any) {
      reader.AddProblem(source, "there are no plans and states in this directory");
    }
  }
  reader.Finish();
  writer->Finish();
  return problems > 0 && flags->Bool("strict") ? 1 : 0;
}

constexpr auto kExportFlags = JoinFlags(
    FlagSpec{.name = "table",
             .kind = FlagKind::kString,
             .default_value = "resources",
             .form = "=NAME",
             .help = "The table to write: resources (the default), changes,\n"
                     "attributes, outputs, checks, providers, modules,\n"
                     "references or problems."},
    FlagSpec{.name = "to",
             .kind = FlagKind::kString,
             .default_value = "jsonl",
             .form = "=FORMAT",
             .help = "jsonl (a JSON object a line, the default), csv, or arrow\n"
                     "(a stream of Arrow IPC)."},
    FlagSpec{.name = "tables", .help = "List the tables and their columns."},
    FlagSpec{.name = "show-sensitive", .help = "Write sensitive values as they are."},
    FlagSpec{.name = "strict", .help = "The exit code is 1 when a document was left out."}, kColor,
    kNoColor);

extern constexpr CommandSpec kExportCommand{
    .name = "export",
    .synopsis = "Write plans and states as tables",
    .group = CommandGroup::kDocuments,
    .usage = "tofu [global options] export [options] [SOURCE...]",
    .description = R"help(Writes what plans and states hold as rows and columns, for spreadsheets,
databases and programs that analyse data. SOURCE is a plan file, a state file,
a document of "show -json", or a directory, of which the files whose names end
in .tfstate, .tfplan and .json are read. Without SOURCE, or for "-", the
standard input is read.

A document that cannot be read is reported and left out; the table "problems"
lists them. Sensitive values are null.)help",
    .flags = kExportFlags,
    .notes = R"help(Examples:

  kinu export -table=changes -to=csv plan.out
  kinu export -table=attributes -to=arrow states/ > attributes.arrows)help",
    .help_column = 21,
    .run = RunExport,
};

}  // namespace kinu::cli
