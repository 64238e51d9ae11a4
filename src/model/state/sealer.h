// Sealer: encryption between documents (states, plans) and where their bytes are stored. Stores and
// readers never see keys. The sealers that encrypt are implemented in encryption/.
//
// What is stored goes through a sealer, and no other way: StoredBytes and InTheClear come from
// sealers alone. That nothing is encrypted is a sealer, too, not a missing one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/never_null.h"
#include "base/result.h"

namespace kinu::state {

/// What is readable in an encrypted state.
struct Snapshot {
  uint64_t serial = 0;
  std::string_view lineage;
};

/// Bytes that may be stored: a document as its sealer protects it.
class StoredBytes {
 public:
  const std::string& bytes() const { return bytes_; }
  /// Whether they are encrypted; else they are the document.
  bool encrypted() const { return encrypted_; }
  /// The same JSON with indentation and a line end.
  StoredBytes Indented() &&;

 private:
  friend class Sealer;
  StoredBytes(std::string bytes, bool encrypted)
      : bytes_(std::move(bytes)), encrypted_(encrypted) {}
  std::string bytes_;
  bool encrypted_;
};

/// The permission to store documents as they are, piece by piece.
class InTheClear {
 private:
  friend class Sealer;
  InTheClear() = default;
};

/// What a sealer does to documents.
enum class Protection : uint8_t {
  kEncrypted,
  kUnencrypted,  ///< nothing, and the configuration says so by name
  kNone,         ///< nothing: the configuration does not speak of encryption
};
/// Whether a target may ever be stored as it is.
enum class Enforcement : uint8_t { kOptional, kEnforced };

class Sealer {
 public:
  struct Opened {
    std::string document;
    /// The bytes were encrypted by a fallback, or not at all: they are worth writing anew.
    bool outdated = false;
  };

  virtual ~Sealer() = default;
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  bool encrypts() const { return protection_ == Protection::kEncrypted; }
  /// Whether the configuration speaks of encryption, if only to switch it off.
  bool configured() const { return protection_ != Protection::kNone; }
  /// The bytes to store for a document; `snapshot` is null for a plan. Fails rather than let a
  /// document through that has to be encrypted. Thread-safe.
  Result<StoredBytes> Seal(std::string document, const Snapshot* snapshot) const;
  /// The document in stored bytes. Thread-safe.
  virtual Result<Opened> Open(std::string bytes) const = 0;
  /// Whether Open() takes what is not encrypted.
  virtual bool reads_clear() const = 0;
  /// Nothing if what is stored has to be encrypted.
  std::optional<InTheClear> clear() const;

 protected:
  explicit Sealer(Protection protection, Enforcement enforcement = Enforcement::kOptional)
      : protection_(protection), enforcement_(enforcement) {}
  /// Of Protection::kEncrypted: the bytes that a document is encrypted to.
  virtual Result<std::string> Encrypt(std::string_view document,
                                      const Snapshot* snapshot) const = 0;

 private:
  const Protection protection_;
  const Enforcement enforcement_;
};

using SealerRef = NeverNull<const Sealer>;

/// Of a configuration that does not speak of encryption: documents pass as they are.
const SealerRef& NoSealing();
/// Until somebody has said how documents are protected: refuses to store and to read them.
const SealerRef& Undecided();

}  // namespace kinu::state
