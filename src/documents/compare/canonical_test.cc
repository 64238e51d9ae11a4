#include "compare/canonical.h"

#include <gtest/gtest.h>

namespace kinu::compare {
namespace {

std::string Canonical(const std::string& text) {
  std::string out;
  const auto document = json::Document::Parse(text);
  const auto written = AppendCanonical(out, (*document)->root());
  return written ? out : written.error().message;
}

std::string Fingerprint(const std::string& text) {
  std::string out;
  const auto document = json::Document::Parse(text);
  const auto written = AppendFingerprint(out, (*document)->root());
  return written ? out : written.error().message;
}

TEST(Canonical, Numbers) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},
      {"-0.0e5", "0"},
      {"1.0", "1"},
      {"100", "100"},
      {"1e2", "100"},
      {"1.50", "1.5"},
      {"-12.5E-1", "-1.25"},
      {"0.000001", "0.000001"},
      {"0.0000001", "1e-7"},
      {"123456789012345678901", "123456789012345678901"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"1234567890123456789012.5", "1.2345678901234567890125e+21"},
      {"15e-10", "1.5e-9"},
      {"1e99999999999999999999", "1e99999999999999999999"},
  };
  for (const auto& [given, wanted] : cases) {
    EXPECT_EQ(CanonicalNumber(given), wanted) << given;
  }
}

TEST(Canonical, Documents) {
  EXPECT_EQ(Canonical(R"({"values":{"root_module":{"resources":[
              {"address":"a[10]","values":{"timestamp":[{"address":"z"},{"address":"y"}],"b":1.0}},
              {"address":"a[9]","deposed_key":"k"},{"address":"a[9]"}]}},
              "format_version":"1.0","terraform_version":"1.0.0","a\u0062":"\u0041\n"})"),
            R"({"ab":"A\n","values":{"root_module":{"resources":[{"address":"a[9]"},)"
            R"({"address":"a[9]","deposed_key":"k"},{"address":"a[10]","values":)"
            R"({"b":1,"timestamp":[{"address":"z"},{"address":"y"}]}}]}}})");
  EXPECT_EQ(Canonical("[]"), "the document is neither a plan nor a state");
}

TEST(Canonical, LeavesSourcePositionsOut) {
  const std::string position = R"("position":{"filename":"a.tf","start":{"line":1}})";
  EXPECT_EQ(Canonical(R"({"planned_values":{},"resource_changes":[{"address":"a.b",)" + position +
                      R"(}],"configuration":{"root_module":{"resources":[{"expressions":)"
                      R"({"position":{"filename":{"references":["p"],)" +
                      position + R"(},"start":{}}}}]}}})"),
            R"({"configuration":{"root_module":{"resources":[{"expressions":{"position":)"
            R"({"filename":{"references":["p"]},"start":{}}}}]}},"planned_values":{},)"
            R"("resource_changes":[{"address":"a.b"}]})");
  EXPECT_EQ(Canonical(R"({"planned_values":{},"checks":[{"conditions":[{)" + position +
                      R"(}],"status":"pass"}],"configuration":{"root_module":{"checks":{"c":{)" +
                      position + R"(}},"moved":[{)" + position + R"(}],"removed":[{)" + position +
                      R"(}],"imports":[{)" + position +
                      R"(}],"resources":[{"expressions":{"moved":[{"a":{)" + position +
                      R"(}}],"conditions":{},"checks":{"a":[]}}}]}}})"),
            R"({"checks":[{"status":"pass"}],"configuration":{"root_module":{"resources":[)"
            R"({"expressions":{"checks":{"a":[]},"conditions":{},"moved":[{"a":{}}]}}]}},)"
            R"("planned_values":{}})");
  const std::string change = R"("change":{"actions":["create"],"after":{"position":1}})";
  EXPECT_EQ(
      Fingerprint(R"({"planned_values":{},"resource_changes":[{"address":"a.b",)" + change + "}]}"),
      Fingerprint(R"({"planned_values":{},"resource_changes":[{"address":"a.b",)" + change + "," +
                  position + "}]}"));
}

TEST(Canonical, ElementsAreInTheOrderOfTheirAddresses) {
  EXPECT_EQ(Canonical(R"({"planned_values":{},"resource_changes":[
              {"address":"terraform_data.of_a_long_name[10]"},
              {"address":"terraform_data.of_a_long_name[9]","deposed":"00000000000000000002"},
              {"address":"terraform_data.of_a_long_name[9]","deposed":"00000000000000000001"},
              {"address":"module.\u0061_module_of_a_long_name.t.a"}]})"),
            R"({"planned_values":{},"resource_changes":[)"
            R"({"address":"module.a_module_of_a_long_name.t.a"},)"
            R"({"address":"terraform_data.of_a_long_name[9]","deposed":"00000000000000000001"},)"
            R"({"address":"terraform_data.of_a_long_name[9]","deposed":"00000000000000000002"},)"
            R"({"address":"terraform_data.of_a_long_name[10]"}]})");
}

TEST(Canonical, FingerprintIsOfWhatAPlanDoes) {
  const std::string create = R"({"address":"a.b","change":{"actions":["create"],"after":{"n":1}}})";
  const std::string plan = Fingerprint(R"({"timestamp":"1","resource_changes":[)" + create +
                                       R"(],"output_changes":{"o":{"actions":["no-op"]}}})");
  EXPECT_EQ(plan.size(), 64U);
  EXPECT_EQ(Fingerprint(R"({"prior_state":{"x":1},"timestamp":"2","resource_changes":[
              {"address":"a.a","change":{"actions":["no-op"]}},
              {"change":{"after":{"n":1.0},"actions":["create"]},"address":"a.b"}]})"),
            plan);
  EXPECT_NE(Fingerprint(R"({"resource_changes":[]})"), plan);
  EXPECT_NE(Fingerprint(R"({"resource_changes":[)" + create +
                        R"(,{"address":"a.a","previous_address":"a.c",
                            "change":{"actions":["no-op"]}}]})"),
            plan);
  EXPECT_EQ(Fingerprint(R"({"values":{}})"), "only plans have a fingerprint");
}

}  // namespace
}  // namespace kinu::compare
