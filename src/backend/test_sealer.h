// A sealer for tests: bytes are readable by those who know its name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "state/sealer.h"

namespace kinu::backend {

class TestSealer final : public state::Sealer {
 public:
  explicit TestSealer(std::string_view name) : name_(name) {}

  Result<std::string> Seal(std::string_view document, const state::Snapshot*) const override {
    return name_ + ':' + Turned(document);
  }
  Result<Opened> Open(std::string_view bytes) const override {
    if (!bytes.starts_with(name_ + ':')) {
      return Fail(ErrorCode::kInvalid, "not the key of " + name_);
    }
    return Opened{Turned(bytes.substr(name_.size() + 1)), false};
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

}  // namespace kinu::backend
