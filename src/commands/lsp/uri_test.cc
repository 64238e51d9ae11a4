#include "lsp/uri.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/files.h"

namespace kinu::lsp {
namespace {

TEST(Uri, OfPathsIsEscaped) {
  EXPECT_EQ(UriOfPath("/a b/\xC3\xA4#1?.tf"), "file:///a%20b/%C3%A4%231%3F.tf");
}

TEST(Uri, LeadsToThePath) {
  EXPECT_EQ(PathOfUri("file:///a%20b/%c3%a4.tf"), "/a b/\xC3\xA4.tf");
  EXPECT_EQ(PathOfUri("FILE://localhost/a"), "/a");
  EXPECT_EQ(PathOfUri("file:/a/./b/../c"), "/a/c");
  EXPECT_EQ(PathOfUri("file:///a/%2"), "/a/%2");
  EXPECT_EQ(PathOfUri("file:///a?query#fragment"), "/a");
}

TEST(Uri, OfOtherThingsHasNoPath) {
  for (const char* uri : {"untitled:Untitled-1", "git:/a/b.tf", "file://host/a", "file:a", "", "/a",
                          "file:///a%00b"}) {
    EXPECT_EQ(PathOfUri(uri), std::nullopt) << uri;
  }
}

RC_GTEST_PROP(Uri, OfAPathLeadsBackToIt, (const std::string& name)) {
  std::string path = "/";
  for (const char c : name) {
    path += c == '\0' ? '0' : c;
  }
  path = CleanPath(path);
  RC_ASSERT(PathOfUri(UriOfPath(path)) == path);
}

}  // namespace
}  // namespace kinu::lsp
