// The values of settings, for Backend::Configure(). Private to backend.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cty/value.h"
#include "provider/provider.h"

namespace kinu::cloud {

// `settings` is what Configure() receives, or the object of a nested block.

/// The value of a setting; null when it has none.
const Value* FindSetting(const Value& settings, std::string_view name);
/// A setting's text; empty when it is null.
std::string SettingText(const Value& settings, std::string_view name);
/// A setting's text; `otherwise` when it is null or empty.
std::string SettingText(const Value& settings, std::string_view name, std::string_view otherwise);
/// A setting's text, which may be empty; `otherwise` when it is null.
std::string SettingOr(const Value& settings, std::string_view name, std::string_view otherwise);
/// A switch; `otherwise` when it is null.
bool SettingFlag(const Value& settings, std::string_view name, bool otherwise = false);
/// A whole number; `otherwise` when it is null or no whole number.
int64_t SettingNumber(const Value& settings, std::string_view name, int64_t otherwise);
/// The texts of a list or set without null ones; none when it is null.
std::vector<std::string> SettingTexts(const Value& settings, std::string_view name);
/// The entries of a map of texts without null ones; none when it is null.
std::map<std::string, std::string> SettingMap(const Value& settings, std::string_view name);

/// Adds an error that consists of one text and has no place in the configuration.
void AddFailure(provider::Problems& problems, std::string text);

/// How errors about the setting `hostname` speak of a backend.
struct HostWords {
  std::string_view backend;  // "remote"
  std::string_view where;    // what names the service, at the begin of a sentence
  std::string_view end;      // of the error about aliases
};
/// Adds the errors for the setting `hostname` when it names no host, also when it is empty. False
/// if it names one.
bool AddHostProblems(const std::string& host, const HostWords& words, provider::Problems& problems);

}  // namespace kinu::cloud
