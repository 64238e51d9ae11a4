// Reading a module: the files of one directory, parsed and built into a Module. Private to config.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compatibility/level.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/module_builder.h"
#include "config/module_test_file.h"
#include "config/source_files.h"

namespace kinu::config {

/// A module and its problems. Problems of blocks are reported for each call of the module, syntax
/// errors once, before the problems of the file's blocks.
struct LoadedModule {
  std::unique_ptr<Module> module;
  Diagnostics all;
  Diagnostics content;
};

/// Which blocks of its files a module gets. All blocks are read, with their problems; what a module
/// leaves out cannot contradict other blocks.
enum class ModulePart : uint8_t {
  kAll,
  kStateSettings,  ///< backend, cloud, encryption, variables, local values
  kEncryption,     ///< encryption, variables, local values
};

struct ModuleReading {
  ModulePart part = ModulePart::kAll;
  std::string test_directory = {};
  /// Gets the test files of the directory and of `test_directory` in it; null: they are not read.
  TestSuite* tests = nullptr;
  /// The levels that the configuration may have. Those that the module excludes are removed, unless
  /// no level would be left.
  compatibility::LevelSet* levels = nullptr;
};

class ModuleReader {
 public:
  ModuleReader(Program& program, const SourceFiles& source, LoadedModule& out)
      : program_(program), source_(source), out_(out) {}

  /// False when the directory cannot be read.
  bool Read(const std::string& dir) { return Read(dir, {}); }
  bool Read(const std::string& dir, const ModuleReading& reading);

 private:
  /// A file whose blocks are to be read.
  struct ParsedFile {
    std::string_view name;
    Ref<const SourceFile> source;
    hcl::SyntaxTree* tree = nullptr;  ///< of the module, or one that it owns
    const hcl::Body* body = nullptr;  ///< null: there is nothing to read blocks from
    Diagnostics unreadable;
    Diagnostics syntax;
  };

  ParsedSource ReadSource(const std::string& dir, const std::string& name,
                          Diagnostics& diags) const;
  const hcl::Body* Parse(const std::string& dir, const std::string& name, hcl::SyntaxTree& tree,
                         std::vector<Ref<const SourceFile>>& files);
  std::vector<ParsedFile> ParseAll(const std::vector<std::string>& names);
  bool ChooseTestFiles(const std::string& test_directory, const std::vector<std::string>& names,
                       std::vector<std::string>& out);
  void ReadTests(const std::vector<std::string>& names, compatibility::Level level,
                 TestSuite& tests);
  void KeepTrees(std::span<const ParsedFile> files);
  /// Those of `levels` at which the module may be used.
  compatibility::LevelSet SuitableLevels(compatibility::LevelSet levels) const;
  /// Leaves the levels at which the module may be used in `levels`. If there are none, the errors
  /// that say so take the place of all others, and the result is false.
  bool ChooseLevels(compatibility::LevelSet& levels);
  void ReadConfigFile(ParsedFile& file, FileContent& content, bool is_override);
  /// Moves the problems since the last call to the list of all.
  void CollectProblems();

  Program& program_;
  const SourceFiles& source_;
  LoadedModule& out_;
  Diagnostics syntax_;  // of the file that is read
  size_t collected_ = 0;
  std::vector<VersionRequirement> required_versions_;
};

}  // namespace kinu::config
