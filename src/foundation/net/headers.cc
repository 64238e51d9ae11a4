// Header fields. Compiled into the network module as well.
#include <algorithm>

#include "net/http.h"
#include "text/ascii_case.h"

namespace kinu::net {

void Headers::Set(std::string_view name, std::string_view value) {
  Remove(name);
  Add(name, value);
}

void Headers::Add(std::string_view name, std::string_view value) {
  list_.push_back({std::string(name), std::string(value)});
}

void Headers::Remove(std::string_view name) {
  std::erase_if(list_,
                [&](const Header& header) { return text::IsSameInAnyCase(header.name, name); });
}

const std::string* Headers::Find(std::string_view name) const {
  const auto it = std::ranges::find_if(
      list_, [&](const Header& header) { return text::IsSameInAnyCase(header.name, name); });
  return it == list_.end() ? nullptr : &it->value;
}

std::string_view Headers::Get(std::string_view name) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace kinu::net
