// Sealer: encryption between documents (states, plans) and where their bytes are stored. Stores and
// readers never see keys. Implemented in encryption/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::state {

/// What is readable in an encrypted state.
struct Snapshot {
  uint64_t serial = 0;
  std::string_view lineage;
};

class Sealer {
 public:
  struct Opened {
    std::string document;
    /// The bytes were encrypted by a fallback, or not at all: they are worth writing anew.
    bool outdated = false;
  };

  virtual ~Sealer() = default;
  /// The bytes to store for a document; `snapshot` is null for a plan. Thread-safe.
  virtual Result<std::string> Seal(std::string_view document, const Snapshot* snapshot) const = 0;
  /// The document in stored bytes. Thread-safe.
  virtual Result<Opened> Open(std::string_view bytes) const = 0;
};

/// Null: nothing is encrypted.
using SealerRef = std::shared_ptr<const Sealer>;

}  // namespace kinu::state
