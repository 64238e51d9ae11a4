#include "state/upgrade.h"

#include <gtest/gtest.h>

#include "state/state.h"

namespace kinu::state {
namespace {

/// Reads a state and writes it as version 4, on one line.
std::string Rewrite(const std::string& text) {
  auto state = ReadState(std::make_shared<Program>(), text);
  if (!state) {
    return "error: " + state.error().message;
  }
  std::string out = WriteState(*state, Layout::kCompact);
  return out.substr(0, out.size() - 1);
}

// OpenTofu 1.12.6 wrote the expected texts.
TEST(UpgradeState, Version3) {
  EXPECT_EQ(
      Rewrite(R"({"version": 3, "terraform_version": "0.11.14", "serial": 4, "lineage": "3f5e",
 "modules": [
  {"path": ["root"], "outputs": {
     "a": {"sensitive": false, "type": "string", "value": "x"},
     "l": {"sensitive": true, "type": "list", "value": ["a", "b"]},
     "m": {"type": "map", "value": {"a": "b"}}, "e": {"type": "list", "value": []}},
   "resources": {
    "null_resource.a.0": {"type": "null_resource", "depends_on": ["null_resource.b"],
      "primary": {"id": "11", "attributes": {"id": "11", "triggers.%": "1", "triggers.k": "v"},
        "meta": {"schema_version": "0", "timeouts": {"create": 600000000000}}, "tainted": false},
      "deposed": [], "provider": "provider.null"},
    "null_resource.a.1": {"type": "null_resource",
      "primary": {"id": "12", "attributes": {"id": "12"}, "meta": {}, "tainted": true},
      "deposed": [{"id": "13", "attributes": {"id": "13"}, "meta": {}}],
      "provider": "provider.null"},
    "data.null_data_source.d": {"type": "null_data_source",
      "primary": {"id": "static", "attributes": {"id": "static", "has": "default"}},
      "provider": "provider.null.west"}}},
  {"path": ["root", "child"], "outputs": {"z": {"type": "string", "value": "no"}},
   "resources": {"null_resource.c": {"type": "null_resource",
     "primary": {"id": "14", "attributes": {"id": "14"}}, "provider": ""}}}]})"),
      R"({"version":4,"terraform_version":"1.12.6","serial":4,"lineage":"3f5e","outputs":{)"
      R"("a":{"value":"x","type":"string"},"e":{"value":[],"type":["tuple",[]]},)"
      R"("l":{"value":["a","b"],"type":["list","string"],"sensitive":true},)"
      R"("m":{"value":{"a":"b"},"type":["map","string"]}},"resources":[)"
      R"({"mode":"data","type":"null_data_source","name":"d",)"
      R"("provider":"provider[\"registry.opentofu.org/-/null\"].west","instances":[)"
      R"({"schema_version":0,"attributes_flat":{"has":"default","id":"static"},)"
      R"("sensitive_attributes":[]}]},)"
      R"({"mode":"managed","type":"null_resource","name":"a",)"
      R"("provider":"provider[\"registry.opentofu.org/-/null\"]","instances":[)"
      R"({"index_key":0,"schema_version":0,"attributes_flat":{"id":"11","triggers.%":"1",)"
      R"("triggers.k":"v"},"sensitive_attributes":[],)"
      R"("private":"eyJ0aW1lb3V0cyI6eyJjcmVhdGUiOjYwMDAwMDAwMDAwMH19"},)"
      R"({"index_key":1,"status":"tainted","schema_version":0,"attributes_flat":{"id":"12"},)"
      R"("sensitive_attributes":[]},{"index_key":1,"deposed":"00000001","schema_version":0,)"
      R"("attributes_flat":{"id":"13"},"sensitive_attributes":[]}]},)"
      R"({"module":"module.child","mode":"managed","type":"null_resource","name":"c",)"
      R"("provider":"module.child.provider[\"registry.opentofu.org/-/null\"]","instances":[)"
      R"({"schema_version":0,"attributes_flat":{"id":"14"},"sensitive_attributes":[]}]}],)"
      R"("check_results":null})");
}

TEST(UpgradeState, Version1CountsMapsAsLists) {
  EXPECT_EQ(
      Rewrite(R"({"version": 1, "serial": 2, "modules": [{"path": ["root"], "outputs": {"a": "1"},
        "resources": {"null_resource.x": {"type": "null_resource", "primary": {"id": "1",
          "attributes": {"id": "1", "triggers.#": "1", "triggers.key": "v", "list.#": "1",
            "list.0": "q", "empty.#": "0"},
          "meta": {"schema_version": "2"}}}}}]})"),
      R"({"version":4,"terraform_version":"1.12.6","serial":2,"lineage":"","outputs":{)"
      R"("a":{"value":"1","type":"string"}},"resources":[{"mode":"managed",)"
      R"("type":"null_resource","name":"x",)"
      R"("provider":"provider[\"registry.opentofu.org/-/null\"]","instances":[)"
      R"({"schema_version":2,"attributes_flat":{"id":"1","list.#":"1","list.0":"q",)"
      R"("triggers.%":"1","triggers.key":"v"},"sensitive_attributes":[]}]}],)"
      R"("check_results":null})");
}

TEST(UpgradeState, WhatMakesNoSenseIsRefused) {
  struct Row {
    std::string state;
    std::string problem;
  };
  const Row rows[] = {
      {R"({"version":3,"serial":-1})", "serial less than zero"},
      {R"({"version":3,"modules":[{"path":["top"]}]})", "invalid module path"},
      {R"({"version":2,"modules":[{"path":["root"],"resources":{"a":{}}}]})",
       "invalid internal resource address format: a"},
      {R"({"version":2,"modules":[{"path":["root"],"resources":{"a.b.c":{}}}]})",
       "not a whole number"},
  };
  for (const Row& row : rows) {
    EXPECT_NE(Rewrite(row.state).find(row.problem), std::string::npos)
        << row.state << ": " << Rewrite(row.state);
  }
}

}  // namespace
}  // namespace kinu::state
