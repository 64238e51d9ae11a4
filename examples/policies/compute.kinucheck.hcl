check "instances have an allowed type" {
  description = "Other types cost more than a team may spend."

  plan {
    expect_condition {
      types     = ["aws_instance"]
      condition = can(regex("^t3[.](nano|micro|small|medium)$", after.instance_type))
      message   = "the type is ${after.instance_type}"
    }
  }
}

check "instances require metadata tokens" {
  description = "Tokens keep credentials from forged requests."

  plan {
    expect_condition {
      types     = ["aws_instance"]
      condition = anytrue([for o in coalesce(try(after.metadata_options, null), []) : o.http_tokens == "required"])
      message   = "the metadata service answers without a token"
    }
  }
}

check "instances have an owner" {
  description = "The owner is asked before an instance is removed."
  severity    = "warning"

  plan {
    expect_condition {
      types     = ["aws_instance"]
      condition = try(after.tags.owner, "") != ""
      message   = "the tag \"owner\" is missing"
    }
  }
}
