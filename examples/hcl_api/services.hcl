# Where everything runs.
region = "north"

service "web" {
  image    = "shop/web:${release}" # the shop
  replicas = max(2, cores / 4)
  ports    = [80, 443]

  env {
    REGION = region_of("web")
  }
}

service "worker" {
  image    = "shop/worker:${release}"
  replicas = 1
}
