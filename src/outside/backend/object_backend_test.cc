#include "backend/object_backend.h"

#include <gtest/gtest.h>

namespace kinu::backend {
namespace {

TEST(ObjectLayout, FindsWorkspacesInKeys) {
  const ObjectLayout layout{
      .default_key = "a/k", .prefix = "env:/", .suffix = "/a/k", .listed = "env:/"};
  EXPECT_EQ(layout.KeyOf("default"), "a/k");
  EXPECT_EQ(layout.KeyOf("w"), "env:/w/a/k");
  EXPECT_EQ(layout.WorkspaceOf("env:/w/a/k"), "w");
  for (const char* other : {"a/k", "env:/a/k", "env://a/k", "env:/w/x/a/k", "env:/w/a/k.tflock",
                            "env:/default/a/k", ""}) {
    EXPECT_EQ(layout.WorkspaceOf(other), "") << other;
  }
}

TEST(ObjectLayout, OfDirectoriesIsClean) {
  const ObjectLayout layout = DirectoryLayout("p//q/", "./k");
  EXPECT_EQ(layout.KeyOf("default"), "p/q/k");
  EXPECT_EQ(layout.KeyOf("w"), "p/q/w/k");
  EXPECT_EQ(layout.listed, "p/q/");
  EXPECT_EQ(layout.WorkspaceOf("p/q/w/k"), "w");
  const ObjectLayout bare = DirectoryLayout("", "k");
  EXPECT_EQ(bare.KeyOf("default"), "k");
  EXPECT_EQ(bare.KeyOf("w"), "w/k");
  EXPECT_EQ(bare.listed, "");
}

}  // namespace
}  // namespace kinu::backend
