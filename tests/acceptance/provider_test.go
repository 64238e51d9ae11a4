// Acceptance tests of the example provider in C++ (examples/provider), as providers in Go have them.
//
// KV_PROVIDER is its program, TF_ACC_TERRAFORM_PATH the program that uses it. The provider is installed from a mirror
// of files: "init", which the framework runs, ignores development overrides.
package acceptance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

var providers = map[string]resource.ExternalProvider{
	"kv": {Source: "example.com/test/kv"},
}

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "acceptance-")
	if err != nil {
		panic(err)
	}
	mirror := filepath.Join(directory, "mirror")
	platform := filepath.Join(mirror, "example.com/test/kv/1.0.0", runtime.GOOS+"_"+runtime.GOARCH)
	settings := filepath.Join(directory, "settings.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	err = errors.Join(os.MkdirAll(platform, 0o700),
		os.Symlink(os.Getenv("KV_PROVIDER"), filepath.Join(platform, "terraform-provider-kv_v1.0.0")),
		os.WriteFile(settings, []byte(text), 0o600))
	if err != nil {
		panic(err)
	}
	os.Setenv("TF_CLI_CONFIG_FILE", settings)
	os.Setenv("TF_ACC", "1")
	code := m.Run()
	os.RemoveAll(directory)
	os.Exit(code)
}

func pair(directory, key, value string) string {
	return fmt.Sprintf(`
terraform {
  required_providers {
    kv = { source = "example.com/test/kv" }
  }
}
provider "kv" {
  directory = %q
}
resource "kv_pair" "a" {
  key   = %q
  value = %q
}
`, directory, key, value)
}

func contains(directory, key, value string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		text, err := os.ReadFile(filepath.Join(directory, key))
		if err != nil || string(text) != value {
			return fmt.Errorf("the file of %q has %q: %v", key, text, err)
		}
		return nil
	}
}

func destroyed(directory string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		files, err := os.ReadDir(directory)
		if err != nil || len(files) != 0 {
			return errors.Join(err, fmt.Errorf("%d files are left", len(files)))
		}
		return nil
	}
}

func TestPairLivesAndDies(t *testing.T) {
	directory := t.TempDir()
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		CheckDestroy:      destroyed(directory),
		Steps: []resource.TestStep{
			{
				Config: pair(directory, "a", "one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("kv_pair.a", plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue("kv_pair.a", tfjsonpath.New("id")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("kv_pair.a", tfjsonpath.New("id"), knownvalue.StringExact("a")),
				},
				Check: contains(directory, "a", "one"),
			},
			{
				Config: pair(directory, "a", "two"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("kv_pair.a", plancheck.ResourceActionUpdate),
				}},
				Check: contains(directory, "a", "two"),
			},
			{
				ResourceName:      "kv_pair.a",
				ImportState:       true,
				ImportStateId:     "a",
				ImportStateVerify: true,
			},
			{
				Config: pair(directory, "b", "two"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("kv_pair.a", plancheck.ResourceActionDestroyBeforeCreate),
				}},
				Check: contains(directory, "b", "two"),
			},
			{
				PreConfig: func() { os.Remove(filepath.Join(directory, "b")) },
				Config:    pair(directory, "b", "two"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("kv_pair.a", plancheck.ResourceActionCreate),
				}},
				Check: contains(directory, "b", "two"),
			},
		},
	})
}

func TestDefaultValue(t *testing.T) {
	directory := t.TempDir()
	config := regexp.MustCompile(`  value = .*\n`).ReplaceAllString(pair(directory, "a", ""), "")
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		Steps: []resource.TestStep{{
			Config: config,
			Check:  resource.TestCheckResourceAttr("kv_pair.a", "value", ""),
		}},
	})
}

func TestDataSource(t *testing.T) {
	directory := t.TempDir()
	data := `
data "kv_pair" "a" {
  key = kv_pair.a.id
}
`
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		Steps: []resource.TestStep{
			{
				Config: pair(directory, "a", "one") + data,
				Check:  resource.TestCheckResourceAttrPair("data.kv_pair.a", "value", "kv_pair.a", "value"),
			},
			{
				Config:      pair(directory, "a", "one") + "data \"kv_pair\" \"b\" {\n  key = \"b\"\n}\n",
				ExpectError: regexp.MustCompile("No such pair"),
			},
		},
	})
}

func TestFunction(t *testing.T) {
	directory := t.TempDir()
	join := func(arguments string) string {
		return pair(directory, "a", "") + "output \"key\" {\n  value = provider::kv::join(" + arguments + ")\n}\n"
	}
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		Steps: []resource.TestStep{
			{Config: join(`"-", "a", ""`), ExpectError: regexp.MustCompile("a part must not be\\s+empty")},
			{
				Config: join(`"-", "a", "b", "c"`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("key", knownvalue.StringExact("a-b-c")),
				},
			},
		},
	})
}

func TestEphemeralResource(t *testing.T) {
	directory := t.TempDir()
	lock := `
ephemeral "kv_lock" "a" {
  key = "a"
}
`
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		CheckDestroy:      destroyed(directory),
		Steps: []resource.TestStep{{
			Config: pair(directory, "a", "one") + lock,
			Check: func(*terraform.State) error {
				if _, err := os.Stat(filepath.Join(directory, "a.lock")); err == nil {
					return errors.New("the lock is left")
				}
				return nil
			},
		}},
	})
}

func TestErrors(t *testing.T) {
	directory := t.TempDir()
	resource.Test(t, resource.TestCase{
		ExternalProviders: providers,
		Steps: []resource.TestStep{
			{Config: pair(directory, "a/b", ""), ExpectError: regexp.MustCompile("Invalid key")},
			{Config: pair(directory+"/none", "a", ""), ExpectError: regexp.MustCompile("No such directory")},
		},
	})
}
