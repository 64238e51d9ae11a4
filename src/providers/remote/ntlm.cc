#include "remote/ntlm.h"

#include "codec/hash.h"
#include "text/unicode.h"

namespace kinu::remote {
namespace {

constexpr std::string_view kSignature{"NTLMSSP\0", 8};
enum Flag : uint32_t {
  kUnicode = 0x1,
  kRequestTarget = 0x4,
  kNtlm = 0x200,
  kAlwaysSign = 0x8000,
  kExtendedSecurity = 0x80000,
  kTargetInfo = 0x800000,
  k128Bits = 0x20000000,
  k56Bits = 0x80000000,
};
constexpr uint32_t kFlags = kUnicode | kRequestTarget | kNtlm | kAlwaysSign | kExtendedSecurity |
                            kTargetInfo | k128Bits | k56Bits;

template <typename Number>
void Append(std::string& out, Number number) {
  for (size_t i = 0; i < sizeof(Number); ++i) {
    out += static_cast<char>(number >> (8 * i) & 0xff);
  }
}

/// A number of little-endian bytes; 0 behind the end.
uint64_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;) {
    const size_t place = at + i;
    number = number << 8 | (place < bytes.size() ? static_cast<unsigned char>(bytes[place]) : 0U);
  }
  return number;
}

std::string ToUpper(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const text::Decoded decoded = text::DecodeUtf8(text, at);
    at += decoded.size;
    text::AppendUtf8(out, text::ToUpper(decoded.point));
  }
  return out;
}

std::string HmacMd5(std::string_view key, std::string_view bytes) {
  return Hmac(HashKind::kMd5, key, bytes);
}

/// What a server sends: its name, its facts, and the number to be answered.
struct Challenge {
  std::string_view target;  ///< the domain of the server, as UTF-16
  std::string_view number;
  std::string_view info;  ///< the facts, which the response repeats
  std::optional<uint64_t> time;
};

/// A part of a message whose size and offset stand at `at`.
std::optional<std::string_view> Part(std::string_view message, size_t at) {
  const size_t size = NumberAt(message, at, 2);
  const size_t offset = NumberAt(message, at + 4, 4);
  if (offset > message.size() || size > message.size() - offset) {
    return std::nullopt;
  }
  return message.substr(offset, size);
}

std::optional<Challenge> ReadChallenge(std::string_view message) {
  constexpr size_t kShortest = 48;
  if (message.size() < kShortest || !message.starts_with(kSignature) ||
      NumberAt(message, 8, 4) != 2) {
    return std::nullopt;
  }
  const auto target = Part(message, 12);
  const auto info = Part(message, 40);
  if (!target || !info) {
    return std::nullopt;
  }
  Challenge out{.target = *target, .number = message.substr(24, 8), .info = *info, .time = {}};
  constexpr uint64_t kTime = 7;
  for (size_t at = 0; at + 4 <= info->size() && NumberAt(*info, at, 2) != 0;) {
    if (NumberAt(*info, at, 2) == kTime) {
      out.time = NumberAt(*info, at + 4, 8);
    }
    at += 4 + NumberAt(*info, at + 2, 2);
  }
  return out;
}

struct Name {
  std::string user;
  std::string domain;  ///< as UTF-16
};

Name NameOf(std::string_view user, const Challenge& challenge) {
  if (const size_t slash = user.find('\\'); slash != std::string_view::npos) {
    return {std::string(user.substr(slash + 1)), text::ToUtf16(user.substr(0, slash))};
  }
  return {std::string(user), user.contains('@') ? std::string() : std::string(challenge.target)};
}

}  // namespace

std::string NtlmNegotiateMessage() {
  std::string out(kSignature);
  Append(out, uint32_t{1});
  Append(out, uint32_t{kFlags});
  out.append(16, '\0');  // neither a domain nor a name of this machine
  return out;
}

std::optional<std::string> NtlmAuthenticateMessage(std::string_view challenge,
                                                   const NtlmLogin& login,
                                                   const NtlmMoment& moment) {
  const std::optional<Challenge> asked = ReadChallenge(challenge);
  if (!asked) {
    return std::nullopt;
  }
  const Name name = NameOf(login.user, *asked);
  const std::string key =
      HmacMd5(Md4(text::ToUtf16(login.password)), text::ToUtf16(ToUpper(name.user)) + name.domain);
  const std::string nonce(moment.nonce.begin(), moment.nonce.end());

  std::string proof("\x01\x01\0\0\0\0\0\0", 8);
  Append(proof, asked->time.value_or(moment.time));
  proof += nonce;
  proof.append(4, '\0').append(asked->info).append(4, '\0');
  const std::string response = HmacMd5(key, std::string(asked->number) + proof) + proof;
  // A challenge with a time forbids the LMv2 response: 24 zero bytes stand in its place.
  const std::string older = asked->time ? std::string(24, '\0')
                                        : HmacMd5(key, std::string(asked->number) + nonce) + nonce;

  constexpr uint32_t kHead = 64;
  std::string head(kSignature);
  std::string payload;
  Append(head, uint32_t{3});
  for (const std::string& part :
       {older, response, name.domain, text::ToUtf16(name.user), std::string(), std::string()}) {
    Append(head, static_cast<uint16_t>(part.size()));
    Append(head, static_cast<uint16_t>(part.size()));
    Append(head, static_cast<uint32_t>(kHead + payload.size()));
    payload += part;
  }
  Append(head, static_cast<uint32_t>(kFlags & NumberAt(challenge, 20, 4)));
  return head + payload;
}

}  // namespace kinu::remote
