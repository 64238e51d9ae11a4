#include "cli/edit_lines.h"

#include <algorithm>

#include "base/files.h"
#include "cli/edit_selector.h"
#include "session/address_pattern.h"

namespace kinu::cli {
namespace {

using session::LineWord;
using session::StateAddress;
using session::WordLine;

/// The words of the command line as lines of `size`, each word in a source of its own.
std::vector<WordLine> LinesOfArguments(CommandRun& run, size_t size) {
  std::vector<WordLine> lines;
  size_t count = 0;
  for (const std::string& text : run.flags.positionals()) {
    run.sources.push_back(SourceFile::Make("<address>", text));
    const SourceRange range{run.sources.back().get(), 0, static_cast<uint32_t>(text.size())};
    if (count++ % size == 0) {
      lines.push_back({.words = {}, .range = range});
    }
    lines.back().words.push_back({.text = text, .range = range, .verbatim = true});
  }
  return lines;
}

/// Parses a word as an address. Returns nothing after an error.
std::optional<StateAddress> ReadAddress(CommandRun& run, const LineWord& word) {
  const size_t first = run.diags.size();
  auto address = session::ParseStateAddress(*run.program, SourceOf(run, word), run.diags);
  if (!word.verbatim) {
    for (size_t i = first; i < run.diags.size(); ++i) {
      run.diags.list()[i].subject = word.range;
      run.diags.list()[i].context = {};
    }
  }
  return address;
}

std::optional<session::AddressPattern> ReadPattern(CommandRun& run, const LineWord& word) {
  auto pattern = session::AddressPattern::Parse(word.text);
  if (!pattern) {
    run.diags.Error("Invalid pattern", pattern.error().message, word.range);
    return std::nullopt;
  }
  return *std::move(pattern);
}

void ReportNoMatch(CommandRun& run, const LineWord& word) {
  if (IsSelector(word)) {
    run.diags.Error(
        "Invalid target address",
        "The selector finds no resource in the document that \"kinu show -json\" prints "
        "for the state.",
        word.range);
    return;
  }
  run.diags.Error("Invalid target address",
                  "Nothing in the state matches " + word.text +
                      ". \"kinu state list\" prints the addresses that it has.",
                  word.range);
}

/// What the word of a line of `state rm` selects.
std::vector<ResourceInstance> SelectByWord(CommandRun& run, const LineWord& word,
                                           const state::State& state, StateSelection& selection,
                                           session::InstanceSelector& selector) {
  std::vector<ResourceInstance> out;
  const size_t errors = run.diags.size();
  if (run.flags.Bool("match") && IsSelector(word)) {
    out = selection.Select(word);
    if (run.diags.size() > errors) {
      return {};
    }
  } else if (!run.flags.Bool("match")) {
    if (const auto address = ReadAddress(run, word)) {
      out = selector.Select(*address);
    } else {
      return out;
    }
  } else if (const auto pattern = ReadPattern(run, word)) {
    for (const auto& match : session::FindMatches(state, *pattern, true)) {
      const auto found = selector.Select(match.address);
      out.insert(out.end(), found.begin(), found.end());
    }
  } else {
    return out;
  }
  if (out.empty()) {
    ReportNoMatch(run, word);
  }
  return out;
}

/// Does the moves of lines.
class LineMover {
 public:
  LineMover(CommandRun& run, const state::State& source, session::StateMover& mover)
      : run_(run), source_(source), mover_(mover), selection_(run, source) {}

  void Move(const WordLine& line) {
    if (run_.flags.Bool("match")) {
      if (IsSelector(line.words[0])) {
        MoveSelected(line.words[0], line.words[1]);
      } else {
        MoveMatches(line.words[0], line.words[1]);
      }
      return;
    }
    const auto from = ReadAddress(run_, line.words[0]);
    const auto to = ReadAddress(run_, line.words[1]);
    if (from && to) {
      MoveOne(*from, *to, line.words[1].text);
    }
  }
  std::vector<StateAddress> moved;

