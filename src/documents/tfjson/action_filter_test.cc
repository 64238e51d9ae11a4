// The changes of a plan that -actions=LIST shows.
#include "tfjson/action_filter.h"

#include <gtest/gtest.h>

namespace kinu::tfjson {
namespace {

constexpr const char* kPlan = R"({"format_version":"1.2","planned_values":{},"resource_changes":[
{"address":"a","change":{"actions":["create"]}},
{"address":"b","change":{"actions":["delete","create"]}},
{"address":"c","change":{"actions":["no-op"],"importing":{"id":"x"}}},
{"address":"d","previous_address":"e","change":{"actions":["no-op"]}},
{"address":"f","change":{"actions":["forget","create"]}},
{"address":"g","change":{"actions":["read"]},"action_reason":"read_because_check_nested"},
{"address":"h"}],
"output_changes":{"x":{"actions":["create"]},"y":{"actions":["delete"]}},
"checks":[{"address":{"kind":"check"},"status":"STATUS"},{"address":{"kind":"resource"},"status":"fail"}]})";

/// The names of the changes, outputs and checks that are shown.
std::string Shown(std::string_view actions, const std::string& status = "pass") {
  std::string text = kPlan;
  text.replace(text.find("STATUS"), 6, status);
  const auto plan = *json::Document::Parse(std::move(text));
  std::string filtered;
  EXPECT_TRUE(AppendFiltered(filtered, plan->root(), *ActionFilter::Parse(actions)));
  const auto document = *json::Document::Parse(filtered);
  EXPECT_TRUE(document->root().Find("format_version").Is("1.2"));
  std::string out;
  for (const json::Node change : document->root().Find("resource_changes").elements()) {
    out += change.Find("address").String();
  }
  for (const json::Member output : document->root().Find("output_changes").members()) {
    out += output.name.String();
  }
  return out + std::to_string(document->root().Find("checks").size());
}

TEST(ActionFilter, ShowsChangesOutputsAndChecks) {
  EXPECT_EQ(Shown("create"), "ax1");
  EXPECT_EQ(Shown("delete,replace"), "bfy1");
  EXPECT_EQ(Shown("forget"), "f1");
  EXPECT_EQ(Shown("import,move"), "cd1");
  EXPECT_EQ(Shown("read"), "1");
  EXPECT_EQ(Shown("read", "unknown"), "g2");
}

TEST(ActionFilter, RefusesOtherWordsAndDocuments) {
  EXPECT_EQ(ActionFilter::Parse("delete,destroy").error().message,
            "\"destroy\" is no action; there are create, read, update, delete, replace, forget, "
            "no-op, import, move");
  EXPECT_FALSE(ActionFilter::Parse(""));
  EXPECT_FALSE(ActionFilter::Parse("delete,"));
  std::string out;
  const auto state = *json::Document::Parse(R"({"format_version":"1.0","values":{}})");
  EXPECT_FALSE(AppendFiltered(out, state->root(), *ActionFilter::Parse("delete")));
}

}  // namespace
}  // namespace kinu::tfjson
