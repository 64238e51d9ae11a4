#include "table/table.h"

#include <gtest/gtest.h>

#include "table/reader.h"
#include "table/writer.h"

namespace kinu::table {
namespace {

/// What a table of a document is in a format.
std::string Written(const FormatSpec& format, std::string_view table, std::string text,
                    bool show_sensitive = false) {
  const TableSpec& spec = *FindTable(table);
  std::string out;
  const auto writer = format.open(spec.columns, [&](std::string_view piece) {
    out += piece;
    return true;
  });
  TableReader reader(
      spec, {.show_sensitive = show_sensitive}, [&](Batch&& batch) { return writer->Add(batch); },
      [&](std::string_view source, std::string_view problem) {
        out += std::string(source) + ": " + std::string(problem);
      });
  reader.Add("f", std::move(text));
  reader.Finish();
  writer->Finish();
  return out;
}

std::string Csv(std::string_view table, std::string text, bool show_sensitive = false) {
  std::string out = Written(kCsv, table, std::move(text), show_sensitive);
  return out.substr(out.find('\n') + 1);
}

constexpr const char* kStateFile = R"({
  "version": 4, "terraform_version": "1.12.6", "serial": 7, "lineage": "l",
  "outputs": {"o": {"value": "hunter-two", "type": "string", "sensitive": true},
              "n": {"value": 0.1, "type": "number"}},
  "resources": [
    {"module": "module.m[\"a b\"]", "mode": "managed", "type": "t", "name": "n",
     "provider": "module.m.provider[\"h/n/t\"].east",
     "instances": [{"index_key": "k\"", "status": "tainted", "schema_version": 2,
       "attributes": {"id": "i", "password": "hunter-two", "copy": "is hunter-two",
                      "tags": {"a b": "x"}, "ports": [1, 2.50], "big": 123456789012345678901,
                      "none": null, "flag": true, "empty": []},
       "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
       "dependencies": ["t.other"]}]},
    {"mode": "data", "type": "t", "name": "d", "provider": "provider[\"h/n/t\"]",
     "instances": [{"schema_version": 0, "deposed": "0011", "attributes": {"id": "i"}}]}],
  "check_results": [{"object_kind": "check", "config_addr": "check.c", "status": "fail",
    "objects": [{"object_addr": "check.c", "status": "fail",
                 "failure_messages": ["no", "not hunter-two"]}]}]})";

TEST(Table, ResourcesOfAStateFile) {
  EXPECT_EQ(
      Csv("resources", kStateFile),
      "f,l,7,1.12.6,\"module.m[\"\"a b\"\"].t.n[\"\"k\\\"\"\"\"]\",\"module.m[\"\"a "
      "b\"\"]\",managed,t,n,"
      "\"\"\"k\\\"\"\"\"\",h/n/"
      "t,2,true,,i,\"{\"\"id\"\":\"\"i\"\",\"\"password\"\":null,\"\"copy\"\":null,"
      "\"\"tags\"\":{\"\"a "
      "b\"\":\"\"x\"\"},\"\"ports\"\":[1,2.50],\"\"big\"\":123456789012345678901,"
      "\"\"none\"\":null,\"\"flag\"\":true,\"\"empty\"\":[]}\",true,\"[\"\"t.other\"\"]\"\n"
      "f,l,7,1.12.6,data.t.d,,data,t,d,,h/n/t,0,false,0011,i,\"{\"\"id\"\":\"\"i\"\"}\",false,\n");
}

TEST(Table, AStateFileMayHaveNoResources) {
  for (const TableSpec& table : Tables()) {
    EXPECT_EQ(Csv(table.name, R"({"version":4,"modules":[]})"), "") << table.name;
    EXPECT_EQ(Csv(table.name, R"({"version":4,"resources":null})"), "") << table.name;
  }
}

// A resource may have attributes of these names; in state files paths say what is sensitive.
TEST(Table, AttributesOfAStateFileAreNoMasks) {
  const std::string rows = Csv("attributes", R"({"version": 4, "outputs": {}, "resources": [
      {"mode": "managed", "type": "t", "name": "n", "provider": "p", "instances": [
        {"attributes": {"sensitive": true, "value": "plain-text"}}]}]})");
  EXPECT_NE(rows.find(",value,string,plain-text,"), std::string::npos) << rows;
}

