// Command-line flags with the rules of Go's flag package: -name, --name, -name=value, -name value
// (booleans only with "="); parsing stops at the first word that is not a flag, or at "--".
// Repeated flags are kept in order. Messages are the reference's (scripts match them). Flags that
// the reference does not have may stand without a value (FlagSpec::alone).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/diagnostic.h"

namespace kinu::cli {

/// In Diagnostic::extra of errors about the flags and the number of words of a command line.
struct WordsProblem : DiagnosticExtra {};
/// The same for its flags alone: the words behind a wrong one say nothing.
struct FlagsProblem final : WordsProblem {};
/// The summary of errors about flags: from level 1.13 on all commands have the same.
std::string_view FlagsSummary(std::string_view older);
/// Adds an error about the number of words.
void WordsError(Diagnostics& diags, std::string_view summary, std::string detail);

enum class FlagKind : uint8_t {
  kBool,
  kString,
  kInt,
  kDuration,
  kList,
  kView,  ///< one of those that every command accepts (ViewOptions), named for its help alone
};

/// A flag of a command, with its help.
struct FlagSpec {
  std::string_view name = {};
  FlagKind kind = FlagKind::kBool;
  std::string_view default_value = {};  ///< "true" for booleans that start true
  std::string_view form = {};           ///< how the help continues the name: "=path"
  std::string_view help = {};           ///< lines; empty: the flag is accepted and not shown
  /// The value of the flag without "="; it then never takes the next word. Nothing: it takes it.
  std::optional<std::string_view> alone = std::nullopt;
  /// A value that a boolean flag accepts besides true and false; it is then neither.
  std::string_view word = {};
};

/// The values of flags and the other words of a command line.
class Flags {
 public:
  /// Parses `args` by `specs`. The error is the reference's text.
  static Result<Flags> Parse(std::span<const FlagSpec> specs, std::span<const std::string> args);
  /// Parses for commands that report all problems of a command line at once: adds the error to
  /// `diags`; flags before the mistake count, and all words behind it are positional.
  static Flags Read(std::span<const FlagSpec> specs, std::span<const std::string> args,
                    Diagnostics& diags,
                    std::string_view summary = "Failed to parse command-line flags");

  /// The index of the first word that is a mistake, or the number of words.
  static size_t FirstMistake(std::span<const FlagSpec> specs, std::span<const std::string> args);

  bool Bool(std::string_view name) const;
  const std::string& String(std::string_view name) const;
  int64_t Int(std::string_view name) const;
  /// Milliseconds.
  int64_t Duration(std::string_view name) const;
  /// All values of a repeatable flag, in order.
  std::vector<std::string> List(std::string_view name) const;
  bool IsSet(std::string_view name) const;
  /// Whether the command has such a flag at all.
  bool Has(std::string_view name) const { return slots_.contains(name); }
  /// Occurrences of repeatable flags of all names, in the order of the command line.
  struct Occurrence {
    std::string_view name;
    std::string value;
  };
  const std::vector<Occurrence>& occurrences() const { return occurrences_; }
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  struct Slot {
    const FlagSpec* spec = nullptr;
    bool set = false;
    std::string text;
    int64_t number = 0;
  };
  const Slot& At(std::string_view name) const;
  /// Makes a slot with the default value for each flag.
  void Prepare(std::span<const FlagSpec> specs);
  Result<void> Take(std::span<const FlagSpec> specs, std::span<const std::string> args);
  /// Reports what Take() found and what is wrong with a flag that every command accepts.
  void Report(const Result<void>& taken, std::string_view summary, Diagnostics& diags) const;
  std::map<std::string_view, Slot> slots_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::string> positionals_;
  size_t mistake_ = 0;                     ///< index of the word, after a Take() that failed
  std::vector<std::string> deprecations_;  ///< values of -deprecation that are none
};

/// Splits a TF_CLI_ARGS text as a shell would. Nothing when quotes do not match.
std::optional<std::vector<std::string>> SplitShellWords(std::string_view text);

/// The arguments with all options in front of all other words, for commands whose options may stand
/// behind files.
std::vector<std::string> OptionsFirst(std::span<const FlagSpec> specs,
                                      const std::vector<std::string>& args);

}  // namespace kinu::cli
