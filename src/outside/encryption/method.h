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

/// What a method does to bytes.
enum class Effect : uint8_t {
  kEncrypts,
  kPassesThrough,  ///< what it stores is not encrypted
};

struct MethodSpec {
  std::string_view type;
  Effect effect = Effect::kEncrypts;
  /// Fails if the arguments do not fit together.
  Result<std::unique_ptr<Method>> (&make)(const config::PartValues& values);

  bool encrypts() const { return effect == Effect::kEncrypts; }
};

/// The row of a method that the checked configuration names. Fails if there is none.
Result<const MethodSpec*> FindMethod(std::string_view type);

extern const MethodSpec kAesGcm;
extern const MethodSpec kExternalMethod;
extern const MethodSpec kUnencrypted;

}  // namespace kinu::encryption
