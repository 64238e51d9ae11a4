// Keys from a passphrase, or from the keys of another provider (PBKDF2). Ref: opentofu
// internal/encryption/keyprovider/pbkdf2.
#include <algorithm>

#include "base/files.h"
#include "codec/base64.h"
#include "crypto/cipher.h"
#include "encryption/key_provider.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::encryption {
namespace {

constexpr size_t kShortest = 16;
constexpr int64_t kFewestIterations = 200'000;
constexpr int64_t kLongest = int64_t{1} << 20;  // of keys and salts, in bytes

/// How a key is derived: the arguments without the passphrase, and what is stored beside the data.
struct Recipe {
  std::string salt;
  int64_t iterations = 600'000;
  std::string hash = "sha512";
  int64_t length = 32;

  /// Nothing can be derived from what lacks a part.
  bool complete() const { return !salt.empty() && iterations != 0 && !hash.empty() && length != 0; }
  std::string ToJson() const {
    std::string out;
    JsonWriter json(out);
    json.BeginObject();
    json.Member("salt", EncodeBase64(salt));
    json.Member("iterations", iterations);
    json.Member("hash_function", hash);
    json.Member("key_length", length);
    json.EndObject();
    return out;
  }
  Result<std::string> Derive(std::string_view password) const {
    using crypto::KeyDigest;
    return crypto::DeriveKey(hash == "sha256" ? KeyDigest::kSha256 : KeyDigest::kSha512, password,
                             salt, iterations, static_cast<size_t>(length));
  }
};

bool IsHash(std::string_view name) {
  return name == "sha256" || name == "sha512";
}

int64_t NumberIn(const JsonNode& object, std::string_view name) {
  const JsonNode* node = object.Find(name);
  return node == nullptr || !node->is_number()
             ? 0
             : Number::Parse(node->text()).value_or(Number()).ToInt64().value_or(-1);
}

Result<Recipe> ReadMetadata(const std::string& metadata) {
  const JsonDocument document = ParseJson(metadata);
  const JsonNode& root = document.root();
  if (!document.ok() || !(root.is_object() || root.is_null())) {
    return Fail(ErrorCode::kUnsupported, "it is no JSON object");
  }
  Recipe out{"", 0, "", 0};
  if (root.is_null()) {
    return out;
  }
  if (const JsonNode* salt = root.Find("salt"); salt != nullptr && salt->is_string()) {
    Result<std::string> bytes = DecodeBase64(salt->text());
    if (!bytes) {
      return Fail(ErrorCode::kUnsupported, bytes.error().message);
    }
    out.salt = *std::move(bytes);
  }
  if (const JsonNode* hash = root.Find("hash_function"); hash != nullptr && hash->is_string()) {
    out.hash = hash->text();
  }
  out.iterations = NumberIn(root, "iterations");
  out.length = NumberIn(root, "key_length");
  if (!out.complete()) {
    return out;
  }
  auto invalid = [](std::string message) {
    return Fail(ErrorCode::kUnavailable, std::move(message));
  };
  if (out.iterations < 0 || out.iterations > INT32_MAX) {
    return invalid("invalid number of iterations (" + std::to_string(out.iterations) + ")");
  }
  if (out.length < 0 || out.length > kLongest) {
    return invalid("invalid key length (" + std::to_string(out.length) + ")");
  }
  if (!IsHash(out.hash)) {
    return invalid("invalid hash function name: invalid hash function name: " + out.hash);
  }
  return out;
}

/// The problem of the arguments; empty: none.
std::string ProblemOf(const std::string& passphrase, const std::optional<Keys>& chain,
                      const Recipe& recipe, int64_t salt_length) {
  if (passphrase.empty() && !chain) {
    return "no passphrase provided and no chained provider defined";
  }
  if (!passphrase.empty() && chain) {
    return "passphrase and chain are mutually exclusive";
  }
  if (chain && chain->encryption.empty()) {
    return "no encryption key provided from upstream key provider";
  }
  const std::string too_short = "too short (minimum " + std::to_string(kShortest) + " characters)";
  if (chain && chain->encryption.size() < kShortest) {
    return "upstream key provider supplied an encryption key that is " + too_short;
  }
  if (chain && !chain->decryption.empty() && chain->decryption.size() < kShortest) {
    return "upstream key provider supplied an decryption key that is " + too_short;
  }
  if (!passphrase.empty() && passphrase.size() < kShortest) {
    return "passphrase is " + too_short;
  }
  if (recipe.length <= 0) {
    return "the key length must be larger than zero";
  }
  if (recipe.iterations <= 0) {
    return "the number of iterations must be larger than zero";
  }
  if (recipe.iterations < kFewestIterations) {
    return "the number of iterations is dangerously low (<200000), refusing to generate key";
  }
  if (salt_length <= 0) {
    return "the salt length must be larger than zero";
  }
  if (recipe.hash.empty()) {
    return "invalid key provider configuration: please specify a hash function";
  }
  if (!IsHash(recipe.hash)) {
    return "invalid key provider configuration: invalid hash function name: " + recipe.hash;
  }
  if (recipe.length > kLongest || salt_length > kLongest || recipe.iterations > INT32_MAX) {
    return "the key, the salt or the number of iterations is too large";
  }
  return {};
}

/// What the arguments say.
struct Arguments {
  std::string passphrase;
  std::optional<Keys> chain;
  Recipe recipe;  ///< without salt
  int64_t salt_length = 32;
};

Result<Arguments> ReadArguments(const config::PartValues& values) {
  Arguments out;
  out.passphrase = TextArgument(values, "passphrase").value_or("");
  if (const auto chain = values.arguments.find("chain"); chain != values.arguments.end()) {
    out.chain = KeysOf(chain->second);
  }
  out.recipe.length = NumberArgument(values, "key_length").value_or(out.recipe.length);
  out.recipe.iterations = NumberArgument(values, "iterations").value_or(out.recipe.iterations);
  out.recipe.hash = TextArgument(values, "hash_function").value_or(out.recipe.hash);
  out.salt_length = NumberArgument(values, "salt_length").value_or(out.salt_length);
  if (std::string problem = ProblemOf(out.passphrase, out.chain, out.recipe, out.salt_length);
      !problem.empty()) {
    return Fail(ErrorCode::kInvalid, std::move(problem));
  }
  return out;
}

/// Keys of which the one for encryption has only its length: nobody knows its bytes.
Provided OfLength(const Recipe& recipe) {
  Provided out;
  out.keys.encryption.resize(static_cast<size_t>(recipe.length));
  RandomBytes(out.keys.encryption.data(), out.keys.encryption.size());
  return out;
}

Result<Provided> CheckPbkdf2(const config::PartValues& values) {
  KINU_TRY(const Arguments arguments, ReadArguments(values));
  return OfLength(arguments.recipe);
}

Result<Provided> ProvidePbkdf2Keys(const config::PartValues& values, const std::string* metadata) {
  KINU_TRY(const Arguments arguments, ReadArguments(values));
  const auto& chain = arguments.chain;
  if (metadata == nullptr) {
    Recipe recipe = arguments.recipe;
    recipe.salt.resize(static_cast<size_t>(arguments.salt_length));
    RandomBytes(recipe.salt.data(), recipe.salt.size());
    Provided out;
    KINU_TRY(out.keys.encryption, recipe.Derive(chain ? chain->encryption : arguments.passphrase));
    out.metadata = recipe.ToJson();
    return out;
  }
  Provided out = OfLength(arguments.recipe);
  KINU_TRY(const Recipe stored, ReadMetadata(*metadata));
  if (stored.complete()) {
    KINU_TRY(out.keys.decryption, stored.Derive(chain ? chain->decryption : arguments.passphrase));
  }
  return out;
}

}  // namespace

constexpr KeyProviderSpec kPbkdf2{
    .type = "pbkdf2", .provide = ProvidePbkdf2Keys, .check = CheckPbkdf2};

}  // namespace kinu::encryption
