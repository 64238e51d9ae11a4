terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
resource "kinutest_thing" "a" {
  name   = "n"
  secret = "TOPSECRET"
  label { text = "first" }
}
resource "terraform_data" "d" {
  input = "i"
}
output "name" { value = kinutest_thing.a.name }
resource "kinutest_thing" "b" {
  name = "second"
}