TEST(Table, AttributesAreLeavesWithTheirTypes) {
  const std::string rows = Csv("attributes", kStateFile);
  for (const char* row :
       {",password,string,,,,,true,false\n",  // null, with a flag
        ",copy,string,,,,,true,false\n",      // a text that contains a sensitive one
        ",\"tags[\"\"a b\"\"]\",string,x,,,,false,false\n",
        ",ports[0],number,1,1,,true,false,false\n", ",ports[1],number,2.50,2.5,,true,false,false\n",
        ",big,number,123456789012345678901,,,false,false,false\n",  // no double has it
        ",none,null,,,,,false,false\n", ",flag,boolean,true,,true,,false,false\n",
        ",empty,array,[],,,,false,false\n"}) {
    EXPECT_NE(rows.find(row), std::string::npos) << row << rows;
  }
  EXPECT_NE(Csv("attributes", kStateFile, true).find(",password,string,hunter-two,,,,true,false\n"),
            std::string::npos);
}

TEST(Table, OutputsChecksModulesAndProvidersOfAStateFile) {
  EXPECT_EQ(Csv("outputs", kStateFile),
            "f,l,7,1.12.6,o,\"\"\"string\"\"\",,,,true,false\n"
            "f,l,7,1.12.6,n,\"\"\"number\"\"\",0.1,,,false,false\n");
  EXPECT_EQ(Csv("checks", kStateFile),
            "f,l,7,1.12.6,check,check.c,fail,check.c,fail,no\n"
            "f,l,7,1.12.6,check,check.c,fail,check.c,fail,\n");
  EXPECT_EQ(Csv("modules", kStateFile),
            "f,l,7,1.12.6,,,,1\nf,l,7,1.12.6,\"module.m[\"\"a b\"\"]\",,,1\n");
  EXPECT_EQ(Csv("providers", kStateFile), "f,l,7,1.12.6,h/n/t,,,,,2\n");
}

TEST(Table, ValuesOfAStateFileStandWithoutTheirTypes) {
  const char* text = R"({"version": 4, "outputs": {}, "resources": [
    {"mode": "managed", "type": "terraform_data", "name": "d", "provider": "p", "instances": [
      {"attributes": {"input": {"value": {"v": "secret", "w": 1}, "type": ["object", {"v": "string"}]},
                      "record": {"type": "A", "value": "x"}},
       "sensitive_attributes": [[{"type": "get_attr", "value": "input"},
                                 {"type": "get_attr", "value": "v"}]]}]}]})";
  EXPECT_EQ(Csv("attributes", text),
            "f,,,,terraform_data.d,,state,input.v,string,,,,,true,false\n"
            "f,,,,terraform_data.d,,state,input.w,number,1,1,,true,false,false\n"
            "f,,,,terraform_data.d,,state,record.type,string,A,,,,false,false\n"
            "f,,,,terraform_data.d,,state,record.value,string,x,,,,false,false\n");
}

TEST(Table, JsonOfValuesHasNothingSensitive) {
  const char* text = R"({"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n",
    "provider": "p", "instances": [{"attributes": {
      "pin": "4711", "a": {"list": [ "4711", 4711, "x4711" ]}, "long one": "hunter-two",
      "hunter-two": ["is hunter-two", {"hunter-two!": "ok"}], "whole": {"x": "y", "z": [1]},
      "wrapped": {"value": {"value": "x", "type": "string"}, "type": ["object", {}]},
      "hidden": {"value": {"k": "hunter-two"}, "type": ["object", {}]}, "tail": [true, 1.50, null]},
    "sensitive_attributes": [[{"type": "get_attr", "value": "pin"}],
      [{"type": "get_attr", "value": "long one"}], [{"type": "get_attr", "value": "whole"}]]}]}]})";
  const std::string row = Written(kJsonLines, "resources", text);
  EXPECT_NE(row.find(R"("values":"{\"pin\":null,\"a\":{\"list\":[null,4711,\"x4711\"]},)"
                     R"(\"long one\":null,\"hunter-two\":[null,{\"hunter-two!\":\"ok\"}],)"
                     R"(\"whole\":null,\"wrapped\":{\"value\":\"x\",\"type\":\"string\"},)"
                     R"(\"hidden\":{\"k\":null},\"tail\":[true,1.50,null]}")"),
            std::string::npos)
      << row;
}

TEST(Table, SensitivePathsLeadIntoValuesWhoseTypeStandsInFront) {
  const char* text = R"({"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n",
    "provider": "p", "instances": [{"attributes": {
      "d": {"type": ["object", {"p": "string"}], "value": {"p": "hidden-value", "q": "open"}}},
    "sensitive_attributes": [[{"type": "get_attr", "value": "d"},
                              {"type": "get_attr", "value": "p"}]]}]}]})";
  for (const char* table : {"resources", "attributes"}) {
    const std::string rows = Written(kJsonLines, table, text);
    EXPECT_EQ(rows.find("hidden-value"), std::string::npos) << rows;
    EXPECT_NE(rows.find("open"), std::string::npos) << rows;
  }
}

