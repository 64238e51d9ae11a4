#include "codec/hash.h"

#include <openssl/evp.h>

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

}  // namespace kinu
