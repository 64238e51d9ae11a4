module "m" {
  source = "git::file:///tmp/kinu-upgrade-module?ref=4e72ba4a410c7ef5895ac3cc47ece230e032a532"
}
