// Configurations in JSON syntax.
#include <gtest/gtest.h>

#include "config/testing/workspace.h"
#include "hcl/static.h"

namespace kinu::config {
namespace {

TEST(Json, ReadsTheSameBlocks) {
  Workspace workspace(Files{{"main.tf.json", R"json({
  "variable": {"v": {"type": "list(string)", "default": ["${x}"]}},
  "resource": {"t_x": {"a": {
    "count": 2,
    "provider": "t.west",
    "depends_on": ["data.t_x.b"],
    "lifecycle": {"ignore_changes": ["one", "two[0]"], "replace_triggered_by": ["data.t_x.b"]}
  }}},
  "data": {"t_x": {"b": {}}},
  "provider": {"t": [{}, {"alias": "west"}]},
  "moved": [{"from": "t_x.old", "to": "t_x.a"}]
})json"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = loaded.root();
  EXPECT_EQ(root.variables[0].default_value->elements()[0].AsString(), "${x}");
  const Resource& resource = root.resources[0];
  EXPECT_EQ(loaded.Text(resource.provider_ref->alias), "west");
  EXPECT_EQ(resource.depends_on[0]->root, "data");
  ASSERT_EQ(resource.ignore_changes.size(), 2u);
  EXPECT_EQ(resource.ignore_changes[1]->root, "two");
  EXPECT_EQ(resource.replace_triggered_by.size(), 1u);
  EXPECT_EQ(root.providers.size(), 2u);
  EXPECT_EQ(loaded.Text(root.moved[0].from_endpoint.resource.name), "old");
}

// --- docs/seeds/json-configuration-syntax.md, block type by block type. ---

/// Loads a file in JSON syntax.
Loaded LoadJson(std::string_view text, Files others = {}) {
  others["main.tf.json"] = text;
  const Workspace workspace(others);
  return Load();
}

TEST(JsonConfiguration, FilesAreRecognisedByName) {
  const Workspace workspace(Files{{"a.tf", "variable \"native\" {}\n"},
                                  {"b.tf.json", R"({"variable": {"json": {}}})"},
                                  {"c.json", "{"},
                                  {"d.tf.json.bak", "{"}});
  const Loaded loaded = Load();
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  EXPECT_EQ(loaded.root().variables.size(), 2u);
}

TEST(JsonConfiguration, PropertiesOfTheRootAreBlockTypes) {
  const Loaded loaded = LoadJson(R"({
  "variable": {"example": {"default": "hello"}},
  "resource": {"aws_instance": {"example": {"instance_type": "t2.micro", "ami": "ami-abc123"}}}
})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  ASSERT_EQ(loaded.root().variables.size(), 1u);
  EXPECT_EQ(loaded.root().variables[0].default_value->AsString(), "hello");
  ASSERT_EQ(loaded.root().resources.size(), 1u);
  EXPECT_EQ(loaded.Text(loaded.root().resources[0].name.type), "aws_instance");
  EXPECT_EQ(Lines(LoadJson("{\"instance\": {}}").diags),
            std::vector<std::string>{"error|Extraneous JSON object property|main.tf.json:1"});
  EXPECT_EQ(Lines(LoadJson("\"variable\"").diags),
            std::vector<std::string>{"error|Root value must be object|main.tf.json:1"});
}

TEST(JsonConfiguration, CommentsAreIgnoredInBodies) {
  const Loaded loaded = LoadJson(R"({
  "//": "made by a program",
  "locals": {"//": "not a value", "a": {"//": "a value"}},
  "resource": {"t_x": {"a": {"//": {"any": ["thing"]}, "lifecycle": {"//": 1}}}}
})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  ASSERT_EQ(loaded.root().locals.size(), 1u);
  const auto members = hcl::AsMap(*loaded.root().locals[0].expr);
  ASSERT_TRUE(members.has_value());
  EXPECT_EQ(members->size(), 1u);
}

TEST(JsonConfiguration, ReferencesOfResourcesAreStrings) {
  const Loaded loaded = LoadJson(R"({"resource": {"t_x": {
  "a": {"provider": "t.foo", "depends_on": ["t_x.b"], "lifecycle": {"ignore_changes": ["ami"]}},
  "b": {"lifecycle": {"ignore_changes": "all", "create_before_destroy": true}}
}}, "provider": {"t": {"alias": "foo"}}})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Resource& a = loaded.root().resources[0];
  EXPECT_EQ(loaded.Text(a.provider_ref->alias), "foo");
  ASSERT_EQ(a.depends_on.size(), 1u);
  EXPECT_EQ(a.depends_on[0]->root, "t_x");
  EXPECT_EQ(a.ignore, IgnoreChanges::kSome);
  EXPECT_EQ(a.ignore_changes[0]->root, "ami");
  const Resource& b = loaded.root().resources[1];
  EXPECT_EQ(b.ignore, IgnoreChanges::kAll);
  EXPECT_EQ(b.create_before_destroy, true);
  // The string is the reference itself: templates and blanks are errors.
  EXPECT_TRUE(
      LoadJson(R"({"resource": {"t_x": {"a": {"provider": "${t.foo}"}}}})").diags.has_errors());
  EXPECT_TRUE(
      LoadJson(R"({"resource": {"t_x": {"a": {"depends_on": ["${t_x.b}"]}}}})").diags.has_errors());
}

