#include "functions/glob.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "base/files.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

constexpr size_t kMaxPatterns = 4096;
constexpr size_t kMaxDepth = 512;      // levels of directories that `**` visits
constexpr size_t kMaxLinked = 50'000;  // directories behind links that one `**` visits

// Reads a character of a pattern, which may be escaped, and moves `pos` after it.
char32_t PatternCharacter(std::string_view pattern, size_t& pos) {
  if (pattern[pos] == '\\' && pos + 1 < pattern.size()) {
    ++pos;
  }
  const text::Decoded decoded = text::DecodeUtf8(pattern, pos);
  pos += decoded.size;
  return decoded.point;
}

// Whether the set that starts after `[` at `pos` contains the character; moves `pos` after its `]`.
bool MatchesSet(std::string_view pattern, size_t& pos, char32_t wanted) {
  const bool negated = pos < pattern.size() && (pattern[pos] == '^' || pattern[pos] == '!');
  pos += negated ? 1 : 0;
  bool found = false;
  while (pos < pattern.size() && pattern[pos] != ']') {
    const char32_t low = PatternCharacter(pattern, pos);
    char32_t high = low;
    if (pos + 1 < pattern.size() && pattern[pos] == '-' && pattern[pos + 1] != ']') {
      ++pos;
      high = PatternCharacter(pattern, pos);
    }
    found = found || (wanted >= low && wanted <= high);
  }
  pos += pos < pattern.size() ? 1 : 0;
  return found != negated;
}

bool IsWellFormed(std::string_view pattern) {
  for (size_t pos = 0; pos < pattern.size(); ++pos) {
    if (pattern[pos] == '\\') {
      if (++pos == pattern.size()) {
        return false;
      }
    } else if (pattern[pos] == '[') {
      const size_t close = pattern.find(']', pos + 2);
      if (close == std::string_view::npos) {
        return false;
      }
      pos = close;
    }
  }
  return true;
}

bool HasMeta(std::string_view component) {
  return component.find_first_of("*?[\\") != std::string_view::npos;
}

std::string JoinName(const std::string& directory, std::string_view name) {
  if (directory.empty()) {
    return std::string(name);
  }
  return directory.ends_with('/') ? directory + std::string(name)
                                  : directory + "/" + std::string(name);
}

std::vector<std::string> Names(const std::string& directory) {
  return ListDirectory(directory.empty() ? "." : directory).value_or(std::vector<std::string>());
}

