#include "backend/hosted_state.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/environment.h"
#include "base/program_name.h"
#include "cloud/aws_sigv4.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "cty/json.h"
#include "json/writer.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kReason = "Locked by OpenTofu";

/// The document that announces a version of a state; with `inline_bytes` it has the state itself.
/// It has the outputs only if the state is not encrypted.
std::string VersionDocument(const state::StoredBytes& stored, const state::State& state, bool force,
                            bool inline_bytes) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", "state-versions");
  out.Key("attributes");
  out.BeginObject();
  out.Member("force", force);
  if (!stored.encrypted()) {
    out.Member("json-state-outputs", EncodeBase64(OutputsDocument(state)));
  }
  out.Member("lineage", state.lineage);
  out.Member("md5", HexDigest(HashKind::kMd5, stored.bytes()));
  out.Key("serial");
  out.Uint(state.serial);
  if (inline_bytes) {
    out.Member("state", EncodeBase64(stored.bytes()));
  }
  out.EndObject();
  if (const std::string_view run = Environment("TFE_RUN_ID"); !run.empty()) {
    out.Key("relationships");
    out.BeginObject();
    out.Key("run");
    out.BeginObject();
    out.Key("data");
    out.BeginObject();
    out.Member("type", "runs");
    out.Member("id", run);
    out.EndObject();
    out.EndObject();
    out.EndObject();
  }
  out.EndObject();
  out.EndObject();
  return text;
}

/// A URL among the attributes of the version in a document.
Result<std::string> UrlIn(const net::HttpResponse& response, std::string_view name) {
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* data =
      document.ok() && document.root().is_object() ? document.root().Find("data") : nullptr;
  std::string url = data == nullptr ? std::string() : TextMember(AttributesOf(*data), name);
  if (url.empty()) {
    return Fail(ErrorCode::kInvalid, "the service's answer has no " + std::string(name));
  }
  return url;
}

}  // namespace

std::string OutputsDocument(const state::State& state) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  for (const state::OutputValue& output : state.outputs) {
    const Value value = output.value.UnmarkDeep();
    out.Key(output.name);
    out.BeginObject();
    out.Member("sensitive", output.sensitive);
    if (!output.deprecated.empty()) {
      out.Member("deprecated", output.deprecated);
    }
    // Stored values are known.
    out.Key("value");
    (void)WriteJson(out, value, value.type(), WholeNumbers::kExact);
    out.Key("type");
    out.Raw(TypeToJson(value.type()));
    out.EndObject();
  }
  out.EndObject();
  return text;
}

HostedStateClient::HostedStateClient(std::shared_ptr<const Organization> organization,
                                     HostedWorkspace workspace, MidwayStoring midway)
    : organization_(std::move(organization)), workspace_(std::move(workspace)), midway_(midway) {
}

std::string HostedStateClient::PathOf(std::string_view what) const {
  return "workspaces/" + cloud::AwsEscape(workspace_.id) + '/' + std::string(what);
}

void HostedStateClient::ReadInterval(const net::HttpResponse& response) {
  if (!response.headers.Get("Content-Type").contains("application/vnd.api+json")) {
    return;
  }
  constexpr int64_t kLongest = 3600;
  const std::string_view text = response.headers.Get("x-terraform-snapshot-interval");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool asks = error == std::errc() && end == text.data() + text.size() && seconds > 0;
  asked_interval_ =
      asks ? std::optional(std::chrono::seconds(std::min(seconds, kLongest))) : std::nullopt;
}

std::optional<std::chrono::seconds> HostedStateClient::write_interval(
    std::chrono::seconds usual) const {
  switch (midway_) {
    case MidwayStoring::kAlways:
      return usual;
    case MidwayStoring::kNever:
      return std::nullopt;
    case MidwayStoring::kWhenAsked:
      break;
  }
  // Unless the service asks, only an interrupt stores the state.
  constexpr std::chrono::seconds kNoTime = std::chrono::hours(24 * 365);
  return std::max(asked_interval_.value_or(kNoTime), usual);
}

