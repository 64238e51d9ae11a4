// Comparison of a text with a file of recorded output.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/testing/source_directory.h"

namespace kinu::golden {

/// Whether the tests rewrite their recorded output (KINU_UPDATE=1) instead of comparing.
inline bool IsUpdating() {
  const char* update = std::getenv("KINU_UPDATE");
  return update != nullptr && *update != '\0';
}

/// Expects that a file of the repository has this content. With KINU_UPDATE=1 the file gets it.
/// `path` is relative to the root of the repository.
inline void Expect(std::string_view text, const std::string& path) {
  const std::string file = SourceDirectory() + "/" + path;
  if (IsUpdating()) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string recorded(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(text, recorded) << path;
}

}  // namespace kinu::golden
