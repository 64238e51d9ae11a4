check "databases are encrypted" {
  description = "Databases hold data at rest."

  plan {
    expect_condition {
      types     = ["aws_db_instance", "aws_rds_cluster"]
      condition = try(after.storage_encrypted, false) == true
      message   = "the storage is not encrypted"
    }
  }
}

check "databases are not public" {
  description = "A database is reached through its network."

  plan {
    expect_condition {
      types     = ["aws_db_instance"]
      condition = try(after.publicly_accessible, false) != true
      message   = "the database has a public address"
    }
  }
}

check "databases are backed up" {
  description = "Seven days leave time to notice a loss."

  plan {
    expect_condition {
      types     = ["aws_db_instance", "aws_rds_cluster"]
      condition = coalesce(try(after.backup_retention_period, null), 0) >= 7
      message   = "backups are kept ${coalesce(after.backup_retention_period, 0)} days"
    }
  }
}

check "databases are protected" {
  description = "Protection makes a deletion two steps."
  severity    = "warning"

  plan {
    expect_condition {
      types     = ["aws_db_instance", "aws_rds_cluster"]
      condition = try(after.deletion_protection, false) == true
      message   = "deletion protection is off"
    }
  }
}

check "databases are not destroyed" {
  description = "A plan that destroys or replaces a database loses its data."

  plan {
    expect_condition {
      types     = ["aws_db_*", "aws_rds_cluster", "aws_dynamodb_table"]
      actions   = ["delete"]
      condition = false
      message   = "the plan would ${join(" and ", actions)} it"
    }
  }
}
