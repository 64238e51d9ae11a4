variable "v" {
 ephemeral = true
}
output "o" {
 value = var.v
 ephemeral = true
}
