terraform {
  required_providers {
    kinutest = { source = "kinu/kinutest" }
  }
}
variable "v" { default = 1 }
resource "terraform_data" "u" { input = var.v }
locals {
  one = var.v == 1
  unknown = terraform_data.u.output
}
resource "kinutest_thing" "a" {
  name = "a"
  value = local.one ? "first\nsecond\n" : "first\nchanged\n"
  secret = local.one ? "s1" : "s2"
  password = "pw"
  size = var.v
  ratio = local.one ? 1.50 : 2.25
  tags = [{ a = "1", "b c" = "2", gone = "x" }, { a = "1", "b c" = "3", new = "y" }][var.v - 1]
  settings = { enabled = local.one, key = local.one ? "k" : "l" }
  rules = [[{ port = 1 }, { port = 2, label = "x" }, { port = 3 }], [{ port = 1 }, { port = 2, label = "y" }]][var.v - 1]
  limits = [{ l1 = { port = 1, label = "q" }, l2 = { port = 2 } }, { l1 = { port = 9, label = "q" }, l3 = { port = 3 } }][var.v - 1]
  members = [[{ port = 1 }, { port = 2 }], [{ port = 2 }, { port = 5, label = "z" }]][var.v - 1]
  disk {
    size = 1
    kind = local.one ? "ssd" : "hdd"
    partition { mount = "/" }
    partition { mount = local.one ? "/home" : "/data" }
  }
  disk { size = 2 }
  dynamic "disk" {
    for_each = local.one ? [] : [1]
    content { size = 3 }
  }
  label { text = "same" }
  label { text = local.one ? "l1" : "l2" }
  network { address = local.one ? "10.0.0.1" : null }
}
resource "kinutest_thing" "rep" {
  name = local.one ? "r1" : "r2"
  rules = [{ port = 1, label = local.one ? "k" : tostring(local.unknown) }]
  network { address = tostring(local.unknown) }
}
resource "kinutest_thing" "unk" {
  name = "unk"
  value = local.one ? "v" : local.unknown
  tags = { k = local.unknown }
  disk { 
    size = local.unknown 
    kind = sensitive("x")
  }
  dynamic "label" {
    for_each = toset(local.one ? ["x"] : [tostring(local.unknown)])
    content { text = label.value }
  }
}
resource "kinutest_thing" "del" {
  count = local.one ? 1 : 0
  name = "d"
  secret = "s"
  password = "p"
  rules = [{ port = 1 }]
  limits = { x = { port = 1 } }
  members = []
  tags = {}
  disk { size = 1 }
  label { text = "t" }
}
resource "kinutest_thing" "new" {
  count = local.one ? 0 : 1
  name = "n"
  secret = "s"
  password = "p"
  settings = { enabled = true }
  limits = { x = { port = local.unknown } }
  members = [{ port = 1, label = local.unknown }]
  rules = []
  disk { 
    size = 1 
    partition { mount = local.unknown }
  }
  label { text = "t" }
}
output "thing" { value = kinutest_thing.rep.rules }
