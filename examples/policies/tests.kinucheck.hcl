test "a good plan passes" {
  plans = ["plans/good.json"]
  passes = [
    "buckets are private",
    "buckets block public access",
    "buckets keep versions",
    "volumes are encrypted",
    "file systems are encrypted",
    "databases are encrypted",
    "databases are not public",
    "databases are backed up",
    "databases are protected",
    "databases are not destroyed",
    "policies name their actions",
    "roles are not assumed by everyone",
    "access keys are not made",
    "keys are rotated",
    "administration ports are closed",
    "listeners use TLS",
    "instances have an allowed type",
    "instances require metadata tokens",
    "instances have an owner",
    "providers are pinned",
    "no credentials are written in providers",
  ]
}

test "each check finds its resource" {
  plans = ["plans/bad.json"]

  fails "buckets are private" {
    addresses = ["aws_s3_bucket_acl.public"]
  }

  fails "buckets block public access" {
    addresses = ["aws_s3_bucket_public_access_block.open"]
  }

  fails "buckets keep versions" {
    addresses = ["aws_s3_bucket_versioning.suspended"]
  }

  fails "volumes are encrypted" {
    addresses = ["aws_ebs_volume.plain"]
  }

  fails "file systems are encrypted" {
    addresses = ["aws_efs_file_system.plain"]
  }

  fails "databases are encrypted" {
    addresses = ["aws_db_instance.plain"]
  }

  fails "databases are not public" {
    addresses = ["aws_db_instance.public"]
  }

  fails "databases are backed up" {
    addresses = ["aws_db_instance.forgetful"]
  }

  fails "databases are protected" {
    addresses = ["aws_db_instance.unprotected"]
  }

  fails "databases are not destroyed" {
    addresses = ["aws_dynamodb_table.gone"]
  }

  fails "policies name their actions" {
    addresses = ["aws_iam_policy.wide"]
  }

  fails "roles are not assumed by everyone" {
    addresses = ["aws_iam_role.anyone"]
  }

  fails "access keys are not made" {
    addresses = ["aws_iam_access_key.key"]
  }

  fails "keys are rotated" {
    addresses = ["aws_kms_key.fixed"]
  }

  fails "administration ports are closed" {
    addresses = ["aws_security_group.ssh"]
  }

  fails "listeners use TLS" {
    addresses = ["aws_lb_listener.clear"]
  }

  fails "instances have an allowed type" {
    addresses = ["aws_instance.huge"]
  }

  fails "instances require metadata tokens" {
    addresses = ["aws_instance.untokened"]
  }

  fails "instances have an owner" {
    addresses = ["aws_instance.orphan"]
  }

  fails "providers are pinned" {}
  fails "no credentials are written in providers" {}
}