TEST(Table, SensitivePathsAreFollowedOnceIntoEachValue) {
  // Each object may be a value with its type beside it, so that each step may be left out.
  constexpr int kDepth = 60;  // two ways at each step would not end
  std::string value = "\"hidden-value\"";
  std::string path = R"({"type": "get_attr", "value": "d"})";
  for (int i = 0; i < kDepth; ++i) {
    value = R"({"value": )" + value + R"(, "x": 1})";
    path += R"(, {"type": "get_attr", "value": "value"})";
  }
  const std::string text = R"({"version": 4, "resources": [{"mode": "managed", "type": "t",
    "name": "n", "provider": "p", "instances": [{"attributes": {"d": )" +
                           value + R"(}, "sensitive_attributes": [[)" + path + "]]}]}]}";
  for (const char* table : {"resources", "attributes"}) {
    const std::string rows = Written(kJsonLines, table, text.c_str());
    EXPECT_EQ(rows.find("hidden-value"), std::string::npos) << rows;
  }
}

TEST(Table, NamesOfSensitiveAttributesMayBeWrittenWithEscapes) {
  const char* text = R"({"version": 4, "resources": [{"mode": "managed", "type": "t", "name": "n",
    "provider": "p", "instances": [{"attributes": {"p\u0061ss": "x", "word": "y", "p\\ss": "z"},
    "sensitive_attributes": [[{"type": "get_attr", "value": "pass"}],
                             [{"type": "get_attr", "value": "wor\u0064"}]]}]}]})";
  EXPECT_EQ(Csv("attributes", text),
            "f,,,,t.n,,state,pass,string,,,,,true,false\n"
            "f,,,,t.n,,state,word,string,,,,,true,false\n"
            "f,,,,t.n,,state,\"[\"\"p\\\\ss\"\"]\",string,z,,,,false,false\n");
}

constexpr const char* kPlan = R"({
  "format_version": "1.2", "terraform_version": "1.12.6",
  "resource_drift": [{"address": "t.a", "mode": "managed", "type": "t", "name": "a",
    "provider_name": "h/n/t", "change": {"actions": ["update"], "before": {"v": 1}, "after": {"v": 2}}}],
  "resource_changes": [{"address": "t.a", "mode": "managed", "type": "t", "name": "a", "index": 3,
    "provider_name": "h/n/t", "action_reason": "replace_because_tainted",
    "change": {"actions": ["delete", "create"], "before": {"v": "old"}, "after": {"v": "secret-text"},
               "after_unknown": {"id": true}, "after_sensitive": {"v": true},
               "replace_paths": [["v"]], "importing": {"id": "x"}}}],
  "output_changes": {"o": {"actions": ["create"], "before": null, "after": 1, "after_unknown": false}},
  "configuration": {
    "provider_config": {"t.east": {"name": "t", "full_name": "h/n/t", "alias": "east",
      "version_constraint": "~> 1", "expressions": {"region": {"references": ["var.r"]}}}},
    "root_module": {
      "resources": [{"address": "t.a", "expressions": {"v": {"references": ["var.v", "var"]},
        "block": [{"w": {"references": ["local.w"]}}]}, "for_each_expression": {"references": ["var.f"]},
        "depends_on": ["t.z"]}],
      "outputs": {"o": {"expression": {"references": ["t.a"]}}},
      "module_calls": {"m": {"source": "./m", "expressions": {"x": {"references": ["t.a.id"]}},
        "module": {"resources": []}}}}}})";