TEST(JsonConfiguration, ProvisionersKeepTheirOrder) {
  const auto types = [](const Loaded& loaded) {
    std::string out;
    for (const Provisioner& provisioner : loaded.root().resources[0].provisioners) {
      out += std::string(provisioner.type) + " ";
    }
    return out;
  };
  const Loaded list = LoadJson(R"({"resource": {"t_x": {"a": {
  "connection": {"type": "ssh", "host": "h"},
  "provisioner": [{"local-exec": {"command": "a"}}, {"file": {"destination": "b"}},
                  {"local-exec": {"command": "c", "when": "destroy", "on_failure": "continue"}}]
}}}})");
  EXPECT_EQ(Lines(list.diags), std::vector<std::string>{});
  EXPECT_EQ(types(list), "local-exec file local-exec ");
  const Resource& resource = list.root().resources[0];
  EXPECT_EQ(resource.provisioners[2].when, Provisioner::When::kDestroy);
  EXPECT_EQ(resource.provisioners[2].on_failure, Provisioner::OnFailure::kContinue);
  EXPECT_NE(resource.connection, nullptr);
  const Loaded object = LoadJson(R"({"resource": {"t_x": {"a": {
  "provisioner": {"local-exec": {"command": "a"}, "file": {"destination": "b"}}
}}}})");
  EXPECT_EQ(types(object), "local-exec file ");
}

TEST(JsonConfiguration, VariablesAreLiteral) {
  const Loaded loaded = LoadJson(R"json({"variable": {
  "a": {"type": "list(string)", "default": ["${x}", 1], "description": "a ${b} %{c}"},
  "b": {"type": "string", "default": 5, "sensitive": true, "nullable": false}
}})json");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Variable& a = loaded.root().variables[0];
  EXPECT_EQ(a.constraint.type, Type::List(Type::String()));
  EXPECT_EQ(a.default_value->elements()[0].AsString(), "${x}");
  EXPECT_EQ(a.default_value->elements()[1].AsString(), "1");
  EXPECT_EQ(a.description, "a ${b} %{c}");
  const Variable& b = loaded.root().variables[1];
  EXPECT_EQ(b.default_value->AsString(), "5");
  EXPECT_TRUE(b.sensitive);
  EXPECT_FALSE(b.nullable);
  EXPECT_TRUE(LoadJson(R"({"variable": {"a": {"type": "${string}"}}})").diags.has_errors());
}

TEST(JsonConfiguration, OutputsAreLiteralButForTheValue) {
  const Loaded loaded = LoadJson(R"({"output": {"a": {
  "value": "${local.x}", "description": "a ${b}", "sensitive": true}}, "locals": {"x": 1}})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Output& output = loaded.root().outputs[0];
  EXPECT_EQ(output.description, "a ${b}");
  EXPECT_TRUE(output.sensitive);
  EXPECT_EQ(output.expr->kind, hcl::ExprKind::kTemplateWrap);
}

TEST(JsonConfiguration, LocalsAreProperties) {
  const Loaded loaded = LoadJson(R"({"locals": {"greeting": "Hello, ${var.name}", "n": 1},
  "variable": {"name": {}}})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  ASSERT_EQ(loaded.root().locals.size(), 2u);
  EXPECT_EQ(loaded.Text(loaded.root().locals[0].name), "greeting");
  EXPECT_EQ(Lines(LoadJson(R"({"locals": 1})").diags),
            std::vector<std::string>{"error|Incorrect JSON value type|main.tf.json:1"});
}

TEST(JsonConfiguration, ModulesAreLiteralWhereTheySayWhatTheyAre) {
  const Loaded loaded = LoadJson(R"({"module": {"example": {
  "source": "./m", "version": "= 1.0.0", "providers": {"aws": "aws.usw1"}, "in": "${1 + 1}"}},
  "provider": {"aws": {"alias": "usw1"}}})",
                                 Files{{"m/main.tf", "variable \"in\" {}\n"}});
  ASSERT_EQ(loaded.root().calls.size(), 1u);
  const ModuleCall& call = loaded.root().calls[0];
  EXPECT_EQ(call.source, "./m");
  EXPECT_EQ(call.version, "= 1.0.0");
  ASSERT_EQ(call.providers.size(), 1u);
  EXPECT_EQ(loaded.Text(call.providers[0].inside.local_name), "aws");
  EXPECT_EQ(loaded.Text(call.providers[0].outside.alias), "usw1");
  ASSERT_EQ(call.inputs.size(), 1u);
}

TEST(JsonConfiguration, ProvidersAreLiteralWhereTheySayWhatTheyAre) {
  const Loaded loaded = LoadJson(R"({"provider": {"aws": [
  {"region": "us-east-1"}, {"alias": "usw1", "region": "us-west-1", "version": "~> 1.0"}]}})");
  EXPECT_EQ(Lines(loaded.diags),
            std::vector<std::string>{
                "warning|Version constraints inside provider configuration blocks are "
                "deprecated|main.tf.json:2"});
  ASSERT_EQ(loaded.root().providers.size(), 2u);
  EXPECT_EQ(loaded.Text(loaded.root().providers[1].alias), "usw1");
  EXPECT_EQ(loaded.root().providers[1].version, "~> 1.0");
  EXPECT_TRUE(LoadJson(R"({"provider": {"aws": {"alias": "${x}"}}})").diags.has_errors());
}

TEST(JsonConfiguration, TerraformBlocksAreLiteral) {
  const Loaded loaded = LoadJson(R"({"terraform": {
  "required_version": ">= 0.12.0",
  "required_providers": {"aws": {"source": "x/aws", "version": "~> 1.0"}},
  "backend": {"local": {"path": "p"}}}})");
  EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  ASSERT_TRUE(loaded.root().backend.has_value());
  EXPECT_EQ(loaded.root().backend->type, "local");
  ASSERT_EQ(loaded.root().required_providers.size(), 1u);
  EXPECT_EQ(loaded.root().required_providers[0].source, "x/aws");
  EXPECT_EQ(loaded.root().required_providers[0].version, "~> 1.0");
}

}  // namespace
}  // namespace kinu::config
