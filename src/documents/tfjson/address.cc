#include "tfjson/address.h"

#include <cstddef>
#include <vector>

namespace kinu::tfjson {
namespace {

/// Splits an address at the dots outside brackets.
std::vector<std::string_view> AddressParts(std::string_view address) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool quoted = false;
  int brackets = 0;
  for (size_t at = 0; at <= address.size(); ++at) {
    const char c = at < address.size() ? address[at] : '.';
    if (quoted) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        quoted = false;
      }
      continue;
    }
    quoted = c == '"' && brackets > 0;
    if (c == '[') {
      ++brackets;
    } else if (c == ']') {
      --brackets;
    }
    if (c == '.' && brackets == 0) {
      parts.push_back(address.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  return parts;
}

/// Number of leading parts that name modules, in pairs: `module`, `name[key]`.
size_t ModuleParts(const std::vector<std::string_view>& parts) {
  size_t count = 0;
  while (count + 1 < parts.size() && parts[count] == "module") {
    count += 2;
  }
  return count;
}

}  // namespace

std::string_view ModuleIn(std::string_view address) {
  const std::vector<std::string_view> parts = AddressParts(address);
  const size_t count = ModuleParts(parts);
  return count == 0
             ? std::string_view()
             : address.substr(0, static_cast<size_t>(parts[count - 1].data() +
                                                     parts[count - 1].size() - address.data()));
}

std::string_view ResourceTypeIn(std::string_view address) {
  const std::vector<std::string_view> parts = AddressParts(address);
  size_t at = ModuleParts(parts);
  if (at < parts.size() && (parts[at] == "data" || parts[at] == "ephemeral")) {
    ++at;
  }
  return at + 1 < parts.size() ? parts[at] : std::string_view();
}

}  // namespace kinu::tfjson