TEST(Table, RowsOfAPlan) {
  EXPECT_EQ(
      Csv("changes", kPlan),
      "f,,,1.12.6,t.a,,,managed,t,a,,h/n/t,,true,update,\"[\"\"update\"\"]\",,,"
      "\"{\"\"v\"\":1}\",\"{\"\"v\"\":2}\",,\n"
      "f,,,1.12.6,t.a,,,managed,t,a,3,h/n/t,,false,replace,\"[\"\"delete\"\",\"\"create\"\"]\","
      "replace_because_tainted,x,\"{\"\"v\"\":\"\"old\"\"}\",\"{\"\"v\"\":null}\","
      "\"{\"\"id\"\":true}\",\"[[\"\"v\"\"]]\"\n");
  EXPECT_EQ(Csv("attributes", kPlan),
            "f,,,1.12.6,t.a,,before,v,string,old,,,,false,false\n"
            "f,,,1.12.6,t.a,,after,v,string,,,,,true,false\n"
            "f,,,1.12.6,t.a,,after,id,,,,,,false,true\n");
  EXPECT_EQ(Csv("outputs", kPlan), "f,,,1.12.6,o,,1,,create,false,false\n");
  EXPECT_EQ(Csv("providers", kPlan), "f,,,1.12.6,h/n/t,t,east,~> 1,,\n");
  EXPECT_EQ(Csv("modules", kPlan), "f,,,1.12.6,,,,1\nf,,,1.12.6,module.m,./m,,0\n");
  EXPECT_EQ(Csv("references", kPlan),
            "f,,,1.12.6,,t.a,v,var.v\nf,,,1.12.6,,t.a,v,var\nf,,,1.12.6,,t.a,block[0].w,local.w\n"
            "f,,,1.12.6,,t.a,for_each,var.f\nf,,,1.12.6,,t.a,depends_on,t.z\n"
            "f,,,1.12.6,,output.o,value,t.a\nf,,,1.12.6,,module.m,x,t.a.id\n"
            "f,,,1.12.6,,provider.t.east,region,var.r\n");
}

TEST(Table, AnEmptyTextIsNotNull) {
  EXPECT_EQ(
      Written(kJsonLines, "outputs",
              R"({"version":4,"resources":[],"outputs":{"":{"value":"","type":"string"}}})"),
      "{\"source\":\"f\",\"lineage\":null,\"serial\":null,\"terraform_version\":null,\"name\":\"\","
      "\"value_type\":\"\\\"string\\\"\",\"value\":\"\\\"\\\"\",\"before\":null,\"action\":null,"
      "\"sensitive\":false,\"unknown\":false}\n");
}

TEST(Table, WhatCannotBeReadIsARowOfProblems) {
  EXPECT_EQ(Csv("problems", "{"), "f,invalid JSON at byte 1: the text ends too early\n");
  EXPECT_EQ(Csv("problems", R"({"version": 3, "serial": 1, "modules": []})"),
            "f,\"it is a state file, but not of version 4\"\n");
}

TEST(Table, BatchesAreBounded) {
  std::string text = R"({"version":4,"resources":[],"outputs":{)";
  constexpr int kOutputs = 70000;
  for (int i = 0; i < kOutputs; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"value":1,"type":"number"})";
  }
  text += "}}";
  std::vector<size_t> sizes;
  TableReader reader(
      *FindTable("outputs"), {},
      [&](Batch&& batch) {
        sizes.push_back(batch.rows);
        return true;
      },
      [](std::string_view, std::string_view) {});
  reader.Add("f", text);
  reader.Finish();
  EXPECT_EQ(sizes, (std::vector<size_t>{65536, kOutputs - 65536}));
  EXPECT_EQ(reader.rows(), uint64_t{kOutputs});
}

TEST(Table, ColumnsHaveBitsFromTheFirstNullOn) {
  constexpr ColumnSpec kColumns[] = {{"text", ColumnType::kText, ""}};
  constexpr size_t kRows = 20;
  for (size_t first = 0; first <= kRows; ++first) {
    Batch batch;
    BatchWriter rows(kColumns, [&](Batch&& full) {
      batch = std::move(full);
      return true;
    });
    const auto is_null = [&](size_t row) { return row >= first && (row - first) % 3 == 0; };
    for (size_t row = 0; row < kRows; ++row) {
      (is_null(row) ? rows.Null() : rows.Text("a")).EndRow();
    }
    rows.Finish();
    const Column& column = batch.columns[0];
    EXPECT_EQ(column.valid.size(), first < kRows ? (kRows + 7) / 8 : 0);
    EXPECT_EQ(column.nulls, static_cast<int64_t>((kRows - first + 2) / 3));
    for (size_t row = 0; row < kRows; ++row) {
      EXPECT_EQ(column.IsNull(row), is_null(row)) << first << " " << row;
    }
  }
}

// What other programs read of it is tested in tests/e2e/tables.py.
TEST(Table, AnArrowStreamHasASchemaBatchesAndAnEnd) {
  const std::string stream = Written(kArrow, "outputs", kStateFile);
  EXPECT_TRUE(stream.starts_with("\xFF\xFF\xFF\xFF"));
  EXPECT_TRUE(stream.ends_with(std::string("\xFF\xFF\xFF\xFF\0\0\0\0", 8)));
  EXPECT_EQ(stream.size() % 8, 0U);
  EXPECT_NE(stream.find("terraform_version"), std::string::npos);
}

}  // namespace
}  // namespace kinu::table
