variable "name" {
  type = string
}

output "label" {
  value = upper(var.name)
}
