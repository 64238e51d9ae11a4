// Configurations with errors: what is reported, and where.
#include <gtest/gtest.h>

#include "config/testing/workspace.h"

namespace kinu::config {
namespace {

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

}  // namespace
}  // namespace kinu::config
