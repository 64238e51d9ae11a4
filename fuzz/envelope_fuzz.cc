// Fuzzes encrypted states: what was damaged is refused, and what is accepted is the encrypted text.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "encryption/encryption.h"
#include "encryption/envelope.h"
#include "encryption/key_provider.h"
#include "json/reader.h"

namespace {

using namespace kinu;  // NOLINT(google-build-using-namespace): one file

/// States are encrypted with one key, which needs no key provider.
class OneKey final : public encryption::Source {
 public:
  OneKey() {
    block_.methods.push_back({.type = "aes_gcm", .name = "m"});
    block_.state.emplace();
  }
  const config::Encryption& block() const override { return block_; }
  std::optional<config::TargetMethods> Methods(const config::EncryptionTarget&,
                                               Diagnostics&) const override {
    return config::TargetMethods{.method = block_.methods.front(), .fallbacks = {}};
  }
  std::optional<config::PartValues> Evaluate(const config::EncryptionPart& method,
                                             const config::KeyMaker&, Diagnostics&) const override {
    const std::string key(32, 'k');
    config::PartValues values;
    values.part = &method;
    values.arguments.emplace("keys", encryption::ToValue({key, key}));
    return values;
  }

 private:
  config::Encryption block_;
};

/// Whether a number of stored metadata lets a key be derived at once.
bool IsSmall(const JsonNode& root, std::string_view name) {
  const JsonNode* node = root.is_object() ? root.Find(name) : nullptr;
  const auto number =
      node != nullptr && node->is_number() ? Number::Parse(node->text()) : std::optional<Number>();
  constexpr int64_t kMost = 1000;
  return !number || number->ToInt64().value_or(-1) <= kMost;
}

/// Reads stored metadata as that of a passphrase.
void ReadMetadata(const std::string& metadata) {
  const JsonDocument document = ParseJson(metadata);
  if (document.ok() &&
      !(IsSmall(document.root(), "iterations") && IsSmall(document.root(), "key_length"))) {
    return;
  }
  static const config::PartValues kArguments = [] {
    config::PartValues values;
    values.arguments.emplace("passphrase", Value::String("correct horse battery"));
    return values;
  }();
  const auto made = encryption::KeyProviderOf("pbkdf2").provide(kArguments, &metadata);
  KINU_INVARIANT(made || !made.error().message.empty(), "an error has a message");
}

constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{},)"
    R"("resources":[]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto sealers = [] {
    Diagnostics diags;
    return encryption::Encryption::SetUp(std::make_shared<OneKey>(), diags);
  }();
  const state::Sealer& sealer = *(*sealers)->state();
  static const std::string sealed = [&] {
    const state::Snapshot snapshot{1, "l"};
    return sealer.Seal(std::string(kState), &snapshot).value().bytes();
  }();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string problem;
  if (const auto envelope = encryption::ReadEnvelope(input, problem); envelope && *envelope) {
    for (const auto& [name, metadata] : (*envelope)->metadata) {
      ReadMetadata(metadata);
    }
    const std::string again = (*envelope)->ToJson(true);
    const auto second = encryption::ReadEnvelope(again, problem);
    KINU_INVARIANT(second && *second && (*second)->data == (*envelope)->data &&
                       (*second)->metadata == (*envelope)->metadata,
                   "an envelope is read as it was written");
  }
  if (const auto opened = sealer.Open(std::string(input)); opened) {
    KINU_INVARIANT(opened->document == kState, "only what was encrypted is accepted");
  } else {
    KINU_INVARIANT(!opened.error().message.empty(), "an error has a message");
  }
  // Bytes of the encrypted state are changed as the input says: place, new byte.
  std::string changed = sealed;
  for (size_t i = 0; i + 2 < size; i += 3) {
    changed[(data[i] | static_cast<size_t>(data[i + 1]) << 8) % changed.size()] =
        static_cast<char>(data[i + 2]);
  }
  if (const auto opened = sealer.Open(changed); opened) {
    KINU_INVARIANT(opened->document == kState, "a damaged state is refused");
  }
  return 0;
}
