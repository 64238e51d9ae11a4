#include "addrs/provider_source.h"

#include <gtest/gtest.h>

#include "addrs/host_name.h"

namespace kinu {
namespace {

TEST(HostName, InternationalNames) {
  struct Case {
    std::string_view name;
    std::string_view normal;  // empty: no host name
    std::string_view ascii;
  };
  const Case cases[] = {
      {"Example.COM", "example.com", "example.com"},
      {"CAFÉexample.com", "caféexample.com", "xn--cafexample-d7a.com"},
      {"cafe\u0301.example", "café.example", "xn--caf-dma.example"},
      {"日本語.example:8443", "", ""},
      {"日本語.example", "日本語.example", "xn--wgv71a119e.example"},
      {"bücher.münchen", "bücher.münchen", "xn--bcher-kva.xn--mnchen-3ya"},
      {"xn--caf-dma.example", "", ""},
      {"a..b", "", ""},
      {"-a.b", "", ""},
      {"a_b", "", ""},
      {"caf\xe9", "", ""},
      {"★.example", "", ""},
  };
  for (const Case& c : cases) {
    const auto normal = NormalizeHostName(c.name);
    EXPECT_EQ(normal.value_or(""), c.normal) << c.name;
    if (normal) {
      EXPECT_EQ(HostNameToAscii(*normal), c.ascii);
    }
  }
  EXPECT_EQ(HostNameToAscii("日本語.example:8443"), "xn--wgv71a119e.example:8443");
}

// The answers of svchost's ForComparison.
TEST(HostName, SaysWhyAsTheReferenceDoes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a.b.", "a.b."},
      {"a.b..", "a.b.."},
      {"A.B:443", "a.b"},
      {"a:00443", "a"},
      {"a:+5", "a:5"},
      {"a:-5", "a:-5"},
      {"a--b", "a--b"},
      {"http", "http"},
      {"", "empty string is not a valid hostname"},
      {":5", "empty string is not a valid hostname"},
      {".", "hostname contains empty label (two consecutive periods)"},
      {"a...", "hostname contains empty label (two consecutive periods)"},
      {"a..b", "hostname contains empty label (two consecutive periods)"},
      {"a_b", "idna: disallowed rune U+005F"},
      {"a b", "idna: disallowed rune U+0020"},
      {"-a.b", "idna: invalid label \"-a\""},
      {"a.b-", "idna: invalid label \"b-\""},
      {"ab--c", "idna: invalid label \"ab--c\""},
      {"a.xn--b",
       "hostname label \"xn--b\" specified in punycode format; service hostnames must be given in "
       "unicode"},
      {"a:", "port portion contains non-digit characters"},
      {"a:+-5", "port portion contains non-digit characters"},
      {"a:99999999999999999999", "port portion contains non-digit characters"},
      {"a:65536", "port number is greater than 65535"},
      {"HTTPS://a", "need just a hostname and optional port number, not a full URL"},
  };
  for (const auto& [given, answer] : cases) {
    const auto parsed = ParseHostName(given);
    EXPECT_EQ(parsed ? *parsed : parsed.error(), answer) << given;
  }
}

TEST(ProviderAddress, Parts) {
  EXPECT_EQ(ProviderTypeOf("registry.opentofu.org/hashicorp/aws"), "aws");
  EXPECT_EQ(ProviderTypeOf("aws"), "aws");
  EXPECT_EQ(ProviderTypeOf(""), "");
  EXPECT_TRUE(SplitProviderAddress("registry.opentofu.org/hashicorp/aws").is_default());
  EXPECT_FALSE(SplitProviderAddress("registry.opentofu.org/team/aws").is_default());
  EXPECT_FALSE(SplitProviderAddress("example.com/hashicorp/aws").is_default());
  EXPECT_EQ(ImpliedProviderName("aws_s3_bucket"), "aws");
  EXPECT_EQ(ImpliedProviderName("thing"), "thing");
}

TEST(ProviderAddress, Parse) {
  struct Case {
    const char* text;
    const char* want;  // full address, or the summary of the error
  };
  const Case cases[] = {
      {"aws", "registry.opentofu.org/hashicorp/aws"},
      {"HashiCorp/AWS", "registry.opentofu.org/hashicorp/aws"},
      {"example.com/team/thing", "example.com/team/thing"},
      {"example.com:8080/team/thing", "example.com:8080/team/thing"},
      {"example.com:443/team/thing", "example.com/team/thing"},
      {"terraform.io/builtin/terraform", "terraform.io/builtin/terraform"},
      {"a/b/c/d", "Invalid provider source string"},
      {"a//b", "Invalid provider source string"},
      {"", "Invalid provider source string"},
      {"a/b_c", "Invalid provider type"},
      {"a.b/c", "Invalid provider namespace"},
      {"a--b/c", "Invalid provider namespace"},
      {"exa_mple.com/a/b", "Invalid provider source hostname"},
      {"x/terraform-provider-y", "Invalid provider type"},
      {"x/terraform-y", "Invalid provider type"},
      {"example.com/-/y", "Invalid provider namespace"},
  };
  for (const Case& c : cases) {
    auto source = ParseProviderSource(c.text);
    EXPECT_EQ(source ? source->ToText() : source.error().summary, c.want) << c.text;
  }
  EXPECT_EQ(ProviderForDisplay("registry.opentofu.org/hashicorp/aws"), "hashicorp/aws");
  EXPECT_EQ(ProviderForDisplay("example.com/a/b"), "example.com/a/b");
}

}  // namespace
}  // namespace kinu
