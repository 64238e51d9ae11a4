terraform {
  required_version = ">= 1.6"
}

variable "servers" {
  description = "The size of each server by its name."
  type        = map(number)
  default = {
    web = 2
    db  = 8
  }

  validation {
    condition     = alltrue([for size in values(var.servers) : size > 0])
    error_message = "A server needs a size above zero."
  }
}

variable "password" {
  type      = string
  sensitive = true
  default   = "correct horse"
}

locals {
  network = "10.20.0.0/16"
}

resource "terraform_data" "subnet" {
  count = 2
  input = {
    name = "subnet-${count.index}"
    cidr = cidrsubnet(local.network, 8, count.index)
  }
}

module "server" {
  source   = "./modules/server"
  for_each = var.servers

  name   = each.key
  size   = each.value
  subnet = terraform_data.subnet[each.value % 2].output.cidr
}

resource "terraform_data" "login" {
  input            = var.password
  triggers_replace = [for server in module.server : server.name]
}

output "subnets" {
  value = terraform_data.subnet[*].output.cidr
}

output "servers" {
  value = { for name, server in module.server : name => server.description }
}

output "login" {
  value     = terraform_data.login.output
  sensitive = true
}
