// The interface between the program and kinu-install.so, which verifies OpenPGP signatures (librnp)
// and unpacks archives (libarchive). The module is opened for the first download, as kinu-net.so
// is, and for the same reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::install {

/// Increase this with every change of this header: the loader refuses a module with another number.
inline constexpr int kPackageRuntimeVersion = 2;
inline constexpr const char* kPackageRuntimeSymbol = "kinu_package_runtime";

/// What a detached signature says about a text.
enum class SignatureStatus : uint8_t {
  kValid,
  kExpired,  ///< valid, by a key or with a signature whose time has passed
  kUnknownKey,
  kInvalid,
};

struct SignatureResult {
  SignatureStatus status = SignatureStatus::kInvalid;
  std::string key_id;  ///< of the primary key, 16 upper-case hexadecimal digits
  std::string problem;
};

/// The functions of the module. Thread-safe.
class PackageRuntime {
 public:
  /// Checks a detached signature with the keys of an ASCII-armoured key ring. Fails when the key
  /// ring cannot be read.
  virtual Result<SignatureResult> VerifySignature(std::string_view document,
                                                  std::string_view signature,
                                                  std::string_view key_ring) = 0;
  /// Unpacks a zip archive, or a tar archive with gzip, bzip2 or xz compression, into an existing
  /// directory. Only regular files and directories are created. Refuses names with "..", and
  /// entries that are longer than they claim. `extension` ("zip", "tar.gz") is the only form
  /// accepted; empty: any. Returns the number of files.
  virtual Result<size_t> Unpack(const std::string& archive, const std::string& directory,
                                unsigned umask, std::string_view extension) = 0;

 protected:
  ~PackageRuntime() = default;
};

/// Loads the module once. Thread-safe.
Result<PackageRuntime*> LoadPackageRuntime();

}  // namespace kinu::install
