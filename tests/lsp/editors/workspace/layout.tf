output "stores" {
value = terraform_data.store
    description   = "All."
}
output "label" {
value = module.child.label
}