/// Finds a directory and all below it. A link to a directory that the way there goes through is not
/// followed: below it is nothing that has no path without it.
class DirectoryWalk {
 public:
  explicit DirectoryWalk(const std::string& start) { Visit(start, false); }
  const std::vector<std::string>& found() const { return found_; }
  /// Links multiply paths: of directories that all link to each other there is no end.
  bool is_complete() const { return linked_ <= kMaxLinked; }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  void Visit(const std::string& path, bool behind_link) {
    struct stat info{};
    if (::stat(path.empty() ? "." : path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      return;
    }
    const Identity identity(info.st_dev, info.st_ino);
    if (way_.size() > kMaxDepth || !is_complete() ||
        std::ranges::find(way_, identity) != way_.end()) {
      return;
    }
    struct stat itself{};
    behind_link = behind_link ||
                  (!way_.empty() && ::lstat(path.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode));
    linked_ += behind_link ? 1 : 0;
    way_.push_back(identity);
    found_.push_back(path);
    for (const std::string& name : Names(path)) {
      Visit(JoinName(path, name), behind_link);
    }
    way_.pop_back();
  }

  std::vector<Identity> way_;  // the directories from the start to the one that is visited
  std::vector<std::string> found_;
  size_t linked_ = 0;
};

std::vector<std::string_view> Components(std::string_view pattern) {
  std::vector<std::string_view> components;
  while (!pattern.empty()) {
    const size_t slash = std::min(pattern.find('/'), pattern.size());
    if (slash > 0) {
      components.push_back(pattern.substr(0, slash));
    }
    pattern.remove_prefix(std::min(slash + 1, pattern.size()));
  }
  return components;
}

// Extends each path by the files and directories that match the next component.
std::expected<std::vector<std::string>, std::string> MatchNext(
    const std::vector<std::string>& paths, std::string_view component, bool last) {
  std::vector<std::string> next;
  for (const std::string& path : paths) {
    if (component == "**") {
      const DirectoryWalk walk(path);
      if (!walk.is_complete()) {
        return std::unexpected("there are more than " + std::to_string(kMaxLinked) +
                               " paths of directories behind links below \"" + path +
                               "\". Do links lead from many directories to many others?");
      }
      for (const std::string& directory : walk.found()) {
        next.push_back(directory);
        if (last) {
          for (const std::string& name : Names(directory)) {
            next.push_back(JoinName(directory, name));
          }
        }
      }
    } else if (!HasMeta(component)) {
      std::string candidate = JoinName(path, component);
      if (component == ".." || FileExists(candidate)) {
        next.push_back(std::move(candidate));
      }
    } else {
      for (const std::string& name : Names(path)) {
        if (MatchesComponent(component, name)) {
          next.push_back(JoinName(path, name));
        }
      }
    }
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  return next;
}

}  // namespace

bool MatchesComponent(std::string_view pattern, std::string_view name) {
  size_t pos = 0;
  size_t at = 0;
  // Backtracking: if the text after the last star does not match, the star consumes one more
  // character.
  size_t star = std::string_view::npos;
  size_t star_at = 0;
  for (;;) {
    if (pos < pattern.size() && pattern[pos] == '*') {
      star = ++pos;
      star_at = at;
      continue;
    }
    if (pos == pattern.size() && at == name.size()) {
      return true;
    }
    if (pos < pattern.size() && at < name.size()) {
      const text::Decoded character = text::DecodeUtf8(name, at);
      bool fits = true;
      if (pattern[pos] == '?') {
        ++pos;
      } else if (pattern[pos] == '[') {
        fits = MatchesSet(pattern, ++pos, character.point);
      } else {
        fits = PatternCharacter(pattern, pos) == character.point;
      }
      if (fits) {
        at += character.size;
        continue;
      }
    }
    if (star == std::string_view::npos || star_at == name.size()) {
      return false;
    }
    star_at += text::DecodeUtf8(name, star_at).size;
    at = star_at;
    pos = star;
  }
}

std::expected<std::vector<std::string>, std::string> ExpandBraces(std::string_view pattern) {
  std::vector<std::string> waiting = {std::string(pattern)};
  std::vector<std::string> done;
  while (!waiting.empty()) {
    const std::string current = std::move(waiting.back());
    waiting.pop_back();
    size_t open = 0;
    while (open < current.size() && current[open] != '{') {
      open += current[open] == '\\' ? 2 : 1;
    }
    if (open >= current.size()) {
      done.push_back(current);
      continue;
    }
    std::vector<std::string> choices(1);
    size_t pos = open + 1;
    for (int depth = 1; depth > 0; ++pos) {
      if (pos >= current.size()) {
        return std::unexpected("a brace of the pattern is not closed");
      }
      const char c = current[pos];
      if (c == '{') {
        ++depth;
      } else if (c == '}') {
        --depth;
      }
      if (c == ',' && depth == 1) {
        choices.emplace_back();
      } else if (depth > 0) {
        choices.back() += c;
        if (c == '\\' && pos + 1 < current.size()) {
          choices.back() += current[++pos];
        }
      }
    }
    if (waiting.size() + done.size() + choices.size() > kMaxPatterns) {
      return std::unexpected("the pattern has too many alternatives");
    }
    for (const std::string& choice : choices) {
      waiting.push_back(current.substr(0, open) + choice + current.substr(pos));
    }
  }
  return done;
}

std::expected<std::vector<std::string>, std::string> Glob(std::string_view pattern) {
  auto patterns = ExpandBraces(pattern);
  if (!patterns) {
    return std::unexpected(std::move(patterns).error());
  }
  std::vector<std::string> all;
  for (const std::string& each : *patterns) {
    if (!IsWellFormed(each)) {
      return std::unexpected("syntax error in pattern");
    }
    std::vector<std::string> paths = {each.starts_with('/') ? "/" : ""};
    const std::vector<std::string_view> components = Components(each);
    for (size_t i = 0; i < components.size(); ++i) {
      auto next = MatchNext(paths, components[i], i + 1 == components.size());
      if (!next) {
        return next;
      }
      paths = *std::move(next);
    }
    all.insert(all.end(), paths.begin(), paths.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace kinu::functions
