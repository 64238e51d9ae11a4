#include "backend/journal_cipher.h"

#include "base/files.h"
#include "codec/base64.h"
#include "crypto/cipher.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::backend {
namespace {

constexpr size_t kKeySize = 32;
constexpr std::string_view kAuthenticated = "kinu journal";
constexpr std::string_view kKeyName = "journal_key";

/// In the form of a state, which the method `unencrypted` demands: the key is then as readable as
/// the state is.
std::string KeyDocument(std::string_view key, const state::Snapshot& snapshot) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member("terraform_version", "journal");
  json.Key("serial");
  json.Uint(snapshot.serial);
  json.Member("lineage", snapshot.lineage);
  json.Member(kKeyName, EncodeBase64(key));
  json.EndObject();
  return out;
}

Result<std::string> KeyIn(std::string_view document) {
  const JsonDocument json = ParseJson(document);
  const JsonNode* node =
      json.ok() && json.root().is_object() ? json.root().Find(kKeyName) : nullptr;
  if (node != nullptr && node->is_string()) {
    Result<std::string> key = DecodeBase64(node->text());
    if (key && key->size() == kKeySize) {
      return key;
    }
  }
  return Fail(ErrorCode::kInvalid, "the header has no key");
}

}  // namespace

Result<JournalCipher> JournalCipher::Make(const state::Sealer& sealer,
                                          const state::Snapshot& snapshot) {
  JournalCipher cipher;
  cipher.key_.resize(kKeySize);
  RandomBytes(cipher.key_.data(), kKeySize);
  KINU_TRY(const state::StoredBytes sealed,
           sealer.Seal(KeyDocument(cipher.key_, snapshot), &snapshot));
  cipher.sealed_key_ = sealed.bytes();
  return cipher;
}

Result<JournalCipher> JournalCipher::Open(const state::Sealer& sealer,
                                          std::string_view sealed_key) {
  KINU_TRY(const state::Sealer::Opened opened, sealer.Open(std::string(sealed_key)));
  JournalCipher cipher;
  KINU_TRY(cipher.key_, KeyIn(opened.document));
  cipher.sealed_key_ = sealed_key;
  return cipher;
}

Result<std::string> JournalCipher::Encrypt(std::string_view record) const {
  return crypto::EncryptAesGcm(key_, kAuthenticated, record);
}

Result<std::string> JournalCipher::Decrypt(std::string_view bytes) const {
  return crypto::DecryptAesGcm(key_, kAuthenticated, bytes);
}

}  // namespace kinu::backend
