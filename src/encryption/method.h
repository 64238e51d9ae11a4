// Encryption methods: how bytes are encrypted with keys. One file and one row each. Ref: opentofu
// internal/encryption/method.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/encryption_values.h"

namespace kinu::encryption {

class Method {
 public:
  virtual ~Method() = default;
  virtual Result<std::string> Encrypt(std::string_view bytes) const = 0;
  virtual Result<std::string> Decrypt(std::string_view bytes) const = 0;
};

struct MethodSpec {
  std::string_view type;
  /// Fails if the arguments do not fit together.
  Result<std::unique_ptr<Method>> (*make)(const config::PartValues& values) = nullptr;
};

/// Null for `unencrypted`, which passes bytes through, and for methods that do not exist.
const MethodSpec* FindMethod(std::string_view type);

inline constexpr std::string_view kUnencrypted = "unencrypted";

extern const MethodSpec kAesGcm;
extern const MethodSpec kExternalMethod;

}  // namespace kinu::encryption
