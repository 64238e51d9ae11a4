#include "install/credentials.h"

#include <algorithm>

#include "addrs/host_name.h"
#include "addrs/provider_source.h"
#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "install/package_source.h"
#include "json/reader.h"

extern char** environ;

namespace kinu::install {
namespace {

constexpr std::string_view kTokenPrefix = "TF_TOKEN_";

/// Directories that may hold credentials helpers.
std::vector<std::string> HelperDirectories() {
  std::vector<std::string> bases;
  const std::string home = HomeDirectory();
  if (!home.empty()) {
    bases.push_back(JoinPath(home, ".terraform.d/plugins"));
  }
  if (const std::string_view data = Environment("XDG_DATA_HOME"); !data.empty()) {
    bases.push_back(JoinPath(data, "opentofu/plugins"));
  }
  std::vector<std::string> directories;
  for (const std::string& base : bases) {
    directories.push_back(base);
    directories.push_back(JoinPath(base, CurrentPlatform()));
  }
  return directories;
}

std::string FindHelper(const std::string& name) {
  for (const std::string& directory : HelperDirectories()) {
    std::string path = JoinPath(directory, "terraform-credentials-" + name);
    if (FileExists(path) && !IsDirectory(path)) {
      return path;
    }
  }
  return {};
}

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

std::optional<std::string> HostOfTokenVariable(std::string_view name) {
  if (!name.starts_with(kTokenPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kTokenPrefix.size());
  std::string host;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size() && name[i + 1] == '_') {
      host += '-';
      ++i;
    } else {
      host += name[i] == '_' ? '.' : name[i];
    }
  }
  auto parsed = ParseHostName(host);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

Credentials::Credentials(const CliConfig& config) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      continue;
    }
    if (auto host = HostOfTokenVariable(text.substr(0, equals))) {
      environment_[*host] = text.substr(equals + 1);
    }
  }
  for (const auto& [name, token] : config.credentials) {
    if (auto host = ParseHostName(name)) {
      configured_[*host] = token;
    }
  }
  if (config.credentials_helper) {
    helper_ = FindHelper(config.credentials_helper->name);
    helper_arguments_ = config.credentials_helper->arguments;
  }
}

TokenOrigin Credentials::OriginOf(const std::string& host) const {
  if (environment_.contains(host)) {
    return TokenOrigin::kEnvironment;
  }
  if (configured_.contains(host)) {
    return TokenOrigin::kConfiguration;
  }
  return helper_.empty() ? TokenOrigin::kNone : TokenOrigin::kHelper;
}

Result<std::string> Credentials::Token(const std::string& host) {
  if (const auto it = environment_.find(host); it != environment_.end()) {
    return it->second;
  }
  if (const auto it = configured_.find(host); it != configured_.end()) {
    return it->second;
  }
  if (helper_.empty()) {
    return std::string();
  }
  const std::lock_guard lock(mutex_);
  const auto it = answers_.find(host);
  if (it != answers_.end()) {
    return it->second;
  }
  return answers_.emplace(host, AskHelper(host)).first->second;
}

Result<std::string> Credentials::RunHelper(const std::string& verb, const std::string& host,
                                           const std::string& input) const {
  CaptureRequest request;
  request.arguments = {helper_};
  request.arguments.insert(request.arguments.end(), helper_arguments_.begin(),
                           helper_arguments_.end());
  request.arguments.push_back(verb);
  request.arguments.push_back(HostNameToAscii(host));
  request.input = input;
  KINU_TRY(Captured captured, CaptureCommand(request));
  if (captured.exit_code != 0) {
    const std::string why = Trimmed(captured.errors);
    return Fail(
        ErrorCode::kUnavailable,
        "error in " + helper_ + (why.empty() ? ", but it produced no error message" : ": " + why));
  }
  return std::move(captured.output);
}

Result<std::string> Credentials::AskHelper(const std::string& host) const {
  KINU_TRY(const std::string output, RunHelper("get", host, ""));
  const JsonDocument document = ParseJson(output);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "malformed output from " + helper_ + ": not a JSON object");
  }
  const JsonNode* token = document.root().Find("token");
  return token != nullptr && token->is_string() ? std::string(token->text()) : std::string();
}

}  // namespace kinu::install
