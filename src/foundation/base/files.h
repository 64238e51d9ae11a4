// Files and paths. base/file_replacement.h replaces files atomically.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu {

/// The whole content of a file. kNotFound when it does not exist, kUnreadable when it can be opened
/// and not read, as a directory, kIo otherwise; messages have the form `open PATH: no such file or
/// directory`, as Go programs print them.
Result<std::string> ReadFile(const std::string& path);

/// Replaces the content of `path` as FileReplacement (base/file_replacement.h) does. `mode` is
/// subject to the umask, except that an existing file keeps its own mode.
Result<void> ReplaceFile(const std::string& path, std::string_view content, unsigned mode = 0666);

/// Resolves symbolic links in the last element of a path, also when the final target does not
/// exist. Links in the directories before it stay.
std::string FollowLinks(const std::string& path);

/// The path with all symbolic links followed, clean, and relative if `path` and the links are. An
/// error names the part that is missing. A relative path begins in `base`; empty: in the working
/// directory. Ref: filepath.EvalSymlinks of Go.
Result<std::string> EvaluateLinks(const std::string& path, std::string_view base = {});

/// Opens /dev/null on each of the descriptors 0 to 2 that is closed. Otherwise a file opened later
/// would get one of these numbers, and printed text would go into it.
void OpenStandardStreams();

/// Creates a directory and its parents; an existing directory is success.
Result<void> MakeDirectories(const std::string& path);

/// Names in a directory, sorted by bytes, without "." and "..".
Result<std::vector<std::string>> ListDirectory(const std::string& path);

/// Whether a file of any kind is at the path. Follows links.
bool FileExists(const std::string& path);
/// Whether a directory is at the path. Follows links.
bool IsDirectory(const std::string& path);
/// Whether a directory itself is at the path, and no link to one.
bool IsDirectoryItself(const std::string& path);

/// Joins and cleans a path lexically, as Go's filepath.Join does.
std::string JoinPath(std::string_view a, std::string_view b);
/// Lexical clean-up of a path, as Go's filepath.Clean: "a/./b/../c" is "a/c", "" is ".".
std::string CleanPath(std::string_view path);
/// The last element of a path, as Go's filepath.Base.
std::string BaseName(std::string_view path);
/// The path without its last element, as Go's filepath.Dir.
std::string DirName(std::string_view path);
/// `path` made absolute against the working directory, cleaned.
std::string AbsolutePath(const std::string& path);
/// The working directory, or "." when it is gone. Where PWD leads to it, as that says, so that
/// links through which a shell went stay. Ref: os.Getwd of Go.
std::string WorkingDirectory();

/// The system's message for errno `err`, in Go's wording ("no such file or directory").
std::string SystemMessage(int err);

/// A random UUID of version 4, from the system's random source.
std::string RandomUuid();
/// Fills `out` with `size` bytes from the system's random source.
void RandomBytes(void* out, size_t size);

}  // namespace kinu
