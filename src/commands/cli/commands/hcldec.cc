// The hcldec personality: decodes HCL files by a spec file into JSON. Its command line is that of
// the reference's own tool and not of the infrastructure commands. Ref: hcl v2 cmd/hcldec/main.go.
#include "cli/commands/hcldec.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "hcldec/decode_files.h"
#include "text/parse_bool.h"
#include "text/quote.h"
#include "view/human/hcl_diagnostic.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kUsage =
    "usage: hcldec --spec=<spec-file> [options] [hcl-file ...]\n"
    "      --diags string        format any returned diagnostics in the given format; currently "
    "only \"json\" is accepted\n"
    "      --keep-nulls          retain object properties that have null as their value (they are "
    "removed by default)\n"
    "  -o, --out string          write to the given file, instead of stdout\n"
    "  -s, --spec string         path to spec file (required)\n"
    "      --var-refs            rather than decoding input, produce a JSON description of the "
    "variables referenced by it\n"
    "  -V, --vars json-or-file   provide variables to the given configuration file(s)\n"
    "  -v, --version             show the version number and immediately exit\n"
    "      --with-type           include an additional object level at the top describing the "
    "HCL-oriented type of the result value\n";

constexpr int kFailed = 1;    // an operation failed
constexpr int kProblems = 2;  // wrong usage, or diagnostics with errors

struct DecoderOptions : hcldec::FileRequest {
  std::string out;
  std::string diags;
  bool version = false;
};

/// Flags of the POSIX kind: --name=value, --name value, -n value, -nvalue; between files, too.
class OptionParser {
 public:
  explicit OptionParser(std::span<const std::string> args) : args_(args) {}

  Result<DecoderOptions> Parse() {
    while (at_ < args_.size()) {
      const std::string& arg = args_[at_++];
      if (arg == "--") {
        options_.files.insert(options_.files.end(), args_.begin() + static_cast<ptrdiff_t>(at_),
                              args_.end());
        break;
      }
      if (arg.size() < 2 || arg[0] != '-') {
        options_.files.push_back(arg);
        continue;
      }
      const Result<void> parsed = arg[1] == '-' ? Long(arg) : Short(arg);
      if (!parsed) {
        return std::unexpected(parsed.error());
      }
    }
    return std::move(options_);
  }

 private:
  struct Row {
    std::string_view name;
    char letter;
    bool DecoderOptions::* flag;
    std::string DecoderOptions::* text;
  };
  static constexpr Row kRows[] = {
      {"diags", 0, nullptr, &DecoderOptions::diags},
      {"keep-nulls", 0, &DecoderOptions::keep_nulls, nullptr},
      {"out", 'o', nullptr, &DecoderOptions::out},
      {"spec", 's', nullptr, &DecoderOptions::spec_path},
      {"var-refs", 0, &DecoderOptions::list_references, nullptr},
      {"vars", 'V', nullptr, nullptr},
      {"version", 'v', &DecoderOptions::version, nullptr},
      {"with-type", 0, &DecoderOptions::with_type, nullptr},
  };

  void Set(const Row& row, std::string value) {
    if (row.text != nullptr) {
      options_.*row.text = std::move(value);
    } else {
      options_.variables.push_back(std::move(value));
    }
  }

  /// The usage is asked for: nothing is decoded.
  static std::unexpected<Error> HelpRequested() {
    return Fail(ErrorCode::kCancelled, "help requested");
  }

  Result<void> Long(const std::string& arg) {
    const size_t equals = arg.find('=');
    const std::string name = arg.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (name.empty() || name[0] == '-') {
      return Fail(ErrorCode::kInvalid, "bad flag syntax: " + arg);
    }
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& one) { return one.name == name; });
    if (row == std::end(kRows)) {
      return name == "help" ? HelpRequested()
                            : Fail(ErrorCode::kInvalid, "unknown flag: --" + name);
    }
    if (row->flag != nullptr) {
      const std::string value = equals == std::string::npos ? "true" : arg.substr(equals + 1);
      const std::optional<bool> parsed = text::ParseBool(value);
      if (!parsed) {
        return Fail(ErrorCode::kInvalid, "invalid argument " + text::GoQuote(value) + " for \"" +
                                             Names(*row) + "\" flag: strconv.ParseBool: parsing " +
                                             text::GoQuote(value) + ": invalid syntax");
      }
      options_.*row->flag = *parsed;
      return {};
    }
    if (equals != std::string::npos) {
      Set(*row, arg.substr(equals + 1));
    } else if (at_ < args_.size()) {
      Set(*row, args_[at_++]);
    } else {
      return Fail(ErrorCode::kInvalid, "flag needs an argument: --" + name);
    }
    return {};
  }

  Result<void> Short(const std::string& arg) {
    for (size_t i = 1; i < arg.size(); ++i) {
      const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                     [&](const Row& one) { return one.letter == arg[i]; });
      if (row == std::end(kRows)) {
        return arg[i] == 'h' ? HelpRequested()
                             : Fail(ErrorCode::kInvalid,
                                    "unknown shorthand flag: " + text::GoQuoteRune(arg[i]) +
                                        " in -" + arg.substr(i));
      }
      if (row->flag != nullptr) {
        options_.*row->flag = true;
        continue;
      }
      if (i + 2 < arg.size() && arg[i + 1] == '=') {
        Set(*row, arg.substr(i + 2));
      } else if (i + 1 < arg.size()) {
        Set(*row, arg.substr(i + 1));
      } else if (at_ < args_.size()) {
        Set(*row, args_[at_++]);
      } else {
        return Fail(ErrorCode::kInvalid, "flag needs an argument: '" + std::string(1, arg[i]) +
                                             "' in -" + arg.substr(i));
      }
      return {};
    }
    return {};
  }

  static std::string Names(const Row& row) {
    return (row.letter != 0 ? "-" + std::string(1, row.letter) + ", " : std::string()) + "--" +
           std::string(row.name);
  }

  std::span<const std::string> args_;
  size_t at_ = 0;
  DecoderOptions options_;
};

