#include "state/sealer.h"

#include "json/writer.h"

namespace kinu::state {
namespace {

constexpr std::string_view kUndecided = "nobody has said whether this state is encrypted";

class PassingSealer final : public Sealer {
 public:
  PassingSealer() : Sealer(Protection::kNone) {}
  Result<Opened> Open(std::string bytes) const override {
    return Opened{.document = std::move(bytes)};
  }
  bool reads_clear() const override { return true; }

 protected:
  Result<std::string> Encrypt(std::string_view, const Snapshot*) const override {
    return Fail(ErrorCode::kInvalid, std::string(kUndecided));
  }
};

class RefusingSealer final : public Sealer {
 public:
  RefusingSealer() : Sealer(Protection::kEncrypted, Enforcement::kEnforced) {}
  Result<Opened> Open(std::string) const override {
    return Fail(ErrorCode::kInvalid, std::string(kUndecided));
  }
  bool reads_clear() const override { return false; }

 protected:
  Result<std::string> Encrypt(std::string_view, const Snapshot*) const override {
    return Fail(ErrorCode::kInvalid, std::string(kUndecided));
  }
};

}  // namespace

StoredBytes StoredBytes::Indented() && {
  std::string out;
  JsonWriter json(out, {.indent = "  "});
  json.Embed(bytes_);
  out += '\n';
  return {std::move(out), encrypted_};
}

Result<StoredBytes> Sealer::Seal(std::string document, const Snapshot* snapshot) const {
  if (clear()) {
    return StoredBytes(std::move(document), false);
  }
  if (!encrypts()) {
    return Fail(ErrorCode::kInvalid,
                "the encryption is enforced, and the method that is configured does not encrypt");
  }
  KINU_TRY(std::string bytes, Encrypt(document, snapshot));
  return StoredBytes(std::move(bytes), true);
}

std::optional<InTheClear> Sealer::clear() const {
  return encrypts() || enforcement_ == Enforcement::kEnforced ? std::nullopt
                                                              : std::optional(InTheClear());
}

const SealerRef& NoSealing() {
  static const SealerRef kSealer = std::make_shared<PassingSealer>();
  return kSealer;
}

const SealerRef& Undecided() {
  static const SealerRef kSealer = std::make_shared<RefusingSealer>();
  return kSealer;
}

}  // namespace kinu::state
