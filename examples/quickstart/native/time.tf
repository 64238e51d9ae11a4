# The part with a provider process. `make quickstart` leaves it out where Go is missing.
terraform {
  required_providers {
    time = {
      source  = "hashicorp/time"
      version = "0.13.1"
    }
  }
}

resource "time_static" "start" {
  rfc3339 = "2024-02-29T12:00:00Z"
}

resource "time_offset" "expiry" {
  base_rfc3339 = time_static.start.rfc3339
  offset_days  = 30
}

output "expiry" {
  value = time_offset.expiry.rfc3339
}
