#include "net/url_syntax.h"

#include <algorithm>

#include <arpa/inet.h>

#include "text/quote.h"

namespace kinu::net {
namespace {

using Problem = std::optional<std::string>;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsHexDigit(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsOneOf(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

/// What percent escapes and other characters mean in a part of a URL.
enum class Part : uint8_t {
  kText,  ///< any escape, any character
  kHost,  ///< escapes of bytes above ASCII only, and the characters of host names
};

Problem EscapeProblem(std::string_view text, Part part) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view escape = text.substr(i, 3);
      const bool formed = escape.size() == 3 && IsHexDigit(escape[1]) && IsHexDigit(escape[2]);
      if (!formed || (part == Part::kHost && escape[1] < '8' && escape != "%25")) {
        return "invalid URL escape " + text::GoQuote(escape);
      }
      i += 2;
    } else if (part == Part::kHost && static_cast<unsigned char>(c) < 0x80 && !IsLetter(c) &&
               !IsDigit(c) && !IsOneOf(c, "-_.~!$&'()*+,;=:[]<>\"")) {
      return "invalid character " + text::GoQuote(text.substr(i, 1)) + " in host name";
    }
  }
  return std::nullopt;
}

/// `text` is empty or begins with a colon.
Problem PortProblem(std::string_view text) {
  const bool good =
      text.empty() || (text[0] == ':' && std::ranges::all_of(text.substr(1), IsDigit));
  return good ? Problem() : "invalid port " + text::GoQuote(text) + " after host";
}

Problem AddressProblem(std::string_view host) {
  const size_t close = host.rfind(']');
  if (close == std::string_view::npos) {
    return "missing ']' in host";
  }
  if (Problem port = PortProblem(host.substr(close + 1))) {
    return port;
  }
  const std::string_view inside = host.substr(1, close - 1);
  const std::string_view address = inside.substr(0, inside.find("%25"));  // a zone follows
  if (Problem escape = EscapeProblem(address, Part::kHost)) {
    return escape;
  }
  const std::string text(address);
  in6_addr parsed;
  in_addr parsed_v4;
  if (inet_pton(AF_INET, text.c_str(), &parsed_v4) == 1) {
    return "invalid IP-literal";
  }
  return inet_pton(AF_INET6, text.c_str(), &parsed) == 1
             ? Problem()
             : "invalid host: ParseAddr(" + text::GoQuote(inside) + "): unable to parse IP";
}

Problem HostProblem(std::string_view scheme, std::string_view host) {
  const size_t bracket = host.rfind('[');
  if (bracket != std::string_view::npos && bracket > 0) {
    return "invalid IP-literal";
  }
  if (bracket == 0) {
    return AddressProblem(host);
  }
  // Lists of hosts with ports exist, but not in the Web.
  const bool strict = scheme == "http" || scheme == "https";
  const size_t colon = strict ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos) {
    if (Problem port = PortProblem(host.substr(colon))) {
      return port;
    }
  }
  return EscapeProblem(host, Part::kHost);
}

Problem AuthorityProblem(std::string_view scheme, std::string_view authority) {
  const size_t at = authority.rfind('@');
  const bool has_user = at != std::string_view::npos;
  if (Problem host = HostProblem(scheme, has_user ? authority.substr(at + 1) : authority)) {
    return host;
  }
  const std::string_view user = has_user ? authority.substr(0, at) : std::string_view();
  const auto is_allowed = [](char c) {
    return IsLetter(c) || IsDigit(c) || IsOneOf(c, "-._:~!$&'()*+,;=%@");
  };
  if (!std::ranges::all_of(user, is_allowed)) {
    return "net/url: invalid userinfo";
  }
  const size_t colon = std::min(user.find(':'), user.size());
  const Problem name = EscapeProblem(user.substr(0, colon), Part::kText);
  return name ? name : EscapeProblem(user.substr(colon), Part::kText);
}

/// The scheme that a text begins with; empty if there is none.
std::string_view SchemeOf(std::string_view text) {
  const auto is_part = [](char c) { return IsLetter(c) || IsDigit(c) || IsOneOf(c, "+-."); };
  const auto end = std::ranges::find_if_not(text, is_part);
  const bool found = end != text.end() && *end == ':' && IsLetter(text[0]);
  return found ? text.substr(0, static_cast<size_t>(end - text.begin())) : std::string_view();
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

}  // namespace

Problem UrlProblem(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const size_t hash = std::min(text.find('#'), text.size());
  const std::string_view fragment = text.substr(hash);
  text = text.substr(0, hash);
  if (std::ranges::any_of(text, is_control)) {
    return "net/url: invalid control character in URL";
  }
  if (text.starts_with(':')) {
    return "missing protocol scheme";
  }
  const std::string_view scheme = SchemeOf(text);
  text.remove_prefix(scheme.empty() ? 0 : scheme.size() + 1);
  text = text.substr(0, text.find('?'));
  Problem found;
  if (text.starts_with('/')) {
    if (text.starts_with("//") && (!scheme.empty() || !text.starts_with("///"))) {
      const size_t slash = std::min(text.find('/', 2), text.size());
      found = AuthorityProblem(Lower(scheme), text.substr(2, slash - 2));
      text.remove_prefix(slash);
    }
  } else if (!scheme.empty()) {
    text = {};  // it has no parts
  } else if (text.substr(0, text.find('/')).contains(':')) {
    return "first path segment in URL cannot contain colon";
  }
  found = found ? found : EscapeProblem(text, Part::kText);
  return found ? found : EscapeProblem(fragment, Part::kText);
}

std::string ShownUrl(std::string_view text) {
  std::string shown(text.substr(0, std::min(text.find('#'), text.size())));
  if (const size_t mark = shown.find('?'); mark != std::string::npos) {
    shown.replace(mark + 1, std::string::npos, "...");
  }
  const size_t authority = shown.find("//");
  if (authority == std::string::npos) {
    return shown;
  }
  const size_t end = std::min(shown.find('/', authority + 2), shown.size());
  const size_t at = shown.rfind('@', end);
  if (at != std::string::npos && at > authority) {
    shown.replace(authority + 2, at - authority - 2, "...");
  }
  return shown;
}

}  // namespace kinu::net
