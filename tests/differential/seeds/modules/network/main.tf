variable "cidr" {
  type = string
  validation {
    condition     = can(cidrnetmask(var.cidr))
    error_message = "${var.cidr} is no network."
  }
}

locals {
  subnets = [for i in range(3) : cidrsubnet(var.cidr, 8, i)]
}

output "subnets" {
  value = local.subnets
}

output "enabled" {
  value = length(local.subnets) > 2
}
