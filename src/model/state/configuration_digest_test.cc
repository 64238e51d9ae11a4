// The digest of an object's configuration, which OpenTofu ignores.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "state/state.h"

namespace kinu::state {
namespace {

/// A state whose first object has this JSON as its digest; empty: no digest.
State StateWithDigest(const std::string& json) {
  std::string text =
      ReadFile(SourceDirectory() + "/tests/golden/state/handwritten.tfstate").value();
  if (!json.empty()) {
    text.insert(text.find("\"skip_destroy\": true"), "\"kinu_configuration\": " + json + ", ");
  }
  return ReadState(std::make_shared<Program>(), std::move(text)).value();
}

TEST(ConfigurationDigest, IsReadAndWritten) {
  const State digested = StateWithDigest("\"00000000000000ff\"");
  const std::string written = WriteState(digested, Layout::kIndented);
  EXPECT_NE(written.find("\"kinu_configuration\": \"00000000000000ff\""), std::string::npos);
  const State again = ReadState(std::make_shared<Program>(), written).value();
  EXPECT_EQ(WriteState(again, Layout::kIndented), written);
}

TEST(ConfigurationDigest, WhatIsNoDigestIsNone) {
  const std::string without = WriteState(StateWithDigest(""), Layout::kIndented);
  for (const char* other : {"null", "12", "\"0\"", "{}", "\"zzzzzzzzzzzzzzzz\""}) {
    EXPECT_EQ(WriteState(StateWithDigest(other), Layout::kIndented), without) << other;
  }
}

TEST(ConfigurationDigest, IsPartOfTheContent) {
  auto program = std::make_shared<Program>();
  const State digested = StateWithDigest("\"00000000000000ff\"");
  const auto read = [&](const State& state) {
    return ReadState(program, WriteState(state, Layout::kIndented)).value();
  };
  EXPECT_TRUE(SameContent(read(digested), read(digested)));
  EXPECT_FALSE(SameContent(read(digested), read(StateWithDigest(""))));
}

}  // namespace
}  // namespace kinu::state
