// The file .netrc, which has user names and passwords of hosts. Ref: hashicorp/go-getter netrc.go,
// bgentry/go-netrc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace kinu::install {

struct NetrcEntry {
  std::string login;
  std::string password;
};

/// The entry of a host in the text of such a file, else its default entry. Fails for a word that
/// has no place.
Result<std::optional<NetrcEntry>> FindNetrcEntry(std::string_view text, std::string_view host);

/// Adds what the user's file ($NETRC, else ~/.netrc) has for the host of a request, unless its URL
/// has a user name.
Result<void> AddNetrcCredentials(net::HttpRequest& request);

}  // namespace kinu::install
