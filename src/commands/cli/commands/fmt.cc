// Ref: opentofu internal/command/fmt.go.
#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/program_name.h"
#include "base/relative_path.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "hcl/writer/format.h"
#include "text/unified_diff.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kExtensions[] = {".tf", ".tofu", ".tfvars", ".tftest.hcl",
                                            ".tofutest.hcl"};

bool IsFormattable(std::string_view path) {
  return std::any_of(std::begin(kExtensions), std::end(kExtensions),
                     [&](std::string_view extension) { return path.ends_with(extension); });
}

/// Hidden files and what editors leave. Ref: configs.IsIgnoredFile.
bool IsIgnored(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

/// Makes room for the new content of an open file before the old one is touched.
bool Reserve(int fd, size_t size) {
  struct stat before;
  if (::fstat(fd, &before) != 0) {
    return false;
  }
  const auto wanted = static_cast<off_t>(size);
  if (!S_ISREG(before.st_mode) || wanted <= before.st_size ||
      ::posix_fallocate(fd, before.st_size, wanted - before.st_size) == 0) {
    return true;
  }
  [[maybe_unused]] const int cut = ::ftruncate(fd, before.st_size);
  return false;
}

/// Overwrites a file in place: links, owner and mode stay. The old content stays if there is no
/// room for the new one.
bool Overwrite(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return false;
  }
  const auto size = static_cast<off_t>(content.size());
  bool written = Reserve(fd, content.size());
  while (written && !content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    written = n >= 0 || errno == EINTR;
    content.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
  if (written && ::ftruncate(fd, size) != 0) {
    written = errno == EINVAL;  // a terminal or a pipe has no length
  }
  return ::close(fd) == 0 && written;
}

/// One run: its options and its results.
struct Formatting {
  bool list = true;
  bool write = true;
  bool diff = false;
  bool check = false;
  bool recursive = false;
  std::string checked;  // with -check, what is printed when all went well
  Diagnostics diags;
  std::vector<Ref<const SourceFile>> faulty;  // diagnostics point into them

  bool Say(std::string_view text) {
    if (!check) {
      return Print(text);
    }
    checked += text;
    return true;
  }
  void Text(const std::string& path, std::string text);
  void File(const std::string& path, const std::string& name);
  void Directory(const std::string& path);
  void Targets(const std::vector<std::string>& targets);
};

void Formatting::Text(const std::string& path, std::string text) {
  const Ref<const SourceFile> source = SourceFile::Make(path, std::move(text));
  const std::optional<std::string> result = hcl::writer::FormatFile(source.get(), diags);
  if (!result) {
    faulty.push_back(source);
    return;
  }
  if (*result != source->text()) {
    if (list) {
      (void)Say(path + '\n');
    }
    if (write && !Overwrite(path, *result)) {
      diags.Error("Writing formatted file failed", "Failed to write " + path);
      return;
    }
    if (diff && !Say(text::UnifiedDiff(source->text(), *result, "old/" + path, "new/" + path))) {
      diags.Error("Failed to write format diff",
                  "The differences of " + path + " could not be written to the output.");
      return;
    }
  }
  if (!list && !write && !diff && !Say(*result)) {
    diags.Error("Writing results failed",
                "The formatted text of " + path + " could not be written to the output.");
  }
}

void Formatting::File(const std::string& path, const std::string& name) {
  Result<std::string> text = ReadFile(path);
  if (!text) {
    diags.Error("Failed to open file", "Failed to read file " + path);
    return;
  }
  Text(name, *std::move(text));
}

void Formatting::Directory(const std::string& path) {
  const Result<std::vector<std::string>> names = ListDirectory(path);
  if (!names) {
    diags.Error("Invalid path", "Cannot read directory " + path);
    return;
  }
  for (const std::string& name : *names) {
    if (IsIgnored(name)) {
      continue;
    }
    const std::string inner = JoinPath(path, name);
    struct stat info{};
    if (::lstat(inner.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
      if (recursive) {
        Directory(inner);
      }
    } else if (IsFormattable(name)) {
      File(inner, RelativePath(inner));
    }
  }
}

void Formatting::Targets(const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    const std::string path = RelativePath(target);
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
      diags.Error("Invalid file or directory path", "No file or directory at " + path);
      return;
    }
    if (S_ISDIR(info.st_mode)) {
      Directory(path);
    } else if (IsFormattable(path)) {
      File(path, path);
    } else {
      diags.Error(
          "Invalid file extension",
          Hint("Only .tf, .tofu, .tfvars, .tftest.hcl, and .tofutest.hcl files can be processed "
               "with tofu fmt"));
    }
  }
}

}  // namespace

static int RunFmt(Invocation& invocation) {
  Formatting run;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, run.diags);
  if (run.diags.has_errors()) {
    return UsageError(invocation, run.diags);
  }
  const std::vector<std::string>& targets = flags.positionals();
  const bool standard_input = !targets.empty() && targets[0] == "-";
  const bool list = flags.Bool("list") && !standard_input;
  run.check = flags.Bool("check");
  run.list = list || run.check;
  run.write = flags.Bool("write") && !standard_input && !run.check;
  run.diff = flags.Bool("diff");
  run.recursive = flags.Bool("recursive");
  if (standard_input) {
    if (Result<std::string> text = terminal::ReadStandardInput()) {
      run.Text("<stdin>", *std::move(text));
    } else {
      run.diags.Error("Failed to read file",
                      "The standard input cannot be read: " + text.error().message + ".");
    }
  } else {
    run.Targets(targets.empty() ? std::vector<std::string>{"."} : targets);
  }
  if (invocation.Show(run.diags)) {
    return 2;
  }
  if (list) {
    Print(run.checked);
  }
  return run.checked.empty() ? 0 : 3;
}

constexpr auto kFmtFlags = JoinFlags(
    FlagSpec{.name = "check",
             .help = "Rewrite nothing; the exit status is 3 when a file would\n"
                     "change, and 0 when none would."},
    FlagSpec{.name = "diff", .help = "Show what changes."},
    FlagSpec{.name = "list",
             .default_value = "true",
             .form = "=false",
             .help = "Do not name the files that change."},
    kNoColor, FlagSpec{.name = "recursive", .help = "Go into directories below, too."},
    FlagSpec{
        .name = "write", .default_value = "true", .form = "=false", .help = "Rewrite nothing."});

extern constexpr CommandSpec kFmtCommand{
    .name = "fmt",
    .synopsis = "Reformat your configuration in the standard style",
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] fmt [options] [target...]",
    .description = R"(Rewrites configuration files in canonical layout: files of configuration
(.tf, .tofu), of variables (.tfvars) and of tests (.tftest.hcl,
.tofutest.hcl). JSON files stay as they are.

A target is a file or a directory; without one, the current directory is
meant. With a single dash ("-") the standard input is read and the result
goes to the standard output.

A file with syntax errors is reported and left alone.)",
    .flags = kFmtFlags,
    .help_column = 17,
    .run = RunFmt,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
