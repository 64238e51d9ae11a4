check "policies name their actions" {
  description = "A policy that allows every action grants more than is needed."

  plan {
    expect_condition {
      types         = ["aws_iam_policy", "aws_iam_role_policy"]
      condition     = alltrue([
        for s in flatten([jsondecode(after.policy).Statement]) :
        s.Effect != "Allow" || !contains(flatten([try(s.Action, [])]), "*")
      ])
      message       = "the policy allows every action"
      allow_unknown = true
    }
  }
}

check "roles are not assumed by everyone" {
  description = "The principal \"*\" is any account."

  plan {
    expect_condition {
      types         = ["aws_iam_role"]
      condition     = alltrue([
        for s in flatten([jsondecode(after.assume_role_policy).Statement]) :
        !contains(flatten([try(values(s.Principal), s.Principal, [])]), "*")
      ])
      message       = "any account may assume the role"
      allow_unknown = true
    }
  }
}

check "access keys are not made" {
  description = "Keys of users do not expire."
  severity    = "warning"

  plan {
    expect_condition {
      types     = ["aws_iam_access_key"]
      actions   = ["create"]
      condition = false
      message   = "a key that does not expire is created"
    }
  }
}

check "keys are rotated" {
  description = "Rotation limits what a leaked key can read."

  plan {
    expect_condition {
      types     = ["aws_kms_key"]
      condition = try(after.enable_key_rotation, false) == true
      message   = "rotation is off"
    }
  }
}
