#include "cloud/google_login.h"

#include "base/environment.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "json/reader.h"

namespace kinu::cloud {

std::string ContentOrText(const std::string& text) {
  const std::string path =
      text.starts_with("~/") ? JoinPath(Environment("HOME"), text.substr(2)) : text;
  auto content = ReadFile(path);
  return content ? *std::move(content) : text;
}

GoogleIdentityOptions ReadGoogleLogin(const Value& settings, provider::Problems& problems) {
  GoogleIdentityOptions who;
  who.token = SettingText(settings, "access_token");
  if (const std::string given = SettingText(settings, "credentials");
      who.token.empty() && !given.empty()) {
    who.credentials = ContentOrText(given);
    if (!ParseJson(who.credentials).ok()) {
      AddFailure(problems,
                 "the string provided in credentials is neither valid json nor a valid file path");
    }
  }
  who.impersonate = SettingText(settings, "impersonate_service_account");
  who.delegates = SettingTexts(settings, "impersonate_service_account_delegates");
  who.universe = SettingText(settings, "universe_domain");
  return who;
}

}  // namespace kinu::cloud
