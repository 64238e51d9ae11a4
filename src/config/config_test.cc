// Loads configurations from temporary directories and checks results and diagnostics.
#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "config/load.h"
#include "config/requirements.h"
#include "config/validate_reference.h"
#include "hcl/static.h"

namespace kinu::config {
namespace {

using Files = std::map<std::string, std::string>;

/// A directory with these files. It is the working directory while the test runs.
class Workspace {
 public:
  explicit Workspace(const Files& files) : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kinu-config-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
    std::filesystem::current_path(dir_);
    for (const auto& [name, content] : files) {
      const std::filesystem::path parent = std::filesystem::path(name).parent_path();
      if (!parent.empty()) {
        std::filesystem::create_directories(parent);
      }
      EXPECT_TRUE(ReplaceFile(name, content));
    }
  }
  ~Workspace() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(dir_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

 private:
  std::filesystem::path before_;
  std::filesystem::path dir_;
};

/// "error|summary|file:line" for each diagnostic, sorted as text.
std::vector<std::string> Lines(const Diagnostics& diags) {
  std::vector<std::string> out;
  for (const Diagnostic& diag : diags) {
    std::string line = diag.is_error() ? "error|" : "warning|";
    line += diag.summary + "|";
    if (diag.subject.valid()) {
      line += diag.subject.file->root().name() + ":" +
              std::to_string(diag.subject.start_position().line);
    }
    out.push_back(line);
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Loaded {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<Config> config;
  Diagnostics diags;

  const Module& root() const { return *config->root().module; }
  std::string Text(Symbol symbol) const { return std::string(program->Text(symbol)); }
};

Loaded Load(const LoadOptions& options = {.intent = LoadIntent::kInstallation}) {
  Loaded out;
  out.config = LoadConfig(out.program, ".", options, out.diags);
  return out;
}

struct ErrorCase {
  std::string name;
  Files files;
  std::vector<std::string> expected;
};

void PrintTo(const ErrorCase& row, std::ostream* out) {
  *out << row.name;
}

class ConfigErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(ConfigErrors, AreReported) {
  Workspace workspace(GetParam().files);
  Loaded loaded = Load({.intent = LoadIntent::kInstallation});
  EXPECT_EQ(Lines(loaded.diags), GetParam().expected);
}

const ErrorCase kErrorCases[] = {
    {"nothing", {}, {}},
    {"ordinary",
     {{"main.tf", R"(
terraform {
  required_version = ">= 99.0"
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0" }
  }
  backend "local" {}
}
variable "a" {
  type    = list(string)
  default = ["x"]
  validation {
    condition     = length(var.a) > 0
    error_message = "None."
  }
}
locals {
  b = var.a[0]
}
resource "aws_instance" "x" {
  count = 2
  ami   = local.b
  lifecycle {
    ignore_changes = [ami, tags["x"]]
    postcondition {
      condition     = self.id != ""
      error_message = "No id."
    }
  }
}
output "o" { value = aws_instance.x[*].id }
)"}},
     {}},
    {"names",
     {{"main.tf", R"(
variable "1a" {}
variable "count" {}
output "a b" { value = 1 }
module "1m" { source = "./m" }
resource "aws instance" "x" {}
data "x" "1" {}
)"},
      {"m/main.tf", ""}},
     {"error|Invalid data resource name|main.tf:7", "error|Invalid module instance name|main.tf:5",
      "error|Invalid output name|main.tf:4", "error|Invalid resource type name|main.tf:6",
      "error|Invalid variable name|main.tf:2", "error|Invalid variable name|main.tf:3"}},
    {"duplicates",
     {{"main.tf", R"(
variable "a" {}
locals { a = 1 }
output "a" { value = 1 }
resource "t_x" "a" {}
data "t_x" "a" {}
provider "t" {}
terraform {
  backend "local" {}
}
check "c" {
  assert {
    condition     = local.a == 1
    error_message = "x"
  }
}
)"},
      {"more.tf", R"(
variable "a" {}
locals { a = 1 }
output "a" { value = 1 }
resource "t_x" "a" {}
data "t_x" "a" {}
provider "t" {}
terraform {
  backend "local" {}
}
check "c" {
  assert {
    condition     = local.a == 1
    error_message = "x"
  }
}
)"}},
     {"error|Duplicate backend configuration|more.tf:9",
      "error|Duplicate check \"c\" configuration|more.tf:11",
      "error|Duplicate data \"t_x\" configuration|more.tf:6",
      "error|Duplicate local value definition|more.tf:3",
      "error|Duplicate output definition|more.tf:4",
      "error|Duplicate provider configuration|more.tf:7",
      "error|Duplicate resource \"t_x\" configuration|more.tf:5",
      "error|Duplicate variable declaration|more.tf:2"}},
    {"variables",
     {{"main.tf", R"(
variable "a" {
  type    = number
  default = "x"
}
variable "b" {
  nullable = false
  default  = null
}
variable "c" { type = "string" }
variable "d" {
  validation {
    condition     = true
    error_message = "x"
  }
}
variable "e" {
  type    = object({ name = optional(string) })
  default = { nmae = "x" }
}
variable "f" {
  default = var.a
}
variable "g" { deprecated = "" }
)"}},
     {"error|Invalid `deprecated` value|main.tf:24",
      "error|Invalid default value for variable|main.tf:4",
      "error|Invalid default value for variable|main.tf:8",
      "error|Invalid quoted type constraints|main.tf:10",
      "error|Invalid validation expression|main.tf:13",
      "error|Invalid variable validation condition|main.tf:13",
      "error|Variables not allowed|main.tf:22", "warning|Object attribute is ignored|main.tf:19"}},
    {"resource arguments",
     {{"main.tf", R"(
resource "t_x" "a" {
  count    = 1
  for_each = {}
  lifecycle {
    prevent_destroy = true
    ignore_changes  = ["*"]
    foo             = 1
  }
  lifecycle {}
  locals {}
  provider = "t"
  depends_on = [1 + 1]
  provisioner "local-exec" {
    when    = destroy
    command = local.x
  }
}
data "t_x" "b" {
  lifecycle { prevent_destroy = true }
}
ephemeral "t_x" "c" {
  connection {}
}
)"}},
     {"error|Duplicate lifecycle block|main.tf:10",
      "error|Invalid combination of \"count\" and \"for_each\"|main.tf:3",
      "error|Invalid configuration block for ephemeral resource|main.tf:23",
      "error|Invalid data resource lifecycle argument|main.tf:20",
      "error|Invalid expression|main.tf:13", "error|Invalid ignore_changes wildcard|main.tf:7",
      "error|Invalid reference from destroy provisioner|main.tf:16",
      "error|Reserved block type name in resource block|main.tf:11",
      "error|Unsupported argument|main.tf:8",
      "warning|Quoted references are deprecated|main.tf:12"}},
    {"moved, removed, import",
     {{"main.tf", R"(
moved {
  from = t_x.a
  to   = module.b
}
moved {
  from = t_x
  to   = t_x.b
}
removed {
  from = t_x.c[0]
}
removed {
  from = t_x.d
}
import {
  to = t_x.e[local.k]
}
import {
  to = local.f()
  id = "x"
}
)"}},
     {"error|Invalid \"moved\" addresses|main.tf:2", "error|Invalid \"moved\" address|main.tf:6",
      "error|Invalid address|main.tf:7", "error|Missing newline after argument|main.tf:20",
      "error|Missing required import argument|main.tf:16",
      "error|Resource instance address with keys is not allowed|main.tf:11",
      "warning|Missing lifecycle from the removed block|main.tf:13"}},
    {"incompatible",
     {{"main.tofu", "terraform {\n  required_version = \"< 1.0\"\n}\nnonsense {}\n"}},
     {"error|Incompatible module|main.tofu:2"}},
    {"hidden by tofu",
     {{"a.tf", "nonsense {}"}, {"a.tofu", ""}, {".b.tf", "nonsense {}"}, {"c.tf~", "nonsense"}},
     {}},
    {"override without base",
     {{"main.tf", ""},
      {"main_override.tf", "variable \"a\" {}\nresource \"t_x\" \"a\" {}\nmoved {}\n"}},
     {"error|Cannot override 'moved' blocks|main_override.tf:3",
      "error|Invalid \"moved\" address|main_override.tf:3",
      "error|Invalid \"moved\" address|main_override.tf:3",
      "error|Missing base variable declaration to override|main_override.tf:1",
      "error|Missing required argument|main_override.tf:3",
      "error|Missing required argument|main_override.tf:3",
      "error|Missing resource to override|main_override.tf:2"}},
    {"required providers",
     {{"main.tf", R"(
terraform {
  required_providers {
    a = { source = "x/y/z/w" }
    b = { source = "hashicorp/b", version = "nope" }
    c = { foo = 1 }
    d = ["x"]
    e = "~> 1.0"
    F = { source = "hashicorp/f" }
  }
  required_providers {}
}
required_providers {}
)"}},
     {"error|Duplicate required providers configuration|main.tf:11",
      "error|Invalid provider local name|main.tf:9",
      "error|Invalid provider source string|main.tf:4",
      "error|Invalid required_providers block|main.tf:13",
      "error|Invalid required_providers object|main.tf:6",
      "error|Invalid required_providers object|main.tf:7",
      "error|Invalid version constraint|main.tf:5"}},
    {"module sources",
     {{"main.tf", R"(
module "a" { source = "foo" }
module "b" {
  source  = "./m"
  version = "1.0"
}
module "c" {}
module "d" { source = t_x.a.id }
module "e" { source = local.e }
locals { e = local.e }
)"}},
     {"error|Circular reference|main.tf:10", "error|Dynamic value in static context|main.tf:8",
      "error|Invalid module source address|main.tf:2",
      "error|Invalid registry module source address|main.tf:4",
      "error|Missing required argument|main.tf:7",
      "error|Unable to compute static value|main.tf:9"}},
    {"unreadable module",
     {{"main.tf", "module \"m\" { source = \"./nowhere\" }"}},
     {"error|Unreadable module directory|", "error|Unreadable module directory|"}},
    {"providers passed to modules",
     {{"main.tf", R"(
terraform {
  required_providers {
    a = { source = "x/a" }
  }
}
module "m" {
  source = "./m"
  providers = {
    b   = a
    c.x = a
  }
}
module "n" {
  source = "./n"
  count  = 1
}
)"},
      {"m/main.tf", R"(
terraform {
  required_providers {
    b = { source = "x/b" }
    d = {
      source                = "x/d"
      configuration_aliases = [d.alias]
    }
  }
}
)"},
      {"n/main.tf",
       "provider \"z\" {\n  x = 1\n}\nimport {\n  to = z_x.a\n  id = \"1\"\n}\n"
       "terraform {\n  backend \"local\" {}\n}\n"}},
     {"error|Invalid import configuration|n/main.tf:4",
      "warning|Backend configuration ignored|n/main.tf:9"}},
    {"provider mismatch",
     {{"main.tf", R"(
terraform {
  required_providers {
    a = { source = "x/a" }
  }
}
module "m" {
  source = "./m"
  providers = {
    b   = a
    c.x = a
  }
}
module "n" {
  source = "./n"
  count  = 1
}
)"},
      {"m/main.tf", R"(
terraform {
  required_providers {
    b = { source = "x/b" }
    d = {
      source                = "x/d"
      configuration_aliases = [d.alias]
    }
  }
}
)"},
      {"n/main.tf", "provider \"z\" {\n  x = 1\n}\nprovider \"y\" {}\n"}},
     {"error|Missing required provider configuration|main.tf:7",
      "error|Module is incompatible with count, for_each, enabled and depends_on|main.tf:16",
      "error|Provider type mismatch|main.tf:10", "error|Provider type mismatch|main.tf:11",
      "warning|Redundant empty provider block|n/main.tf:4",
      "warning|Reference to undefined provider|main.tf:11"}},
};

INSTANTIATE_TEST_SUITE_P(All, ConfigErrors, testing::ValuesIn(kErrorCases),
                         [](const testing::TestParamInfo<ErrorCase>& row) {
                           std::string name = row.param.name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

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
  EXPECT_EQ(ModuleManifest(config),
            R"({"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"a","Source":"./m","Dir":"m"},)"
            R"({"Key":"a.inner","Source":"../n","Dir":"n"},{"Key":"b","Source":"./m","Dir":"m"},)"
            R"({"Key":"b.inner","Source":"../n","Dir":"n"}]})");
  const SourceSnapshot snapshot = TakeSnapshot(config);
  ASSERT_EQ(snapshot.modules.size(), 5u);
  EXPECT_EQ(snapshot.modules[2].key, "a.inner");
  EXPECT_EQ(snapshot.modules[2].files[0].name, "main.tf");
  EXPECT_EQ(snapshot.modules[2].files[0].content, "resource \"t_x\" \"z\" {}");
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

TEST(References, ResolveAndReport) {
  Workspace workspace(Files{{"main.tf", R"(
variable "v" {}
locals {
  a = var.v.x
  b = module.m[0].out.y
  c = data.t_x.d["k"].id
  d = t_x.e[0].f
  e = each.value.g
  f = path.module
  g = terraform.workspace
  h = [var.nope, local.nope, module.nope.x, t_x.nope.id, data.t_x.e.id, count.nope, foo, var,
       path.modul, lazy.x, module.m["a"][0]]
}
resource "t_x" "e" {}
data "t_x" "d" {}
module "m" { source = "./m" }
)"},
                            {"m/main.tf", ""}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  Module& root = *loaded.config->root().module;
  struct Row {
    ReferenceKind kind;
    int consumed;
    std::string subject;
  };
  const Row rows[] = {
      {ReferenceKind::kVariable, 1, "var.v"},
      {ReferenceKind::kModule, 3, "module.m[0].out"},
      {ReferenceKind::kResource, 2, "data.t_x.d[\"k\"]"},
      {ReferenceKind::kResource, 1, "t_x.e[0]"},
      {ReferenceKind::kEachValue, 1, "each.value"},
      {ReferenceKind::kPathModule, 1, "path.module"},
      {ReferenceKind::kWorkspace, 1, "terraform.workspace"},
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*root.locals[i].expr, traversals);
    ASSERT_EQ(traversals.size(), 1u);
    Diagnostics diags;
    const Reference ref = ResolveReference(*loaded.program, root, *traversals[0], &diags);
    EXPECT_EQ(Lines(diags), std::vector<std::string>{});
    EXPECT_EQ(ref.kind, rows[i].kind) << i;
    EXPECT_EQ(ref.consumed, rows[i].consumed) << i;
    EXPECT_EQ(ReferenceSubject(*loaded.program, root, ref), rows[i].subject);
    const uint32_t slot = BindReference(*loaded.program, root, *traversals[0]);
    EXPECT_EQ(BindReference(*loaded.program, root, *traversals[0]), slot);
    EXPECT_EQ(root.references[slot].kind, rows[i].kind);
  }
  std::vector<const hcl::TraversalExpr*> wrong;
  hcl::CollectTraversals(*root.locals[7].expr, wrong);
  std::vector<std::string> summaries;
  for (const hcl::TraversalExpr* traversal : wrong) {
    Diagnostics diags;
    ResolveReference(*loaded.program, root, *traversal, &diags);
    ASSERT_EQ(diags.size(), 1u) << traversal->range().text();
    summaries.push_back(diags.list()[0].summary + "|" +
                        std::string(diags.list()[0].subject.text()));
  }
  EXPECT_EQ(summaries, (std::vector<std::string>{
                           "Reference to undeclared input variable|var.nope",
                           "Reference to undeclared local value|local.nope",
                           "Reference to undeclared module|module.nope.x",
                           "Reference to undeclared resource|t_x.nope",
                           "Reference to undeclared resource|data.t_x.e",
                           "Invalid \"count\" attribute|count.nope", "Invalid reference|foo",
                           "Invalid reference|var", "Invalid \"path\" attribute|path.modul",
                           "Reserved symbol name|lazy", "Invalid reference|[0]"}));
}

/// A SchemaSource with the same schema for every resource.
class OneSchema final : public SchemaSource {
 public:
  OneSchema() {
    block_.attributes.push_back({.name = "id", .type = Type::String(), .computed = true});
    schema::NestedBlock nested;
    nested.name = "item";
    nested.nesting = schema::Nesting::kList;
    nested.block.attributes.push_back({.name = "size", .type = Type::Number(), .optional = true});
    nested.block.Finish();
    block_.blocks.push_back(std::move(nested));
    nested = {};
    nested.name = "part";
    nested.nesting = schema::Nesting::kSet;
    nested.block.Finish();
    block_.blocks.push_back(std::move(nested));
    block_.Finish();
  }
  const schema::Block* ResourceSchema(const Resource&) const override { return &block_; }

 private:
  schema::Block block_;
};

TEST(References, AreValidatedWithoutValues) {
  Workspace workspace(Files{{"main.tf", R"(
locals {
  good = [t_x.one.id, t_x.many[0].item[0].size, t_x.many, t_x.each["a"].item, data.t_x.one]
  bad = [t_x.many.id, t_x.each.id, t_x.one[0].id, t_x.one.ix, t_x.one.item.size, t_x.one.part[0],
         t_x.one["id"], t_x.one.id.x, self.id, data.t_x.scoped.id, t_x.one.count, t_x.nope.id]
}
resource "t_x" "one" {}
resource "t_x" "many" { count = 1 }
resource "t_x" "each" { for_each = {} }
data "t_x" "one" {}
check "c" {
  data "t_x" "scoped" {}
  assert {
    condition     = data.t_x.scoped.id != ""
    error_message = "x"
  }
}
)"}});
  Loaded loaded = Load();
  ASSERT_EQ(Lines(loaded.diags), std::vector<std::string>{});
  const Module& root = loaded.root();
  const OneSchema schemas;
  const auto problems = [&](const Local& local) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*local.expr, traversals);
    std::vector<std::string> out;
    for (const hcl::TraversalExpr* traversal : traversals) {
      Diagnostics diags;
      const Reference ref = ResolveReference(*loaded.program, root, *traversal, nullptr);
      ValidateReference(*loaded.program, root, *traversal, ref, {}, &schemas, diags);
      for (const Diagnostic& diag : diags) {
        out.push_back(diag.summary + "|" + std::string(diag.subject.text()));
      }
    }
    return out;
  };
  EXPECT_EQ(problems(root.locals[1]), std::vector<std::string>{});
  EXPECT_EQ(problems(root.locals[0]),
            (std::vector<std::string>{
                "Missing resource instance key|t_x.many", "Missing resource instance key|t_x.each",
                "Unexpected resource instance key|t_x.one[0]", "Unsupported attribute|.ix",
                "Invalid operation|.size", "Cannot index a set value|[0]",
                "Unexpected resource instance key|t_x.one[\"id\"]", "Unsupported attribute|.x",
                "Invalid \"self\" reference|self", "Reference to scoped resource|data.t_x.scoped",
                "Invalid resource count attribute|t_x.one",
                "Reference to undeclared resource|t_x.nope"}));
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

TEST(Variables, LaterSourcesWin) {
  Workspace workspace(
      Files{{"main.tf", R"(
variable "a" {}
variable "b" { type = list(number) }
variable "c" { default = 1 }
variable "d" { type = number }
variable "e" { type = object({ x = optional(string, "dx"), y = number }) }
)"},
            {"terraform.tfvars", "a = \"file\"\nd = 1\ne = { y = \"2\" }\nzz = 1\n"},
            {"z.auto.tfvars.json", R"({"d": "${not.a.template}"})"},
            {"extra", "{\"d\": 7}"}});
  Loaded loaded = Load();
  Diagnostics diags;
  const VariableArgument arguments[] = {{false, "b=[1, \"2\"]"}, {true, "extra"}};
  const std::string environment[] = {"TF_VAR_a=env", "TF_VAR_b=no", "TF_VAR_unknown=1", "PATH=x"};
  RawInputs inputs = GatherInputs(arguments, ".", environment, diags);
  const auto values = CollectVariables(*loaded.program, loaded.root(), inputs, diags);
  EXPECT_EQ(Lines(diags), std::vector<std::string>{"warning|Value for undeclared variable|"});
  EXPECT_EQ(values.at("a").source, InputSource::kAutoFile);
  EXPECT_FALSE(values.at("c").value.has_value());
  const auto prepare = [&](const std::string& name) {
    const Module& root = loaded.root();
    const int index = root.FindVariable(loaded.program->Find(name));
    return PrepareVariable(*loaded.program, root.variables[static_cast<size_t>(index)],
                           &values.at(name), "var." + name, diags);
  };
  EXPECT_EQ(prepare("a").AsString(), "file");
  EXPECT_EQ(prepare("b").elements()[1].AsInt64(), 2);
  EXPECT_EQ(prepare("c").AsInt64(), 1);
  EXPECT_EQ(prepare("d").AsInt64(), 7);
  EXPECT_EQ(prepare("e").Attribute("x").AsString(), "dx");
  EXPECT_EQ(prepare("e").Attribute("y").AsInt64(), 2);
}

TEST(Variables, ProblemsAreReported) {
  Workspace workspace(Files{{"main.tf", R"(
variable "a" { type = number }
variable "b" {
  type     = string
  nullable = false
}
variable "c" {}
variable "d" { type = list(string) }
)"},
                            {"decl.tfvars", "variable \"x\" {}\n"}});
  Loaded loaded = Load();
  Diagnostics diags;
  const VariableArgument arguments[] = {{false, "a=x"},  {false, "noequals"}, {false, "b =1"},
                                        {false, "zz=1"}, {true, "missing"},   {true, "decl.tfvars"},
                                        {false, "d=[1"}};
  RawInputs inputs = GatherInputs(arguments, ".", {}, diags);
  const auto values = CollectVariables(*loaded.program, loaded.root(), inputs, diags);
  PrepareVariable(*loaded.program, loaded.root().variables[0], &values.at("a"), "var.a", diags);
  InputValue null{Value::Null(Type::Dynamic()), InputSource::kCommandLine, {}};
  PrepareVariable(*loaded.program, loaded.root().variables[1], &null, "var.b", diags);
  EXPECT_EQ(Lines(diags),
            (std::vector<std::string>{
                "error|Failed to read variables file|", "error|Invalid -var option|",
                "error|Invalid -var option|", "error|Invalid value for input variable|main.tf:2",
                "error|No value for required variable|main.tf:3",
                "error|No value for required variable|main.tf:7",
                "error|No value for required variable|main.tf:8",
                "error|Required variable not set|main.tf:3",
                "error|Unterminated tuple constructor expression|<value for var.d>:1",
                "error|Value for undeclared variable|",
                "error|Variable declaration in .tfvars file|decl.tfvars:1"}));
}

}  // namespace
}  // namespace kinu::config
