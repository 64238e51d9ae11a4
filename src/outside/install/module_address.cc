#include "install/module_address.h"

#include <utility>

namespace kinu::install {
namespace {

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

}  // namespace kinu::install
