terraform {
  required_version = ">= 1.6"
}

locals {
  names  = ["a", "b"]
  prefix = "${var.stage}-"
}

module "child" {
  source = "./child"
  name   = local.prefix
}

resource "terraform_data" "store" {
  for_each = toset(local.names)
  input    = format("%s%s", local.prefix, each.key)
}
