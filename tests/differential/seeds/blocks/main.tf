terraform {
  required_providers {
    kinutest = {
      source = "kinu/kinutest"
    }
  }
}

resource "kinutest_entry" "all" {
  name   = "entry"
  region = "here"
  keyed = {
    a = { title = "one" }
    b = { title = "two" }
  }
  one = {
    title = "single"
  }
  parts = [
    { title = "first" },
    { title = "second" },
  ]
  section {
    title = "s1"
  }
  section {
    title = "s2"
  }
}

resource "kinutest_thing" "rules" {
  name  = "rules"
  value = <<-EOT
    Rules of ${kinutest_entry.all.name}:
    %{for part in kinutest_entry.all.parts~}
    - ${part.title}
    %{endfor~}
  EOT
  ratio = 0.5
  rules = [for i, s in kinutest_entry.all.section : { label = s.title, port = 1000 + i }]
  limits = {
    cpu = { port = 2 }
  }
  members = [{ port = 1 }, { port = 2, label = "y" }]
  network {
    address = try(kinutest_entry.all.keyed["a"].title, "none")
  }
}

import {
  to = kinutest_thing.imported
  id = "given"
}

resource "kinutest_thing" "imported" {
  name  = "imported"
  value = "v"
}

output "all" {
  value = kinutest_thing.rules.value
}
