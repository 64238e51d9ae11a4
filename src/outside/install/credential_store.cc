#include "install/credential_store.h"

#include <map>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::install {
namespace {

/// Members of an object by name, as JSON texts. Writing them sorts them.
using Members = std::map<std::string, std::string>;

Members MembersOf(const JsonNode& object, std::string_view text) {
  Members out;
  for (const JsonMember& member : object.members()) {
    out[std::string(member.name)] =
        text.substr(member.value.begin(), member.value.end() - member.value.begin());
  }
  return out;
}

std::string ObjectText(const Members& members) {
  std::string out;
  JsonWriter writer(out, {.indent = "  "});
  writer.BeginObject();
  for (const auto& [name, value] : members) {
    writer.Key(name);
    writer.Embed(value);
  }
  writer.EndObject();
  return out;
}

std::string TokenText(const std::string& token) {
  std::string out;
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Member("token", std::string_view(token));
  writer.EndObject();
  return out;
}

/// Replaces the entry of a host in the credentials file; with an empty token it is removed.
Result<void> UpdateFile(const std::string& host, const std::string& token) {
  const std::string path = CredentialsFilePath();
  std::string text = "{}";
  if (auto read = ReadFile(path); read && !read->empty()) {
    text = *std::move(read);
  } else if (!read && read.error().code != ErrorCode::kNotFound) {
    return Fail(read.error().code, "cannot read " + path + ": " + read.error().message);
  }
  const JsonDocument document = ParseJson(text);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid,
                "cannot read " + path + ": " +
                    (document.ok() ? "not a JSON object" : document.problems()[0].message));
  }
  Members all = MembersOf(document.root(), text);
  Members hosts;
  if (const JsonNode* given = document.root().Find("credentials"); given != nullptr) {
    if (!given->is_object()) {
      return Fail(ErrorCode::kInvalid,
                  "credentials file " + path +
                      " has invalid value for \"credentials\" property: must be a JSON object");
    }
    hosts = MembersOf(*given, text);
  }
  std::erase_if(hosts, [&](const auto& entry) {
    const auto name = ParseHostName(entry.first);
    return name && *name == host;
  });
  if (!token.empty()) {
    hosts[host] = TokenText(token);
  }
  all["credentials"] = ObjectText(hosts);
  if (auto made = MakeDirectories(DirName(path)); !made) {
    return made;
  }
  return ReplaceFile(path, ObjectText(all), 0600);
}

Result<void> RunHelper(const Credentials& credentials, const std::string& verb,
                       const std::string& host, const std::string& input) {
  auto done = credentials.RunHelper(verb, host, input);
  return done ? Result<void>() : std::unexpected(done.error());
}

}  // namespace

std::string CredentialsFilePath() {
  return JoinPath(ConfigDirectory(), "credentials.tfrc.json");
}

TokenPlace FindTokenPlace(const CliConfig& config, const Credentials& credentials,
                          const std::string& host) {
  for (const auto& [name, path] : config.credentials_files) {
    if (const auto parsed = ParseHostName(name); parsed && *parsed == host) {
      return path == CredentialsFilePath() ? TokenPlace::kCredentialsFile : TokenPlace::kOtherFile;
    }
  }
  return credentials.helper().empty() ? TokenPlace::kNone : TokenPlace::kHelper;
}

Result<void> StoreToken(const Credentials& credentials, TokenPlace place, const std::string& host,
                        const std::string& token) {
  return place == TokenPlace::kHelper ? RunHelper(credentials, "store", host, TokenText(token))
                                      : UpdateFile(host, token);
}

Result<void> ForgetToken(const Credentials& credentials, TokenPlace place,
                         const std::string& host) {
  return place == TokenPlace::kHelper ? RunHelper(credentials, "forget", host, "")
                                      : UpdateFile(host, "");
}

}  // namespace kinu::install
