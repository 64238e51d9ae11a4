// kinu convert: converts files between the native and the JSON syntax.
#include "convert/convert.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <unistd.h>

#include "base/files.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "cli/schema_shapes.h"
#include "session/load.h"
#include "session/open_workspace.h"
#include "session/provider_set.h"
#include "view/human/diagnostic.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

constexpr int kLost = 2;  // converted, but with losses, which are warnings

struct Options {
  std::string to;  // "json", "native" or empty: the other syntax
  std::string shape;
  convert::Nested nested = convert::Nested::kArrays;
  std::string out_directory;
  bool write = false;
  const convert::SchemaShapes* schemas = nullptr;  // of -schemas
};

bool IsJsonName(std::string_view name) {
  return name.ends_with(".json");
}

/// The name of the converted file: main.tf and main.tf.json, x.hcl and x.hcl.json.
std::string OtherName(const std::string& name) {
  return IsJsonName(name) ? name.substr(0, name.size() - 5) : name + ".json";
}

/// Files of a directory that are converted with it: those of a module, and values of variables.
bool BelongsToModule(std::string_view name) {
  if (IsJsonName(name)) {
    name.remove_suffix(5);
  }
  return name.ends_with(".tf") || name.ends_with(".tofu") || name.ends_with(".tfvars");
}

class Converter {
 public:
  Converter(const Invocation& invocation, Options options)
      : invocation_(invocation), options_(std::move(options)) {}

  /// Converts files and shows problems. Returns the exit code.
  int Run(const std::vector<std::string>& paths) {
    if (paths.empty() || (paths.size() == 1 && paths[0] == "-")) {
      StandardInput();
    }
    for (const std::string& path : paths) {
      if (IsDirectory(path)) {
        Directory(path);
      } else if (path != "-") {
        File(path);
      }
    }
    // Warnings go to the standard error, too: the standard output is the result.
    diags_.Sort();
    for (const view::RenderedDiagnostic& rendered : view::RenderDiagnostics(
             diags_, invocation_.style(), {.width = invocation_.stderr_width})) {
      PrintError(rendered.text);
    }
    if (diags_.has_errors()) {
      return 1;
    }
    return diags_.empty() ? 0 : kLost;
  }

 private:
  void Fail(const Error& error) { diags_.Error("Cannot convert file", error.message + "."); }

  void StandardInput() {
    const Result<std::string> input = terminal::ReadStandardInput();
    const std::string text = input.value_or("");
    const size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = options_.to.empty() ? first != std::string::npos &&
                                                   (text[first] == '{' || text[first] == '[')
                                             : options_.to == "native";
    if (const auto result = Convert("<stdin>", is_json, text)) {
      Print(*result);
    }
  }

  void Directory(const std::string& path) {
    Result<std::vector<std::string>> names = ListDirectory(path);
    if (!names) {
      Fail(names.error());
      return;
    }
    for (const std::string& name : *names) {
      const bool wanted = options_.to.empty() || (options_.to == "native") == IsJsonName(name);
      if (wanted && BelongsToModule(name)) {
        File(JoinPath(path, name));
      }
    }
  }

  void File(const std::string& path) {
    Result<std::string> text = ReadFile(path);
    if (!text) {
      Fail(text.error());
      return;
    }
    const bool is_json = options_.to.empty() ? IsJsonName(path) : options_.to == "native";
    const std::optional<std::string> result = Convert(path, is_json, *std::move(text));
    if (!result) {
      return;
    }
    if (!options_.write && options_.out_directory.empty()) {
      Print(*result);
      return;
    }
    const bool beside = options_.out_directory.empty();
    const std::string target =
        beside ? OtherName(path) : JoinPath(options_.out_directory, OtherName(BaseName(path)));
    if (beside && FileExists(target)) {
      Fail({ErrorCode::kExists, "The file " + target + " exists already"});
      return;
    }
    Result<void> written = beside ? Result<void>() : MakeDirectories(options_.out_directory);
    if (written) {
      written = ReplaceFile(target, *result);
    }
    if (!written) {
      Fail(written.error());
    } else if (beside && ::unlink(path.c_str()) != 0) {
      // Both would define everything twice.
      diags_.Error("Cannot remove file", "The file " + path + " was converted to " + target +
                                             " but could not be removed.");
    } else {
      Print(target + "\n");
    }
  }

  /// The shape that the user asks for, or else that of a file.
  const convert::BodyShape& ShapeOf(const std::string& name) const {
    if (options_.shape == "plain") {
      return convert::PlainShape();
    }
    if (options_.shape == "variables") {
      return convert::VariablesShape();
    }
    if (options_.shape == "module" || name == "<stdin>") {
      return convert::ModuleShape();
    }
    return convert::ShapeForFile(name);
  }

  std::optional<std::string> Convert(const std::string& name, bool is_json, std::string text) {
    sources_.push_back(SourceFile::Make(name, std::move(text)));
    const SourceFile& source = *sources_.back();
    const convert::BodyShape& shape = ShapeOf(name);
    return is_json ? convert::JsonToNative(
                         source, shape, {.nested = options_.nested, .schemas = options_.schemas},
                         *trees_.emplace_back(std::make_unique<hcl::SyntaxTree>()), diags_)
                   : convert::NativeToJson(source, shape, diags_);
  }

