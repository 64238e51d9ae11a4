#include "operation/configuration_archive.h"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/deflate.h"
#include "codec/tar.h"
#include "text/unicode.h"

namespace kinu::operation {
namespace {

/// Whether a character is in a class "[a-z]" at the start of `pattern`, whose size is set.
bool IsInClass(std::string_view pattern, char c, size_t& size) {
  size_t at = 1;
  const bool inverted = at < pattern.size() && (pattern[at] == '^' || pattern[at] == '!');
  at += inverted ? 1 : 0;
  bool found = false;
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const bool range = at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']';
    const char high = range ? pattern[at + 2] : pattern[at];
    found |= c >= pattern[at] && c <= high;
    at += range ? 3 : 1;
  }
  size = at + 1;
  return found != inverted;
}

/// Matches a whole path.
bool MatchesPath(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (pattern.starts_with("**")) {
      pattern.remove_prefix(2);
      if (pattern.starts_with('/')) {
        pattern.remove_prefix(1);
      }
      if (pattern.empty() || MatchesPath(pattern, path)) {
        return true;
      }
      for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
        if (MatchesPath(pattern, path.substr(slash + 1))) {
          return true;
        }
      }
      return false;
    }
    if (pattern.front() == '*') {
      pattern.remove_prefix(1);
      for (size_t i = 0;; ++i) {
        if (MatchesPath(pattern, path.substr(i))) {
          return true;
        }
        if (i == path.size() || path[i] == '/') {
          return false;
        }
      }
    }
    if (path.empty()) {
      return false;
    }
    const char c = path.front();
    size_t size = 1;
    if (pattern.front() == '?') {
      if (c == '/') {
        return false;
      }
    } else if (pattern.front() == '[' && pattern.find(']', 2) != pattern.npos) {
      if (!IsInClass(pattern, c, size)) {
        return false;
      }
    } else {
      const bool escaped = pattern.front() == '\\' && pattern.size() > 1;
      size = escaped ? 2 : 1;
      if (pattern[size - 1] != c) {
        return false;
      }
    }
    pattern.remove_prefix(size);
    path.remove_prefix(1);
  }
  return path.empty();
}

/// Adds the files of a directory to an archive.
class DirectoryPacker {
 public:
  DirectoryPacker(std::string root, const IgnoredFiles& ignored)
      : root_(std::move(root)), ignored_(ignored) {}

  /// `place`: where the directory is; `path`: how the archive calls it, with a slash at its end.
  Result<void> AddAll(const std::string& place, const std::string& path, int depth);
  std::string Finish() { return tar_.Finish(); }

 private:
  Result<void> AddOne(const std::string& place, const std::string& path, int depth);
  Result<void> AddLink(const std::string& place, const std::string& path, int depth);
  bool IsInside(const std::string& place) const {
    return place == root_ || place.starts_with(root_ + '/');
  }

  const std::string root_;
  const IgnoredFiles& ignored_;
  TarWriter tar_;
};

std::unexpected<Error> CannotRead(const std::string& place, int err) {
  return Fail(ErrorCode::kIo, "cannot read " + place + ": " + SystemMessage(err));
}

Result<void> DirectoryPacker::AddAll(const std::string& place, const std::string& path, int depth) {
  constexpr int kDeepest = 200;
  if (depth > kDeepest) {
    return Fail(ErrorCode::kInvalid, "the directories below " + place + " are too deep");
  }
  KINU_TRY(std::vector<std::string> names, ListDirectory(place));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    if (Result<void> added = AddOne(JoinPath(place, name), path + name, depth); !added) {
      return added;
    }
  }
  return {};
}

Result<void> DirectoryPacker::AddOne(const std::string& place, const std::string& path, int depth) {
  struct stat info{};
  if (::lstat(place.c_str(), &info) != 0) {
    return CannotRead(place, errno);
  }
  const bool ignored = ignored_.Ignores(path);
  if (S_ISDIR(info.st_mode)) {
    if (ignored_.IgnoresAll(path + '/')) {
      return {};
    }
    if (!ignored && !ignored_.Ignores(path + '/')) {
      tar_.Add(TarWriter::Kind::kDirectory, path, info.st_mode, info.st_mtime);
    }
    return AddAll(place, path + '/', depth + 1);
  }
  if (ignored) {
    return {};
  }
  if (S_ISLNK(info.st_mode)) {
    return AddLink(place, path, depth);
  }
  if (!S_ISREG(info.st_mode)) {
    return {};
  }
  KINU_TRY(const std::string content, ReadFile(place));
  tar_.Add(TarWriter::Kind::kFile, path, info.st_mode, info.st_mtime, content);
  return {};
}

Result<void> DirectoryPacker::AddLink(const std::string& place, const std::string& path,
                                      int depth) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlink(place.c_str(), target.data(), target.size());
  if (size < 0) {
    return CannotRead(place, errno);
  }
  target.resize(static_cast<size_t>(size));
  const std::string there =
      CleanPath(target.starts_with('/') ? target : JoinPath(DirName(place), target));
  struct stat info{};
  if (!target.starts_with('/') && IsInside(there)) {
    tar_.Add(TarWriter::Kind::kLink, path, 0777, 0, target);
    return {};
  }
  if (::stat(place.c_str(), &info) != 0) {
    return CannotRead(place, errno);
  }
  if (S_ISDIR(info.st_mode)) {
    tar_.Add(TarWriter::Kind::kDirectory, path, info.st_mode, info.st_mtime);
    return AddAll(place, path + '/', depth + 1);
  }
  if (S_ISREG(info.st_mode)) {
    KINU_TRY(const std::string content, ReadFile(place));
    tar_.Add(TarWriter::Kind::kFile, path, info.st_mode, info.st_mtime, content);
  }
  return {};
}

}  // namespace

IgnoredFiles::IgnoredFiles(std::string_view text)
    : rules_{
          {"**/.terraform/**", false}, {"**/.terraform/modules/**", true}, {"**/.git/**", false}} {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text::TrimSpace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    Rule rule;
    if (line.front() == '!') {
      rule.negated = true;
      line.remove_prefix(1);
    }
    if (line.empty()) {
      continue;
    }
    rule.pattern = line.front() == '/' ? line.substr(1) : "**/" + std::string(line);
    rule.pattern += line.back() == '/' ? "**" : "";
    rules_.push_back(std::move(rule));
  }
}

bool IgnoredFiles::Ignores(std::string_view path) const {
  bool ignored = false;
  for (const Rule& rule : rules_) {
    if (MatchesPath(rule.pattern, path)) {
      ignored = !rule.negated;
    }
  }
  return ignored;
}

bool IgnoredFiles::IgnoresAll(std::string_view path) const {
  bool all = false;
  for (const Rule& rule : rules_) {
    all = rule.negated ? false : all || MatchesPath(rule.pattern, path);
  }
  return all;
}

Result<std::string> ArchiveConfiguration(const std::string& directory) {
  const IgnoredFiles ignored(ReadFile(JoinPath(directory, ".terraformignore")).value_or(""));
  DirectoryPacker packer(CleanPath(AbsolutePath(directory)), ignored);
  if (Result<void> added = packer.AddAll(CleanPath(AbsolutePath(directory)), "", 0); !added) {
    return std::unexpected(std::move(added).error());
  }
  return Gzip(packer.Finish());
}

}  // namespace kinu::operation
