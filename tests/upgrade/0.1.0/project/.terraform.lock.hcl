# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "registry.opentofu.org/kinu/kinutest" {
  version = "1.0.0"
  hashes = [
    "h1:S9FOLUT4jGOyzzRiGfKSZqkCh/GyNtpJkIFd+diJPVI=",
  ]
}
