#include "install/oci_credentials.h"

#include <algorithm>

#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "json/reader.h"
#include "log/log.h"

namespace kinu::install {
namespace {

constexpr int kRankOfAll = 1;
constexpr int kRankOfDomain = 2;

/// Files that Docker, Podman and their like keep credentials in.
std::vector<std::string> AmbientFiles() {
  std::vector<std::string> files;
  if (const std::string_view run = Environment("XDG_RUNTIME_DIR"); !run.empty()) {
    files.push_back(JoinPath(run, "containers/auth.json"));
  }
  std::string home = HomeDirectory();
  if (home.empty()) {
    home = "/";
  }
  const std::string_view config = Environment("XDG_CONFIG_HOME");
  files.push_back(JoinPath(config.empty() ? JoinPath(home, ".config") : std::string(config),
                           "containers/auth.json"));
  files.push_back(JoinPath(home, ".docker/config.json"));
  files.push_back(JoinPath(home, ".dockercfg"));
  return files;
}

std::string_view WithoutSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

/// Asks Docker's credential helper of that name.
Result<OciCredential> AskDockerHelper(const std::string& name, const std::string& domain) {
  const std::string quoted = '"' + name + "\" credential helper";
  CaptureRequest request;
  request.arguments = {"docker-credential-" + name, "get"};
  request.input = "https://" + domain;
  auto captured = CaptureCommand(request);
  if (!captured) {
    return Fail(captured.error().code, quoted + " failed: " + captured.error().message);
  }
  const std::string_view output = WithoutSpace(captured->output);
  if (captured->exit_code != 0) {
    if (output == "credentials not found in native keychain") {
      return OciCredential();
    }
    return Fail(ErrorCode::kUnavailable,
                quoted + " failed: " +
                    (output.empty() ? "exit status " + std::to_string(captured->exit_code)
                                    : std::string(output)));
  }
  const JsonDocument document = ParseJson(output);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, quoted + " failed: its output is no JSON object");
  }
  const auto member = [&](std::string_view key) {
    const JsonNode* node = document.root().Find(key);
    return node != nullptr && node->is_string() ? std::string(node->text()) : std::string();
  };
  OciCredential credential;
  credential.username = member("Username");
  credential.password = member("Secret");
  if (credential.username == "<token>") {
    return Fail(ErrorCode::kUnsupported,
                quoted + " returned a token, but only a user name with a password is supported");
  }
  return credential;
}

}  // namespace

int OciPrefixRank(std::string_view prefix, const OciRepository& repository) {
  const size_t slash = prefix.find('/');
  if (prefix.substr(0, slash) != repository.domain || repository.domain.empty()) {
    return 0;
  }
  if (slash == std::string_view::npos) {
    return kRankOfDomain;
  }
  const std::string_view path = prefix.substr(slash + 1);
  if (!IsOciName(path) || !repository.name.starts_with(path) ||
      (repository.name.size() > path.size() && repository.name[path.size()] != '/')) {
    return 0;
  }
  return kRankOfDomain + 1 + static_cast<int>(std::ranges::count(path, '/'));
}

OciCredentials::OciCredentials(const CliConfig& config)
    : defaults_(config.oci_default_credentials.value_or(OciDefaultCredentials())) {
  for (const OciCredentialsBlock& block : config.oci_credentials) {
    entries_.push_back({.prefix = block.prefix,
                        .helper = block.helper,
                        .credential = {.username = block.username,
                                       .password = block.password,
                                       .access_token = block.access_token,
                                       .refresh_token = block.refresh_token},
                        .problem = {}});
    if (entries_.back().helper.empty() && block.username.empty() && block.access_token.empty()) {
      entries_.back().problem = "the oci_credentials block \"" + block.prefix +
                                "\" has neither a user name nor an access token";
    }
  }
  if (!defaults_.helper.empty()) {
    entries_.push_back({.prefix = "", .helper = defaults_.helper, .credential = {}, .problem = {}});
  }
}

