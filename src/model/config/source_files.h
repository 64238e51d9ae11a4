// Where the loader reads the files of modules: the disk, a plan file's snapshot, or texts that an
// editor has not saved laid over either.
//
// Directories and names are as the loader writes them: relative to the working directory of the
// process, or absolute.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "base/result.h"
#include "diag/source.h"
#include "hcl/body.h"

namespace kinu::config {

/// A file that was read before.
struct ParsedSource {
  Ref<const SourceFile> source;
  const hcl::Body* body = nullptr;  ///< null: it has problems of syntax, or was not parsed
};

/// One source file of a module.
struct SnapshotFile {
  std::string name;
  Ref<const SourceFile> source;  ///< its text is that of the file

  std::string_view content() const { return source->text(); }
};
/// The files that one module was read from.
struct SnapshotModule {
  std::string key;  ///< dotted path of the call, empty for the root
  std::string dir;
  std::string source;
  std::string version;
  std::vector<SnapshotFile> files;
};
/// The files that a configuration was read from, sorted by key: what a plan file keeps.
struct SourceSnapshot {
  std::vector<SnapshotModule> modules;
};

/// Read access to directories with source files.
class SourceFiles {
 public:
  virtual ~SourceFiles() = default;
  /// The names in a directory, sorted. kNotFound: there is no such directory.
  virtual Result<std::vector<std::string>> List(const std::string& dir) const = 0;
  /// The text of a file. kNotFound: there is no such file.
  virtual Result<std::string> Read(const std::string& dir, const std::string& name) const = 0;
  /// Whether the directory exists.
  virtual bool HasDirectory(const std::string& dir) const = 0;
  /// The path with its links followed; an error if nothing is there.
  virtual Result<std::string> Resolve(const std::string& path) const = 0;
  /// The same text for all paths that lead to one directory, relative ones among them.
  virtual std::string Identify(const std::string& dir) const { return Resolve(dir).value_or(dir); }
  /// Whether an entry of a directory is a directory itself, and no file.
  virtual bool IsDirectoryEntry(const std::string& dir, const std::string& name) const = 0;
  /// The file as it was read before; nothing: the loader reads it. It parses what has no tree. The
  /// tree must outlive the configuration, which uses it if the source has the name that the loader
  /// would give it.
  virtual std::optional<ParsedSource> Parsed(const std::string& dir, const std::string& name) const;
  /// Whether parts of files in the directory are left out.
  virtual bool HasGaps(const std::string& dir) const;
};

/// The files of this machine.
const SourceFiles& DiskFiles();

/// The files of a snapshot, which must outlive this.
class SnapshotFiles final : public SourceFiles {
 public:
  explicit SnapshotFiles(const SourceSnapshot& snapshot) : snapshot_(snapshot) {}
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  bool IsDirectoryEntry(const std::string& dir, const std::string& name) const override;

 private:
  const SnapshotModule* Find(const std::string& dir) const;
  const SourceSnapshot& snapshot_;
};

/// Other files, but for what a class over them answers itself.
class FilesOver : public SourceFiles {
 public:
  /// `below` must outlive this.
  explicit FilesOver(const SourceFiles& below) : below_(below) {}
  // A copy would be over what the other one is over, and not over the other one.
  FilesOver(const FilesOver&) = delete;
  FilesOver& operator=(const FilesOver&) = delete;
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  std::string Identify(const std::string& dir) const override;
  bool IsDirectoryEntry(const std::string& dir, const std::string& name) const override;
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;
  bool HasGaps(const std::string& dir) const override;

 protected:
  const SourceFiles& below() const { return below_; }

 private:
  const SourceFiles& below_;
};

/// Other files seen from a directory: relative paths begin there, and not in the working directory
/// of the process.
class RootedFiles final : public FilesOver {
 public:
  /// `root` is absolute.
  RootedFiles(const SourceFiles& below, std::string root)
      : FilesOver(below), root_(std::move(root)) {}
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  std::string Identify(const std::string& dir) const override;
  bool IsDirectoryEntry(const std::string& dir, const std::string& name) const override;
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;
  bool HasGaps(const std::string& dir) const override;

 private:
  std::string Absolute(const std::string& path) const;
  std::string root_;
};

/// Other files with some texts in place of theirs.
class OverlayFiles final : public FilesOver {
 public:
  using FilesOver::FilesOver;
  OverlayFiles(const OverlayFiles& other) : FilesOver(other.below()), texts_(other.texts_) {}
  /// From now on the file at `path` has this text, whether `below` has such a file or not.
  void Set(const std::string& path, std::string text);
  /// The file at `path` is again what `below` has.
  void Remove(const std::string& path);
  Result<std::vector<std::string>> List(const std::string& dir) const override;
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  bool HasDirectory(const std::string& dir) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  std::optional<ParsedSource> Parsed(const std::string& dir,
                                     const std::string& name) const override;

 private:
  /// The text that is in place of a file's; null: none is.
  const std::string* Find(const std::string& dir, const std::string& name) const;
  /// By clean directory, then by name. Copies of this share them.
  std::map<std::string, std::map<std::string, std::shared_ptr<const std::string>>> texts_;
};

}  // namespace kinu::config
