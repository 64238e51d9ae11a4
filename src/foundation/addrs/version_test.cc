#include "addrs/version.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

TEST(Version, ParsesLeniently) {
  struct Case {
    const char* text;
    const char* want;  // empty: malformed
  };
  const Case cases[] = {
      {"1.2.3", "1.2.3"},
      {"1", "1.0.0"},
      {"v1.2", "1.2.0"},
      {"1.2.3.4", "1.2.3.4"},
      {"1.2.3-beta.1", "1.2.3-beta.1"},
      {"1.2.3beta", "1.2.3-beta"},
      {"1.2.3-5", "1.2.3-5"},
      {"1.2.3+x.y", "1.2.3+x.y"},
      {"1.2.3-rc1+m", "1.2.3-rc1+m"},
      {"", ""},
      {"x", ""},
      {"1.", ""},
      {"1.2.3-", ""},
      {"1.2 3", ""},
      {"1.2.3+", ""},
      {"-1", ""},
  };
  for (const Case& c : cases) {
    auto version = Version::Parse(c.text);
    EXPECT_EQ(version ? version->ToText() : "", c.want) << c.text;
  }
}

TEST(Version, ExactFormOnly) {
  EXPECT_TRUE(Version::ParseExact("1.2.3-a.b+c"));
  EXPECT_EQ(Version::ParseExact("1.2")->ToText(), "1.2.0");
  EXPECT_EQ(Version::ParseExact("2")->ToText(), "2.0.0");
  for (const char* text : {"", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3beta"}) {
    EXPECT_FALSE(Version::ParseExact(text)) << text;
  }
}

TEST(Version, OrdersBySemanticVersioning) {
  const char* ascending[] = {"0.9.0",        "1.0.0-alpha",   "1.0.0-alpha.1", "1.0.0-alpha.beta",
                             "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",    "1.0.0",
                             "1.0.1",        "1.2.0",         "1.10.0",        "2.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t k = 0; k < std::size(ascending); ++k) {
      auto order = Version::Compare(*Version::Parse(ascending[i]), *Version::Parse(ascending[k]));
      EXPECT_EQ(order < 0, i < k) << ascending[i] << " " << ascending[k];
      EXPECT_EQ(order == 0, i == k) << ascending[i] << " " << ascending[k];
    }
  }
}

struct MatchCase {
  const char* constraint;
  const char* version;
  bool configuration;
  bool provider;
};

TEST(VersionConstraints, Match) {
  const MatchCase cases[] = {
      {">= 1.0", "1.0.0", true, true},
      {">= 1.0, < 2.0", "1.9.9", true, true},
      {">= 1.0, < 2.0", "2.0.0", false, false},
      {"~> 1.2", "1.9.0", true, true},
      {"~> 1.2", "2.0.0", false, false},
      {"~> 1.2", "1.1.9", false, false},
      {"~> 1.2.3", "1.2.9", true, true},
      {"~> 1.2.3", "1.3.0", false, false},
      {"~> 1", "1.5.0", true, true},
      {"~> 1", "2.5.0", true, false},  // go-version compares no number at all here
      {"!= 1.2.3", "1.2.3", false, false},
      {"!= 1.2.3", "1.2.4", true, true},
      {"1.2", "1.2.0", true, true},
      {"1.2", "1.2.1", false, false},
      {">= 1.0.0", "1.1.0-beta", false, false},
      {">= 1.1.0-alpha", "1.1.0-beta", true, false},
      {"1.1.0-beta", "1.1.0-beta", true, true},
      {"> 1.0.0-rc1", "1.0.0", true, true},
      {"~> 1.0.0-rc1", "1.0.0", false, true},
      {">= 0.0.0", "0.0.0", true, false},  // stands for no version of a provider
  };
  for (const MatchCase& c : cases) {
    auto constraints = VersionConstraints::Parse(c.constraint);
    ASSERT_TRUE(constraints) << c.constraint;
    auto version = *Version::Parse(c.version);
    EXPECT_EQ(constraints->Allows(version), c.configuration) << c.constraint << " " << c.version;
    auto provider = VersionConstraints::ParseForProviders(c.constraint);
    ASSERT_TRUE(provider) << c.constraint;
    EXPECT_EQ(provider->AllowsProvider(version), c.provider) << c.constraint << " " << c.version;
  }
}

TEST(VersionConstraints, Errors) {
  auto lenient = VersionConstraints::Parse(">= 1.0, banana");
  ASSERT_FALSE(lenient);
  EXPECT_EQ(lenient.error().message, "malformed constraint:  banana");
  for (const char* text : {"=< 1.0", ">> 1", ">=  1.0", ">= v1.0", "1.2.3.4", "1.2.*"}) {
    EXPECT_FALSE(VersionConstraints::ParseForProviders(text)) << text;
  }
  EXPECT_TRUE(VersionConstraints::ParseForProviders("")->empty());
}

TEST(VersionConstraints, CanonicalText) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case cases[] = {
      {"~> 3.1, != 3.1.0, >= 3.0.0", ">= 3.0.0, ~> 3.1, != 3.1.0"},
      {"0.1.1", "0.1.1"},
      {"= 0.1", "0.1.0"},
      {">= 2.0, >= 2.0.0", ">= 2.0.0"},
      {"~> 2", "~> 2.0"},
      {"< 2.0.0, > 1.0.0", "> 1.0.0, < 2.0.0"},
      {">= 5.0.0, ~> 5.1", ">= 5.0.0, ~> 5.1"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(VersionConstraints::ParseForProviders(c.text)->ToCanonicalText(), c.want) << c.text;
  }
}

}  // namespace
}  // namespace kinu
