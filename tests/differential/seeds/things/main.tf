terraform {
  required_providers {
    kinutest = {
      source = "kinu/kinutest"
    }
  }
}

provider "kinutest" {
  alias = "west"
}

variable "names" {
  type    = map(object({ size = number, tags = optional(list(string), []) }))
  default = { a = { size = 1 }, b = { size = 2, tags = ["x"] } }
  validation {
    condition     = alltrue([for n in values(var.names) : n.size > 0])
    error_message = "Sizes must be positive, not ${join(", ", [for n in var.names : tostring(n.size)])}."
  }
}

variable "password" {
  type      = string
  default   = "hidden"
  sensitive = true
}

locals {
  sizes = { for key, value in var.names : key => value.size }
  total = sum(values(local.sizes))
  first = element(keys(local.sizes), 0)
}

resource "kinutest_thing" "each" {
  for_each = var.names
  name     = "thing-${each.key}"
  value    = upper(each.key)
  size     = each.value.size
  password = var.password
  tags     = { for i, t in each.value.tags : tostring(i) => t }
  settings = {
    enabled = true
    key     = var.password
  }

  disk {
    kind = "ssd"
    size = each.value.size * 10
  }
  dynamic "label" {
    for_each = toset(each.value.tags)
    content {
      text = label.value
    }
  }
  network {
    address = "10.0.0.${each.value.size}"
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags, disk[0].kind]
    precondition {
      condition     = each.value.size < 100
      error_message = "Too large: ${each.value.size}."
    }
    postcondition {
      condition     = self.value != ""
      error_message = "No value for ${self.name}."
    }
  }
}

resource "kinutest_thing" "counted" {
  count      = length(var.names)
  provider   = kinutest.west
  name       = format("%s-%02d", local.first, count.index)
  value      = kinutest_thing.each[local.first].value
  size       = count.index
  depends_on = [data.kinutest_lookup.one]
}

data "kinutest_lookup" "one" {
  key      = kinutest_thing.each["a"].name
  anything = { list = [1, "two", null], total = local.total }
}

ephemeral "kinutest_token" "t" {
  name = "short"
}

output "values" {
  value = { for key, thing in kinutest_thing.each : key => thing.value }
}

output "ids" {
  value = kinutest_thing.counted[*].id
}

output "secret" {
  value     = kinutest_thing.each["b"].password
  sensitive = true
}

output "shouted" {
  value = provider::kinutest::shout(local.first)
}
