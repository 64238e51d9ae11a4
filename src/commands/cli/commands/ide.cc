// The answers of the language server from the shell: `ide definition`, `ide references`, …
#include <charconv>

#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "diag/range_json.h"
#include "ide/answers.h"
#include "ide/workspace.h"
#include "json/writer.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

/// A run of one of the commands, with the working directory as workspace.
class IdeRun {
 public:
  /// `words`: how many the command takes, at least and at most.
  IdeRun(Invocation& invocation, size_t least_words, size_t most_words)
      : invocation_(invocation),
        flags_(Flags::Read(invocation.command->flags, invocation.args, diags_)) {
    const size_t words = flags_.positionals().size();
    if (words < least_words || words > most_words) {
      diags_.Error("Invalid number of arguments",
                   "Usage: " + std::string(invocation.command->usage));
    }
    usable_ = !diags_.has_errors();
    if (usable_) {
      workspace_.SetFolders({EvaluateLinks(WorkingDirectory()).value_or(WorkingDirectory())});
      snapshot_ = workspace_.Take();
    }
  }

  bool usable() const { return usable_; }
  int Usage() { return UsageError(invocation_, diags_); }
  int Fail(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
    invocation_.Show(diags_);
    return 1;
  }
  const Flags& flags() const { return flags_; }
  const std::string& word(size_t index) const { return flags_.positionals()[index]; }
  const ide::Snapshot& snapshot() const { return *snapshot_; }

  /// The place FILE:LINE:COLUMN in the first word. Nothing if it is no such place.
  std::optional<ide::Cursor> Cursor() const;
  std::string Name(const std::string& path) const;
  /// Writes a place as members of an open object.
  void WriteMembers(JsonWriter& out, const ide::Place& place) const;
  std::string Text(const ide::Place& place) const;
  /// Prints places as lines, or as a list in JSON.
  void Print(const std::vector<ide::Place>& places) const;

 private:
  Invocation& invocation_;
  Diagnostics diags_;
  Flags flags_;
  bool usable_ = false;
  ide::Workspace workspace_{ide::Settings{}};
  std::shared_ptr<const ide::Snapshot> snapshot_;
};

std::string FullPath(const std::string& path) {
  const std::string full = AbsolutePath(path);
  return EvaluateLinks(full).value_or(full);
}

/// The number at the end of a text behind a colon, which is cut off.
std::optional<uint32_t> CutNumber(std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  uint32_t number = 0;
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || at != end || number == 0) {
    return std::nullopt;
  }
  text.erase(colon);
  return number;
}

/// The offset of a line and column, which count as in diagnostics.
uint32_t OffsetAt(const SourceFile& file, uint32_t line, uint32_t column) {
  const std::string_view text = file.text();
  size_t at = 0;
  for (uint32_t i = 1; i < line && at < text.size(); ++i) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  auto offset = static_cast<uint32_t>(at);
  while (offset < text.size() && text[offset] != '\n' && file.PositionAt(offset).column < column) {
    ++offset;
  }
  return offset;
}

std::optional<ide::Cursor> IdeRun::Cursor() const {
  std::string path = word(0);
  const auto column = CutNumber(path);
  const auto line = column ? CutNumber(path) : std::nullopt;
  if (!line) {
    return std::nullopt;
  }
  path = FullPath(path);
  const Ref<const SourceFile> text = snapshot_->Text(path);
  if (!text) {
    return std::nullopt;
  }
  return ide::Cursor{path, OffsetAt(*text, *line, *column)};
}

std::string IdeRun::Name(const std::string& path) const {
  const std::string here = FullPath(".");
  if (path == here) {
    return ".";
  }
  return path.starts_with(here + "/") ? path.substr(here.size() + 1) : path;
}

void IdeRun::WriteMembers(JsonWriter& out, const ide::Place& place) const {
  const Ref<const SourceFile> text = snapshot_->Text(place.path);
  WriteRangeMembers(out, Name(place.path), text ? text->PositionAt(place.span.begin) : Position(),
                    text ? text->PositionAt(place.span.end) : Position());
}

std::string IdeRun::Text(const ide::Place& place) const {
  const Ref<const SourceFile> text = snapshot_->Text(place.path);
  if (!text) {
    return Name(place.path);
  }
  const Position start = text->PositionAt(place.span.begin);
  const uint32_t begin = text->LineBegin(place.span.begin);
  std::string_view line = text->text().substr(begin);
  line = line.substr(0, line.find('\n'));
  return Name(place.path) + ":" + std::to_string(start.line) + ":" + std::to_string(start.column) +
         ": " + std::string(line);
}

void IdeRun::Print(const std::vector<ide::Place>& places) const {
  if (!flags_.Bool("json")) {
    for (const ide::Place& place : places) {
      cli::Print(Text(place) + "\n");
    }
    return;
  }
  std::string document;
  JsonWriter out(document);
  out.BeginArray();
  for (const ide::Place& place : places) {
    out.BeginObject();
    WriteMembers(out, place);
    out.EndObject();
  }
  out.EndArray();
  cli::Print(document + "\n");
}

