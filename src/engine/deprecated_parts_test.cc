// Deprecated attributes of providers: one warning where each is used.
#include "meta_arguments/deprecated_parts.h"

#include "engine/testing/engine_fixture.h"
#include "lang/deprecation.h"

namespace kinu::engine {
namespace {

using provider::testing::Computed;
using provider::testing::Optional;
using provider::testing::Required;
using testing::EngineTest;
using testing::Strings;

schema::Attribute Deprecated(schema::Attribute attribute) {
  attribute.deprecated = true;
  return attribute;
}

std::vector<schema::Attribute> Titles() {
  std::vector<schema::Attribute> out;
  out.push_back(Optional("title", Type::String()));
  out.push_back(Deprecated(Optional("was", Type::String())));
  return out;
}

schema::NestedBlock Nested(std::string name, std::vector<schema::Attribute> attributes,
                           bool deprecated) {
  schema::NestedBlock out;
  out.name = std::move(name);
  out.block.attributes = std::move(attributes);
  out.block.deprecated = deprecated;
  return out;
}

class DeprecatedPartsTest : public EngineTest {
 protected:
  DeprecatedPartsTest() {
    std::vector<schema::Attribute> attributes;
    attributes.push_back(Required("name", Type::String()));
    attributes.push_back(Deprecated(Optional("old", Type::String())));
    attributes.push_back(Deprecated(Computed("former", Type::String())));
    schema::Attribute keyed;
    keyed.name = "keyed";
    keyed.optional = true;
    keyed.nested = std::make_unique<schema::NestedAttributes>();
    keyed.nested->nesting = schema::Nesting::kMap;
    keyed.nested->attributes = Titles();
    const TypeAttribute members[] = {{"title", Type::String()}, {"was", Type::String()}};
    keyed.type = Type::Map(Type::Object(members));
    attributes.push_back(std::move(keyed));
    schema::ResourceSchema entry = provider::testing::Resource(std::move(attributes));
    entry.block.blocks.push_back(Nested("section", Titles(), false));
    std::vector<schema::Attribute> texts;
    texts.push_back(Optional("text", Type::String()));
    entry.block.blocks.push_back(Nested("legacy", std::move(texts), true));
    entry.block.blocks.push_back(Nested("retired", Titles(), true));
    script_->schema.resources["test_entry"] = std::move(entry);
    script_->schema.Finish();
  }

  /// The cause of each warning of a plan, without those of the validation before it.
  Strings Warnings() {
    Diagnostics validation;
    Validate(MakeInput(), validation);
    (void)Plan();
    EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
    Strings out;
    for (size_t i = validation.size(); i < diags_.size(); ++i) {
      const auto* cause = dynamic_cast<const lang::DeprecationCause*>(diags_.list()[i].extra.get());
      out.push_back(cause != nullptr ? cause->by : diags_.list()[i].summary);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_F(DeprecatedPartsTest, WarnAtEachUse) {
  struct Case {
    const char* expression;
    Strings blamed;
  };
  const Strings whole = {
      "test_entry.a.former",     "test_entry.a.keyed[\"k\"].was", "test_entry.a.old",
      "test_entry.a.retired[0]", "test_entry.a.retired[0].was",   "test_entry.a.section[0].was"};
  const Case cases[] = {
      {"test_entry.a.name", {}},
      {"test_entry.a.old", {"test_entry.a.old"}},
      {"(test_entry.a)[\"old\"]", {"test_entry.a.old"}},
      {"\"x-${test_entry.a.former}\"", {"test_entry.a.former"}},
      {"test_entry.a.keyed[\"k\"].title", {}},
      {"test_entry.a.keyed[\"k\"].was", {"test_entry.a.keyed[\"k\"].was"}},
      {"test_entry.a.keyed", {"test_entry.a.keyed[\"k\"].was"}},
      {"test_entry.a.section[0].title", {}},
      {"test_entry.a.section[*].was", {"test_entry.a.section[0].was"}},
      // A deprecated block counts as used if something in it is set.
      {"test_entry.a.legacy[0].text", {}},
      {"test_entry.a.retired[0].title", {"test_entry.a.retired[0]"}},
      {"test_entry.a", whole},
      {"test_entry.c[1].old", {"test_entry.c.old"}},
      {"[for one in test_entry.c : one.name]", {}},
      {"test_entry.c[*].former", {"test_entry.c.former", "test_entry.c.former"}},
      {"test_entry.e[\"x\"].old", {"test_entry.e.old"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.expression);
    Configure(std::string(R"(
      resource "test_entry" "a" {
        name  = "a"
        old   = "x"
        keyed = { k = { was = "w" } }
        section { was = "w" }
        legacy { text = "t" }
        retired { title = "t" }
      }
      resource "test_entry" "c" {
        count = 2
        name  = "c"
      }
      resource "test_entry" "e" {
        for_each = toset(["x"])
        name     = "e"
      }
      output "o" { value = )") +
              c.expression + " }");
    EXPECT_EQ(Warnings(), c.blamed);
  }
}

TEST_F(DeprecatedPartsTest, WarnInEveryKindOfBlock) {
  Configure({{"main.tf", R"(
    resource "test_entry" "a" {
      name = "a"
      lifecycle {
        postcondition {
          condition     = self.old == null
          error_message = "no"
        }
      }
    }
    resource "test_thing" "b" {
      count = test_entry.a.old == null ? 1 : 2
      name  = test_entry.a.name
    }
    locals { l = test_entry.a.old }
    module "m" {
      source = "./m"
      in     = test_entry.a.former
    })"},
             {"m/main.tf", "variable \"in\" {}\noutput \"out\" { value = var.in }\n"}});
  // The postcondition is evaluated once the object exists.
  EXPECT_EQ(Warnings(), (Strings{"test_entry.a.former", "test_entry.a.old", "test_entry.a.old",
                                 "test_entry.a.old"}));
  Apply();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  // States do not store it.
  EXPECT_EQ(Changes(Plan()), Strings{});
}

TEST_F(DeprecatedPartsTest, SchemaIsSearchedOnce) {
  const schema::Block& entry = script_->schema.resources["test_entry"].block;
  EXPECT_TRUE(meta_arguments::HasDeprecatedParts(entry));
  EXPECT_FALSE(meta_arguments::HasDeprecatedParts(script_->schema.resources["test_thing"].block));
  EXPECT_TRUE(meta_arguments::HasDeprecatedParts(entry, "old"));
  EXPECT_TRUE(meta_arguments::HasDeprecatedParts(entry, "retired"));
  EXPECT_FALSE(meta_arguments::HasDeprecatedParts(entry, "legacy"));
  EXPECT_FALSE(meta_arguments::HasDeprecatedParts(entry, "name"));
}

}  // namespace
}  // namespace kinu::engine
