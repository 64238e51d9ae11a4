variable "stage" {
  description = "Where it runs: \"dev\", 「prod」 or 🚀."
  type        = string
  default     = "dev"
}
