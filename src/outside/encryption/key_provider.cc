#include "encryption/key_provider.h"

#include <algorithm>

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
  std::string out;
  if (list == nullptr || !list->IsKnown() || list->IsNull() ||
      !(list->type().is_list() || list->type().is_tuple() || list->type().is_set())) {
    return out;
  }
  for (const Value& byte : list->elements()) {
    const bool number = byte.IsKnown() && !byte.IsNull() && byte.type() == Type::Number();
    out.push_back(static_cast<char>(number ? byte.AsNumber().ToInt64().value_or(0) : 0));
  }
  return out;
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
      out.emplace_back(element.IsNull() ? "" : element.AsString());
    }
  }
  return out;
}

}  // namespace kinu::encryption