 private:
  void MoveOne(const StateAddress& from, const StateAddress& to, const std::string& to_text) {
    if (mover_.Run(from, to, to_text)) {
      moved.push_back(from);
      selection_.Forget();
    }
  }
  void MoveMatches(const LineWord& from_word, const LineWord& to_word) {
    const auto from = ReadPattern(run_, from_word);
    const auto to = ReadPattern(run_, to_word);
    if (!from || !to) {
      return;
    }
    if (from->wildcards() != to->wildcards()) {
      run_.diags.Error("Invalid pattern",
                       "The destination needs as many wildcards as the source, because each takes "
                       "the place of one: " +
                           std::to_string(from->wildcards()) + ", not " +
                           std::to_string(to->wildcards()) + ".",
                       to_word.range);
      return;
    }
    const auto matches = session::FindMatches(source_, *from, false);
    if (matches.empty()) {
      ReportNoMatch(run_, from_word);
    }
    for (const auto& match : matches) {
      const auto text = session::Substitute(*run_.program, *to, match.captures);
      if (!text) {
        run_.diags.Error("Invalid pattern", text.error().message, to_word.range);
        return;
      }
      MoveTo(match.text, match.address, *text, to_word);
    }
  }
  void MoveSelected(const LineWord& from_word, const LineWord& to_word) {
    const size_t errors = run_.diags.size();
    const auto to = ReadPattern(run_, to_word);
    const auto selected = selection_.Select(from_word);
    if (run_.diags.size() > errors) {
      return;
    }
    if (selected.empty()) {
      ReportNoMatch(run_, from_word);
    }
    for (const ResourceInstance& instance : selected) {
      const auto text = DestinationOf(*run_.program, instance, *to);
      if (!text) {
        run_.diags.Error("Invalid pattern",
                         "The destination of what a selector finds is the address of a resource, "
                         "in which \"**\" stands for the modules of the source, one \"*\" in the "
                         "type or the name for that, and \"[*]\" for its key.",
                         to_word.range);
        return;
      }
      MoveTo(run_.program->ToText(instance),
             {.is_module = false, .module = instance.resource.module, .instance = instance}, *text,
             to_word);
    }
  }
  /// Moves an object to an address that a destination became for it.
  void MoveTo(const std::string& from_text, const StateAddress& from, const std::string& text,
              const LineWord& to_word) {
    Diagnostics of_text;
    const auto source = SourceFile::Make("", text);
    if (const auto address = session::ParseStateAddress(*run_.program, source.get(), of_text)) {
      MoveOne(from, *address, text);
    } else {
      run_.diags.Error(
          "Invalid target address",
          "The destination of " + from_text + " becomes " + text + ", which is no address.",
          to_word.range);
    }
  }

  CommandRun& run_;
  const state::State& source_;
  session::StateMover& mover_;
  StateSelection selection_;
};

}  // namespace

bool IsBulkEdit(const Flags& flags) {
  return flags.IsSet("from") || flags.Bool("match");
}

void CheckNoWordsBesideFrom(CommandRun& run) {
  if (run.flags.IsSet("from") && !run.flags.positionals().empty()) {
    run.diags.Error("Invalid number of arguments",
                    "With -from, all addresses are in the file: none can stand beside it.");
  }
}

std::vector<WordLine> ReadEditLines(CommandRun& run, std::string_view form) {
  const size_t size = 1 + static_cast<size_t>(std::ranges::count(form, ' '));
  if (!run.flags.IsSet("from")) {
    return LinesOfArguments(run, size);
  }
  const std::string& path = run.flags.String("from");
  auto text = path == "-" ? terminal::ReadStandardInput() : ReadFile(path);
  if (!text) {
    run.diags.Error("Failed to read the lines", text.error().message);
    return {};
  }
  run.sources.push_back(SourceFile::Make(path == "-" ? "<stdin>" : path, *std::move(text)));
  auto lines = session::ReadWordLines(run.sources.back().get(), run.diags);
  for (const WordLine& line : lines) {
    if (line.words.size() != size) {
      run.diags.Error(
          "Wrong number of words",
          "A line has the form " + std::string(form) + ". Put a word with spaces into quotes.",
          line.range);
    }
  }
  if (lines.empty() && !run.diags.has_errors()) {
    run.diags.Error("Nothing to do", path + " has no line with an address.");
  }
  return lines;
}

const SourceFile* SourceOf(CommandRun& run, const LineWord& word) {
  run.sources.push_back(SourceFile::Make(word.range.file->name(), word.text,
                                         word.range.start_position(), word.range.file));
  return run.sources.back().get();
}

void PointAtLine(Diagnostics& diags, size_t first, const WordLine& line) {
  for (size_t i = first; i < diags.size(); ++i) {
    Diagnostic& diagnostic = diags.list()[i];
    if (!diagnostic.subject.valid()) {
      diagnostic.subject = line.range;
    }
  }
}

std::vector<ResourceInstance> SelectByLines(CommandRun& run, const std::vector<WordLine>& lines,
                                            const state::State& state) {
  std::vector<ResourceInstance> out;
  FlatSet<ResourceInstance> seen;
  StateSelection selection(run, state);
  session::InstanceSelector selector(state);
  for (const WordLine& line : lines) {
    for (const ResourceInstance& address :
         SelectByWord(run, line.words[0], state, selection, selector)) {
      if (seen.insert(address).second) {
        out.push_back(address);
      }
    }
  }
  return out;
}

std::vector<StateAddress> MoveByLines(CommandRun& run, const std::vector<WordLine>& lines,
                                      const state::State& source, session::StateMover& mover) {
  LineMover line_mover(run, source, mover);
  for (const WordLine& line : lines) {
    const size_t first = run.diags.size();
    line_mover.Move(line);
    PointAtLine(run.diags, first, line);
  }
  return std::move(line_mover.moved);
}

}  // namespace kinu::cli
