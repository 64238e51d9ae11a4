// Digests, identifiers and passwords: base64sha256 base64sha512 bcrypt md5 rsadecrypt sha1 sha256
// sha512 uuid uuidv5.
#include <algorithm>
#include <memory>

#include <crypt.h>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "crypto/rsa.h"
#include "functions/families.h"
#include "functions/support.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

template <HashKind kKind>
CallResult HexHash(Arguments args, const Type&, const CallContext&) {
  return Value::String(HexDigest(kKind, args[0].AsString()));
}

template <HashKind kKind>
CallResult Base64Hash(Arguments args, const Type&, const CallContext&) {
  return Value::String(EncodeBase64(Digest(kKind, args[0].AsString())));
}

CallResult Bcrypt(Arguments args, const Type&, const CallContext&) {
  constexpr int64_t kDefaultCost = 10;
  constexpr int64_t kLowestCost = 4;
  constexpr int64_t kHighestCost = 31;
  constexpr size_t kLongestPassword = 72;
  int64_t cost = kDefaultCost;
  if (args.size() > 1) {
    KINU_TRY(cost, ToInteger(args[1]));
  }
  if (args.size() > 2) {
    return CallFail("bcrypt() takes no more than two arguments");
  }
  if (cost > kHighestCost) {
    return CallFail("the cost must not be greater than 31");
  }
  cost = cost < kLowestCost ? kDefaultCost : cost;
  const std::string password(args[0].AsString());
  if (password.size() > kLongestPassword) {
    return CallFail("the text is longer than 72 bytes");
  }
  char salt[CRYPT_GENSALT_OUTPUT_SIZE];
  if (crypt_gensalt_rn("$2a$", static_cast<unsigned long>(cost), nullptr, 0, salt,
                       static_cast<int>(sizeof salt)) == nullptr) {
    return CallFail("no salt could be made");
  }
  auto data = std::make_unique<crypt_data>();
  const char* hashed = crypt_r(password.c_str(), salt, data.get());
  if (hashed == nullptr || hashed[0] == '*') {
    return CallFail("the text could not be hashed");
  }
  return Value::String(hashed);
}

CallResult RsaDecrypt(Arguments args, const Type&, const CallContext&) {
  const Result<std::string> cipher = DecodeBase64(args[0].AsString());
  if (!cipher) {
    return CallFail("failed to decode input " + text::GoQuote(args[0].AsString()) +
                        ": cipher text must be base64-encoded",
                    0);
  }
  const Result<std::string> plain = crypto::DecryptRsa(args[1].AsString(), *cipher);
  if (plain) {
    return Value::String(text::ReplaceInvalidUtf8(*plain));
  }
  switch (plain.error().code) {
    case ErrorCode::kInvalid:
      return CallFail("the key must be an RSA private key in PEM form, without a pass phrase", 1);
    case ErrorCode::kDamaged:
      return CallFail("failed to decrypt: crypto/rsa: decryption error");
    default:
      return CallFail(plain.error().message);
  }
}

CallResult Uuid(Arguments, const Type&, const CallContext&) {
  return Value::String(RandomUuid());
}

// Parses a UUID into 16 bytes: 8-4-4-4-12 digits, the same in braces or after "urn:uuid:", or 32
// digits.
std::optional<std::string> ParseUuid(std::string_view text) {
  constexpr std::string_view kUrn = "urn:uuid:";
  constexpr size_t kDashes[] = {8, 13, 18, 23};
  if (text.size() == 45 && text::ToLower(text.substr(0, kUrn.size())) == kUrn) {
    text.remove_prefix(kUrn.size());
  } else if (text.size() == 38) {
    text = text.substr(1, 36);
  }
  std::string digits(text);
  if (text.size() == 36) {
    digits.clear();
    for (size_t i = 0; i < text.size(); ++i) {
      const bool dash = std::find(std::begin(kDashes), std::end(kDashes), i) != std::end(kDashes);
      if (dash && text[i] != '-') {
        return std::nullopt;
      }
      if (!dash) {
        digits += text[i];
      }
    }
  }
  const Result<std::string> bytes = DecodeHex(digits);
  return bytes && bytes->size() == 16 ? std::optional(*bytes) : std::nullopt;
}