int Failure(const std::string& message) {
  PrintError("Error: " + message + "\n\n");
  return kFailed;
}

int ShowProblems(const Diagnostics& diags, bool json) {
  if (json) {
    PrintError(hcldec::DiagnosticsToJson(diags));
    return kProblems;
  }
  view::HclTextOptions options;
  options.color = ::isatty(STDERR_FILENO) != 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    options.width = size.ws_col;
  }
  view::SourceIndex sources;
  for (const Diagnostic& problem : diags) {
    PrintError(view::RenderHclDiagnostic(problem, sources, options));
  }
  return kProblems;
}

/// Prints the result, or writes it to the file of --out.
int Output(const std::string& path, const std::string& text) {
  if (path.empty()) {
    Print(text + "\n");
    return 0;
  }
  // Written in place: the file may be a pipe or a device.
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return Failure("can't open " + path + " for writing: open " + path + ": " +
                   SystemMessage(errno));
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                       std::fputc('\n', file) != EOF;
  return std::fclose(file) == 0 && written ? 0 : Failure("can't write " + path);
}

int Decode(DecoderOptions options) {
  options.read_input = terminal::ReadStandardInput;
  Diagnostics diags;
  hcldec::FileDecoder decoder(options, diags);  // NOLINT(cppcoreguidelines-slicing)
  const Result<std::string> text = decoder.Run();
  if (!text) {
    return Failure(text.error().code == ErrorCode::kIo ? "failed to read stdin"
                                                       : text.error().message);
  }
  return diags.has_errors() ? ShowProblems(diags, options.diags == "json")
                            : Output(options.out, *text);
}

}  // namespace

int RunHcldecTool(std::span<const std::string> args) {
  Result<DecoderOptions> options = OptionParser(args).Parse();
  if (!options) {
    const bool help = options.error().code == ErrorCode::kCancelled;
    PrintError((help ? std::string() : options.error().message + "\n") + std::string(kUsage));
    return kProblems;
  }
  if (options->version) {
    Print("0.0.1-dev\n");
    return 0;
  }
  if (!options->diags.empty() && options->diags != "json") {
    PrintError("Invalid diagnostics format " + text::GoQuote(options->diags) +
               ": only \"json\" is supported.\n");
    return kProblems;
  }
  if (options->spec_path.empty()) {
    return Failure("the --spec=... argument is required");
  }
  return Decode(*std::move(options));
}

static int RunHcldec(Invocation& invocation) {
  return RunHcldecTool(invocation.args);
}

extern constexpr CommandSpec kHcldecCommand{
    .name = "hcldec",
    .synopsis = "Decode HCL files by a specification, as JSON",
    .group = CommandGroup::kLanguage,
    .usage = "tofu hcldec --spec=<spec-file> [options] [hcl-file ...]",
    .description = R"(Decodes files by a specification and prints the value as JSON. The files
may be in native syntax or, when their names end in .json, in JSON syntax;
several are read as one. Without a file the standard input is read, in
native syntax. The same tool answers when the program is called under the
name "hcldec".

The exit status is 0, 1 when an operation failed, or 2 when the command
line or one of the files is wrong.)",
    .notes = R"(Options:

  -s, --spec=file       The specification. Required.
  -o, --out=file        Where the result goes instead of the standard output.
  -V, --vars=x          Variables for the files: a JSON object, or the path of
                        a file with arguments. May be repeated.
      --var-refs        Print which variables the files refer to, and where.
      --with-type       Print the value together with its type.
      --keep-nulls      Keep members whose value is null.
      --diags=json      Print diagnostics as JSON.
  -v, --version         Print the version of the tool.)",
    .run = RunHcldec,
};

}  // namespace kinu::cli
