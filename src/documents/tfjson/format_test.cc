// Format versions of documents, and documents in format 0.1.
#include "tfjson/format.h"

#include <string>

#include <gtest/gtest.h>

#include "json/tree.h"

namespace kinu::tfjson {
namespace {

TEST(Format, VersionsThatAreUnderstood) {
  for (const char* good : {"0.1", "0.2", "1.0", "1.2", "1.9", "1.99.3"}) {
    EXPECT_TRUE(ParseFormatVersion(good)) << good;
  }
  for (const char* other : {"2.0", "3.1", "0.0"}) {
    const auto version = ParseFormatVersion(other);
    ASSERT_FALSE(version) << other;
    EXPECT_EQ(version.error().code, ErrorCode::kUnsupported);
  }
  EXPECT_EQ(ParseFormatVersion("one").error().code, ErrorCode::kInvalid);
  const auto refused = [](const char* text) {
    const auto document = *json::Document::Parse(text);
    const auto version = FormatVersionOf(document->root());
    return version ? std::string() : version.error().message;
  };
  EXPECT_EQ(refused(R"({"format_version":"1.0"})"), "");
  EXPECT_EQ(refused("[]"), "the document is no JSON object but of type array");
  EXPECT_EQ(refused("{}"), "the document has no format_version");
  EXPECT_EQ(refused(R"({"format_version":1})"), "its format_version, 1, is no version");
  EXPECT_EQ(refused(R"({"format_version":"2.0"})"),
            "its format_version is \"2.0\"; versions from 0.1 to below 2.0 are understood");
}

std::string InOldFormat(const char* text) {
  const auto document = *json::Document::Parse(text);
  std::string out;
  const auto written = AppendFormat01(out, document->root());
  return written ? out : written.error().message;
}

TEST(Format, OldPlans) {
  EXPECT_EQ(InOldFormat(R"j({"format_version":"1.2","terraform_version":"1.12.6",
    "variables":{"v":{"value":1.50}},
    "planned_values":{"outputs":{"o":{"sensitive":true}},"root_module":{
     "resources":[{"address":"a.b[0]","mode":"managed","type":"a","name":"b","index":0,
       "provider_name":"registry.opentofu.org/x/a","schema_version":2,
       "values":{"k":1,"list":[1,null],"o":{"x":null}},"sensitive_values":{}}],
     "child_modules":[{"address":"module.m","resources":[{"address":"module.m.a.c","mode":"managed",
       "type":"a","name":"c","provider_name":"registry.opentofu.org/x/a","schema_version":0,
       "values":{}}]}]}},
    "resource_drift":[],
    "resource_changes":[{"address":"a.b[0]","mode":"managed","type":"a","name":"b","index":0,
       "provider_name":"registry.opentofu.org/x/a","change":{"actions":["create"],"before":null,
        "after":{"k":1,"list":[1,null],"o":{"x":null}},
        "after_unknown":{"id":true,"list":[false,true],"o":{"y":true}},"before_sensitive":false,
        "after_sensitive":{"list":[]}},"action_reason":"x"},
      {"address":"a.b[0]","deposed":"01234567","change":{"actions":["delete"],"after":null,
        "after_unknown":{}}}],
    "output_changes":{"o":{"actions":["no-op"],"before":1,"after":1,"after_unknown":true}},
    "prior_state":{"format_version":"1.0","terraform_version":"1.12.6","values":{"root_module":{
      "resources":[{"address":"d.e","deposed_key":"01234567","values":{}}]}}},
    "timestamp":"2020-01-01T00:00:00Z","errored":false})j"),
            R"j({"format_version":"0.1",)j"
            R"j("prior_state":{"format_version":"0.1","values":{"root_module":{"resources":[]}},)j"
            R"j("terraform_version":"1.12.6"},)j"
            R"j("planned_values":{"outputs":{"o":{"sensitive":true}},"root_module":{"resources":[)j"
            R"j({"address":"a.b[0]","mode":"managed","type":"a","name":"b","index":0,)j"
            R"j("provider_name":"a","schema_version":2,)j"
            R"j("values":{"k":1,"list":[1,null],"o":{"x":null}}}],)j"
            R"j("child_modules":[{"address":"module.m","resources":[{"address":"module.m.a.c",)j"
            R"j("mode":"managed","type":"a","name":"c","provider_name":"a","schema_version":0,)j"
            R"j("values":{}}]}]}},)j"
            R"j("proposed_unknown":{"outputs":{"o":{"value":true,"sensitive":true}},)j"
            R"j("root_module":{"resources":[{"address":"a.b[0]","mode":"managed","type":"a",)j"
            R"j("name":"b","index":0,"provider_name":"a","schema_version":2,"values":{"id":true,)j"
            R"j("k":false,"list":[false,true],"o":{"x":false,"y":true}}}],)j"
            R"j("child_modules":[{"address":"module.m","resources":[{"address":"module.m.a.c",)j"
            R"j("mode":"managed","type":"a","name":"c","provider_name":"a","schema_version":0,)j"
            R"j("values":{}}]}]}},)j"
            R"j("variables":{"v":{"value":1.50}},)j"
            R"j("resource_changes":[{"address":"a.b[0]","mode":"managed","type":"a","name":"b",)j"
            R"j("index":0,"change":{"actions":["create"],"before":null,)j"
            R"j("after":{"k":1,"list":[1,null],"o":{"x":null}}}},)j"
            R"j({"address":"a.b[0]","deposed":"01234567",)j"
            R"j("change":{"actions":["delete"],"after":null}}],)j"
            R"j("output_changes":{"o":{"change":{"actions":["update"],"before":1,"after":1}}}})j");
  EXPECT_EQ(InOldFormat(R"({"format_version":"1.2","resource_changes":[{"address":"a.b",
      "change":{"actions":["forget"]}}]})"),
            "a.b is to be forgotten; format 0.1 knows no-op, create, read, update, delete and "
            "replacements alone");
  EXPECT_EQ(InOldFormat(R"({"format_version":"0.1"})"),
            "only documents of format 1 can be written in format 0.1");
}

