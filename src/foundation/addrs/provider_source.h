// Provider source addresses: "hashicorp/aws", "example.com/team/thing".
// Ref: opentofu registry-address provider.go ParseProviderSource.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace kinu {

inline constexpr std::string_view kDefaultRegistryHost = "registry.opentofu.org";
inline constexpr std::string_view kBuiltInProvider = "terraform.io/builtin/terraform";

/// A full provider address. Its text form is what the rest of the program keeps.
struct ProviderAddress {
  std::string host;
  std::string space;  ///< the namespace
  std::string type;

  /// "registry.opentofu.org/hashicorp/aws".
  std::string ToText() const { return host + '/' + space + '/' + type; }
  /// Without the default host: what people read.
  std::string ForDisplay() const;
  bool is_built_in() const {
    return space == "builtin" && (host == "terraform.io" || host == "opentofu.org");
  }
  /// Whether a type alone can mean it: "hashicorp" on the default host.
  bool is_default() const { return host == kDefaultRegistryHost && space == "hashicorp"; }
  friend bool operator==(const ProviderAddress&, const ProviderAddress&) = default;
};

/// Why a source address is wrong, as the two halves of a diagnostic.
struct ProviderAddressError {
  std::string summary;
  std::string detail;
};

/// Reads `[host/]namespace/type`, or `type` alone, which means "hashicorp" on the default host.
/// Names are folded to lower case.
std::expected<ProviderAddress, ProviderAddressError> ParseProviderSource(std::string_view text);

/// Splits a full address that this program made. The address must be well-formed.
ProviderAddress SplitProviderAddress(std::string_view address);

/// The type in the address of a provider: what follows the last "/". Takes addresses of other
/// programs, too.
std::string_view ProviderTypeOf(std::string_view address);

/// The local name of a provider that the type of a resource implies: the part before its first
/// underscore.
std::string_view ImpliedProviderName(std::string_view resource_type);

/// Reads one name (namespace or type): lower case, or an error message.
std::expected<std::string, std::string> ParseProviderPart(std::string_view text);

/// Reads the host name of a registry, with a port or without: lower case, or an error message.
std::expected<std::string, std::string> ParseHostName(std::string_view text);

/// The name for people of a full address: without the default host.
std::string ProviderForDisplay(std::string_view address);

}  // namespace kinu
