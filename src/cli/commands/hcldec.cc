// The hcldec personality: decodes HCL files by a spec file into JSON. Its command line is that of
// the reference's own tool and not of the infrastructure commands. Ref: hcl v2 cmd/hcldec/main.go.
#include "cli/commands/hcldec.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "cty/json.h"
#include "hcl/merged_body.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcldec/spec_file.h"
#include "lang/eval.h"
#include "text/quote.h"
#include "text/unicode.h"
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

struct Options {
  std::string spec;
  std::string out;
  std::string diags;
  std::vector<std::string> vars;
  bool var_refs = false;
  bool with_type = false;
  bool version = false;
  bool keep_nulls = false;
  std::vector<std::string> files;
};

/// Flags of the POSIX kind: --name=value, --name value, -n value, -nvalue; between files, too.
class OptionParser {
 public:
  explicit OptionParser(std::span<const std::string> args) : args_(args) {}

  Result<Options> Parse() {
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
    bool Options::* flag;
    std::string Options::* text;
  };
  static constexpr Row kRows[] = {
      {"diags", 0, nullptr, &Options::diags},
      {"keep-nulls", 0, &Options::keep_nulls, nullptr},
      {"out", 'o', nullptr, &Options::out},
      {"spec", 's', nullptr, &Options::spec},
      {"var-refs", 0, &Options::var_refs, nullptr},
      {"vars", 'V', nullptr, nullptr},
      {"version", 'v', &Options::version, nullptr},
      {"with-type", 0, &Options::with_type, nullptr},
  };