TEST(Format, OldConfigurations) {
  EXPECT_EQ(
      InOldFormat(R"j({"format_version":"1.2","resource_changes":[],"configuration":{
    "provider_config":{"a.x":{"name":"a","full_name":"f","alias":"x","version_constraint":"1",
      "module_address":"module.m","expressions":{"k":{"constant_value":1}}}},
    "root_module":{"outputs":{"o":{"expression":{"references":["a.b"]},"description":"d"},
      "p":{"sensitive":true,"expression":{}}},
     "resources":[{"address":"a.b","mode":"managed","type":"a","name":"b",
      "provider_config_key":"a","schema_version":0,"count_expression":{"constant_value":2},
      "depends_on":["c.d"]},{"address":"ephemeral.a.b","mode":"ephemeral"}],
     "module_calls":{"m":{"source":"./x/../m/","module":{"resources":[{"address":"data.a.c",
      "mode":"data"}],"module_calls":{"n":{"source":"./.","module":{"resources":[
      {"address":"a.d","mode":"managed"}]}},"r":{"source":"../r"},"g":{"source":"git::x/./y"}}}}},
     "variables":{"v":{}}}}})j"),
      R"j({"format_version":"0.1","config":{"provider_configs":{"a.x":{"name":"a",)j"
      R"j("alias":"x","module_address":"module.m","expressions":{"k":{"constant_value":1}}}},)j"
      R"j("root_module":{"outputs":{"o":{"expression":{"references":["a.b"]},)j"
      R"j("sensitive":false},"p":{"expression":{},"sensitive":true}},)j"
      R"j("resources":[{"address":"a.b","mode":"managed","type":"a","name":"b",)j"
      R"j("provider_config_key":"a","schema_version":0,)j"
      R"j("count_expression":{"constant_value":2}}],)j"
      R"j("module_calls":{"m":{"resolved_source":"./m","module":{"resources":[)j"
      R"j({"address":"module.m.data.a.c","mode":"data"}],"module_calls":{)j"
      R"j("n":{"resolved_source":"./","module":{"resources":[)j"
      R"j({"address":"module.m.module.n.a.d","mode":"managed"}]}},)j"
      R"j("r":{"resolved_source":"../r"},"g":{"resolved_source":"git::x/./y"}}}}}}},)j"
      R"j("resource_changes":[]})j");
}

TEST(Format, OldStates) {
  EXPECT_EQ(InOldFormat(R"({"format_version":"1.0","terraform_version":"1.12.6","values":{
    "outputs":{"o":{"sensitive":false,"value":[1],"type":["list","number"]}},"root_module":{}}})"),
            R"({"format_version":"0.1","values":{"outputs":{"o":{"value":[1],"sensitive":false}},)"
            R"("root_module":{}},"terraform_version":"1.12.6"})");
  EXPECT_EQ(InOldFormat(R"({"format_version":"1.0"})"),
            R"({"format_version":"0.1","values":{"root_module":{}}})");
}

}  // namespace
}  // namespace kinu::tfjson
