#include "cloud/settings.h"

#include <cctype>
#include <utility>

#include "addrs/provider_source.h"

namespace kinu::cloud {

const Value* FindSetting(const Value& settings, std::string_view name) {
  const Value* value = settings.Find(name);
  return value == nullptr || value->IsNull() ? nullptr : value;
}

std::string SettingText(const Value& settings, std::string_view name) {
  const Value* value = FindSetting(settings, name);
  return value == nullptr ? std::string() : std::string(value->AsString());
}

std::string SettingText(const Value& settings, std::string_view name, std::string_view otherwise) {
  std::string text = SettingText(settings, name);
  return text.empty() ? std::string(otherwise) : text;
}

std::string SettingOr(const Value& settings, std::string_view name, std::string_view otherwise) {
  const Value* value = FindSetting(settings, name);
  return std::string(value == nullptr ? otherwise : value->AsString());
}

bool SettingFlag(const Value& settings, std::string_view name, bool otherwise) {
  const Value* value = FindSetting(settings, name);
  return value == nullptr ? otherwise : value->AsBool();
}

int64_t SettingNumber(const Value& settings, std::string_view name, int64_t otherwise) {
  const Value* value = FindSetting(settings, name);
  return value == nullptr ? otherwise : value->AsNumber().ToInt64().value_or(otherwise);
}

std::vector<std::string> SettingTexts(const Value& settings, std::string_view name) {
  std::vector<std::string> out;
  if (const Value* value = FindSetting(settings, name); value != nullptr) {
    for (const Value& element : value->elements()) {
      if (!element.IsNull()) {
        out.emplace_back(element.AsString());
      }
    }
  }
  return out;
}

std::map<std::string, std::string> SettingMap(const Value& settings, std::string_view name) {
  std::map<std::string, std::string> out;
  if (const Value* value = FindSetting(settings, name); value != nullptr) {
    for (size_t i = 0; i < value->size(); ++i) {
      if (const Value& entry = value->elements()[i]; !entry.IsNull()) {
        out.emplace(value->key(i), entry.AsString());
      }
    }
  }
  return out;
}

void AddFailure(provider::Problems& problems, std::string text) {
  problems.push_back(
      {.summary = std::move(text), .detail = "", .attribute = std::nullopt, .sourceless = true});
}

bool AddHostProblems(const std::string& host, const HostWords& words,
                     provider::Problems& problems) {
  auto parsed = ParseHostName(host);
  if (parsed) {
    return false;
  }
  if (host.empty()) {
    problems.push_back(
        {.summary = "Hostname is required for the " + std::string(words.backend) + " backend",
         .detail = "There is no default: " + std::string(words.where) + " names the service.",
         .attribute = std::nullopt,
         .sourceless = true});
  } else {
    std::string why = std::move(parsed).error();
    why[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(why[0])));
    problems.push_back(
        {.summary = std::move(why), .detail = "", .attribute = Path().Attribute("hostname")});
  }
  AddFailure(problems, "failed to create backend alias to target \"" + host +
                           "\". The hostname is not in the correct format" +
                           std::string(words.end));
  return true;
}

}  // namespace kinu::cloud
