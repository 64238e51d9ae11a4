// No encryption, said by name: the only method that passes bytes through. Ref: opentofu
// internal/encryption/method/unencrypted.
#include "encryption/method.h"

namespace kinu::encryption {
namespace {

class Unencrypted final : public Method {
 public:
  Result<std::string> Encrypt(std::string_view bytes) const override { return std::string(bytes); }
  Result<std::string> Decrypt(std::string_view bytes) const override { return std::string(bytes); }
};

Result<std::unique_ptr<Method>> MakeUnencrypted(const config::PartValues&) {
  return std::make_unique<Unencrypted>();
}

}  // namespace

constexpr MethodSpec kUnencrypted{
    .type = "unencrypted", .effect = Effect::kPassesThrough, .make = MakeUnencrypted};

}  // namespace kinu::encryption
