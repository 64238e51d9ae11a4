#include "net/url.h"

#include <algorithm>

#include "net/url_syntax.h"
#include "text/quote.h"

namespace kinu::net {
namespace {

bool IsUrlLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsUrlDigit(char c) {
  return c >= '0' && c <= '9';
}

/// The scheme that a text begins with; empty if there is none.
std::string_view LeadingScheme(std::string_view text) {
  if (text.empty() || !IsUrlLetter(text[0])) {
    return {};
  }
  for (size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':') {
      return text.substr(0, i);
    }
    if (!IsUrlLetter(c) && !IsUrlDigit(c) && c != '+' && c != '-' && c != '.') {
      return {};
    }
  }
  return {};
}

/// Removes "." and ".." segments from an absolute path.
std::string WithoutDots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool directory = false;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    const bool last = slash == path.size();
    path.remove_prefix(last ? slash : slash + 1);
    directory = false;
    if (part == "." || part == "..") {
      if (part == ".." && kept.size() > 1) {
        kept.pop_back();
      }
      directory = last;
    } else {
      kept.push_back(part);
      directory = !last && path.empty();
    }
  }
  std::string out;
  for (size_t i = 0; i < kept.size(); ++i) {
    out += (i == 0 ? "" : "/") + std::string(kept[i]);
  }
  if (directory || out.empty()) {
    out += '/';
  }
  return out;
}

}  // namespace

Result<Url> Url::Parse(std::string_view text) {
  if (const auto problem = UrlProblem(text)) {
    return Fail(ErrorCode::kInvalid, "parse " + text::GoQuote(ShownUrl(text)) + ": " + *problem);
  }
  Url url;
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    url.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const std::string_view scheme = LeadingScheme(text); !scheme.empty()) {
    url.scheme = scheme;
    std::ranges::transform(url.scheme, url.scheme.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    text.remove_prefix(scheme.size() + 1);
  }
  if (const size_t mark = text.find('?'); mark != std::string_view::npos) {
    url.has_query = true;
    url.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    url.has_authority = true;
    text.remove_prefix(2);
    const size_t slash = std::min(text.find('/'), text.size());
    std::string_view authority = text.substr(0, slash);
    text.remove_prefix(slash);
    if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
      url.user = authority.substr(0, at);
      authority.remove_prefix(at + 1);
    }
    url.host = authority;
  }
  url.path = text;
  return url;
}

Result<Url> Url::Resolve(std::string_view reference) const {
  KINU_TRY(Url out, Parse(reference));
  if (!out.scheme.empty() && out.scheme != scheme) {
    return out;
  }
  if (!out.scheme.empty() || out.has_authority) {
    out.scheme = scheme;
    if (out.path.starts_with('/')) {
      out.path = WithoutDots(out.path);
    }
    return out;
  }
  out.scheme = scheme;
  out.user = user;
  out.host = host;
  out.has_authority = has_authority;
  if (out.path.empty()) {
    out.path = path;
    if (!out.has_query) {
      out.query = query;
      out.has_query = has_query;
    }
    return out;
  }
  if (!out.path.starts_with('/')) {
    const size_t slash = path.rfind('/');
    out.path.insert(0, slash == std::string::npos ? "/" : path.substr(0, slash + 1));
  }
  out.path = WithoutDots(out.path);
  return out;
}

std::string Url::ToText() const {
  std::string out = scheme.empty() ? "" : scheme + ":";
  if (has_authority) {
    out += "//" + (user.empty() ? "" : user + "@") + host;
  }
  out += path;
  if (has_query) {
    out += '?' + query;
  }
  if (!fragment.empty()) {
    out += '#' + fragment;
  }
  return out;
}

std::string Url::Redacted() const {
  Url shown = *this;
  shown.user.clear();
  shown.fragment.clear();
  shown.query.clear();
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view argument = rest.substr(0, end);
    const size_t equals = argument.find('=');
    shown.query += (shown.query.empty() ? "" : "&");
    shown.query += equals == std::string_view::npos
                       ? argument
                       : std::string(argument.substr(0, equals)) + "=...";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return shown.ToText();
}

std::string Url::HostName() const {
  const size_t bracket = host.find(']');
  const size_t colon = host.find(':', bracket == std::string::npos ? 0 : bracket);
  return host.substr(0, colon);
}

std::string Url::Argument(std::string_view name) const {
  for (const auto& [key, value] : ParseQuery(query)) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

bool Url::HasArgument(std::string_view name) const {
  return std::ranges::any_of(ParseQuery(query),
                             [&](const auto& argument) { return argument.first == name; });
}

void Url::RemoveArgument(std::string_view name) {
  QueryArguments arguments = ParseQuery(query);
  std::erase_if(arguments, [&](const auto& argument) { return argument.first == name; });
  query = EncodeQuery(std::move(arguments));
  has_query = !query.empty();
}

void Url::SetArgument(std::string_view name, std::string_view value) {
  QueryArguments arguments = ParseQuery(query);
  std::erase_if(arguments, [&](const auto& argument) { return argument.first == name; });
  arguments.emplace_back(name, value);
  query = EncodeQuery(std::move(arguments));
  has_query = true;
}

}  // namespace kinu::net
