// The functions of a single digest: OpenSSL's newer ones, which choose an implementation by name,
// cost a process a millisecond before the first byte.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "codec/hash.h"

#include <memory>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md4.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include "base/invariant.h"
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

/// A digest that is being made.
struct DigestState {
  HashKind kind;
  union {
    MD5_CTX md5;
    SHA_CTX sha1;
    SHA256_CTX sha256;
    SHA512_CTX sha512;
  };
};

DigestState& State(void* context) {
  return *static_cast<DigestState*>(context);
}

bool Begin(DigestState& state) {
  switch (state.kind) {
    case HashKind::kMd5:
      return MD5_Init(&state.md5) == 1;
    case HashKind::kSha1:
      return SHA1_Init(&state.sha1) == 1;
    case HashKind::kSha256:
      return SHA256_Init(&state.sha256) == 1;
    case HashKind::kSha512:
      return SHA512_Init(&state.sha512) == 1;
  }
  return false;
}

bool Add(DigestState& state, std::string_view bytes) {
  switch (state.kind) {
    case HashKind::kMd5:
      return MD5_Update(&state.md5, bytes.data(), bytes.size()) == 1;
    case HashKind::kSha1:
      return SHA1_Update(&state.sha1, bytes.data(), bytes.size()) == 1;
    case HashKind::kSha256:
      return SHA256_Update(&state.sha256, bytes.data(), bytes.size()) == 1;
    case HashKind::kSha512:
      return SHA512_Update(&state.sha512, bytes.data(), bytes.size()) == 1;
  }
  return false;
}

/// Writes the digest and returns its size, or 0 if OpenSSL fails.
size_t End(DigestState& state, unsigned char* digest) {
  switch (state.kind) {
    case HashKind::kMd5:
      return MD5_Final(digest, &state.md5) == 1 ? MD5_DIGEST_LENGTH : 0;
    case HashKind::kSha1:
      return SHA1_Final(digest, &state.sha1) == 1 ? SHA_DIGEST_LENGTH : 0;
    case HashKind::kSha256:
      return SHA256_Final(digest, &state.sha256) == 1 ? SHA256_DIGEST_LENGTH : 0;
    case HashKind::kSha512:
      return SHA512_Final(digest, &state.sha512) == 1 ? SHA512_DIGEST_LENGTH : 0;
  }
  return 0;
}

}  // namespace

Hasher::Hasher(HashKind kind) : context_(new DigestState{.kind = kind, .sha512 = {}}) {
  KINU_INVARIANT(Begin(State(context_)), "the digest must be available");
}

Hasher::~Hasher() {
  delete &State(context_);
}

void Hasher::Update(std::string_view bytes) {
  KINU_INVARIANT(Add(State(context_), bytes), "digest update");
}

std::string Hasher::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  const size_t size = End(State(context_), digest);
  KINU_INVARIANT(size > 0, "digest final");
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

std::string Md4(std::string_view bytes) {
  std::string out(MD4_DIGEST_LENGTH, '\0');
  MD4(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
      reinterpret_cast<unsigned char*>(out.data()));
  return out;
}

std::string Hmac(HashKind kind, std::string_view key, std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  KINU_INVARIANT(HMAC(Algorithm(kind), key.data(), static_cast<int>(key.size()),
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