  const Invocation& invocation_;
  Options options_;
  /// What diagnostics point into, beside the sources.
  std::vector<std::unique_ptr<hcl::SyntaxTree>> trees_;
  Diagnostics diags_;
  std::vector<Ref<const SourceFile>> sources_;  // diagnostics point into them
};

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

/// Converts with the schemas of the providers that are installed for the working directory.
int RunWithSchemas(const Invocation& invocation, Options options,
                   const std::vector<std::string>& paths) {
  Diagnostics diags;
  session::OpenWorkspace open(invocation.workspace);
  (void)open.LoadModules({.intent = session::LoadIntent::kRootModule}, diags);
  if (!open.OpenProviders(diags) ||
      !open.providers->RequirePackages(session::ProviderSet::Missing::kAdvice, diags)) {
    invocation.Show(diags);
    return 1;
  }
  const view::SourceSchemas schemas(open.providers->source());
  const InstalledShapes shapes(*open.loaded.config, schemas);
  options.schemas = &shapes;
  return Converter(invocation, std::move(options)).Run(paths);
}

}  // namespace

static int RunConvert(Invocation& invocation) {
  Diagnostics diags;
  auto flags = ParseFlags(invocation, FlagOrder::kFirst, diags);
  if (!flags) {
    return UsageError(invocation, diags);
  }
  Options options{.to = flags->String("to"),
                  .shape = flags->String("shape"),
                  .out_directory = flags->String("out"),
                  .write = flags->Bool("write")};
  const std::string& nested = flags->String("nested");
  if (!IsOneOf(options.to, {"", "json", "native"})) {
    diags.Error("Invalid arguments", "-to is json or native.");
  }
  if (!IsOneOf(options.shape, {"", "module", "variables", "plain"})) {
    diags.Error("Invalid arguments", "-shape is module, variables or plain.");
  }
  if (!IsOneOf(nested, {"arrays", "arguments", "blocks"})) {
    diags.Error("Invalid arguments", "-nested is arrays, arguments or blocks.");
  }
  if (options.write && !options.out_directory.empty()) {
    diags.Error("Invalid arguments", "-write and -out exclude each other.");
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  if (nested == "blocks") {
    options.nested = convert::Nested::kBlocks;
  } else {
    options.nested = nested == "arguments" ? convert::Nested::kArguments : convert::Nested::kArrays;
  }
  if (flags->Bool("schemas")) {
    return RunWithSchemas(invocation, std::move(options), flags->positionals());
  }
  return Converter(invocation, std::move(options)).Run(flags->positionals());
}

constexpr auto kConvertFlags =
    JoinFlags(FlagSpec{.name = "to",
                       .kind = FlagKind::kString,
                       .form = "=syntax",
                       .help = "\"json\" or \"native\". Otherwise the other syntax."},
              FlagSpec{.name = "write",
                       .help = "Put each result beside its source, with .json added to the\n"
                               "name or taken away, and remove the source."},
              FlagSpec{.name = "out",
                       .kind = FlagKind::kString,
                       .form = "=dir",
                       .help = "Put the results into this directory, and keep the sources."},
              FlagSpec{.name = "nested",
                       .kind = FlagKind::kString,
                       .default_value = "arrays",
                       .form = "=what",
                       .help = "What objects are where both are possible. \"arrays\" (the\n"
                               "default): arrays of objects are blocks, single objects are\n"
                               "arguments. \"arguments\": both are arguments. \"blocks\": both\n"
                               "are blocks."},
              FlagSpec{.name = "schemas",
                       .help = "Read what is a block from the schemas of the providers that\n"
                               "are installed for this directory. -nested serves only for\n"
                               "types without a schema, and each of these is a warning."},
              FlagSpec{.name = "shape",
                       .kind = FlagKind::kString,
                       .form = "=shape",
                       .help = "What the files are: \"module\", \"variables\" (values, .tfvars)\n"
                               "or \"plain\" (nothing is known). Otherwise the name says it;\n"
                               "the standard input is of a module."},
              kColor, kNoColor);

extern constexpr CommandSpec kConvertCommand{
    .name = "convert",
    .synopsis = "Convert files between native and JSON syntax",
    .group = CommandGroup::kLanguage,
    .usage = "tofu convert [options] [path...]",
    .description = R"(Converts files between the native syntax and the JSON syntax. The result of
each is parsed again and compared with its source: what would mean something
else is an error and nothing is written for it.

A path is a file or a directory; of a directory the files of the module and
of variables' values are converted. Names that end in .json are read as JSON
syntax, all others as native syntax. Without a path, or with "-", the
standard input is converted. Results go to the standard output unless
-write or -out is given.

Comments become the property "//" of the body that they stand in, and back.
JSON has no place for comments inside values: each that gets lost is a
warning.

In a resource or another body whose arguments a provider defines, JSON does
not tell an argument from a nested block. -nested says what an object is,
and with -schemas the providers of an initialized directory say it.

The exit status is 0 when everything was converted, 1 when something was
not, and 2 when everything was but warnings say what got lost.)",
    .flags = kConvertFlags,
    .help_column = 18,
    .run = RunConvert,
};

}  // namespace kinu::cli
