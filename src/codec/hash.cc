#include "codec/hash.h"

#include <memory>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include "base/check.h"
#include "codec/base64.h"

namespace kinu {
namespace {

const EVP_MD* Algorithm(HashKind kind) {
  switch (kind) {
    case HashKind::kMd5:
      return EVP_md5();
    case HashKind::kSha1:
      return EVP_sha1();
    case HashKind::kSha256:
      return EVP_sha256();
    case HashKind::kSha512:
      return EVP_sha512();
  }
  return nullptr;
}

EVP_MD_CTX* Context(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

Hasher::Hasher(HashKind kind) : context_(EVP_MD_CTX_new()) {
  KINU_CHECK(
      context_ != nullptr && EVP_DigestInit_ex(Context(context_), Algorithm(kind), nullptr) == 1,
      "the digest must be available");
}

Hasher::~Hasher() {
  EVP_MD_CTX_free(Context(context_));
}

void Hasher::Update(std::string_view bytes) {
  KINU_CHECK(EVP_DigestUpdate(Context(context_), bytes.data(), bytes.size()) == 1, "digest update");
}

std::string Hasher::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  KINU_CHECK(EVP_DigestFinal_ex(Context(context_), digest, &size) == 1, "digest final");
  return std::string(reinterpret_cast<const char*>(digest), size);
}

std::string Digest(HashKind kind, std::string_view bytes) {
  Hasher hasher(kind);
  hasher.Update(bytes);
  return hasher.Finish();
}

std::string HexDigest(HashKind kind, std::string_view bytes) {
  return EncodeHex(Digest(kind, bytes));
}

std::string Hmac(HashKind kind, std::string_view key, std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  KINU_CHECK(HMAC(Algorithm(kind), key.data(), static_cast<int>(key.size()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest,
                  &size) != nullptr,
             "the digest must be available");
  return std::string(reinterpret_cast<const char*>(digest), size);
}

Result<std::string> SignRs256(std::string_view private_key, std::string_view bytes) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> input(
      BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(input.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return Fail(ErrorCode::kInvalid, "the private key is no RSA key in PEM");
  }
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t size = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, data, bytes.size()) != 1) {
    return Fail(ErrorCode::kInvalid, "the private key cannot sign");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, data,
                     bytes.size()) != 1) {
    return Fail(ErrorCode::kInvalid, "the private key cannot sign");
  }
  signature.resize(size);
  return signature;
}

}  // namespace kinu
