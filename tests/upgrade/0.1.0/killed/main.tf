terraform {
  backend "local" {}
}
resource "terraform_data" "before" { input = "there" }
resource "terraform_data" "after" {
  input      = "done"
  depends_on = [terraform_data.before]
}
resource "terraform_data" "end" {
  depends_on = [terraform_data.after]
  provisioner "local-exec" { command = "kill -9 $PPID" }
}
