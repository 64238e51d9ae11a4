#include "addrs/address.h"

#include <gtest/gtest.h>

#include "addrs/checkable.h"

namespace kinu {
namespace {

TEST(Address, InstancesPrintAndParseBack) {
  constexpr const char* kTexts[] = {
      "terraform_data.a",
      "terraform_data.a[0]",
      "data.aws_ami.x[\"k\"]",
      "module.m.terraform_data.a",
      "module.m[3].module.n[\"a.b[0]\"].data.t.n[12]",
      "terraform_data.a[\"quote \\\" and \\\\ and \\n\"]",
      "ephemeral.random_password.p",
  };
  for (const char* text : kTexts) {
    Program program;
    ResourceInstance address;
    ASSERT_TRUE(program.ParseResourceInstance(text, &address)) << text;
    EXPECT_EQ(program.ToText(address), text);
  }
}

TEST(Address, MalformedTextsAreRefused) {
  Program program;
  ResourceInstance address;
  for (const char* text :
       {"", "a", "a.", ".a", "module.m", "a.b[", "a.b[x]", "a.b[\"x]", "a.b.c"}) {
    EXPECT_FALSE(program.ParseResourceInstance(text, &address)) << text;
  }
}

TEST(Address, ProviderConfigurations) {
  Program program;
  ProviderConfig config;
  InstanceKey key;
  const char* text = "module.a.provider[\"registry.opentofu.org/hashicorp/aws\"].west[\"eu\"]";
  ASSERT_TRUE(program.ParseProviderConfig(text, &config, &key));
  EXPECT_EQ(program.ToText(config) + program.ToText(key), text);
  ASSERT_TRUE(program.ParseProviderConfig("provider.aws.west", &config, &key));
  EXPECT_EQ(program.ToText(config), "provider[\"registry.opentofu.org/-/aws\"].west");
}

TEST(Address, OrdersAreTheReferences) {
  Program program;
  auto parse = [&](const char* text) {
    ResourceInstance r;
    EXPECT_TRUE(program.ParseResourceInstance(text, &r)) << text;
    return r;
  };
  constexpr const char* kOrdered[] = {
      "data.a.a",
      "a.a",
      "a.a[2]",
      "a.a[10]",
      "a.a[\"x\"]",
      "a.b",
      "b.a",
      "module.a.z.z",
      "module.a[0].z.z",
      "module.a[\"k\"].z.z",
      "module.b.a.a",
      "module.a.module.b.a.a",
  };
  for (size_t i = 0; i + 1 < std::size(kOrdered); ++i) {
    EXPECT_TRUE(program.Less(parse(kOrdered[i]), parse(kOrdered[i + 1]))) << kOrdered[i];
    EXPECT_FALSE(program.Less(parse(kOrdered[i + 1]), parse(kOrdered[i]))) << kOrdered[i];
  }
}

TEST(Symbols, TextsNeverMove) {
  SymbolTable table;
  std::string_view first = table.Text(table.Intern("first"));
  std::vector<Symbol> symbols;
  for (int i = 0; i < 20000; ++i) {
    symbols.push_back(table.Intern("name" + std::to_string(i)));
  }
  EXPECT_EQ(first, "first");
  EXPECT_EQ(table.Text(symbols[19999]), "name19999");
  EXPECT_EQ(table.Find("name77"), symbols[77]);
  EXPECT_TRUE(table.Find("absent").empty());
}

TEST(Checkable, AddressesAreReadAsTheyAreWritten) {
  Program program;
  struct Case {
    CheckableKind kind;
    const char* text;
    bool block;   ///< of a block
    bool object;  ///< of an object
  };
  static constexpr Case kCases[] = {
      {CheckableKind::kResource, "data.t.n", true, true},
      {CheckableKind::kResource, "module.m[0].t.n[\"k\"]", false, true},
      {CheckableKind::kOutput, "module.m.output.o", true, true},
      {CheckableKind::kOutput, "module.m[\"k\"].output.o", false, true},
      {CheckableKind::kCheck, "check.c", true, true},
      {CheckableKind::kVariable, "module.a.module.b.var.v", true, true},
      {CheckableKind::kVariable, "output.v", false, false},
      {CheckableKind::kVariable, "xvar.v", false, false},
      {CheckableKind::kVariable, "module.mvar.v", false, false},
      {CheckableKind::kVariable, "var.v[0]", false, false},
      {CheckableKind::kVariable, "var.", false, false},
      {CheckableKind::kVariable, "var", false, false},
      {CheckableKind::kVariable, ".var.v", false, false},
      {CheckableKind::kOutput, "", false, false},
  };
  for (const Case& c : kCases) {
    ConfigCheckable block;
    Checkable object;
    ASSERT_EQ(ParseConfigCheckable(program, c.kind, c.text, &block), c.block) << c.text;
    ASSERT_EQ(ParseCheckable(program, c.kind, c.text, &object), c.object) << c.text;
    EXPECT_TRUE(!c.block || ToText(program, block) == c.text) << c.text;
    EXPECT_TRUE(!c.object || ToText(program, object) == c.text) << c.text;
  }
}

}  // namespace
}  // namespace kinu
