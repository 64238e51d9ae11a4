//go:build tools

// Package specsuite pins the reference's test driver.
package specsuite

import (
	_ "github.com/hashicorp/hcl/v2/cmd/hclspecsuite"
)
