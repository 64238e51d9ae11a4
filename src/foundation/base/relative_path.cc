#include "base/relative_path.h"

#include <algorithm>
#include <string_view>

#include "base/files.h"

namespace kinu {

// Ref: opentofu internal/command/workdir NormalizePath.
std::string RelativePath(const std::string& path) {
  const std::string base = CleanPath(WorkingDirectory());
  const std::string target = AbsolutePath(path);
  if (!base.starts_with('/') || !target.starts_with('/')) {
    return CleanPath(path);
  }
  size_t common = 0;  // length of the directories that both begin with
  for (size_t i = 0; i <= std::min(base.size(), target.size()); ++i) {
    const bool base_ends = i == base.size() || base[i] == '/';
    const bool target_ends = i == target.size() || target[i] == '/';
    if (base_ends && target_ends) {
      common = i;
    }
    if (i == base.size() || i == target.size() || base[i] != target[i]) {
      break;
    }
  }
  std::string out;
  const std::string_view above = std::string_view(base).substr(common);
  if (above.size() > 1) {  // not just "/"
    for (const char c : above) {
      if (c == '/') {
        out += out.empty() ? ".." : "/..";
      }
    }
    if (!above.starts_with('/')) {
      out += out.empty() ? ".." : "/..";
    }
  }
  std::string_view below = std::string_view(target).substr(common);
  while (below.starts_with('/')) {
    below.remove_prefix(1);
  }
  if (!below.empty()) {
    out += out.empty() ? "" : "/";
    out += below;
  }
  return out.empty() ? "." : out;
}

}  // namespace kinu