  void Set(const Row& row, std::string value) {
    if (row.text != nullptr) {
      options_.*row.text = std::move(value);
    } else {
      options_.vars.push_back(std::move(value));
    }
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
      return Fail(ErrorCode::kInvalid,
                  name == "help" ? "pflag: help requested" : "unknown flag: --" + name);
    }
    if (row->flag != nullptr) {
      const std::string value = equals == std::string::npos ? "true" : arg.substr(equals + 1);
      const std::optional<bool> parsed = ParseBool(value);
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
        return Fail(ErrorCode::kInvalid,
                    arg[i] == 'h' ? "pflag: help requested"
                                  : "unknown shorthand flag: " + text::GoQuoteRune(arg[i]) +
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
  Options options_;
};

void WritePosition(JsonWriter& json, std::string_view key, const Position& position) {
  json.Key(key);
  json.BeginObject();
  json.Member("line", static_cast<int64_t>(position.line));
  json.Member("column", static_cast<int64_t>(position.column));
  json.Member("byte", static_cast<int64_t>(position.byte));
  json.EndObject();
}

void WriteRange(JsonWriter& json, std::string_view key, const SourceRange& range) {
  json.Key(key);
  json.BeginObject();
  json.Member("filename", std::string_view(range.file->name()));
  WritePosition(json, "start", range.start_position());
  WritePosition(json, "end", range.end_position());
  json.EndObject();
}

std::string DiagnosticsJson(const Diagnostics& diags) {
  std::string out;
  JsonWriter json(out, {.indent = "  "});
  json.BeginObject();
  json.Key("diagnostics");
  json.BeginArray();
  for (const Diagnostic& problem : diags) {
    json.BeginObject();
    json.Member("severity", problem.is_error() ? "error" : "warning");
    json.Member("summary", std::string_view(problem.summary));
    if (!problem.detail.empty()) {
      json.Member("detail", std::string_view(problem.detail));
    }
    if (problem.subject.valid()) {
      WriteRange(json, "subject", problem.subject);
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
  return out;
}

/// Writes a JSON value again, without members that are null and with members in order.
void WriteWithoutNulls(JsonWriter& json, const JsonNode& node, std::string_view source) {
  if (node.is_object()) {
    std::vector<const JsonMember*> members;
    for (const JsonMember& member : node.members()) {
      if (!member.value.is_null()) {
        members.push_back(&member);
      }
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const JsonMember* a, const JsonMember* b) { return a->name < b->name; });
    json.BeginObject();
    for (const JsonMember* member : members) {
      json.Key(member->name);
      WriteWithoutNulls(json, member->value, source);
    }
    json.EndObject();
  } else if (node.is_array()) {
    json.BeginArray();
    for (const JsonNode& element : node.elements()) {
      WriteWithoutNulls(json, element, source);
    }
    json.EndArray();
  } else if (node.is_string()) {
    json.String(node.text());
  } else {
    json.Raw(source.substr(node.begin(), node.end() - node.begin()));
  }
}

class Tool {
 public:
  explicit Tool(Options options) : options_(std::move(options)) {}

  int Run() {
    if (options_.spec.empty()) {
      return Failure("the --spec=... argument is required");
    }
    LoadSpec();
    if (diags_.has_errors()) {
      return Problems();
    }
    LoadVariables();
    if (!LoadInput()) {
      return Failure("failed to read stdin");
    }
    if (diags_.has_errors()) {
      return Problems();
    }
    const hcl::MergedBody merged(bodies_);
    const hcl::Body& body = bodies_.size() == 1 ? *bodies_[0] : merged;
    if (options_.var_refs) {
      return Output(References(body));
    }
    const Value value = hcldec::DecodeSpec(
        spec_->spec(), body, scope_, {.expand_dynamic = false, .literal = scope_.empty()}, diags_);
    if (diags_.has_errors()) {
      return Problems();
    }
    const ValueResult<std::string> encoded =
        ValueToJson(value, options_.with_type ? Type::Dynamic() : value.type());
    if (!encoded) {
      return Failure(encoded.error().ToText());
    }
    if (options_.keep_nulls) {
      return Output(*encoded);
    }
    std::string text;
    JsonWriter json(text);
    WriteWithoutNulls(json, ParseJson(*encoded).root(), *encoded);
    return Output(text);
  }

 private:
  static int Failure(const std::string& message) {
    PrintError("Error: " + message + "\n\n");
    return kFailed;
  }

  int Problems() {
    if (options_.diags == "json") {
      PrintError(DiagnosticsJson(diags_));
      return kProblems;
    }
    view::HclTextOptions options;
    options.color = ::isatty(STDERR_FILENO) != 0;
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
      options.width = size.ws_col;
    }
    view::SourceIndex sources;
    for (const Diagnostic& problem : diags_) {
      PrintError(view::RenderHclDiagnostic(problem, sources, options));
    }
    return kProblems;
  }

  int Output(const std::string& text) {
    if (options_.out.empty()) {
      Print(text + "\n");
      return 0;
    }
    // Written in place: the file may be a pipe or a device.
    std::FILE* file = std::fopen(options_.out.c_str(), "w");
    if (file == nullptr) {
      return Failure("can't open " + options_.out + " for writing: open " + options_.out + ": " +
                     SystemMessage(errno));
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                         std::fputc('\n', file) != EOF;
    return std::fclose(file) == 0 && written ? 0 : Failure("can't write " + options_.out);
  }

  /// Null, after a diagnostic, when the file cannot be read.
  const SourceFile* Load(const std::string& path) {
    Result<std::string> text = ReadFile(path);
    if (!text) {
      diags_.Error("Failed to read file",
                   "The configuration file " + text::GoQuote(path) + " could not be read.");
      return nullptr;
    }
    return tree_.KeepSource(SourceFile::Make(path, *std::move(text)));
  }
  /// By the name's ending. Null when there are errors.
  const hcl::Body* Parse(const SourceFile* source) {
    if (source == nullptr) {
      return nullptr;
    }
    const size_t errors = diags_.error_count();
    const hcl::Body* body = source->name().ends_with(".json")
                                ? hcl::ParseJson(source, tree_, diags_)
                                : hcl::ParseNative(source, tree_, diags_);
    return diags_.error_count() == errors ? body : nullptr;
  }

  void LoadSpec() {
    Result<std::string> text = ReadFile(options_.spec);
    if (!text) {
      diags_.Error("Failed to read file", "The configuration file " + text::GoQuote(options_.spec) +
                                              " could not be read.");
      return;
    }
    spec_ = hcldec::SpecFile::Read(SourceFile::Make(options_.spec, *std::move(text)), diags_);
    spec_->AddTo(scope_);
  }

  void LoadVariables() {
    const lang::ToolScope no_scope;
    for (size_t i = 0; i < options_.vars.size(); ++i) {
      const std::string& given = options_.vars[i];
      const hcl::Body* body = nullptr;
      if (text::TrimSpace(given).starts_with('{')) {
        body = hcl::ParseJson(
            tree_.KeepSource(SourceFile::Make("<vars argument " + std::to_string(i) + ">", given)),
            tree_, diags_);
      } else {
        body = Parse(Load(given));
      }
      if (body == nullptr) {
        continue;
      }
      for (const hcl::Attribute& attribute : body->JustAttributes({}, diags_)) {
        scope_.SetVariable(attribute.name,
                           lang::EvaluateLiteral(*attribute.expr, no_scope, diags_));
      }
    }
  }

  bool LoadInput() {
    if (!options_.files.empty()) {
      for (const std::string& path : options_.files) {
        if (const hcl::Body* body = Parse(Load(path))) {
          bodies_.push_back(body);
        }
      }
      return true;
    }
    std::string text;
    char buffer[65536];
    size_t count = 0;
    while ((count = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0) {
      text.append(buffer, count);
    }
    if (std::ferror(stdin) != 0) {
      return false;
    }
    if (const hcl::Body* body =
            Parse(tree_.KeepSource(SourceFile::Make("<stdin>", std::move(text))))) {
      bodies_.push_back(body);
    }
    return true;
  }

  std::string References(const hcl::Body& body) {
    std::string out;
    JsonWriter json(out, {.indent = "  "});
    json.BeginArray();
    for (const hcl::TraversalExpr* traversal : hcldec::CollectVariables(spec_->spec(), body)) {
      WriteReference(json, *traversal);
    }
    json.EndArray();
    return out;
  }

  void WriteReference(JsonWriter& json, const hcl::TraversalExpr& traversal) {
    json.BeginObject();
    json.Member("root_name", traversal.root);
    Diagnostics ignored;
    if (!scope_.empty()) {
      const Value value = scope_.Resolve(traversal, ignored);
      const ValueResult<std::string> encoded = ValueToJson(value, value.type());
      if (!ignored.has_errors() && encoded) {
        json.Key("value");
        json.Embed(*encoded);
      }
    }
    json.Key("steps");
    json.BeginArray();
    json.BeginObject();
    json.Member("kind", "root");
    json.Member("name", traversal.root);
    WriteRange(json, "range", traversal.root_range());
    json.EndObject();
    SourceRange whole = traversal.root_range();
    for (const hcl::TraversalStep& step : traversal.steps) {
      json.BeginObject();
      if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
        json.Member("kind", "attr");
        json.Member("name", step.name);
      } else {
        json.Member("kind", "index");
        if (const auto key = ValueToJson(*step.key, step.key->type())) {
          json.Key("key");
          json.Raw(*key);
        }
      }
      WriteRange(json, "range", traversal.step_range(step));
      whole.end = step.end;
      json.EndObject();
    }
    json.EndArray();
    WriteRange(json, "range", whole);
    json.EndObject();
  }

  Options options_;
  Diagnostics diags_;
  hcl::SyntaxTree tree_;
  std::unique_ptr<hcldec::SpecFile> spec_;
  lang::ToolScope scope_;
  std::vector<const hcl::Body*> bodies_;
};

}  // namespace

int RunHcldecTool(std::span<const std::string> args) {
  Result<Options> options = OptionParser(args).Parse();
  if (!options) {
    const std::string& message = options.error().message;
    const bool help = message == "pflag: help requested";
    PrintError((help ? std::string() : message + "\n") + std::string(kUsage));
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
  return Tool(*std::move(options)).Run();
}

static int RunHcldec(Invocation& invocation) {
  return RunHcldecTool(invocation.args);
}

extern constexpr CommandSpec kHcldecCommand{
    .name = "hcldec",
    .synopsis = "Decode HCL files by a specification, as JSON",
    .usage = "kinu hcldec --spec=<spec-file> [options] [hcl-file ...]",
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
