#include "json/expected.h"

#include <string>

#include <gtest/gtest.h>

namespace kinu::json {
namespace {

extern const Expected kRecord;
constexpr Expected::Member kRecordMembers[] = {{"Key", &kExpectedText},
                                               {"n", &kExpectedInt},
                                               {"u", &kExpectedUint64},
                                               {"r", &kExpectedAny},
                                               {"p", &kRecord}};
constexpr Expected kRecord{
    .type = Expected::Type::kObject, .name = "main.Record", .members = kRecordMembers};
constexpr Expected kRecords{
    .type = Expected::Type::kList, .name = "[]main.Record", .element = &kRecord};
constexpr Expected::Member kFileMembers[] = {{"Modules", &kRecords}};
constexpr Expected kFile{
    .type = Expected::Type::kObject, .name = "main.F", .members = kFileMembers};

struct Mismatched {
  const char* text;
  const char* mismatch;  // without "json: cannot unmarshal "
};

// Each answer was given by Go's encoding/json.
constexpr Mismatched kMismatched[] = {
    {"[]", "array into Go value of type main.F"},
    {"1", "number into Go value of type main.F"},
    {R"("x")", "string into Go value of type main.F"},
    {"true", "bool into Go value of type main.F"},
    {R"({"Modules":1})", "number into Go struct field F.Modules of type []main.Record"},
    {R"({"modules":{}})", "object into Go struct field F.Modules of type []main.Record"},
    {R"({"MODULES":[1]})", "number into Go struct field F.Modules of type main.Record"},
    {R"({"Modules":[[]]})", "array into Go struct field F.Modules of type main.Record"},
    {R"({"Modules":[{"Key":1}]})", "number into Go struct field Record.Modules.Key of type string"},
    {R"({"Modules":[{"Key":true,"n":"x"}]})",
     "bool into Go struct field Record.Modules.Key of type string"},
    {R"({"Modules":[{"n":1.5}]})", "number 1.5 into Go struct field Record.Modules.n of type int"},
    {R"({"Modules":[{"n":1e2}]})", "number 1e2 into Go struct field Record.Modules.n of type int"},
    {R"({"Modules":[{"n":9223372036854775808}]})",
     "number 9223372036854775808 into Go struct field Record.Modules.n of type int"},
    {R"({"Modules":[{"u":-1}]})", "number -1 into Go struct field Record.Modules.u of type uint64"},
    {R"({"Modules":[{"p":{"Key":1}}]})",
     "number into Go struct field Record.Modules.p.Key of type string"},
    {R"({"Modules":[{"p":1}]})",
     "number into Go struct field Record.Modules.p of type main.Record"},
    {R"({"Modules":[{"Key":[]},{"n":"x"}]})",
     "array into Go struct field Record.Modules.Key of type string"},
};

TEST(Expected, SaysWhatDoesNotFit) {
  for (const Mismatched& row : kMismatched) {
    const std::string text = row.text;
    const JsonDocument document = ParseJson(text);
    ASSERT_TRUE(document.ok()) << text;
    EXPECT_EQ(Mismatch(document.root(), kFile),
              std::string("json: cannot unmarshal ") + row.mismatch)
        << text;
  }
}

TEST(Expected, TakesNullsAndWhatIsNotListed) {
  for (const std::string text :
       {"null", "{}", R"({"Modules":null})", R"({"Modules":[null]})", R"({"x":[1]})",
        R"({"Modules":[{"r":{"a":1}}]})", R"({"Modules":[{"n":-0,"u":18446744073709551615}]})"}) {
    const JsonDocument document = ParseJson(text);
    EXPECT_EQ(Mismatch(document.root(), kFile), "") << text;
  }
}

TEST(Expected, FindsTheLastNameInAnyCase) {
  const std::string text = R"({"key":1,"KEY":2,"keys":3})";
  const JsonDocument document = ParseJson(text);
  const JsonNode* found = FindInAnyCase(document.root(), "Key");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->text(), "2");
  EXPECT_EQ(FindInAnyCase(document.root(), "none"), nullptr);
}

}  // namespace
}  // namespace kinu::json