CallResult UuidV5(Arguments args, const Type&, const CallContext&) {
  struct Namespace {
    std::string_view name;
    std::string_view uuid;
  };
  constexpr Namespace kNamespaces[] = {{"dns", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
                                       {"url", "6ba7b811-9dad-11d1-80b4-00c04fd430c8"},
                                       {"oid", "6ba7b812-9dad-11d1-80b4-00c04fd430c8"},
                                       {"x500", "6ba7b814-9dad-11d1-80b4-00c04fd430c8"}};
  std::string_view text = args[0].AsString();
  for (const Namespace& each : kNamespaces) {
    text = text == each.name ? each.uuid : text;
  }
  const auto space = ParseUuid(text);
  if (!space) {
    return CallFail("uuidv5() doesn't support namespace " + std::string(text));
  }
  std::string bytes = Digest(HashKind::kSha1, *space + std::string(args[1].AsString()));
  bytes.resize(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x50);
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  std::string out = EncodeHex(bytes);
  for (size_t dash : {8, 13, 18, 23}) {
    out.insert(dash, "-");
  }
  return Value::String(out);
}

constexpr std::string_view kRef = "opentofu internal/lang/funcs/crypto.go";

constexpr FunctionSpec kRows[] = {
    {.name = "base64sha256",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Hash<HashKind::kSha256>,
     .refine = &NeverNull,
     .doc = "The SHA-256 digest of a text's bytes, in base64.",
     .examples = {Example{R"(base64sha256("hello world"))",
                          R"("uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=")"},
                  Example{R"(base64sha256(""))",
                          R"("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")"}},
     .ref = kRef},
    {.name = "base64sha512",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Hash<HashKind::kSha512>,
     .refine = &NeverNull,
     .doc = "The SHA-512 digest of a text's bytes, in base64.",
     .examples = {Example{R"(length(base64sha512("hello world")))", "88"},
                  Example{R"(substr(base64sha512("hello world"), 0, 8))", R"("MJ7MSJwS")"}},
     .ref = kRef},
    {.name = "bcrypt",
     .params = {TextParameter("str")},
     .has_variadic = true,
     .variadic = {.name = "cost", .type = &Type::Number},
     .result_type = &Returns<&Type::String>,
     .impl = &Bcrypt,
     .refine = &NeverNull,
     .doc = "A bcrypt hash of the text with a new salt, another one at each call; unknown while "
            "planning.",
     .examples = {Example{R"(length(bcrypt("x", 4)))", "60"},
                  Example{R"(substr(bcrypt("x", 4), 0, 7))", R"("$2a$04$")"}},
     .ref = kRef,
     .impure = true},
    {.name = "md5",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &HexHash<HashKind::kMd5>,
     .refine = &NeverNull,
     .doc = "The MD5 digest of a text's bytes, in hexadecimal.",
     .examples = {Example{R"(md5("hello world"))", R"("5eb63bbbe01eeed093cb22bb8f5acdc3")"},
                  Example{R"(md5(""))", R"("d41d8cd98f00b204e9800998ecf8427e")"}},
     .ref = kRef},
    {.name = "rsadecrypt",
     .params = {Parameter{.name = "ciphertext", .type = &Type::String},
                Parameter{.name = "privatekey", .type = &Type::String}},
     .result_type = &Returns<&Type::String>,
     .impl = &RsaDecrypt,
     .refine = &NeverNull,
     .doc = "The plain text of base64 ciphertext that was encrypted for an RSA key (PKCS #1 v1.5).",
     .examples = {Example{R"(can(rsadecrypt("not base64!", "")))", "false"},
                  Example{R"(can(rsadecrypt("", "no key")))", "false"}},
     .ref = kRef},
    {.name = "sha1",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &HexHash<HashKind::kSha1>,
     .refine = &NeverNull,
     .doc = "The SHA-1 digest of a text's bytes, in hexadecimal.",
     .examples = {Example{R"(sha1("hello world"))",
                          R"("2aae6c35c94fcfb415dbe95f408b9ce91ee846ed")"},
                  Example{R"(sha1(""))", R"("da39a3ee5e6b4b0d3255bfef95601890afd80709")"}},
     .ref = kRef},
    {.name = "sha256",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &HexHash<HashKind::kSha256>,
     .refine = &NeverNull,
     .doc = "The SHA-256 digest of a text's bytes, in hexadecimal.",
     .examples = {Example{R"(substr(sha256("hello world"), 0, 8))", R"("b94d27b9")"},
                  Example{R"(length(sha256("")))", "64"}},
     .ref = kRef},
    {.name = "sha512",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &HexHash<HashKind::kSha512>,
     .refine = &NeverNull,
     .doc = "The SHA-512 digest of a text's bytes, in hexadecimal.",
     .examples = {Example{R"(substr(sha512("hello world"), 0, 8))", R"("309ecc48")"},
                  Example{R"(length(sha512("")))", "128"}},
     .ref = kRef},
    {.name = "uuid",
     .result_type = &Returns<&Type::String>,
     .impl = &Uuid,
     .refine = &NeverNull,
     .doc = "A random UUID, another one at each call; unknown while planning.",
     .examples = {Example{"length(uuid())", "36"}, Example{"uuid() == uuid()", "false"}},
     .ref = kRef,
     .impure = true},
    {.name = "uuidv5",
     .params = {Parameter{.name = "namespace", .type = &Type::String},
                Parameter{.name = "name", .type = &Type::String}},
     .result_type = &Returns<&Type::String>,
     .impl = &UuidV5,
     .refine = &NeverNull,
     .doc =
         "The UUID of a name inside a namespace (dns, url, oid, x500 or a UUID), always the same.",
     .examples = {Example{R"(uuidv5("dns", "tada"))", R"("faa898db-9b9d-5b75-86a9-149e7bb8e3b8")"},
                  Example{R"(uuidv5("url", "tada"))", R"("2c1ff6b4-211f-577e-94de-d978b0caa16e")"}},
     .ref = kRef},
};

}  // namespace

std::span<const FunctionSpec> CryptoFunctions() {
  return kRows;
}

}  // namespace kinu::functions
