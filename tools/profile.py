#!/usr/bin/env python3
"""Runs the program that measures how often code runs (preset `recording`), for the next release build.

    tools/profile.py PROGRAM

The runs are what people do all day: a project with modules, repetition, functions and conditions lives
its life, in both syntaxes, small and large; documents are shown, queried and checked. Each run must end
well. What it measured is added to build/profile, where the program was told to write it.
"""
import os
import subprocess
import sys
import tempfile

MAIN = """terraform {
  required_version = ">= 1.6"
}
variable "environment" {
  type        = string
  default     = "production"
  description = "where this runs"
  validation {
    condition     = contains(["production", "staging"], var.environment)
    error_message = "No such environment."
  }
}
variable "zones" {
  type = map(object({ cidr = string, size = optional(number, 2), tags = optional(map(string), {}) }))
  default = {
    a = { cidr = "10.0.0.0/16" }
    b = { cidr = "10.1.0.0/16", size = 4, tags = { tier = "web" } }
    c = { cidr = "10.2.0.0/16" }
  }
}
locals {
  names  = [for i in range(%(count)d) : format("server-%%03d", i)]
  owners = { for name in local.names : name => upper(substr(md5(name), 0, 6)) }
  common = merge({ environment = var.environment, managed = "yes" }, var.zones["b"].tags)
}
resource "terraform_data" "server" {
  count            = %(count)d
  input            = { name = local.names[count.index], owner = local.owners[local.names[count.index]], port = 8000 + count.index }
  triggers_replace = [var.environment, count.index %% 5]
  lifecycle {
    precondition {
      condition     = length(local.names) > count.index
      error_message = "Too many."
    }
  }
}
resource "terraform_data" "record" {
  for_each = toset(local.names)
  input    = "${each.key}.${var.environment}.example.com"
}
module "network" {
  source   = "./network"
  for_each = var.zones
  cidr     = each.value.cidr
  size     = each.value.size
  tags     = local.common
}
%(blocks)s
output "servers" {
  value = [for server in terraform_data.server : server.output.name]
}
output "subnets" {
  value = { for zone, network in module.network : zone => network.subnets }
}
output "secret" {
  value     = "hidden"
  sensitive = true
}
check "all" {
  assert {
    condition     = length(terraform_data.record) == length(local.names)
    error_message = "Records are missing."
  }
}
"""
BLOCK = """resource "terraform_data" "b%d" {
  input = {
    name   = "item-%d-${var.environment}"
    parent = %s
    size   = %d
    labels = ["x", "y${var.environment}"]
  }
}
"""
NETWORK = """variable "cidr" { type = string }
variable "size" { type = number }
variable "tags" {
  type    = map(string)
  default = {}
}
resource "terraform_data" "subnet" {
  count = var.size
  input = {
    cidr = cidrsubnet(var.cidr, 8, count.index)
    tags = merge(var.tags, { Name = "subnet ${count.index}" })
    text = <<-EOT
      first ${var.cidr}
      %{ for key, value in var.tags }${key}=${value} %{ endfor }
    EOT
  }
}
output "subnets" { value = terraform_data.subnet[*].output.cidr }
"""
CHECK = """check "names" {
  description = "every server has a name"
  plan {
    expect_condition {
      condition = change.actions[0] != "create" || after.input != null
    }
  }
}
"""
LIFE = [
    ["version"], ["init"], ["fmt", "-recursive"], ["validate"], ["plan"], ["validate", "-json"], ["plan", "-out=p"],
    ["show", "p"], ["show", "-json", "p"], ["show", "-summary", "p"], ["check", "-plan=p", "c.kinucheck.hcl"],
    ["query", "$.resource_changes[*].address", "p"], ["export", "-table=changes", "-to=arrow", "p"],
    ["export", "-table=attributes", "-to=arrow", "p"], ["apply", "p"], ["plan"], ["plan", "-json"], ["output"],
    ["output", "-json"], ["show"], ["show", "-json"], ["state", "list"], ["state", "show", "terraform_data.server[0]"],
    ["export", "-table=resources", "-to=arrow", "terraform.tfstate"], ["console"], ["graph"], ["refresh"],
    ["providers", "schema", "-json"], ["workspace", "list"],
    ["plan", "-var=environment=staging", "-out=q"], ["show", "q"], ["diff", "p", "q"],
    ["apply", "-auto-approve", "-json", "-var=environment=staging"], ["plan", "-destroy"], ["destroy", "-auto-approve"],
]


def run(program, folder, arguments, fine=(0,)):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    done = subprocess.run([program] + arguments, cwd=folder, env=environment, input=b"local.owners\n1 + 1\n",
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode not in fine:
        sys.exit("profile: %s: %s\n%s" % (" ".join(arguments), done.returncode, done.stderr.decode()))


def write(folder, name, text):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def project(folder, size):
    blocks = "".join(BLOCK % (i, i, "terraform_data.b%d.id" % (i // 3) if i else '"root"', i) for i in range(size))
    write(folder, "main.tf", MAIN % {"count": max(3, size // 4), "blocks": blocks})
    write(folder, "network/main.tf", NETWORK)
    write(folder, "c.kinucheck.hcl", CHECK)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        for size in (2, 40, 400, 3000):
            native, json = os.path.join(work, "native-%d" % size), os.path.join(work, "json-%d" % size)
            project(native, size)
            project(json, size)
            for folder in (json, os.path.join(json, "network")):
                run(program, folder, ["convert", "-to=json", "-write", "main.tf"], fine=(0, 2))
            for folder in (native, json):
                for arguments in LIFE:
                    run(program, folder, arguments)


if __name__ == "__main__":
    main()