constexpr std::string_view kNoPlace =
    "The first argument must be FILE:LINE:COLUMN, a place in a configuration file of this "
    "directory or below.";

int RunPlaces(Invocation& invocation,
              std::vector<ide::Place> (*find)(const IdeRun& run, const ide::Cursor& cursor)) {
  IdeRun run(invocation, 1, 1);
  if (!run.usable()) {
    return run.Usage();
  }
  const auto cursor = run.Cursor();
  if (!cursor) {
    return run.Fail("No such place", std::string(kNoPlace));
  }
  run.Print(find(run, *cursor));
  return 0;
}

int RunDefinition(Invocation& invocation) {
  return RunPlaces(invocation, [](const IdeRun& run, const ide::Cursor& cursor) {
    std::vector<ide::Place> places;
    for (const ide::Target& target : ide::DefinitionsAt(run.snapshot(), cursor)) {
      places.push_back(target.name);
    }
    return places;
  });
}

int RunReferences(Invocation& invocation) {
  return RunPlaces(invocation, [](const IdeRun& run, const ide::Cursor& cursor) {
    return ide::ReferencesAt(run.snapshot(), cursor, run.flags().Bool("declaration"));
  });
}

/// A symbol in one list with those inside it.
struct ListedSymbol {
  std::string name;
  std::string detail;
  ide::Place place;
  size_t depth = 0;
};

void Flatten(const std::string& path, const std::vector<ide::Symbol>& symbols, size_t depth,
             std::vector<ListedSymbol>& out) {
  for (const ide::Symbol& symbol : symbols) {
    out.push_back({symbol.name, symbol.detail, {path, symbol.name_span}, depth});
    Flatten(path, symbol.children, depth + 1, out);
  }
}

int RunSymbols(Invocation& invocation) {
  IdeRun run(invocation, 0, 1);
  if (!run.usable()) {
    return run.Usage();
  }
  std::vector<ListedSymbol> symbols;
  if (!run.flags().positionals().empty()) {
    const std::string path = FullPath(run.word(0));
    if (!run.snapshot().Text(path)) {
      return run.Fail("No such file", run.word(0) + " is no configuration file of this directory.");
    }
    Flatten(path, ide::DocumentSymbols(run.snapshot(), path), 0, symbols);
  } else {
    for (ide::FoundSymbol& found :
         ide::WorkspaceSymbols(run.snapshot(), run.flags().String("query"))) {
      symbols.push_back(
          {std::move(found.name), std::move(found.container), std::move(found.place)});
    }
  }
  if (!run.flags().Bool("json")) {
    for (const ListedSymbol& symbol : symbols) {
      Print(std::string(2 * symbol.depth, ' ') + symbol.name + "  " + run.Text(symbol.place) +
            "\n");
    }
    return 0;
  }
  std::string document;
  JsonWriter out(document);
  out.BeginArray();
  for (const ListedSymbol& symbol : symbols) {
    out.BeginObject();
    out.Member("name", symbol.name);
    out.Member("detail", symbol.detail);
    out.Member("depth", static_cast<int64_t>(symbol.depth));
    run.WriteMembers(out, symbol.place);
    out.EndObject();
  }
  out.EndArray();
  Print(document + "\n");
  return 0;
}

/// Replaces the files that a rename changes. After an error all files are as they were.
Result<void> Write(const ide::Snapshot& snapshot, const ide::WorkspaceEdit& edit) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const ide::FileEdits& file : edit) {
    const Ref<const SourceFile> source = snapshot.Text(file.path);
    std::string text(source ? source->text() : std::string_view());
    for (auto at = file.edits.rbegin(); at != file.edits.rend(); ++at) {
      text.replace(at->span.begin, at->span.end - at->span.begin, at->text);
    }
    texts.emplace_back(file.path, std::move(text));
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    Result<void> written = ReplaceFile(texts[i].first, texts[i].second);
    if (written) {
      continue;
    }
    while (i-- > 0) {
      if (const Ref<const SourceFile> before = snapshot.Text(texts[i].first)) {
        (void)ReplaceFile(texts[i].first, before->text());
      } else {
        (void)::unlink(texts[i].first.c_str());
      }
    }
    return written;
  }
  return {};
}

void PrintEdits(const IdeRun& run, const ide::WorkspaceEdit& edit) {
  std::string document;
  JsonWriter out(document);
  out.BeginArray();
  for (const ide::FileEdits& file : edit) {
    for (const ide::TextEdit& change : file.edits) {
      if (!run.flags().Bool("json")) {
        continue;
      }
      out.BeginObject();
      run.WriteMembers(out, {file.path, change.span});
      out.Member("new_text", change.text);
      out.EndObject();
    }
    if (!run.flags().Bool("json")) {
      Print(run.Name(file.path) + "\n");
    }
  }
  out.EndArray();
  if (run.flags().Bool("json")) {
    Print(document + "\n");
  }
}