Result<std::vector<OciCredentials::Entry>> OciCredentials::ReadDockerFile(const std::string& path) {
  KINU_TRY(const std::string text, ReadFile(path));
  const JsonDocument document = ParseJson(text);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "parsing " + path + ": invalid JSON");
  }
  std::vector<Entry> out;
  const auto members = [&](std::string_view name) {
    const JsonNode* node = document.root().Find(name);
    return node == nullptr ? std::span<const JsonMember>() : node->members();
  };
  for (const JsonMember& member : members("auths")) {
    const JsonNode* auth = member.value.Find("auth");
    if (auth == nullptr || !auth->is_string() || auth->text().empty()) {
      continue;
    }
    const auto decoded = DecodeBase64(auth->text());
    if (!decoded) {
      return Fail(ErrorCode::kInvalid,
                  "parsing " + path + ": the value of auth is not encoded as base64");
    }
    Entry entry{.prefix = std::string(member.name), .helper = {}, .credential = {}, .problem = {}};
    const size_t colon = decoded->find(':');
    if (colon == std::string::npos) {
      entry.problem = "the object for \"" + entry.prefix + "\" in " + path +
                      " does not hold a user name and password";
    } else {
      entry.credential.username = decoded->substr(0, colon);
      entry.credential.password = decoded->substr(colon + 1);
    }
    out.push_back(std::move(entry));
  }
  for (const JsonMember& member : members("credHelpers")) {
    if (member.value.is_string() && !member.value.text().empty() &&
        member.name.find('/') == std::string_view::npos) {
      out.push_back({.prefix = std::string(member.name),
                     .helper = std::string(member.value.text()),
                     .credential = {},
                     .problem = {}});
    }
  }
  if (const JsonNode* store = document.root().Find("credsStore");
      store != nullptr && store->is_string() && !store->text().empty()) {
    out.push_back(
        {.prefix = "", .helper = std::string(store->text()), .credential = {}, .problem = {}});
  }
  return out;
}

Result<void> OciCredentials::LoadFiles() {
  if (loaded_) {
    return {};
  }
  std::vector<Entry> found;
  std::vector<std::string> paths;
  const bool named = defaults_.files.has_value();
  if (defaults_.discover) {
    paths = named ? *defaults_.files : AmbientFiles();
  }
  for (const std::string& path : paths) {
    if (!named && !FileExists(path)) {
      continue;
    }
    auto entries = ReadDockerFile(path);
    if (!entries && named) {
      return Fail(entries.error().code, "failed to read a file with credentials of registries: " +
                                            entries.error().message);
    }
    if (!entries) {
      log::Write(log::Level::kWarn,
                 "install: credentials of OCI registries: " + entries.error().message);
      continue;
    }
    std::ranges::move(*entries, std::back_inserter(found));
  }
  std::ranges::move(found, std::back_inserter(entries_));
  loaded_ = true;
  return {};
}

Result<OciCredential> OciCredentials::For(const OciRepository& repository) {
  const std::lock_guard lock(mutex_);
  if (auto loaded = LoadFiles(); !loaded) {
    return std::unexpected(loaded.error());
  }
  const Entry* best = nullptr;
  int best_rank = 0;
  std::string problem;
  for (const Entry& entry : entries_) {
    const int rank = entry.prefix.empty() ? kRankOfAll : OciPrefixRank(entry.prefix, repository);
    if (rank > 0 && !entry.problem.empty()) {
      problem = problem.empty() ? entry.problem : problem;
    } else if (rank > best_rank) {
      best = &entry;
      best_rank = rank;
    }
  }
  if (!problem.empty()) {
    return Fail(ErrorCode::kInvalid,
                "finding credentials for \"" + repository.domain + "\": " + problem);
  }
  if (best == nullptr) {
    return OciCredential();
  }
  return best->helper.empty() ? Result<OciCredential>(best->credential)
                              : AskDockerHelper(best->helper, repository.domain);
}

}  // namespace kinu::install
