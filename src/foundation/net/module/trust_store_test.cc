// Which certificates are verified with the authorities of directories and bundles.
#include "net/module/trust_store.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace kinu::net {
namespace {

namespace fs = std::filesystem;

struct CertificateDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Certificate = std::unique_ptr<X509, CertificateDeleter>;

/// A certificate with a key of its own that signs itself.
Certificate MakeAuthority(const std::string& name) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  X509_set_pubkey(certificate.get(), key);
  X509_sign(certificate.get(), key, EVP_sha256());
  EVP_PKEY_free(key);
  return certificate;
}

class TrustStoreTest : public testing::Test {
 protected:
  TrustStoreTest() {
    std::string pattern = (fs::temp_directory_path() / "kinu-trust-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    fs::create_directory(Directory());
  }
  ~TrustStoreTest() override { fs::remove_all(root_); }

  std::string Directory() const { return root_ / "directory"; }
  std::string Bundle() const { return root_ / "bundle.pem"; }

  static void Write(const std::string& path, const Certificate& certificate) {
    FILE* file = std::fopen(path.c_str(), "a");
    PEM_write_X509(file, certificate.get());
    std::fclose(file);
  }
  /// Writes a certificate under the hash of its subject.
  void WriteHashed(const Certificate& certificate) const {
    std::array<char, 16> name{};
    std::snprintf(
        name.data(), name.size(), "%08lx.0",
        X509_NAME_hash_ex(X509_get_subject_name(certificate.get()), nullptr, nullptr, nullptr));
    Write(Directory() + '/' + name.data(), certificate);
  }
  /// Adds comments to the bundle until it is not small any more.
  void EnlargeBundle() const {
    std::ofstream(Bundle(), std::ios::app) << std::string(20000, '#') << '\n';
  }

  static bool Verifies(TrustStore& store, const Certificate& certificate) {
    SSL_CTX* context = SSL_CTX_new(TLS_client_method());
    EXPECT_TRUE(store.Attach(context));
    X509_STORE_CTX* check = X509_STORE_CTX_new();
    X509_STORE_CTX_init(check, SSL_CTX_get_cert_store(context), certificate.get(), nullptr);
    const bool verified = X509_verify_cert(check) == 1;
    X509_STORE_CTX_free(check);
    SSL_CTX_free(context);
    return verified;
  }

  fs::path root_;
};

TEST_F(TrustStoreTest, AuthoritiesOfADirectoryNeedNoBundle) {
  const Certificate hashed = MakeAuthority("hashed");
  const Certificate bundled = MakeAuthority("bundled");
  WriteHashed(hashed);
  Write(Bundle(), bundled);
  EnlargeBundle();
  TrustStore store({Bundle(), "/nowhere:" + Directory()});
  EXPECT_TRUE(Verifies(store, hashed));
  EXPECT_FALSE(store.complete());
  EXPECT_FALSE(Verifies(store, bundled));
  store.ReadBundle();
  EXPECT_TRUE(store.complete());
  EXPECT_TRUE(Verifies(store, bundled));
  EXPECT_FALSE(Verifies(store, MakeAuthority("unknown")));
}

TEST_F(TrustStoreTest, AuthoritiesOfOneNameAreDifferent) {
  const Certificate old = MakeAuthority("same");
  const Certificate renewed = MakeAuthority("same");
  WriteHashed(old);
  Write(Bundle(), renewed);
  EnlargeBundle();
  TrustStore store({Bundle(), Directory()});
  EXPECT_FALSE(Verifies(store, renewed));
  store.ReadBundle();
  EXPECT_TRUE(Verifies(store, renewed));
  EXPECT_TRUE(Verifies(store, old));
}

TEST_F(TrustStoreTest, BundlesAreReadAtOnceWithoutHashedNames) {
  const Certificate bundled = MakeAuthority("bundled");
  Write(Bundle(), bundled);
  EnlargeBundle();
  Write(Directory() + "/company.pem", MakeAuthority("other"));
  TrustStore store({Bundle(), Directory()});
  EXPECT_TRUE(store.complete());
  EXPECT_TRUE(Verifies(store, bundled));
}

TEST_F(TrustStoreTest, SmallBundlesAreReadAtOnce) {
  const Certificate bundled = MakeAuthority("bundled");
  Write(Bundle(), bundled);
  WriteHashed(MakeAuthority("hashed"));
  TrustStore store({Bundle(), Directory()});
  EXPECT_TRUE(store.complete());
  EXPECT_TRUE(Verifies(store, bundled));
}

TEST_F(TrustStoreTest, MissingPlacesHaveNoAuthorities) {
  for (const AuthorityPlaces& places : {AuthorityPlaces(), AuthorityPlaces{Bundle(), "/nowhere"}}) {
    TrustStore store(places);
    EXPECT_TRUE(store.complete());
    EXPECT_FALSE(Verifies(store, MakeAuthority("unknown")));
  }
}

}  // namespace
}  // namespace kinu::net
