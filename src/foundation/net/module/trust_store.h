// Certificate authorities of TLS connections, read once and shared by all connections.
//
// By itself libcurl parses the whole bundle of authorities for each connection: 140 certificates,
// 40 ms of processor time. Directories whose files are named by hashes of subjects need no parsing:
// OpenSSL opens the file of the authority that it looks for. So a bundle is read only if there are
// no such names, if it is small, or by ReadBundle() when a certificate could not be verified
// without it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <openssl/ssl.h>

namespace kinu::net {

/// Places of certificate authorities. Either may be empty.
struct AuthorityPlaces {
  std::string file;         ///< the bundle: certificates in PEM
  std::string directories;  ///< separated by colons
  bool operator==(const AuthorityPlaces&) const = default;
};

/// The authorities of some places. It must outlive the connections. Thread-safe.
class TrustStore {
 public:
  explicit TrustStore(AuthorityPlaces places);
  TrustStore(const TrustStore&) = delete;
  TrustStore& operator=(const TrustStore&) = delete;

  const AuthorityPlaces& places() const { return places_; }
  /// Whether the bundle was read, or there is none.
  bool complete() const { return complete_; }
  void ReadBundle();
  /// Makes the connections of a TLS context trust these authorities. Returns whether that worked.
  bool Attach(SSL_CTX* context);

 private:
  struct StoreDeleter {
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  };

  AuthorityPlaces places_;
  std::unique_ptr<X509_STORE, StoreDeleter> store_;
  X509_LOOKUP* bundle_ = nullptr;  ///< belongs to store_
  std::mutex reading_;
  std::atomic<bool> complete_ = false;
};

}  // namespace kinu::net
