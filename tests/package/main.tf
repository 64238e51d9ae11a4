resource "terraform_data" "a" {
  input = "yes"
}

output "installed" {
  value = terraform_data.a.output
}
