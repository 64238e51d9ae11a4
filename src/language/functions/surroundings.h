// Where functions find files: the directory that names refer to, and the files that may be read.
#pragma once

#include <string>
#include <vector>

namespace kinu::functions {

/// The files that functions may read or ask about. What a function would make of another one is
/// unknown.
class ReadableFiles {
 public:
  /// All that the process may read.
  static ReadableFiles All() { return ReadableFiles(true, {}); }
  /// The files in and below absolute directories, links followed.
  static ReadableFiles Below(std::vector<std::string> directories) {
    return ReadableFiles(false, std::move(directories));
  }
  bool Allows(const std::string& path) const;

 private:
  ReadableFiles(bool all, std::vector<std::string> directories)
      : all_(all), directories_(std::move(directories)) {}

  bool all_;
  std::vector<std::string> directories_;
};

struct Surroundings {
  std::string base_dir = ".";  ///< the directory that relative file names refer to
  ReadableFiles readable = ReadableFiles::All();
};

}  // namespace kinu::functions
