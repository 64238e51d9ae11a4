#include "cli/flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/invariant.h"
#include "compatibility/features.h"
#include "text/duration.h"
#include "text/parse_bool.h"
#include "text/quote.h"

namespace kinu::cli {

std::string_view FlagsSummary(std::string_view older) {
  return compatibility::Has(compatibility::Feature::kArgumentErrors)
             ? "Failed to parse command-line options"
             : older;
}

void WordsError(Diagnostics& diags, std::string_view summary, std::string detail) {
  diags.Error(std::string(summary), std::move(detail)).extra =
      std::make_shared<const WordsProblem>();
}

void Flags::Report(const Result<void>& taken, std::string_view summary, Diagnostics& diags) const {
  if (!taken) {
    diags.Error(std::string(FlagsSummary(summary)), taken.error().message).extra =
        std::make_shared<const FlagsProblem>();
  }
  for (const std::string& value : deprecations_) {
    diags.Error("Invalid argument",
                "-deprecation takes module:LEVEL, not " + text::GoQuote(value) + ".");
  }
}

namespace {

/// Splits a text as a shell does, without what a shell would run or replace.
class ShellWords {
 public:
  std::optional<std::vector<std::string>> Split(std::string_view text) {
    for (const char c : text) {
      if (!Take(c)) {
        return std::nullopt;
      }
      if (ended_) {
        break;
      }
    }
    End();
    const bool is_open = escaped_ || in_backquotes_ || quote_ != '\0';
    return is_open ? std::nullopt : std::optional(std::move(words_));
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void Add(char c) {
    word_ += c;
    in_word_ = true;
  }
  void End() {
    if (in_word_) {
      words_.push_back(std::exchange(word_, {}));
    }
    in_word_ = false;
  }

  /// False: the text has no words.
  bool Take(char c) {
    if (escaped_) {
      escaped_ = false;
      Add(c);
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
    } else if (quote_ == '\0') {
      return TakePlain(c);
    } else if (quote_ == c) {
      quote_ = '\0';
      in_word_ = true;
      if (c == ')') {
        Add(c);  // what a shell would run keeps its marks
      }
    } else if (quote_ == ')' && c == '(') {
      return false;
    } else {
      Add(c);
    }
    return true;
  }

  bool TakePlain(char c) {
    if (c == '\'' || c == '"') {
      quote_ = c;
    } else if (c == '`') {
      in_backquotes_ = !in_backquotes_;
      Add(c);
    } else if (in_backquotes_) {
      Add(c);
    } else if (IsSpace(c)) {
      End();
    } else if (c == '(' && !word_.ends_with('$')) {
      return false;
    } else if (c == '(' || c == ')') {
      quote_ = ')';  // both begin what a closing parenthesis ends
      Add(c);
    } else if (std::string_view(";&|<>").contains(c)) {
      ended_ = true;  // another command would begin here, or a file's name
      // A number before ">" belongs to it.
      in_word_ = in_word_ && !(c == '>' && !word_.empty() && word_[0] >= '0' && word_[0] <= '9');
    } else {
      Add(c);
    }
    return true;
  }

  std::vector<std::string> words_;
  std::string word_;
  char quote_ = '\0';  // what ends the quoted part; none: nothing is quoted
  bool in_backquotes_ = false;
  bool in_word_ = false;
  bool escaped_ = false;
  bool ended_ = false;
};

}  // namespace

std::optional<std::vector<std::string>> SplitShellWords(std::string_view text) {
  return ShellWords().Split(text);
}

Result<Flags> Flags::Parse(std::span<const FlagSpec> specs, std::span<const std::string> args) {
  Flags flags;
  if (auto taken = flags.Take(specs, args); !taken) {
    return std::unexpected(taken.error());
  }
  return flags;
}

size_t Flags::FirstMistake(std::span<const FlagSpec> specs, std::span<const std::string> args) {
  Flags flags;
  return flags.Take(specs, args) ? args.size() : flags.mistake_;
}

Flags Flags::Read(std::span<const FlagSpec> specs, std::span<const std::string> args,
                  Diagnostics& diags, std::string_view summary) {
  Flags flags;
  flags.Report(flags.Take(specs, args), summary, diags);
  return flags;
}

void Flags::Prepare(std::span<const FlagSpec> specs) {
  for (const FlagSpec& spec : specs) {
    if (spec.kind == FlagKind::kView) {
      continue;
    }
    Slot slot;
    slot.spec = &spec;
    slot.text = spec.default_value;
    if (spec.kind == FlagKind::kInt && !spec.default_value.empty()) {
      std::from_chars(spec.default_value.data(),
                      spec.default_value.data() + spec.default_value.size(), slot.number);
    }
    slots_[spec.name] = std::move(slot);
  }
}

Result<void> Flags::Take(std::span<const FlagSpec> specs, std::span<const std::string> args) {
  Prepare(specs);
  size_t i = 0;
  // From 1.13 on flags may stand behind words, and a mistake leaves no words.
  const bool anywhere = compatibility::Has(compatibility::Feature::kArgumentErrors);
  // Where a mistake was made: the words from `next` on are left.
  auto fail = [&](size_t next, std::string message) {
    mistake_ = std::min(i, args.size() - 1);
    positionals_.assign(args.begin() + static_cast<ptrdiff_t>(anywhere ? args.size() : next),
                        args.end());
    return Fail(ErrorCode::kInvalid, std::move(message));
  };
  for (; i < args.size(); ++i) {
    std::string_view arg = args[i];
    if (arg.size() < 2 || arg[0] != '-') {
      if (!anywhere) {
        break;
      }
      positionals_.emplace_back(arg);
      continue;
    }
    if (arg == "--") {
      ++i;
      break;
    }
    std::string_view name = arg.substr(arg[1] == '-' ? 2 : 1);
    if (name.empty() || name[0] == '-' || name[0] == '=') {
      return fail(i, "bad flag syntax: " + std::string(arg));
    }
    std::optional<std::string_view> given;
    if (size_t equals = name.find('='); equals != std::string_view::npos) {
      given = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    auto it = slots_.find(name);
    if (it == slots_.end() && name == "deprecation" && given && anywhere) {
      deprecations_.emplace_back(*given);
      continue;
    }
    if (it == slots_.end()) {
      const bool help = name == "help" || name == "h";
      return fail(i + 1, help ? "flag: help requested"
                              : "flag provided but not defined: -" + std::string(name));
    }
    Slot& slot = it->second;
    slot.set = true;
    if (slot.spec->kind == FlagKind::kBool) {
      if (given && !slot.spec->word.empty() && *given == slot.spec->word) {
        slot.text = *given;
        continue;
      }
      std::optional<bool> value = given ? text::ParseBool(*given) : true;
      if (!value) {
        slot.text = "false";
        return fail(i + 1, "invalid boolean value \"" + std::string(*given) + "\" for -" +
                               std::string(name) + ": parse error");
      }
      slot.text = *value ? "true" : "false";
      continue;
    }
    if (!given && slot.spec->alone) {
      given = slot.spec->alone;
    } else if (!given) {
      if (i + 1 >= args.size()) {
        return fail(i + 1, "flag needs an argument: -" + std::string(name));
      }
      given = args[++i];
    }
    auto invalid = [&] {
      return fail(i + 1, "invalid value \"" + std::string(*given) + "\" for flag -" +
                             std::string(name) + ": parse error");
    };
    switch (slot.spec->kind) {
      case FlagKind::kInt: {
        auto [end, error] =
            std::from_chars(given->data(), given->data() + given->size(), slot.number);
        if (error != std::errc() || end != given->data() + given->size()) {
          return invalid();
        }
        break;
      }
      case FlagKind::kDuration: {
        std::optional<int64_t> nanoseconds = text::ParseDuration(*given);
        if (!nanoseconds) {
          return invalid();
        }
        slot.number = *nanoseconds / 1'000'000;
        break;
      }
      case FlagKind::kList:
        occurrences_.push_back({slot.spec->name, std::string(*given)});
        break;
      default:
        slot.text = *given;
    }
  }
  for (; i < args.size(); ++i) {
    positionals_.push_back(args[i]);
  }
  return {};
}

const Flags::Slot& Flags::At(std::string_view name) const {
  auto it = slots_.find(name);
  KINU_INVARIANT(it != slots_.end(), "flag is not in the command's table");
  return it->second;
}

bool Flags::Bool(std::string_view name) const {
  return At(name).text == "true";
}
const std::string& Flags::String(std::string_view name) const {
  return At(name).text;
}
int64_t Flags::Int(std::string_view name) const {
  return At(name).number;
}
int64_t Flags::Duration(std::string_view name) const {
  return At(name).number;
}
bool Flags::IsSet(std::string_view name) const {
  return At(name).set;
}

std::vector<std::string> Flags::List(std::string_view name) const {
  std::vector<std::string> out;
  for (const Occurrence& occurrence : occurrences_) {
    if (occurrence.name == name) {
      out.push_back(occurrence.value);
    }
  }
  return out;
}

std::vector<std::string> OptionsFirst(std::span<const FlagSpec> specs,
                                      const std::vector<std::string>& args) {
  std::vector<std::string> options;
  std::vector<std::string> words;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      words.insert(words.end(), args.begin() + static_cast<ptrdiff_t>(i) + 1, args.end());
      break;
    }
    if (arg.size() < 2 || arg[0] != '-') {
      words.push_back(arg);
      continue;
    }
    options.push_back(arg);
    const std::string_view name = std::string_view(arg).substr(arg.starts_with("--") ? 2 : 1);
    const bool takes_next = std::any_of(specs.begin(), specs.end(), [&](const FlagSpec& spec) {
      return spec.name == name && spec.kind != FlagKind::kBool;
    });
    if (takes_next && i + 1 < args.size()) {
      options.push_back(args[++i]);
    }
  }
  options.emplace_back("--");
  options.insert(options.end(), words.begin(), words.end());
  return options;
}

}  // namespace kinu::cli
