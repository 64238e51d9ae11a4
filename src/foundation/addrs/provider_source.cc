#include "addrs/provider_source.h"

#include <charconv>
#include <vector>

#include "addrs/host_name.h"
#include "base/invariant.h"
#include "text/quote.h"

namespace kinu {
namespace {

std::unexpected<ProviderAddressError> Bad(std::string summary, std::string detail) {
  return std::unexpected(ProviderAddressError{std::move(summary), std::move(detail)});
}

using text::Quoted;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == text.npos) {
      return parts;
    }
    text.remove_prefix(slash + 1);
  }
}

/// A DNS label: letters, digits, dashes, none at the ends. Names beyond ASCII pass as they are.
bool IsSourceLabel(std::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') {
    return false;
  }
  for (char c : text) {
    bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '-' || static_cast<unsigned char>(c) >= 0x80;
    if (!fine) {
      return false;
    }
  }
  return true;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

}  // namespace

namespace {

/// The number of a port as ":80", empty for that of https, or why it is none. A sign is allowed.
std::expected<std::string, std::string> NormalizePort(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool two_signs = digits.size() < text.size() && digits.starts_with('-');
  if (problem != std::errc() || end != digits.data() + digits.size() || two_signs) {
    return std::unexpected("port portion contains non-digit characters");
  }
  if (number > 65535) {
    return std::unexpected("port number is greater than 65535");
  }
  return number == 443 ? std::string() : ':' + std::to_string(number);
}

}  // namespace

std::expected<std::string, std::string> ParseHostName(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  std::string port;
  if (name.size() != text.size()) {
    auto normal = NormalizePort(text.substr(name.size() + 1));
    if (!normal) {
      const std::string scheme = Lower(name);
      return scheme == "http" || scheme == "https"
                 ? std::unexpected("need just a hostname and optional port number, not a full URL")
                 : normal;
    }
    port = *std::move(normal);
  }
  auto host = NormalizeHostName(name);
  return host ? *std::move(host) + port : host;
}

std::string ProviderAddress::ForDisplay() const {
  return host == kDefaultRegistryHost ? space + '/' + type : ToText();
}

std::expected<std::string, std::string> ParseProviderPart(std::string_view text) {
  if (text.empty()) {
    return std::unexpected("must have at least one character");
  }
  if (text.find('.') != text.npos) {
    return std::unexpected("dots are not allowed");
  }
  if (text.find("--") != text.npos) {
    return std::unexpected("cannot use multiple consecutive dashes");
  }
  if (!IsSourceLabel(text)) {
    return std::unexpected(
        "must contain only letters, digits, and dashes, and may not use leading or trailing "
        "dashes");
  }
  return Lower(text);
}

std::expected<ProviderAddress, ProviderAddressError> ParseProviderSource(std::string_view text) {
  std::vector<std::string_view> parts = Split(text);
  bool empty_part = false;
  for (std::string_view part : parts) {
    empty_part = empty_part || part.empty();
  }
  if (parts.size() > 3 || empty_part) {
    return Bad("Invalid provider source string",
               "The \"source\" attribute must be in the format \"[hostname/][namespace/]name\"");
  }
  auto type = ParseProviderPart(parts.back());
  if (!type) {
    return Bad("Invalid provider type", "Invalid provider type " + Quoted(parts.back()) +
                                            " in source " + Quoted(text) + ": " + type.error());
  }
  ProviderAddress source{std::string(kDefaultRegistryHost), "hashicorp", *std::move(type)};
  if (parts.size() >= 2 && parts[parts.size() - 2] != "-") {
    auto space = ParseProviderPart(parts[parts.size() - 2]);
    if (!space) {
      return Bad("Invalid provider namespace", "Invalid provider namespace " +
                                                   Quoted(parts[parts.size() - 2]) + " in source " +
                                                   Quoted(text) + ": " + space.error());
    }
    source.space = *std::move(space);
  } else if (parts.size() >= 2) {
    source.space = "-";
  }
  if (parts.size() == 3) {
    auto host = ParseHostName(parts[0]);
    if (!host) {
      return Bad("Invalid provider source hostname", "Invalid provider source hostname " +
                                                         Quoted(parts[0]) + " in source " +
                                                         Quoted(text) + ": " + host.error());
    }
    source.host = *std::move(host);
  }
  if (source.space == "-" && source.host != kDefaultRegistryHost) {
    return Bad("Invalid provider namespace",
               "The legacy provider namespace \"-\" can be used only with hostname " +
                   std::string(kDefaultRegistryHost) + ".");
  }
  if (parts.size() == 1) {
    return source;  // a bare name is not looked at any closer
  }
  for (std::string_view brand : {"terraform-", "opentofu-"}) {
    if (!source.type.starts_with(brand)) {
      continue;
    }
    std::string repository_prefix = std::string(brand) + "provider-";
    std::string detail =
        "Provider source " + Quoted(source.ForDisplay()) + " has a type with the prefix ";
    if (source.type.starts_with(repository_prefix) &&
        ParseProviderPart(std::string_view(source.type).substr(repository_prefix.size()))) {
      ProviderAddress suggestion = source;
      suggestion.type.erase(0, repository_prefix.size());
      return Bad("Invalid provider type",
                 detail + Quoted(repository_prefix) +
                     ". That prefix belongs to repository names, not to source addresses.\n\n"
                     "Did you mean " +
                     Quoted(suggestion.ForDisplay()) + "?");
    }
    return Bad("Invalid provider type",
               detail + Quoted(brand) +
                   ", which would be redundant. If you are the author of this provider, rename "
                   "it to not include the prefix.");
  }
  return source;
}

ProviderAddress SplitProviderAddress(std::string_view address) {
  std::vector<std::string_view> parts = Split(address);
  KINU_INVARIANT(parts.size() == 3, "a full provider address has three parts");
  return {std::string(parts[0]), std::string(parts[1]), std::string(parts[2])};
}

std::string_view ProviderTypeOf(std::string_view address) {
  return address.substr(address.rfind('/') + 1);
}

std::string_view ImpliedProviderName(std::string_view resource_type) {
  return resource_type.substr(0, resource_type.find('_'));
}

std::string ProviderForDisplay(std::string_view address) {
  if (address.starts_with(kDefaultRegistryHost) && address.size() > kDefaultRegistryHost.size() &&
      address[kDefaultRegistryHost.size()] == '/') {
    address.remove_prefix(kDefaultRegistryHost.size() + 1);
  }
  return std::string(address);
}

}  // namespace kinu
