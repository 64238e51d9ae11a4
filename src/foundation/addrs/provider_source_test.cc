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
