#include "config/module_source.h"

#include <utility>

#include <gtest/gtest.h>

namespace kinu::config {
namespace {

TEST(ModuleSources, HaveOneNormalForm) {
  static const std::pair<const char*, const char*> kCases[] = {
      {"./a/../b", "./b"},
      {"..\\x", "../x"},
      {"a/b/c", "registry.opentofu.org/a/b/c"},
      {"a/b/c//d/../e", "registry.opentofu.org/a/b/c//e"},
      {"example.com/a/b/c", "example.com/a/b/c"},
      {"github.com/a/b", "git::https://github.com/a/b.git"},
      {"github.com/a/b.git//c/d?ref=v1", "git::https://github.com/a/b.git//c/d?ref=v1"},
      {"github.com/a/b/c", "git::https://github.com/a/b.git//c"},
      {"git@example.com:a/b.git", "git::ssh://git@example.com/a/b.git"},
      {"git@example.com:/a/b.git?ref=x&depth=1",
       "git::ssh://git@example.com/a/b.git?depth=1&ref=x"},
      {"git@example.com:a/b.git?ref=x y", "git::ssh://git@example.com/a/b.git?ref=x+y"},
      {"git@example.com:a/b.git?ref=x%20y", "git::ssh://git@example.com/a/b.git?ref=x+y"},
      {"git@example.com:a/b.git?ref=x+y", "git::ssh://git@example.com/a/b.git?ref=x+y"},
      {"git@example.com:a/b.git?ref=x%2By", "git::ssh://git@example.com/a/b.git?ref=x%2By"},
      {"git@example.com:a/b.git?z&ref=é/1=2&&",
       "git::ssh://git@example.com/a/b.git?ref=%C3%A9%2F1%3D2&z="},
      {"git@example.com:a/b.git?", "git::ssh://git@example.com/a/b.git"},
      {"git::ssh://git@example.com/a/b.git?ref=x+y", "git::ssh://git@example.com/a/b.git?ref=x+y"},
      {"bitbucket.org/a/b//c?ref=x", "git::https://bitbucket.org/a/b.git//c?ref=x"},
      {"hg::https://example.com/a", "hg::https://example.com/a"},
      {"bucket.s3-eu-west-1.amazonaws.com/k.zip",
       "s3::https://s3-eu-west-1.amazonaws.com/bucket/k.zip"},
      {"bucket.s3.eu-west-1.amazonaws.com/k.zip",
       "s3::https://s3.eu-west-1.amazonaws.com/bucket/k.zip"},
      {"www.googleapis.com/storage/v1/b/m.zip//sub",
       "gcs::https://www.googleapis.com/storage/v1/b/m.zip//sub"},
      {"https://example.com:8443/a%20b?c=%zz", "https://example.com:8443/a%20b?c=%zz"},
      {"https://a%25b%C3%A9/m.zip", "https://a%25b%C3%A9/m.zip"},
      {"https://[fe80::1%25e0]/m.zip", "https://[fe80::1%25e0]/m.zip"},
      {"git::https://u%20r:p@w@h/x", "git::https://u%20r:p@w@h/x"},
      {"/abs/m//sub", "file:///abs/m//sub"},
      {"https://example.com/m.zip//a/../b", "https://example.com/m.zip//b"},
  };
  for (const auto& [given, normal] : kCases) {
    auto source = ParseModuleSource(given, false);
    ASSERT_TRUE(source) << given << ": " << source.error().message;
    EXPECT_EQ(source->text, normal) << given;
  }
}

TEST(ModuleSources, HaveNoSecretsInMessages) {
  const std::pair<const char*, const char*> cases[] = {
      {"./m", "./m"},
      {"registry.opentofu.org/ns/name/system//sub", "registry.opentofu.org/ns/name/system//sub"},
      {"git::https://u:p@w@h.test/x.git//s?ref=v1",
       "git::https://u:REDACTED@h.test/x.git//s?ref=v1"},
      {"git::https://token@h.test/x.git", "git::https://REDACTED@h.test/x.git"},
      {"git::ssh://git@h.test/x.git?sshkey=abc&depth=1",
       "git::ssh://git@h.test/x.git?sshkey=REDACTED&depth=1"},
      {"s3::https://h/b/k?aws_access_key_id=I&aws_access_key_secret=S&aws_access_token=T",
       "s3::https://h/b/k?aws_access_key_id=I&aws_access_key_secret=REDACTED&aws_access_token="
       "REDACTED"},
      {"https://h.test/a:b@c?x", "https://h.test/a:b@c?x"},
      {"https://git@h.test/x@y.zip", "https://git@h.test/x@y.zip"},
      {"https://h.test/x.zip?X-Amz-Signature=a%2F&archive=zip",
       "https://h.test/x.zip?X-Amz-Signature=REDACTED&archive=zip"},
  };
  for (const auto& [source, shown] : cases) {
    EXPECT_EQ(WithoutSecrets(source), shown);
    EXPECT_EQ(WithoutSecrets(shown), shown);
  }
}

TEST(ModuleSources, ThatLeadNowhere) {
  for (const char* given :
       {"", "a", "a/b", "github.com/a", "git@example.com", "git@h:x.git?a=%zz", "git@h:x.git?a=;b",
        "bitbucket.org/a", "www.googleapis.com/x", "a.b.c.d.amazonaws.com/y",
        "https://example.com/m//../x", "https://example.com:port/x", "https://example.com/%zz",
        "git::https://a%20b/x", "git::https://a%2fb/x", "git::https://u r@h/x",
        "git::https://u:%zz@h/x", "https://exa mple.com/x", "a/b/c//../d"}) {
    EXPECT_FALSE(ParseModuleSource(given, false)) << given;
  }
  EXPECT_FALSE(ParseModuleSource("./a", true));
  EXPECT_FALSE(ParseModuleSource("github.com/a/b", true));
}

}  // namespace
}  // namespace kinu::config
