#include "encryption/key_provider.h"

#include <algorithm>

#include "base/invariant.h"

namespace kinu::encryption {
namespace {

constexpr const KeyProviderSpec* kKeyProviders[] = {&kPbkdf2,     &kAwsKms,  &kGcpKms,
                                                    &kAzureVault, &kOpenBao, &kExternalKeys};

const Value* Argument(const config::PartValues& values, std::string_view name) {
  const auto found = values.arguments.find(name);
  return found == values.arguments.end() ? nullptr : &found->second;
}

std::string KeyIn(const Value& keys, std::string_view name) {
  const Value* list = keys.Find(name);
  return list == nullptr || (list->IsKnown() && list->IsNull()) ? std::string() : BytesIn(*list);
}

Value ListOf(std::string_view key) {
  if (key.empty()) {
    return Value::Null(config::KeyType());
  }
  std::vector<Value> bytes;
  bytes.reserve(key.size());
  for (const char byte : key) {
    bytes.push_back(Value::Int(static_cast<unsigned char>(byte)));
  }
  return Value::List(Type::Number(), std::move(bytes));
}

}  // namespace

const KeyProviderSpec& KeyProviderOf(std::string_view type) {
  return **std::ranges::find(kKeyProviders, type, &KeyProviderSpec::type);
}

std::string BytesIn(const Value& list) {
  std::string out;
  for (const Value& element : list.elements()) {
    const std::optional<int64_t> byte = element.AsNumber().ToInt64();
    KINU_INVARIANT(byte && *byte >= 0 && *byte <= 255, "a key is made of bytes");
    out.push_back(static_cast<char>(*byte));
  }
  return out;
}

Keys KeysOf(const Value& value) {
  return {KeyIn(value, "encryption_key"), KeyIn(value, "decryption_key")};
}

Value ToValue(const Keys& keys) {
  return Value::Object(
      {{"encryption_key", ListOf(keys.encryption)}, {"decryption_key", ListOf(keys.decryption)}});
}

std::optional<std::string> TextArgument(const config::PartValues& values, std::string_view name) {
  const Value* value = Argument(values, name);
  return value == nullptr ? std::nullopt : std::optional(std::string(value->AsString()));
}

std::optional<int64_t> NumberArgument(const config::PartValues& values, std::string_view name) {
  const Value* value = Argument(values, name);
  return value == nullptr ? std::nullopt : value->AsNumber().ToInt64();
}

std::vector<std::string> TextsArgument(const config::PartValues& values, std::string_view name) {
  std::vector<std::string> out;
  if (const Value* list = Argument(values, name)) {
    for (const Value& element : list->elements()) {
      out.emplace_back(element.AsString());
    }
  }
  return out;
}

}  // namespace kinu::encryption
