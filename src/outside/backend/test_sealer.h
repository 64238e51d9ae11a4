// A sealer for tests: bytes are readable by those who know its name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "state/sealer.h"

namespace kinu::backend {

class TestSealer final : public state::Sealer {
 public:
  explicit TestSealer(std::string_view name) : Sealer(state::Protection::kEncrypted), name_(name) {}

  Result<Opened> Open(std::string bytes) const override {
    if (!bytes.starts_with(name_ + ':')) {
      return Fail(ErrorCode::kInvalid, "not the key of " + name_);
    }
    return Opened{Turned(std::string_view(bytes).substr(name_.size() + 1)), false};
  }
  bool reads_clear() const override { return false; }

 protected:
  Result<std::string> Encrypt(std::string_view document, const state::Snapshot*) const override {
    return name_ + ':' + Turned(document);
  }

 private:
  static std::string Turned(std::string_view bytes) {
    std::string out(bytes);
    for (char& c : out) {
      c = static_cast<char>(c ^ 0x55);
    }
    return out;
  }
  std::string name_;
};

/// A sealer for a state that is on its way to encryption: reads what is not encrypted, too.
class MigratingSealer final : public state::Sealer {
 public:
  MigratingSealer() : Sealer(state::Protection::kEncrypted) {}
  Result<Opened> Open(std::string bytes) const override { return Opened{std::move(bytes), true}; }
  bool reads_clear() const override { return true; }

 protected:
  Result<std::string> Encrypt(std::string_view, const state::Snapshot*) const override {
    return Fail(ErrorCode::kInvalid, "this sealer only reads");
  }
};

}  // namespace kinu::backend
