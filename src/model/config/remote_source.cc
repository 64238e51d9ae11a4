#include "config/remote_source.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/files.h"
#include "config/module_source.h"
#include "text/query.h"

namespace kinu::config {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

PackageAndDirectory SplitDirectory(std::string_view text) {
  size_t query = std::min(text.find('?'), text.size());
  size_t scheme = text.substr(0, query).find("://");
  size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  size_t at = text.substr(0, query).find("//", from);
  if (at == std::string_view::npos) {
    return {std::string(text), ""};
  }
  PackageAndDirectory out{std::string(text.substr(0, at)),
                          std::string(text.substr(at + 2, query - at - 2))};
  out.package += text.substr(query);
  return out;
}

/// "git" of "git::https://…", which is taken off.
std::string RemoveForcedGetter(std::string& text) {
  size_t end = text.find("::");
  bool forced = end != std::string::npos && end > 0 && end + 2 < text.size() &&
                std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(end),
                            [](char c) { return IsLetter(c) || IsDigit(c); });
  if (!forced) {
    return "";
  }
  std::string getter = text.substr(0, end);
  text.erase(0, end + 2);
  return getter;
}

/// Whether a text is a URL with a scheme.
bool HasScheme(std::string_view text) {
  if (text.empty() || !IsLetter(text[0])) {
    return false;
  }
  for (char c : text) {
    if (c == ':') {
      return true;
    }
    if (!IsLetter(c) && !IsDigit(c) && c != '+' && c != '-' && c != '.') {
      return false;
    }
  }
  return false;
}

/// Whether all percent signs of a text stand before two hexadecimal digits.
bool HasValidEscapes(std::string_view text) {
  const auto is_hex = [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) {
      return false;
    }
  }
  return true;
}

/// Whether a text may stand before the "@" of a host. Ref: Go net/url validUserinfo.
bool IsUserInfo(std::string_view text) {
  constexpr std::string_view kAllowed = "-._:~!$&'()*+,;=%@";
  return HasValidEscapes(text) && std::ranges::all_of(text, [&](char c) {
           return IsLetter(c) || IsDigit(c) || kAllowed.contains(c);
         });
}

/// Whether a text may be a host with or without a port. Only the percent sign and what is not ASCII
/// may be escaped. Ref: Go net/url parseHost.
bool IsHost(std::string_view text) {
  if (text.find_first_of(" \"<>\\^`{|}") != std::string_view::npos || !HasValidEscapes(text)) {
    return false;
  }
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (text[at + 1] < '8' && text.substr(at, 3) != "%25") {
      return false;
    }
  }
  const size_t bracket = text.rfind(']');
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return colon == std::string_view::npos ||
         text.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

/// Whether a text is a URL with a scheme: its user, host and port are possible, and its path is
/// encoded.
bool IsUrl(std::string_view text) {
  if (!HasScheme(text)) {
    return false;
  }
  std::string_view rest = text.substr(text.find(':') + 1);
  rest = rest.substr(0, rest.find_first_of("?#"));
  if (!rest.starts_with("//")) {
    return HasValidEscapes(rest);
  }
  rest.remove_prefix(2);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const size_t at = authority.rfind('@');
  const bool has_user = at != std::string_view::npos;
  return (!has_user || IsUserInfo(authority.substr(0, at))) &&
         IsHost(has_user ? authority.substr(at + 1) : authority) &&
         HasValidEscapes(rest.substr(authority.size()));
}

std::string JoinFrom(const std::vector<std::string_view>& parts, size_t first) {
  std::string out;
  for (size_t i = first; i < parts.size(); ++i) {
    out += (i == first ? "" : "/") + std::string(parts[i]);
  }
  return out;
}

