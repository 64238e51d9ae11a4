output "stage" {
  value = "🚀 ${var.stagee}"
}
