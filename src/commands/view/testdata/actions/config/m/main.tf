resource "terraform_data" "in" { input = "m" }
resource "terraform_data" "rep" {
  count = 2
  input = count.index
}
output "o" { value = terraform_data.in.output }
