#include "cloud/aws_sigv4.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

#include "codec/base64.h"
#include "codec/hash.h"
#include "net/url.h"

namespace kinu::cloud {
namespace {

std::string LowerCase(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

/// "20150830T123600Z".
std::string AwsTime(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return {text, size};
}

/// Without spaces at the ends, and with one in place of several.
std::string TrimmedValue(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) {
      out += c;
    }
  }
  while (out.ends_with(' ')) {
    out.pop_back();
  }
  return out;
}

/// Whether proxies and the HTTP library leave a header alone.
bool IsSigned(const std::string& name) {
  constexpr std::string_view kUnsigned[] = {"authorization",   "user-agent", "accept",
                                            "accept-encoding", "expect",     "connection"};
  return std::ranges::find(kUnsigned, name) == std::end(kUnsigned);
}

std::string CanonicalQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> arguments;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view argument = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string_view value =
        equals == argument.size() ? std::string_view() : argument.substr(equals + 1);
    arguments.emplace_back(AwsEscape(net::PercentDecode(argument.substr(0, equals))),
                           AwsEscape(net::PercentDecode(value)));
  }
  std::ranges::sort(arguments);
  std::string out;
  for (const auto& [name, value] : arguments) {
    out += (out.empty() ? "" : "&") + name + '=' + value;
  }
  return out;
}

}  // namespace

std::string AwsEscape(std::string_view text, bool path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (path && c == '/');
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

Result<void> SignAws(net::HttpRequest& request, const AwsCredentials& credentials,
                     const AwsScope& scope) {
  KINU_TRY(const net::Url url, net::Url::Parse(request.url));
  const bool is_s3 = scope.service == "s3";
  const std::string time = AwsTime(scope.time);
  const std::string day = time.substr(0, 8);
  const std::string body_hash = HexDigest(HashKind::kSha256, request.body);
  request.headers.Set("X-Amz-Date", time);
  if (!credentials.session_token.empty()) {
    request.headers.Set("X-Amz-Security-Token", credentials.session_token);
  }
  if (is_s3) {
    request.headers.Set("X-Amz-Content-Sha256", body_hash);
  }
  std::map<std::string, std::string> headers = {{"host", url.host}};
  for (const net::Header& header : request.headers.list()) {
    const std::string name = LowerCase(header.name);
    if (IsSigned(name)) {
      const auto [it, is_new] = headers.emplace(name, TrimmedValue(header.value));
      if (!is_new && name != "host") {
        it->second += ',' + TrimmedValue(header.value);
      }
    }
  }
  std::string lines;
  std::string names;
  for (const auto& [name, value] : headers) {
    lines += name + ':' + value + '\n';
    names += (names.empty() ? "" : ";") + name;
  }
  // The path is escaped once more, except for S3.
  const std::string path = url.path.empty() ? "/" : url.path;
  const std::string canonical = request.method + '\n' + (is_s3 ? path : AwsEscape(path, true)) +
                                '\n' + CanonicalQuery(url.query) + '\n' + lines + '\n' + names +
                                '\n' + body_hash;
  const std::string place = day + '/' + scope.region + '/' + scope.service + "/aws4_request";
  const std::string text =
      "AWS4-HMAC-SHA256\n" + time + '\n' + place + '\n' + HexDigest(HashKind::kSha256, canonical);
  std::string key = Hmac(HashKind::kSha256, "AWS4" + credentials.secret_key, day);
  for (const std::string_view part :
       {std::string_view(scope.region), std::string_view(scope.service),
        std::string_view("aws4_request")}) {
    key = Hmac(HashKind::kSha256, key, part);
  }
  request.headers.Set("Authorization",
                      "AWS4-HMAC-SHA256 Credential=" + credentials.access_key + '/' + place +
                          ", SignedHeaders=" + names +
                          ", Signature=" + EncodeHex(Hmac(HashKind::kSha256, key, text)));
  return {};
}

}  // namespace kinu::cloud
