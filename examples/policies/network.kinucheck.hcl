check "administration ports are closed" {
  description = "SSH and RDP are not open to every address."

  plan {
    expect_condition {
      types         = ["aws_security_group"]
      condition     = alltrue([
        for r in coalesce(try(after.ingress, null), []) :
        !contains(coalesce(r.cidr_blocks, []), "0.0.0.0/0") ||
        alltrue([for p in [22, 3389] : r.from_port > p || r.to_port < p])
      ])
      message       = "port 22 or 3389 is open to every address"
      allow_unknown = true
    }
  }
}

check "listeners use TLS" {
  description = "Requests in the clear can be read on their way."

  plan {
    expect_condition {
      types     = ["aws_lb_listener"]
      condition = contains(["HTTPS", "TLS"], after.protocol) || anytrue([for a in after.default_action : a.type == "redirect"])
      message   = "the protocol is ${after.protocol}"
    }
  }
}
