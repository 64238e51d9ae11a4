// The parts of the CLI configuration that are about OCI registries: the blocks `oci_credentials`
// and `oci_default_credentials`, and the address template of `oci_mirror`. Ref: opentofu
// internal/command/cliconfig oci_credentials.go, provider_installation.go.
#pragma once

#include <string>

#include "install/cli_config.h"
#include "install/hcl1.h"
#include "install/oci_reference.h"

namespace kinu::install {

/// Reads a block `oci_default_credentials` of the file `path` into the configuration.
void ReadOciDefaultCredentials(const Hcl1Item& block, bool is_json, const std::string& path,
                               CliConfig& config, Diagnostics& diags);
/// Reads a block `oci_credentials`.
void ReadOciCredentials(const Hcl1Item& block, bool is_json, CliConfig& config, Diagnostics& diags);

/// The template of an `oci_mirror` block that means the same as a URI template (RFC 6570, level 1):
/// "{hostname}" in place of "${hostname}", and no other sequences.
std::string TemplateOfUri(std::string_view uri_template);
/// What is wrong with such a URI template: braces without end, names other than hostname, namespace
/// and type. Empty: nothing.
std::string UriTemplateProblem(std::string_view uri_template);
/// Reports what is wrong with the template of an `oci_mirror` block: symbols other than hostname,
/// namespace and type; the lack of one of them unless `include` leaves no choice; addresses that
/// are none. `place`: the position of the block. Sources of diagnostics go to `config`.
void CheckOciTemplate(const InstallMethod& method, const std::string& place, CliConfig& config,
                      Diagnostics& diags);
/// The repository that a template gives for a provider ("host/namespace/type").
Result<OciRepository> ExpandOciTemplate(const std::string& text, const std::string& address);

}  // namespace kinu::install
