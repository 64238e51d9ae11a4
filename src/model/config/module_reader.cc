#include "config/module_reader.h"

#include <algorithm>

#include "base/files.h"
#include "base/loop_threads.h"
#include "config/decode.h"
#include "config/load.h"
#include "hcl/parse_in_pieces.h"

namespace kinu::config {
namespace {

constexpr std::string_view kExtensions[] = {".tf", ".tf.json", ".tofu", ".tofu.json"};
constexpr std::string_view kTestExtensions[] = {".tftest.hcl", ".tftest.json", ".tofutest.hcl",
                                                ".tofutest.json"};

std::string_view FindExtension(std::string_view name,
                               std::span<const std::string_view> extensions) {
  for (std::string_view extension : extensions) {
    if (name.ends_with(extension)) {
      return extension;
    }
  }
  return {};
}

bool IsSuitable(const VersionRequirement& required, compatibility::Level level) {
  const auto version = Version::Parse(compatibility::ReleaseOf(level));
  return version && required.constraints.Allows(*version);
}

std::string_view ExtensionOf(std::string_view name) {
  return FindExtension(name, kExtensions);
}
std::string_view TestExtensionOf(std::string_view name) {
  return FindExtension(name, kTestExtensions);
}

bool IsTofuFile(std::string_view name) {
  return name.ends_with(".tofu") || name.ends_with(".tofu.json");
}

bool IsIgnored(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

/// Leaves out `x.tf` where `x.tofu` exists.
std::vector<std::string> PreferTofu(const std::vector<std::string>& names,
                                    std::span<const std::string_view> extensions = kExtensions) {
  const FlatSet<std::string> all(names.begin(), names.end());
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string_view extension = FindExtension(name, extensions);
    if (extension.starts_with(".tf")) {
      std::string other = name.substr(0, name.size() - extension.size());
      other += ".tofu";
      other += extension.substr(3);
      if (all.contains(other)) {
        continue;
      }
    }
    out.push_back(name);
  }
  return out;
}

/// Parses a text in the syntax that its file name says, on `threads` threads if it is large.
const hcl::Body* ParseText(std::string_view name, const SourceFile& file, unsigned threads,
                           hcl::SyntaxTree& tree, Diagnostics& diags) {
  return name.ends_with(".json") ? hcl::ParseJson(&file, tree, diags)
                                 : hcl::ParseNativeInPieces(&file, tree, threads, diags);
}

/// Ref: opentofu configs/module.go SelectiveLoader.
FileContent PartOf(FileContent all, ModulePart part) {
  if (part == ModulePart::kAll) {
    return all;
  }
  FileContent out;
  out.variables = std::move(all.variables);
  out.locals = std::move(all.locals);
  out.encryptions = std::move(all.encryptions);
  if (part == ModulePart::kStateSettings) {
    out.backends = std::move(all.backends);
    out.clouds = std::move(all.clouds);
  }
  return out;
}

}  // namespace

ModuleFiles ChooseFiles(const std::vector<std::string>& names) {
  ModuleFiles files;
  for (const std::string& name : names) {
    const std::string_view extension = ExtensionOf(name);
    if (extension.empty() || IsIgnored(name)) {
      continue;
    }
    const std::string_view stem = std::string_view(name).substr(0, name.size() - extension.size());
    const bool overrides = stem == "override" || stem.ends_with("_override");
    (overrides ? files.overrides : files.primary).push_back(name);
  }
  files.primary = PreferTofu(files.primary);
  files.overrides = PreferTofu(files.overrides);
  return files;
}

bool IsConfigDir(const std::string& dir) {
  Result<std::vector<std::string>> names = ListDirectory(dir);
  if (!names) {
    return false;
  }
  ModuleFiles files = ChooseFiles(*names);
  const auto is_file = [&](const std::string& name) {
    return !IsDirectoryItself(JoinPath(dir, name));
  };
  return std::ranges::any_of(files.primary, is_file) ||
         std::ranges::any_of(files.overrides, is_file);
}

void ModuleReader::CollectProblems() {
  out_.all.Append(std::exchange(syntax_, {}));
  for (; collected_ < out_.content.size(); ++collected_) {
    out_.all.Add(out_.content.list()[collected_]);
  }
}

/// The text of a file, with its body if it was parsed before; without a source, and with an error
/// unless it is no file, if it cannot be read.
ParsedSource ModuleReader::ReadSource(const std::string& dir, const std::string& name,
                                      Diagnostics& diags) const {
  const std::string path = JoinPath(dir, name);
  if (std::optional<ParsedSource> parsed = source_.Parsed(dir, name);
      parsed && parsed->source->name() == path) {
    return *std::move(parsed);
  }
  Result<std::string> text = source_.Read(dir, name);
  if (!text) {
    // Entries that are no files (a directory called x.tf) are ignored.
    if (!source_.IsDirectoryEntry(dir, name)) {
      diags.Error("Failed to read file", "The file " + Quoted(path) + " could not be read.");
    }
    return {};
  }
  return {.source = SourceFile::Make(path, *std::move(text))};
}

/// Parses a file; null when there is nothing to read blocks from.
const hcl::Body* ModuleReader::Parse(const std::string& dir, const std::string& name,
                                     hcl::SyntaxTree& tree,
                                     std::vector<Ref<const SourceFile>>& files) {
  const ParsedSource file = ReadSource(dir, name, out_.content);
  if (file.source == nullptr) {
    return nullptr;
  }
  files.push_back(file.source);
  return file.body != nullptr ? file.body : ParseText(name, *file.source, 1, tree, syntax_);
}

/// Parses files, on all cores if they are large: side by side, or one after the other in pieces if
/// most of the text is in one of them.
std::vector<ModuleReader::ParsedFile> ModuleReader::ParseAll(
    const std::vector<std::string>& names) {
  constexpr size_t kLarge = 256 << 10;
  std::vector<ParsedFile> files;
  size_t bytes = 0;
  size_t largest = 0;
  for (const std::string& name : names) {
    ParsedFile& file = files.emplace_back();
    file.name = name;
    ParsedSource source = ReadSource(out_.module->dir, name, file.unreadable);
    file.source = std::move(source.source);
    file.body = source.body;
    if (file.source != nullptr) {
      out_.module->files.push_back({.source = file.source});
    }
    if (file.source != nullptr && file.body == nullptr) {
      bytes += file.source->text().size();
      largest = std::max(largest, file.source->text().size());
    }
  }
  const unsigned cores = bytes >= kLarge ? UsableCores() : 1;
  const bool in_pieces = largest > bytes / 2;
  const unsigned threads = in_pieces ? 1 : cores;
  for (ParsedFile& file : files) {
    file.tree = threads == 1 ? out_.module->tree.get()
                             : out_.module->tree->Own(std::make_unique<hcl::SyntaxTree>());
  }
  LoopThreads::OfProcess().Run(files.size(), threads, [&](size_t i) {
    ParsedFile& file = files[i];
    if (file.source != nullptr && file.body == nullptr) {
      file.body =
          ParseText(file.name, *file.source, in_pieces ? cores : 1, *file.tree, file.syntax);
    }
  });
  KeepTrees(files);
  return files;
}

/// `files` are the last ones of the module.
void ModuleReader::KeepTrees(std::span<const ParsedFile> files) {
  std::vector<ParsedSource>& kept = out_.module->files;
  const auto readable = static_cast<size_t>(
      std::ranges::count_if(files, [](const ParsedFile& file) { return file.source != nullptr; }));
  auto next = kept.end() - static_cast<std::ptrdiff_t>(readable);
  for (const ParsedFile& file : files) {
    if (file.source != nullptr) {
      (next++)->body = file.syntax.empty() ? file.body : nullptr;
    }
  }
}

void ModuleReader::ReadConfigFile(ParsedFile& file, FileContent& content, bool is_override) {
  out_.content.Append(std::move(file.unreadable));
  syntax_.Append(std::move(file.syntax));
  if (file.body == nullptr) {
    return;
  }
  BlockReader reader{program_,    *file.tree,           content, out_.content, required_versions_,
                     is_override, IsTofuFile(file.name)};
  ReadFileBlocks(reader, *file.body);
  CollectProblems();
}

/// Finds test files among `names`, the files of the module's directory, and in the directory of
/// test files, as paths from the module. False when that directory cannot be read.
bool ModuleReader::ChooseTestFiles(const std::string& test_directory,
                                   const std::vector<std::string>& names,
                                   std::vector<std::string>& out) {
  const auto choose = [&out](const std::string& dir, const std::vector<std::string>& listed) {
    for (const std::string& name : listed) {
      if (!TestExtensionOf(name).empty() && !IsIgnored(name)) {
        out.push_back(CleanPath(dir + "/" + name));
      }
    }
  };
  const std::string place = CleanPath(out_.module->dir + "/" + test_directory);
  if (Result<std::vector<std::string>> in_place = source_.List(place)) {
    choose(test_directory, *in_place);
  } else if (in_place.error().code != ErrorCode::kNotFound && source_.Resolve(place)) {
    out_.content.Error(
        "Failed to read test directory",
        "Test directory " + place + " could not be read: " + in_place.error().message + ".");
    return false;
  } else if (test_directory != kTestDirectory) {
    out_.content.Warning("Test directory does not exist",
                         "Requested test directory " + place + " does not exist.");
  }
  choose(".", names);
  out = PreferTofu(out, kTestExtensions);
  return true;
}

void ModuleReader::ReadTests(const std::vector<std::string>& names, compatibility::Level level,
                             TestSuite& tests) {
  FlatMap<std::string, size_t> index;
  for (const std::string& name : names) {
    const hcl::Body* body = Parse(out_.module->dir, name, tests.tree, tests.sources);
    if (body == nullptr) {
      continue;
    }
    TestFile file;
    file.name = name;
    ReadTestFile(program_, tests.tree, *body, level, file, out_.content);
    CollectProblems();
    auto [place, is_new] = index.try_emplace(name, tests.files.size());
    if (is_new) {
      tests.files.push_back(std::move(file));
    } else {
      tests.files[place->second] = std::move(file);
    }
  }
  std::ranges::sort(tests.files, {}, &TestFile::name);
}

compatibility::LevelSet ModuleReader::SuitableLevels(compatibility::LevelSet levels) const {
  compatibility::LevelSet suitable;
  for (const compatibility::Level level : compatibility::kLevels) {
    if (levels.Has(level) && std::ranges::all_of(required_versions_, [&](const auto& required) {
          return IsSuitable(required, level);
        })) {
      suitable.Add(level);
    }
  }
  return suitable;
}

bool ModuleReader::ChooseLevels(compatibility::LevelSet& levels) {
  const compatibility::LevelSet suitable = SuitableLevels(levels);
  if (!suitable.empty()) {
    levels = suitable;
    return true;
  }
  Diagnostics incompatible;
  const compatibility::Level level = levels.Oldest();
  for (const VersionRequirement& required : required_versions_) {
    if (!IsSuitable(required, level)) {
      incompatible.Error("Incompatible module",
                         "This module is not compatible with OpenTofu v" +
                             std::string(compatibility::ReleaseOf(level)) +
                             ".\n\nUse another version of the module, or of the program.",
                         required.range);
    }
  }
  // Other problems may be consequences of features that this version of the language lacks.
  out_.all = incompatible;
  out_.content = std::move(incompatible);
  collected_ = out_.content.size();
  return false;
}

bool ModuleReader::Read(const std::string& dir, const ModuleReading& reading) {
  out_.module = std::make_unique<Module>();
  out_.module->dir = dir;
  out_.module->encryption_unknown = true;  // until all files are read
  Result<std::vector<std::string>> names = source_.List(dir);
  if (!names) {
    out_.content.Error("Failed to read module directory",
                       "Module directory " + dir + " does not exist or cannot be read.");
    CollectProblems();
    return false;
  }
  std::vector<std::string> test_files;
  if (reading.tests != nullptr && !ChooseTestFiles(reading.test_directory, *names, test_files)) {
    CollectProblems();
    return false;
  }
  const ModuleFiles files = ChooseFiles(*names);
  FileContent primary;
  for (ParsedFile& file : ParseAll(files.primary)) {
    ReadConfigFile(file, primary, false);
  }
  std::vector<ParsedFile> parsed = ParseAll(files.overrides);
  std::vector<FileContent> overrides(parsed.size());
  for (size_t i = 0; i < parsed.size(); ++i) {
    ReadConfigFile(parsed[i], overrides[i], true);
  }
  compatibility::LevelSet all = compatibility::Choices();
  compatibility::LevelSet& levels = reading.levels != nullptr ? *reading.levels : all;
  if (reading.tests != nullptr) {
    ReadTests(test_files, SuitableLevels(levels).Oldest(), *reading.tests);
  }
  out_.module->incompatible = !ChooseLevels(levels);
  // The encryption of a module for another version stays unknown.
  out_.module->encryption_unknown = out_.module->incompatible || out_.all.has_errors();
  primary = PartOf(std::move(primary), reading.part);
  for (FileContent& content : overrides) {
    content = PartOf(std::move(content), reading.part);
  }
  // Of such a module, the calls and the providers count, and no other problem does.
  Diagnostics ignored;
  BuildModule(program_, std::move(primary), std::move(overrides), *out_.module,
              out_.module->incompatible ? ignored : out_.content);
  CollectProblems();
  return true;
}

}  // namespace kinu::config
