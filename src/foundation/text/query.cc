#include "text/query.h"

#include <algorithm>

namespace kinu::text {
namespace {

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Escapes all but letters, digits and the bytes in `plain`.
std::string EscapeAllBut(std::string_view plain, std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsLetterOrDigit(c) || plain.contains(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

}  // namespace

QueryArguments ParseQuery(std::string_view query) {
  QueryArguments out;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view argument = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (argument.empty()) {
      continue;
    }
    const size_t equals = std::min(argument.find('='), argument.size());
    out.emplace_back(PercentDecode(argument.substr(0, equals), true),
                     PercentDecode(argument.substr(std::min(equals + 1, argument.size())), true));
  }
  return out;
}

std::string EncodeQuery(QueryArguments arguments) {
  std::ranges::stable_sort(arguments, {}, &QueryArguments::value_type::first);
  std::string out;
  for (const auto& [name, value] : arguments) {
    out += (out.empty() ? "" : "&") + QueryEscape(name) + '=' + QueryEscape(value);
  }
  return out;
}

std::string QueryEscape(std::string_view text) {
  std::string out = EscapeAllBut("-_.~ ", text);
  std::ranges::replace(out, ' ', '+');
  return out;
}

std::string SegmentEscape(std::string_view text) {
  return EscapeAllBut("-_.~$&+=:@", text);
}

std::string PercentDecode(std::string_view text, bool plus) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexValue(text[i + 1]) >= 0 &&
        HexValue(text[i + 2]) >= 0) {
      out += static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2]));
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace kinu::text
