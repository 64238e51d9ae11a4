check "providers are pinned" {
  description = "A provider without a version constraint can change from one run to the next."

  plan {
    expect_condition {
      selector  = "$.configuration.provider_config[*]"
      condition = try(value.version_constraint, "") != ""
      message   = "the provider ${value.name} has no version constraint"
    }
  }
}

check "no credentials are written in providers" {
  description = "Credentials come from the environment."

  plan {
    expect_none {
      selector = "$.configuration.provider_config[*].expressions['access_key','secret_key','token'].constant_value"
      message  = "a credential is written in the configuration"
    }
  }
}