/// Escapes a path for a URL.
std::string EscapedPath(std::string_view path) {
  constexpr std::string_view kAllowed = "-_.~$&+,/:;=@!'()*[]%?#";
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : path) {
    if (IsLetter(c) || IsDigit(c) || kAllowed.find(c) != std::string_view::npos) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

// Each detector expands the short form it knows. It returns nothing for other texts, or an error.
using Detected = Result<std::optional<std::string>>;

Detected DetectGitHub(std::string_view text) {
  std::string query;
  if (size_t at = text.find('?'); at != std::string_view::npos) {
    query = text.substr(at);
    text = text.substr(0, at);
  }
  if (!text.starts_with("github.com/")) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts = SplitSlashes(text);
  if (parts.size() < 3) {
    return Fail(ErrorCode::kInvalid, "a repository of GitHub is written github.com/OWNER/NAME");
  }
  std::string url = "https://" + std::string(parts[0]) + "/" +
                    EscapedPath(std::string(parts[1]) + "/" + std::string(parts[2]));
  if (!url.ends_with(".git")) {
    url += ".git";
  }
  if (parts.size() > 3) {
    url += "//" + EscapedPath(JoinFrom(parts, 3));
  }
  return "git::" + url + (query.size() > 1 ? query : "");
}

/// `git@host:path`. Other user names are not detected.
Detected DetectGit(std::string_view text) {
  size_t at = text.find('@');
  size_t colon = text.find(':', at == std::string_view::npos ? 0 : at + 1);
  if (at != 3 || !text.starts_with("git@") || colon == std::string_view::npos || colon == at + 1) {
    return std::nullopt;
  }
  std::string_view path = text.substr(colon + 1);
  if (path.starts_with('/') && path.size() > 1) {
    path.remove_prefix(1);
  }
  if (path.empty()) {
    return std::nullopt;
  }
  size_t query = std::min(path.find('?'), path.size());
  std::string url = "git::ssh://git@" + std::string(text.substr(at + 1, colon - at - 1)) + "/" +
                    EscapedPath(path.substr(0, query));
  if (query < path.size()) {
    const std::string_view settings = path.substr(query + 1);
    if (!HasValidEscapes(settings) || settings.contains(';')) {
      return Fail(ErrorCode::kInvalid, "the query of this address is not encoded as in a URL");
    }
    const std::string encoded = text::EncodeQuery(text::ParseQuery(settings));
    url += encoded.empty() ? "" : "?" + encoded;
  }
  return url;
}

Detected DetectBitBucket(std::string_view text) {
  if (!text.starts_with("bitbucket.org/")) {
    return std::nullopt;
  }
  // Bitbucket has no repositories but those of git since 2020, so nothing is looked up.
  const size_t query = std::min(text.find('?'), text.size());
  std::string path(text.substr(0, query));
  const size_t name = path.find('/', path.find('/') + 1);
  if (name == std::string::npos || name + 1 == path.size()) {
    return Fail(ErrorCode::kInvalid,
                "a repository at Bitbucket is called bitbucket.org/owner/name");
  }
  if (!path.ends_with(".git")) {
    path += ".git";
  }
  return "git::https://" + EscapedPath(path) + std::string(text.substr(query));
}

Detected DetectGcs(std::string_view text) {
  if (text.find(".googleapis.com/") == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts = SplitSlashes(text);
  if (parts.size() < 5) {
    return Fail(ErrorCode::kInvalid, "this is not the address of an object in Google storage");
  }
  return "gcs::https://www.googleapis.com/storage/" + EscapedPath(JoinFrom(parts, 2));
}

Detected DetectS3(std::string_view text) {
  if (text.find(".amazonaws.com/") == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts = SplitSlashes(text);
  std::vector<std::string> host;
  std::string_view rest = parts[0];
  for (;;) {
    size_t dot = rest.find('.');
    host.emplace_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) {
      break;
    }
    rest.remove_prefix(dot + 1);
  }
  std::string key = EscapedPath(JoinFrom(parts, 1));
  if (host.size() == 3) {
    return "s3::https://" + host[0] + ".amazonaws.com/" + key;
  }
  if (host.size() == 4) {
    return "s3::https://" + host[1] + ".amazonaws.com/" + host[0] + "/" + key;
  }
  if (host.size() == 5 && host[1] == "s3") {
    return "s3::https://s3." + host[2] + ".amazonaws.com/" + host[0] + "/" + key;
  }
  return Fail(ErrorCode::kInvalid, "this is not the address of an object in S3");
}

Detected DetectFile(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  if (text[0] != '/') {
    return Fail(ErrorCode::kInvalid,
                "it is not clear where the module is. A path relative to this module begins with "
                "\"./\" or \"../\"");
  }
  return "file:///" + std::string(text.substr(1));
}

/// Expands a package address. The directory of the short form is kept.
Result<PackageAndDirectory> Expand(const std::string& given) {
  std::string source = given;
  std::string getter = RemoveForcedGetter(source);
  auto [package, directory] = SplitDirectory(source);
  if (IsUrl(package)) {
    return SplitDirectory(given);
  }
  constexpr Detected (*kDetectors[])(std::string_view) = {DetectGitHub, DetectGit, DetectBitBucket,
                                                          DetectGcs,    DetectS3,  DetectFile};
  for (auto detect : kDetectors) {
    KINU_TRY(std::optional<std::string> found, detect(package));
    if (!found) {
      continue;
    }
    std::string own_getter = RemoveForcedGetter(*found);
    PackageAndDirectory split = SplitDirectory(*found);
    if (!directory.empty()) {
      split.directory = split.directory.empty() ? directory : JoinPath(split.directory, directory);
    }
    const std::string& chosen = getter.empty() ? own_getter : getter;
    if (!chosen.empty()) {
      split.package.insert(0, chosen + "::");
    }
    return split;
  }
  return Fail(ErrorCode::kInvalid, "this is not an address");
}

}  // namespace

PackageAndDirectory SplitModuleSource(std::string_view text) {
  return SplitDirectory(text);
}

std::vector<std::string_view> SplitSlashes(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(slash + 1);
  }
}

Result<std::string> NormalRemoteSource(std::string_view text) {
  auto [raw, directory] = SplitDirectory(text);
  auto clean = [](std::string& path) {
    path = path.empty() ? path : CleanPath(path);
    return path != ".." && !path.starts_with("../");
  };
  if (!clean(directory)) {
    return Fail(ErrorCode::kInvalid,
                "the directory " + directory + " leads out of the module package");
  }
  KINU_TRY(PackageAndDirectory found, Expand(raw));
  if (!found.directory.empty()) {
    directory = directory.empty() ? found.directory : JoinPath(found.directory, directory);
    if (!clean(directory)) {
      return Fail(ErrorCode::kInvalid,
                  "the directory " + directory + " leads out of the module package");
    }
  }
  if (directory.empty()) {
    return found.package;
  }
  size_t query = std::min(found.package.find('?'), found.package.size());
  return found.package.substr(0, query) + "//" + directory + found.package.substr(query);
}

}  // namespace kinu::config
