"""The encryption of states that tests turn on, as a value of TF_ENCRYPTION."""

# 200,000 iterations are the fewest that are accepted.
SETTINGS = """
key_provider "pbkdf2" "k" {
  passphrase = "correct horse battery staple"
  iterations = 200000
}
method "aes_gcm" "m" { keys = key_provider.pbkdf2.k }
state {
  method   = method.aes_gcm.m
  enforced = true
}
"""
