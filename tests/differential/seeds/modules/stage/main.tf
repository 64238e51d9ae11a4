variable "name" {
  type     = string
  nullable = false
}

variable "subnets" {
  type = list(string)
}

variable "settings" {
  type = object({
    replicas = number
    zone     = optional(string, "a")
  })
}

resource "terraform_data" "host" {
  for_each = { for i, s in var.subnets : "${var.name}-${i}" => s if i < var.settings.replicas }
  input    = "${each.key}@${each.value}"
  lifecycle {
    replace_triggered_by = [terraform_data.revision.output]
  }
}

resource "terraform_data" "revision" {
  input = sha256(jsonencode(var.settings))
}

output "hosts" {
  value = [for h in terraform_data.host : h.output]
}

output "summary" {
  value = {
    replicas = var.settings.replicas
    zone     = var.settings.zone
    path     = path.module
  }
}
