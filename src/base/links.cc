#include "base/links.h"

#include <cerrno>
#include <climits>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu {
namespace {

/// Steps back from the last element of a path that has no links.
void DropLast(std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string_view last = std::string_view(path).substr(slash == path.npos ? 0 : slash + 1);
  if (last.empty() || last == "..") {
    path += path.empty() || path == "/" ? (path == "/" ? "" : "..") : "/..";
  } else {
    path.resize(slash == path.npos ? 0 : std::max<size_t>(slash, path.starts_with('/') ? 1 : 0));
  }
}

void Append(std::string& path, std::string_view element) {
  if (!path.empty() && !path.ends_with('/')) {
    path += '/';
  }
  path += element;
}

}  // namespace

Result<std::string> EvaluateLinks(const std::string& path) {
  constexpr int kMostLinks = 255;
  std::string rest = path;
  std::string done = rest.starts_with('/') ? "/" : "";
  int links = 0;
  for (size_t at = 0; at < rest.size();) {
    const size_t begin = rest.find_first_not_of('/', at);
    if (begin == rest.npos) {
      break;
    }
    at = std::min(rest.find('/', begin), rest.size());
    const std::string element = rest.substr(begin, at - begin);
    if (element == ".") {
      continue;
    }
    if (element == "..") {
      DropLast(done);
      continue;
    }
    const std::string before = done;
    Append(done, element);
    struct stat info{};
    if (::lstat(done.c_str(), &info) != 0) {
      const int error = errno;
      return Fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                  "lstat " + done + ": " + SystemMessage(error));
    }
    if (!S_ISLNK(info.st_mode)) {
      if (!S_ISDIR(info.st_mode) && at < rest.size()) {
        return Fail(ErrorCode::kIo, SystemMessage(ENOTDIR));
      }
      continue;
    }
    if (++links > kMostLinks) {
      return Fail(ErrorCode::kIo, "EvalSymlinks: too many links");
    }
    char target[PATH_MAX];
    const ssize_t size = ::readlink(done.c_str(), target, sizeof target);
    if (size < 0) {
      return Fail(ErrorCode::kIo, "readlink " + done + ": " + SystemMessage(errno));
    }
    rest = std::string(target, static_cast<size_t>(size)) + rest.substr(at);
    done = rest.starts_with('/') ? "/" : before;
    at = 0;
  }
  return CleanPath(done);
}

}  // namespace kinu
