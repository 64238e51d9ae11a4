terraform {
  required_providers {
    kinutest = {
      source = "kinu/kinutest"
    }
  }
}
ephemeral "kinutest_token" "e" {
  name = "x"
}
resource "terraform_data" "t" {}
module "m" {
 source = "./k"
 v = ephemeral.kinutest_token.e.name
}
