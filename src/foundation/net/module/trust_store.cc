#include "net/module/trust_store.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace kinu::net {
namespace {

/// Bundles up to this size have few certificates.
constexpr uintmax_t kSmallBundle = 16384;

/// Whether a name is a hash of a subject as OpenSSL writes it: eight digits and a number.
bool IsHashedName(std::string_view name) {
  constexpr size_t kDigits = 8;
  return name.size() > kDigits + 1 && name[kDigits] == '.' &&
         name.find_first_not_of("0123456789abcdef") == kDigits;
}

bool HasHashedNames(std::string_view directories) {
  while (!directories.empty()) {
    const size_t end = std::min(directories.find(':'), directories.size());
    std::error_code none;
    for (std::filesystem::directory_iterator entry(directories.substr(0, end), none), last;
         !none && entry != last; entry.increment(none)) {
      if (IsHashedName(entry->path().filename().native())) {
        return true;
      }
    }
    directories.remove_prefix(std::min(end + 1, directories.size()));
  }
  return false;
}

}  // namespace

TrustStore::TrustStore(AuthorityPlaces places)
    : places_(std::move(places)), store_(X509_STORE_new()) {
  X509_STORE* store = store_.get();
  if (store == nullptr) {
    return;
  }
  // As libcurl sets up its own stores.
  X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  if (!places_.directories.empty()) {
    X509_LOOKUP* directories = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
    X509_LOOKUP_add_dir(directories, places_.directories.c_str(), X509_FILETYPE_PEM);
  }
  // Added before there are connections: OpenSSL walks through the lookups without a lock.
  bundle_ = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  std::error_code none;
  const uintmax_t size = std::filesystem::file_size(places_.file, none);
  if (none || size <= kSmallBundle || !HasHashedNames(places_.directories)) {
    ReadBundle();
  }
}

void TrustStore::ReadBundle() {
  const std::lock_guard lock(reading_);
  if (!complete_ && bundle_ != nullptr && !places_.file.empty()) {
    // A file that cannot be read leaves its authorities unknown, as in the reference.
    X509_LOOKUP_load_file(bundle_, places_.file.c_str(), X509_FILETYPE_PEM);
  }
  complete_ = true;
}

bool TrustStore::Attach(SSL_CTX* context) {
  if (store_ == nullptr) {
    return false;
  }
  SSL_CTX_set1_cert_store(context, store_.get());
  return true;
}

}  // namespace kinu::net
