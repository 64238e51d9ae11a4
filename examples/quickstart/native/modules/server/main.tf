variable "name" {
  type = string
}

variable "size" {
  type = number
}

variable "subnet" {
  type = string
}

resource "terraform_data" "server" {
  input = {
    name   = var.name
    size   = var.size
    subnet = var.subnet
  }

  lifecycle {
    create_before_destroy = true
  }
}

output "name" {
  value = terraform_data.server.output.name
}

output "description" {
  value = format("%s: %d GB in %s", var.name, var.size, terraform_data.server.output.subnet)
}
