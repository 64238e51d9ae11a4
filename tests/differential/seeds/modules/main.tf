variable "stages" {
  type    = set(string)
  default = ["dev", "prod"]
}

module "network" {
  source = "./network"
  cidr   = "10.0.0.0/16"
}

module "stage" {
  source   = "./stage"
  for_each = var.stages
  name     = each.key
  subnets  = module.network.subnets
  settings = {
    replicas = each.key == "prod" ? 3 : 1
  }
  depends_on = [terraform_data.gate]
}

resource "terraform_data" "gate" {
  input            = module.network.subnets[0]
  triggers_replace = [for s in var.stages : s]
}

resource "terraform_data" "report" {
  count = module.network.enabled ? 1 : 0
  input = {
    stages = { for name, stage in module.stage : name => stage.summary }
    hosts  = flatten([for stage in values(module.stage) : stage.hosts])
  }
  provisioner "local-exec" {
    command = "echo ${self.id}"
    when    = create
  }
}

check "replicas" {
  assert {
    condition     = module.stage["prod"].summary.replicas >= 3
    error_message = "Too few replicas: ${module.stage["prod"].summary.replicas}"
  }
}

moved {
  from = terraform_data.old
  to   = terraform_data.gate
}

removed {
  from = module.gone.terraform_data.x
  lifecycle {
    destroy = false
  }
}

output "hosts" {
  value      = sort(flatten([for s in module.stage : s.hosts]))
  depends_on = [terraform_data.report]
  precondition {
    condition     = length(var.stages) > 0
    error_message = "There must be a stage."
  }
}
