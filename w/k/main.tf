variable "v" {
 ephemeral = true
 validation {
 condition = var.v == "x"
 error_message = "m"
 }
}
