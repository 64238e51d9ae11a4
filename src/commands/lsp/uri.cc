#include "lsp/uri.h"

#include <algorithm>

#include "base/files.h"

namespace kinu::lsp {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool StaysInUri(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").contains(c);
}

char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::ranges::equal(text.substr(0, lower.size()), lower, {}, ToLower);
}

/// The value of a hexadecimal digit; -1: it is none.
int DigitValue(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = ToLower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// The text with its escapes decoded. A percent sign without two digits stays.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool may_escape = text[i] == '%' && i + 2 < text.size();
    const int high = may_escape ? DigitValue(text[i + 1]) : -1;
    const int low = may_escape ? DigitValue(text[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<std::string> PathOfUri(std::string_view uri) {
  if (!StartsWithIgnoringCase(uri, "file:")) {
    return std::nullopt;
  }
  uri.remove_prefix(5);
  uri = uri.substr(0, uri.find_first_of("?#"));
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    const std::string_view host = uri.substr(0, uri.find('/'));
    if (!host.empty() && host != "localhost") {
      return std::nullopt;
    }
    uri.remove_prefix(host.size());
  }
  const std::string path = Unescaped(uri);
  if (!path.starts_with('/') || path.contains('\0')) {
    return std::nullopt;
  }
  return CleanPath(path);
}

std::string UriOfPath(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    if (StaysInUri(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kHexDigits[byte >> 4];
      uri += kHexDigits[byte & 15];
    }
  }
  return uri;
}

}  // namespace kinu::lsp
