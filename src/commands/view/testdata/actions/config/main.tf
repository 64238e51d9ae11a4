module "a" {
  source   = "./m"
  for_each = toset(["x"])
}
resource "terraform_data" "fe" {
  for_each = toset(["k1"])
  input    = "multi\nline changed ${each.key}"
}
removed {
  from = terraform_data.keep
  lifecycle { destroy = false }
}
resource "terraform_data" "keeprep" {
  triggers_replace = 2
  lifecycle { destroy = false }
}
resource "terraform_data" "taint" { input = "t" }
moved { 
  from = terraform_data.wrong
  to = terraform_data.wrong2
}
resource "terraform_data" "wrong2" { 
  for_each = toset(["z"])
  input = "w" 
}
moved {
  from = terraform_data.old
  to   = terraform_data.new
}
resource "terraform_data" "new" { input = "moved" }
import {
  to = terraform_data.imp
  id = "some-id"
}
resource "terraform_data" "imp" { }
import {
  to = terraform_data.imp2
  id = "some-id2"
}
resource "terraform_data" "imp2" { input = "x" }
resource "terraform_data" "cbd" { 
  triggers_replace = ["b", 1]
  lifecycle { create_before_destroy = true }
}
resource "terraform_data" "fresh" { 
  input = { js = jsonencode({ a = [1, { b = null }], "c d" = "x" }), s = sensitive("x"), u = terraform_data.cbd.id, empty = {}, el = [], n = null }
}
output "o" { value = { for k, v in module.a : k => v.o } }
output "newo" { value = terraform_data.fresh.output }
output "sens" { 
  value = "y" 
  sensitive = true
}
