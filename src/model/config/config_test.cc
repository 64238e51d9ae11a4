// Loads configurations from temporary directories and checks the results.
#include <gtest/gtest.h>

#include "config/requirements.h"
#include "config/testing/workspace.h"
#include "config/validate_reference.h"
#include "hcl/static.h"

namespace kinu::config {
namespace {

TEST(Load, TablesAreOrderedAndIndexed) {
  Workspace workspace(Files{{"main.tf", R"(
resource "t_b" "z" {}
resource "t_a" "y" { provider = u.west }
data "t_a" "x" {}
resource "t_a" "b" {}
variable "b" {}
variable "a" {}
provider "u" { alias = "west" }
check "c" {
  data "t_a" "inner" {}
  assert {
    condition     = data.t_a.inner.id != ""
    error_message = "x"
  }
}
)"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = loaded.root();
  std::vector<std::string> names;
  for (const Resource& resource : root.resources) {
    names.push_back(loaded.program->ToText(resource.name));
    EXPECT_EQ(root.FindResource(resource.name), static_cast<int>(names.size()) - 1);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"t_a.b", "t_a.y", "t_b.z", "data.t_a.inner", "data.t_a.x"}));
  EXPECT_EQ(loaded.Text(root.variables[0].name), "a");
  EXPECT_EQ(loaded.Text(root.resources[0].provider), "registry.opentofu.org/hashicorp/t");
  EXPECT_EQ(loaded.Text(root.resources[1].provider), "registry.opentofu.org/hashicorp/u");
  EXPECT_EQ(root.checks[0].data_resource, 3);
  EXPECT_EQ(root.resources[3].check, 0);
  const ProviderConfig west =
      loaded.config->ResolveProvider(loaded.config->root(), root.resources[1]);
  EXPECT_EQ(loaded.Text(west.alias), "west");
  EXPECT_EQ(loaded.config->FindProviderBlock(west), &root.providers[0]);
}

TEST(Load, ModulesShareADirectoryAndInheritProviders) {
  Workspace workspace(Files{{"main.tf", R"(
provider "t" { x = 1 }
provider "t" {
  alias = "two"
  x     = 2
}
module "a" { source = "./m" }
module "b" {
  source    = "./${local.dir}"
  providers = { t = t.two }
}
locals { dir = "m" }
)"},
                            {"m/main.tf", R"(
terraform {
  required_providers {
    t = { source = "hashicorp/t" }
  }
}
resource "t_x" "y" {}
module "inner" { source = "../n" }
)"},
                            {"n/main.tf", "resource \"t_x\" \"z\" {}"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Config& config = *loaded.config;
  EXPECT_EQ(config.modules.size(), 3u);
  ASSERT_EQ(config.nodes.size(), 5u);
  const ConfigNode& a = *config.root().children[0];
  const ConfigNode& b = *config.root().children[1];
  EXPECT_EQ(a.module, b.module);
  EXPECT_EQ(b.source, "./m");
  EXPECT_EQ(b.children[0]->source_dir, "n");
  const auto provider_of = [&](const ConfigNode& node) {
    return loaded.program->ToText(config.ResolveProvider(node, node.module->resources[0]));
  };
  EXPECT_EQ(provider_of(a), "provider[\"registry.opentofu.org/hashicorp/t\"]");
  EXPECT_EQ(provider_of(b), "provider[\"registry.opentofu.org/hashicorp/t\"].two");
  EXPECT_EQ(provider_of(*b.children[0]), "provider[\"registry.opentofu.org/hashicorp/t\"].two");
  const auto callee_of = [&](const ConfigNode& node) {
    const Symbol provider = node.module->resources[0].provider;
    return loaded.program->ToText(config.ResolveFunctionProvider(node, provider, Symbol()));
  };
  EXPECT_EQ(callee_of(b), "provider[\"registry.opentofu.org/hashicorp/t\"].two");
  // Calls of functions inherit nothing.
  EXPECT_EQ(callee_of(*b.children[0]), "provider[\"registry.opentofu.org/hashicorp/t\"]");
  EXPECT_EQ(ModuleManifest(config),
            R"({"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"a","Source":"./m","Dir":"m"},)"
            R"({"Key":"a.inner","Source":"../n","Dir":"n"},{"Key":"b","Source":"./m","Dir":"m"},)"
            R"({"Key":"b.inner","Source":"../n","Dir":"n"}]})");
  const SourceSnapshot snapshot = TakeSnapshot(config);
  ASSERT_EQ(snapshot.modules.size(), 5u);
  EXPECT_EQ(snapshot.modules[2].key, "a.inner");
  EXPECT_EQ(snapshot.modules[2].files[0].name, "main.tf");
  EXPECT_EQ(snapshot.modules[2].files[0].content(), "resource \"t_x\" \"z\" {}");
}

TEST(Load, TheManifestSaysWhereModulesAre) {
  const std::string main = "module \"m\" { source = \"./m\" }\n";
  {
    Workspace workspace(Files{{"main.tf", main}, {"m/main.tf", ""}});
    EXPECT_EQ(Lines(Load({}).diags),
              std::vector<std::string>{"error|Module not installed|main.tf:1"});
  }
  {
    Workspace workspace(Files{
        {"main.tf", main},
        {"m/main.tf", "output \"o\" { value = 1 }"},
        {".terraform/modules/modules.json",
         R"({"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]})"}});
    Loaded loaded = Load({});
    EXPECT_EQ(Lines(loaded.diags), std::vector<std::string>{});
    EXPECT_EQ(loaded.config->root().children[0]->module->outputs.size(), 1u);
  }
  {
    Workspace workspace(Files{{"main.tf", main},
                              {"m/main.tf", ""},
                              {".terraform/modules/modules.json",
                               R"({"Modules":[{"Key":"m","Source":"./old","Dir":"m"}]})"}});
    EXPECT_EQ(Lines(Load({}).diags),
              std::vector<std::string>{"error|Module source has changed|main.tf:1"});
  }
}

TEST(Load, AModuleThatCallsItselfEnds) {
  Workspace workspace(Files{{"main.tf", "module \"m\" { source = \"./m\" }"},
                            {"m/main.tf", "module \"again\" { source = \"../m\" }"}});
  EXPECT_EQ(Lines(Load().diags),
            std::vector<std::string>{"error|Module calls are nested too deeply|m/main.tf:1"});
}

TEST(Load, OverridesReplaceArguments) {
  Workspace workspace(Files{{"main.tf", R"(
variable "v" { default = "a" }
resource "t_x" "a" {
  one = 1
  two = 2
  nested { a = 1 }
  lifecycle { create_before_destroy = true }
}
locals { l = 1 }
output "o" { value = 1 }
)"},
                            {"override.tf", R"(
variable "v" { type = string }
resource "t_x" "a" {
  two = 3
  nested { b = 1 }
}
locals { l = 2 }
output "o" { sensitive = true }
)"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = loaded.root();
  EXPECT_EQ(root.variables[0].constraint.type, Type::String());
  EXPECT_EQ(root.variables[0].default_value->AsString(), "a");
  EXPECT_EQ(root.locals[0].expr->range().text(), "2");
  EXPECT_TRUE(root.outputs[0].sensitive);
  EXPECT_NE(root.outputs[0].expr, nullptr);
  const Resource& resource = root.resources[0];
  EXPECT_EQ(resource.create_before_destroy, true);
  const hcl::AttributeSchema attributes[] = {{"one", true}, {"two"}};
  const hcl::BlockSchema blocks[] = {{"nested"}};
  Diagnostics diags;
  const hcl::BodyContent content = resource.body->Content(
      {.attributes = attributes, .blocks = blocks, .hidden = kResourceMetaNames},
      hcl::Strictness::kExact, diags);
  EXPECT_EQ(Lines(diags), std::vector<std::string>{});
  EXPECT_EQ(content.Find("two")->expr->range().text(), "3");
  ASSERT_EQ(content.blocks.size(), 1u);
  EXPECT_EQ(content.blocks[0].body->JustAttributes({}, diags)[0].name, "b");
}

TEST(Load, EscapedArgumentsBelongToTheProvider) {
  Workspace workspace(Files{{"main.tf",
                             "resource \"t_x\" \"a\" {\n  count = 2\n  _ {\n    count = 3\n"
                             "  }\n}\n"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Resource& resource = loaded.root().resources[0];
  EXPECT_EQ(resource.count->range().text(), "2");
  const hcl::AttributeSchema attributes[] = {{"count"}};
  Diagnostics diags;
  const hcl::BodyContent content = resource.body->Content(
      {.attributes = attributes, .hidden = kResourceMetaNames}, hcl::Strictness::kExact, diags);
  ASSERT_NE(content.Find("count"), nullptr);
  EXPECT_EQ(content.Find("count")->expr->range().text(), "3");
}

TEST(Load, FallbacksOfFallbacksAreRead) {
  Workspace workspace(Files{{"main.tf", R"(
terraform {
  encryption {
    method "unencrypted" "a" {}
    state {
      method = method.unencrypted.a
      fallback {
        method = method.unencrypted.a
        fallback {}
      }
    }
  }
}
)"}});
  Loaded loaded = Load();
  const auto& encryption = loaded.root().encryption;
  ASSERT_TRUE(encryption && encryption->state);
  const auto& fallbacks = encryption->state->fallbacks;
  ASSERT_EQ(fallbacks.size(), 2U);
  EXPECT_NE(fallbacks[0].expr, nullptr);
  EXPECT_EQ(fallbacks[1].expr, nullptr);
  EXPECT_EQ(ToText(fallbacks[1].missing), "main.tf:9,18-18");
}

TEST(Modules, InputsAreReadThroughTheVariables) {
  Workspace workspace(Files{{"main.tf", R"(
module "m" {
  source = "./m"
  b      = 1
  c      = 2
}
)"},
                            {"m/main.tf", "variable \"a\" {}\nvariable \"b\" {}\n"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const ConfigNode& child = *loaded.config->root().children[0];
  Diagnostics diags;
  const std::vector<hcl::Attribute> inputs =
      ReadModuleInputs(*loaded.program, loaded.root().calls[0], *child.module, diags);
  EXPECT_EQ(inputs.size(), 1u);
  EXPECT_EQ(Lines(diags), (std::vector<std::string>{"error|Missing required argument|main.tf:2",
                                                    "error|Unsupported argument|main.tf:5"}));
}

TEST(Providers, RequirementsOfAllModules) {
  Workspace workspace(Files{{"main.tf", R"(
terraform {
  required_providers {
    a = {
      source  = "x/a"
      version = ">= 1.0"
    }
  }
}
module "m" { source = "./m" }
resource "z_x" "y" {}
)"},
                            {"m/main.tf", R"(
terraform {
  required_providers {
    b = {
      source  = "x/a"
      version = "< 2.0"
    }
  }
}
data "terraform_remote_state" "s" {}
)"}});
  Loaded loaded = Load();
  Diagnostics diags;
  std::vector<std::string> out;
  for (const ProviderRequirement& requirement : ProviderRequirements(*loaded.config, diags)) {
    out.push_back(loaded.Text(requirement.provider) + " " +
                  requirement.constraints.ToCanonicalText());
  }
  EXPECT_EQ(out, (std::vector<std::string>{"registry.opentofu.org/hashicorp/z ",
                                           "registry.opentofu.org/x/a >= 1.0.0, < 2.0.0",
                                           "terraform.io/builtin/terraform "}));
}

}  // namespace
}  // namespace kinu::config
