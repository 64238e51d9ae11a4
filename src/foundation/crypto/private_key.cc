#include "crypto/private_key.h"

#include <optional>
#include <string>

#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include "codec/base64.h"

namespace kinu::crypto {
namespace {

using BuilderPtr = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>>;
using ParametersPtr = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM, OSSL_PARAM_free>>;

/// The decoded body of an OpenSSH key in PEM format.
std::optional<std::string> OpenSshBody(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
  constexpr std::string_view kEnd = "-----END OPENSSH PRIVATE KEY-----";
  const size_t begin = pem.find(kBegin);
  const size_t end = pem.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return std::nullopt;
  }
  const size_t body = begin + kBegin.size();
  Result<std::string> bytes = DecodeBase64(pem.substr(body, end - body));
  return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
}

/// Reads the fields of OpenSSH's format: 32-bit numbers, and byte strings after their lengths.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  uint32_t ReadNumber() {
    if (rest_.size() < 4) {
      ok_ = false;
      return 0;
    }
    uint32_t number = 0;
    for (char c : rest_.substr(0, 4)) {
      number = number << 8 | static_cast<uint8_t>(c);
    }
    rest_.remove_prefix(4);
    return number;
  }

  std::string_view ReadBytes() {
    const uint32_t size = ReadNumber();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  NumberPtr ReadBigNumber() {
    const std::string_view bytes = ReadBytes();
    return NumberPtr(BN_bin2bn(Bytes(bytes), static_cast<int>(bytes.size()), nullptr));
  }

  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

KeyPtr MakeRsaKey(const BIGNUM* n, const BIGNUM* e, const BIGNUM* d) {
  const BuilderPtr builder(OSSL_PARAM_BLD_new());
  const KeyContextPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_D, d) != 1) {
    return nullptr;
  }
  const ParametersPtr parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()) != 1) {
    return nullptr;
  }
  return KeyPtr(key);
}

// Ref: OpenSSH PROTOCOL.key.
KeyPtr ReadOpenSshKey(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "openssh-key-v1\0"sv;
  if (!bytes.starts_with(kMagic)) {
    return nullptr;
  }
  FieldReader fields(bytes.substr(kMagic.size()));
  const std::string_view cipher = fields.ReadBytes();
  fields.ReadBytes();  // name of the key derivation function
  fields.ReadBytes();  // options of the key derivation function
  const uint32_t keys = fields.ReadNumber();
  fields.ReadBytes();  // public key
  FieldReader secret(fields.ReadBytes());
  if (!fields.ok() || cipher != "none" || keys != 1 || secret.ReadNumber() != secret.ReadNumber() ||
      secret.ReadBytes() != "ssh-rsa") {
    return nullptr;
  }
  const NumberPtr n = secret.ReadBigNumber();
  const NumberPtr e = secret.ReadBigNumber();
  const NumberPtr d = secret.ReadBigNumber();
  return secret.ok() ? MakeRsaKey(n.get(), e.get(), d.get()) : nullptr;
}

}  // namespace

KeyPtr ReadPemKey(std::string_view pem) {
  // Without this pass phrase, OpenSSL would ask for one on the terminal.
  char no_phrase[] = "";
  return KeyPtr(PEM_read_bio_PrivateKey(ReadFrom(pem).get(), nullptr, nullptr, no_phrase));
}

KeyPtr ReadPrivateKey(std::string_view pem) {
  const auto body = OpenSshBody(pem);
  return body ? ReadOpenSshKey(*body) : ReadPemKey(pem);
}

}  // namespace kinu::crypto