Result<std::optional<std::string>> HostedStateClient::Get() {
  const Result<net::HttpResponse> version =
      organization_->Ask("GET", PathOf("current-state-version"));
  if (!version) {
    if (version.error().code == ErrorCode::kNotFound) {
      return std::nullopt;
    }
    return Fail(version.error().code, "error retrieving state: " + version.error().message);
  }
  ReadInterval(*version);
  KINU_TRY(const std::string url, UrlIn(*version, "hosted-state-download-url"));
  Result<net::HttpResponse> content = organization_->Download(url);
  if (!content) {
    return Fail(content.error().code, "error downloading state: " + content.error().message);
  }
  return content->body.empty() ? std::nullopt : std::optional(std::move(content->body));
}

Result<void> HostedStateClient::Store(const state::StoredBytes& stored, const state::State& state,
                                      bool force) {
  const std::string path = PathOf("state-versions");
  Result<net::HttpResponse> version =
      organization_->Ask("POST", path, VersionDocument(stored, state, force, false));
  if (!version &&
      version.error().message.contains("param is missing or the value is empty: state")) {
    // An older service wants all at once.
    version = organization_->Ask("POST", path, VersionDocument(stored, state, force, true));
    return version ? Result<void>() : std::unexpected(std::move(version).error());
  }
  if (!version) {
    return std::unexpected(std::move(version).error());
  }
  ReadInterval(*version);
  KINU_TRY(const std::string url, UrlIn(*version, "hosted-state-upload-url"));
  return organization_->Upload(url, stored.bytes());
}

Result<void> HostedStateClient::PutState(const state::StoredBytes& stored,
                                         const state::State& state, bool force) {
  const Result<void> done = Store(stored, state, force);
  unstored_ = !done;
  if (done) {
    return {};
  }
  std::string message = "error uploading state: " + done.error().message;
  if (!lock_id_.empty()) {
    message +=
        Hint(
            "\n\nThe workspace stays locked, so that nobody changes what this state has and the "
            "service lacks. Once the state is stored (\"tofu state push -lock=false\"), unlock "
            "the workspace: tofu force-unlock ") +
        LockId();
  }
  return Fail(done.error().code, std::move(message));
}

std::string HostedStateClient::Holder() const {
  state::LockInfo info;
  info.id = LockId();
  const Result<net::HttpResponse> response =
      organization_->Ask("GET", "workspaces/" + cloud::AwsEscape(workspace_.id));
  if (!response) {
    return info.ToText();
  }
  const JsonDocument document = ParseJson(response->body);
  const JsonNode* node = &document.root();
  for (const std::string_view step : {"data", "relationships", "locked-by", "data"}) {
    node = node != nullptr && node->is_object() ? node->Find(step) : nullptr;
  }
  const std::string kind = TextMember(node, "type");
  info.who = kind.empty() ? "" : kind + ' ' + TextMember(node, "id");
  return info.ToText();
}

Result<std::string> HostedStateClient::Lock(const state::LockInfo& info) {
  std::string body;
  JsonWriter out(body);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", "");
  out.Key("attributes");
  out.BeginObject();
  out.Member("reason", kReason);
  out.EndObject();
  out.EndObject();
  out.EndObject();
  const Result<net::HttpResponse> response =
      organization_->Ask("POST", PathOf("actions/lock"), std::move(body));
  if (response) {
    lock_id_ = info.id;
    return info.id;
  }
  if (response.error().code != ErrorCode::kExists) {
    return std::unexpected(response.error());
  }
  return Fail(ErrorCode::kExists,
              response.error().message + " (lock ID: \"" + LockId() + "\")\n" + Holder());
}

Result<void> HostedStateClient::Unlock(std::string_view id) {
  if (unstored_) {
    return {};
  }
  std::string_view action = "actions/unlock";
  if (lock_id_.empty()) {
    action = "actions/force-unlock";
    if (id != LockId()) {
      return Fail(ErrorCode::kInvalid, "lock ID \"" + std::string(id) +
                                           "\" does not match existing lock ID \"" + LockId() +
                                           '"');
    }
  } else if (id != lock_id_) {
    return Fail(ErrorCode::kInvalid, "lock ID does not match existing lock");
  }
  Result<net::HttpResponse> response = organization_->Ask("POST", PathOf(action));
  if (response) {
    lock_id_.clear();
    return {};
  }
  if (response.error().message.contains("latest state version is still pending")) {
    return Fail(ErrorCode::kUnavailable,
                "unable to unlock workspace while state version upload is still pending");
  }
  return std::unexpected(std::move(response).error());
}

}  // namespace kinu::backend
