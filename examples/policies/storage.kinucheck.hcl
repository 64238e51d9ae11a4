check "buckets are private" {
  description = "Objects of a bucket with a public ACL can be read by anyone."

  plan {
    expect_condition {
      types     = ["aws_s3_bucket", "aws_s3_bucket_acl"]
      condition = !startswith(coalesce(try(after.acl, null), "private"), "public-")
      message   = "the ACL is ${after.acl}"
    }
  }
}

check "buckets block public access" {
  description = "All four settings together keep public ACLs and policies out."

  plan {
    expect_condition {
      types     = ["aws_s3_bucket_public_access_block"]
      condition = after.block_public_acls && after.block_public_policy && after.ignore_public_acls && after.restrict_public_buckets
      message   = "not all settings are true"
    }
  }
}

check "buckets keep versions" {
  description = "Versions make deleted and overwritten objects recoverable."

  plan {
    expect_condition {
      types     = ["aws_s3_bucket_versioning"]
      condition = alltrue([for c in after.versioning_configuration : c.status == "Enabled"])
      message   = "versioning is not enabled"
    }
  }
}

check "volumes are encrypted" {
  description = "Volumes hold data at rest."

  plan {
    expect_condition {
      types     = ["aws_ebs_volume"]
      condition = try(after.encrypted, false) == true
      message   = "the volume is not encrypted"
    }
  }
}

check "file systems are encrypted" {
  description = "File systems hold data at rest."

  plan {
    expect_condition {
      types     = ["aws_efs_file_system"]
      condition = try(after.encrypted, false) == true
      message   = "the file system is not encrypted"
    }
  }
}
