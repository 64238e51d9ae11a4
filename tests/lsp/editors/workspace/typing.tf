locals {
  typed = var.stage
}
