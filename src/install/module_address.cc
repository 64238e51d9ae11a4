#include "install/module_address.h"

#include <algorithm>

namespace kinu::install {
namespace {

constexpr std::string_view kHidden = "xxxxx";
constexpr std::string_view kSecretArguments[] = {"sshkey", "aws_access_key_secret",
                                                 "aws_access_token"};

/// Where the password stands in an address: [begin, end); begin is npos if there is none.
std::pair<size_t, size_t> PasswordRange(std::string_view address) {
  constexpr std::pair<size_t, size_t> kNone{std::string_view::npos, 0};
  const size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) {
    return kNone;
  }
  const size_t begin = scheme + 3;
  const std::string_view authority =
      address.substr(begin, address.find_first_of("/?#", begin) - begin);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.substr(0, at).find(':');
  if (at == std::string_view::npos || colon == std::string_view::npos) {
    return kNone;
  }
  return {begin + colon + 1, begin + at};
}

}  // namespace

std::string PasswordOf(std::string_view address) {
  const auto [begin, end] = PasswordRange(address);
  return begin == std::string_view::npos ? std::string()
                                         : std::string(address.substr(begin, end - begin));
}

std::string ShownPackage(std::string_view package) {
  std::string out(package);
  if (const auto [begin, end] = PasswordRange(out); begin != std::string::npos && end > begin) {
    out.replace(begin, end - begin, kHidden);
  }
  size_t at = out.find('?');
  while (at != std::string::npos && at + 1 < out.size()) {
    const size_t end = std::min(out.find('&', at + 1), out.size());
    const size_t equals = out.find('=', at + 1);
    const bool is_secret =
        equals < end && std::ranges::find(kSecretArguments,
                                          std::string_view(out).substr(at + 1, equals - at - 1)) !=
                            std::end(kSecretArguments);
    if (is_secret) {
      out.replace(equals + 1, end - equals - 1, kHidden);
    }
    at = out.find('&', at + 1);
  }
  return out;
}

}  // namespace kinu::install
