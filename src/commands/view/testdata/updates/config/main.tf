variable "x" { default = 1 }
resource "terraform_data" "js" {
  input = [{ a = 1, b = [1, 2, 3], c = "x", e = null, same = true }, { a = 2, b = [1, 3, 4], c = "x", f = true, same = true }][var.x - 1]
}
resource "terraform_data" "str" {
  input = [jsonencode({ a = 1, b = [1, 2, 3], e = null, same = true }), jsonencode({ a = 2, b = [1, 3, 4], f = true, same = true })][var.x - 1]
}
resource "terraform_data" "ws" {
  input = ["{\"a\":1}", "{ \"a\": 1}"][var.x - 1]
}
resource "terraform_data" "nn" {
  input = ["{\"a\":1}", "plain"][var.x - 1]
}
resource "terraform_data" "num" {
  input = ["{\"a\":1.0, \"b\": 1e5}", "{\"a\":1.00, \"b\": 1e5}"][var.x - 1]
}
resource "terraform_data" "ml" {
  input = ["line1\nline2\nline3", "line1\nline2 changed\nline3"][var.x - 1]
}
resource "terraform_data" "list" {
  input = [["a", "b", "c", "d", "e", "f", "g", "h"], ["a", "b", "c", "X", "e", "f", "g", "h", "i"]][var.x - 1]
}
resource "terraform_data" "objs" {
  input = [[{ a = "1", b = 2 }, { a = "z", b = 2 }], [{ a = "2", b = 2 }, { a = "z", b = 2 }]][var.x - 1]
}
resource "terraform_data" "typ" {
  input = ["str", [1]][var.x - 1]
}
resource "terraform_data" "mls" {
  input = [["x", "a\nb\nc"], ["x", "a\nB\nc"]][var.x - 1]
}
resource "terraform_data" "sens" {
  input = ["plain", sensitive("plain")][var.x - 1]
}
resource "terraform_data" "sensin" {
  input = { k = sensitive(var.x), j = 2 }
}
resource "terraform_data" "trig" {
  triggers_replace = var.x
  input = "k"
}
resource "terraform_data" "unk" {
  input = ["k", terraform_data.trig.id][var.x - 1]
}
resource "terraform_data" "unkobj" {
  input = { id = terraform_data.trig.id, name = "n", m = { "x y" = 1, z = terraform_data.trig.output }, tags = { a = 1 } }
}
resource "terraform_data" "cnt" {
  count = 3 - var.x
}
output "o" { value = ["str", { l = 1 }][var.x - 1] }
output "gone" { value = ["a", null][var.x - 1] }
output "s" {
  sensitive = true
  value = var.x
}
output "same" { value = "same" }
output "lo" { value = terraform_data.objs.input }
