#include "install/oci_reference.h"

#include <algorithm>

#include "codec/hash.h"

namespace kinu::install {
namespace {

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Whether a text separates words in a part of a name: ".", "_", "__" or any number of "-".
bool IsNameSeparator(std::string_view text) {
  return text == "." || text == "_" || text == "__" ||
         (!text.empty() && text.find_first_not_of('-') == std::string_view::npos);
}

bool IsNamePart(std::string_view part) {
  if (part.empty() || !IsLowerOrDigit(part.front()) || !IsLowerOrDigit(part.back())) {
    return false;
  }
  for (size_t i = 0; i < part.size();) {
    if (IsLowerOrDigit(part[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (!IsLowerOrDigit(part[end])) {
      ++end;  // the last character is a letter or digit
    }
    if (!IsNameSeparator(part.substr(i, end - i))) {
      return false;
    }
    i = end;
  }
  return true;
}

struct DigestKind {
  std::string_view prefix;
  HashKind kind;
  size_t digits;
};
constexpr DigestKind kDigests[] = {{"sha256:", HashKind::kSha256, 64},
                                   {"sha512:", HashKind::kSha512, 128}};

const DigestKind* FindDigestKind(std::string_view digest) {
  const auto* it = std::ranges::find_if(
      kDigests, [&](const DigestKind& each) { return digest.starts_with(each.prefix); });
  return it == std::end(kDigests) ? nullptr : it;
}

}  // namespace

bool IsOciDomain(std::string_view text) {
  std::string_view host = text;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos || close < 2 ||
        text.substr(1, close - 1).find_first_not_of("0123456789abcdefABCDEF:.%") !=
            std::string_view::npos) {
      return false;
    }
    host = text.substr(close + 1);
    if (host.empty()) {
      return true;
    }
    if (host[0] != ':') {
      return false;
    }
  }
  const size_t colon = host.find(':');
  const std::string_view name = host.substr(0, colon);
  if (colon != std::string_view::npos &&
      host.find_first_not_of("0123456789", colon + 1) != std::string_view::npos) {
    return false;
  }
  return text.starts_with('[') || (!name.empty() && std::ranges::all_of(name, [](char c) {
           return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_' ||
                  c == '~';
         }));
}

bool IsOciName(std::string_view text) {
  for (;;) {
    const size_t slash = text.find('/');
    if (!IsNamePart(text.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(slash + 1);
  }
}

bool IsOciTag(std::string_view text) {
  constexpr size_t kLongest = 128;
  const auto is_word = [](char c) {
    return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && text.size() <= kLongest && is_word(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

Result<OciRepository> ParseOciRepository(std::string_view text) {
  const size_t slash = text.find('/');
  OciRepository out{std::string(text.substr(0, slash)), ""};
  if (!IsOciDomain(out.domain)) {
    return Fail(ErrorCode::kInvalid, "invalid registry \"" + out.domain + '"');
  }
  if (slash == std::string_view::npos) {
    return out;
  }
  out.name = text.substr(slash + 1);
  if (out.name.find_first_of("@:") != std::string::npos) {
    return Fail(ErrorCode::kInvalid, "an artifact tag or digest is not allowed");
  }
  if (!IsOciName(out.name)) {
    return Fail(ErrorCode::kInvalid, "invalid repository \"" + out.name + '"');
  }
  return out;
}

Result<void> CheckOciDigest(std::string_view text) {
  const DigestKind* kind = FindDigestKind(text);
  const std::string quoted = '"' + std::string(text) + '"';
  if (kind == nullptr) {
    return text.find(':') == std::string_view::npos
               ? Fail(ErrorCode::kInvalid, quoted + " is no digest")
               : Fail(ErrorCode::kUnsupported, "unsupported digest algorithm in " + quoted);
  }
  const std::string_view digits = text.substr(kind->prefix.size());
  if (digits.size() != kind->digits ||
      digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return Fail(ErrorCode::kInvalid, quoted + " is no digest: wrong number or kind of digits");
  }
  return {};
}

bool MatchesOciDigest(std::string_view bytes, std::string_view digest) {
  const DigestKind* kind = FindDigestKind(digest);
  return kind != nullptr && HexDigest(kind->kind, bytes) == digest.substr(kind->prefix.size());
}

}  // namespace kinu::install
