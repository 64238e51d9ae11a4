// The functions of a single digest: OpenSSL's newer ones choose an implementation by name, which
// costs a process a millisecond before the first byte, and bring all of libcrypto with them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "codec/hash.h"

#include <openssl/md4.h>
#include <openssl/md5.h>
#include <openssl/sha.h>

#include "base/invariant.h"
#include "codec/base64.h"

namespace kinu {
namespace {

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
  unsigned char digest[SHA512_DIGEST_LENGTH];
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
  MD4_CTX state;
  KINU_INVARIANT(MD4_Init(&state) == 1 && MD4_Update(&state, bytes.data(), bytes.size()) == 1 &&
                     MD4_Final(reinterpret_cast<unsigned char*>(out.data()), &state) == 1,
                 "the digest must be available");
  return out;
}

std::string Hmac(HashKind kind, std::string_view key, std::string_view bytes) {
  constexpr char kInner = 0x36;
  constexpr char kOuter = 0x5c;
  const size_t block = kind == HashKind::kSha512 ? SHA512_CBLOCK : SHA256_CBLOCK;
  std::string padded = key.size() > block ? Digest(kind, key) : std::string(key);
  padded.resize(block);
  const auto keyed = [&](char pad, std::string_view text) {
    std::string mask = padded;
    for (char& c : mask) {
      c = static_cast<char>(c ^ pad);
    }
    Hasher hasher(kind);
    hasher.Update(mask);
    hasher.Update(text);
    return hasher.Finish();
  };
  return keyed(kOuter, keyed(kInner, bytes));
}

}  // namespace kinu