int RunRename(Invocation& invocation) {
  IdeRun run(invocation, 2, 2);
  if (!run.usable()) {
    return run.Usage();
  }
  const auto cursor = run.Cursor();
  if (!cursor) {
    return run.Fail("No such place", std::string(kNoPlace));
  }
  const Result<ide::WorkspaceEdit> edit = ide::Rename(run.snapshot(), *cursor, run.word(1));
  if (!edit) {
    return run.Fail("Cannot rename", "At " + run.word(0) + ": " + edit.error().message + ".");
  }
  if (!run.flags().Bool("dry-run")) {
    if (const Result<void> written = Write(run.snapshot(), *edit); !written) {
      return run.Fail("Cannot write files", written.error().message + ".");
    }
  }
  PrintEdits(run, *edit);
  return 0;
}

int RunDiagnostics(Invocation& invocation) {
  IdeRun run(invocation, 0, 1);
  if (!run.usable()) {
    return run.Usage();
  }
  const std::string directory = FullPath(run.flags().positionals().empty() ? "." : run.word(0));
  const ide::Problems problems = run.snapshot().CheckRoot(directory);
  bool failed = false;
  std::string document;
  JsonWriter out(document);
  out.BeginArray();
  for (const auto& [path, list] : problems) {
    for (const ide::Problem& problem : list) {
      const bool is_error = problem.severity == Severity::kError;
      failed = failed || is_error;
      out.BeginObject();
      out.Member("severity", is_error ? "error" : "warning");
      out.Member("summary", problem.summary);
      out.Member("detail", problem.detail);
      run.WriteMembers(out, {path, problem.span});
      out.EndObject();
      if (!run.flags().Bool("json")) {
        Print(run.Text({path, problem.span}) + "\n  " + (is_error ? "Error: " : "Warning: ") +
              problem.summary + "\n");
      }
    }
  }
  out.EndArray();
  if (run.flags().Bool("json")) {
    Print(document + "\n");
  }
  return failed ? 1 : 0;
}

constexpr FlagSpec kJsonList{.name = "json", .help = "Print a list in JSON."};

constexpr auto kIdeFlags = JoinFlags(kJsonList, kNoColor);
constexpr auto kReferencesFlags = JoinFlags(
    FlagSpec{.name = "declaration", .help = "The declaration, too."}, kJsonList, kNoColor);
constexpr auto kSymbolsFlags =
    JoinFlags(kJsonList, kNoColor,
              FlagSpec{.name = "query",
                       .kind = FlagKind::kString,
                       .form = "=LETTERS",
                       .help = "Without FILE: declarations whose names have these letters."});
constexpr auto kRenameFlags =
    JoinFlags(FlagSpec{.name = "dry-run", .help = "Print the edits without making them."},
              kJsonList, kNoColor);

}  // namespace

extern constexpr CommandSpec kIdeCommand{
    .name = "ide",
    .synopsis = "Definitions, references and renames, for editors and scripts",
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] ide <subcommand> [options] [args]",
    .lists_subcommands = true,
    .on_misuse = MisuseAnswer::kHelp,
};

extern constexpr CommandSpec kIdeDefinitionCommand{
    .name = "ide definition",
    .synopsis = "Show where a name is declared",
    .usage = "tofu [global options] ide definition [options] FILE:LINE:COLUMN",
    .description = R"(Shows where the name at a place is declared, in this module or in one that it
calls. Lines and columns count from 1, as in diagnostics.)",
    .flags = kIdeFlags,
    .run = RunDefinition,
};

extern constexpr CommandSpec kIdeDiagnosticsCommand{
    .name = "ide diagnostics",
    .synopsis = "Check a root module without starting providers",
    .usage = "tofu [global options] ide diagnostics [options] [DIR]",
    .description =
        R"(Reports what validate reports of the root module in DIR, less what providers say:
no process is started, and schemas come from the cache.)",
    .flags = kIdeFlags,
    .run = RunDiagnostics,
};

extern constexpr CommandSpec kIdeReferencesCommand{
    .name = "ide references",
    .synopsis = "Show all uses of a name",
    .usage = "tofu [global options] ide references [options] FILE:LINE:COLUMN",
    .description = R"(Shows all places that use the name at a place, in all modules below this
directory, their variable files and test files.)",
    .flags = kReferencesFlags,
    .run = RunReferences,
};

extern constexpr CommandSpec kIdeRenameCommand{
    .name = "ide rename",
    .synopsis = "Rename a variable, local value, output, resource, module or check",
    .usage = "tofu [global options] ide rename [options] FILE:LINE:COLUMN NAME",
    .description =
        R"(Gives a new name to what is named at a place, wherever it is used. Resources and
calls of modules get a moved block, so that their objects stay.)",
    .flags = kRenameFlags,
    .run = RunRename,
};

extern constexpr CommandSpec kIdeSymbolsCommand{
    .name = "ide symbols",
    .synopsis = "List what a file or a directory declares",
    .usage = "tofu [global options] ide symbols [options] [FILE]",
    .description =
        R"(Lists the blocks and arguments of a file, or the declarations of all modules below
this directory.)",
    .flags = kSymbolsFlags,
    .run = RunSymbols,
};

}  // namespace kinu::cli
