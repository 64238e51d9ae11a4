#include "backend/organization.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "cloud/aws_sigv4.h"
#include "compatibility/level.h"
#include "json/writer.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kJsonApi = "application/vnd.api+json";
/// As long as a state is worth waiting for a service that restarts: some five minutes.
constexpr net::RetryPolicy kPatience{.retries = 30,
                                     .first_wait = std::chrono::milliseconds(800),
                                     .max_wait = std::chrono::seconds(12),
                                     .keep_last = true};
/// While a directory is made ready, a failure is better known soon.
constexpr net::RetryPolicy kHaste{.retries = 2,
                                  .first_wait = std::chrono::milliseconds(400),
                                  .max_wait = std::chrono::seconds(2),
                                  .keep_last = true};

/// The reasons that a response gives; its status if it gives none.
std::string ReasonsOf(const net::HttpResponse& response) {
  std::string out;
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* errors =
      document.ok() && document.root().is_object() ? document.root().Find("errors") : nullptr;
  for (const JsonNode& error :
       errors == nullptr ? std::span<const JsonNode>() : errors->elements()) {
    const std::string detail = TextMember(&error, "detail");
    out += (out.empty() ? "" : "\n") + TextMember(&error, "title");
    out += detail.empty() ? "" : "\n\n" + detail;
  }
  return out.empty() ? response.StatusText() : out;
}

/// What a conflict (409) means for an action. Ref: go-tfe checkResponseCode.
std::string ConflictOf(std::string_view path, const std::string& reasons) {
  const auto has = [&](std::string_view words) { return reasons.contains(words); };
  if (path.ends_with("actions/lock")) {
    return "workspace already locked";
  }
  if (path.ends_with("actions/unlock")) {
    for (const auto& [sign, holder] :
         {std::pair("is locked by Run", "run"), std::pair("is locked by Team", "team"),
          std::pair("is locked by User", "user")}) {
      if (has(sign)) {
        return std::string("unable to unlock workspace locked by ") + holder;
      }
    }
    return "workspace already unlocked";
  }
  if (path.ends_with("actions/force-unlock")) {
    return "workspace already unlocked";
  }
  if (path.ends_with("actions/safe-delete")) {
    if (has("locked")) {
      return "conflict\nWorkspace is currently locked. Workspace must be unlocked before it can be "
             "safely deleted";
    }
    if (has("being processed")) {
      return "conflict\nLatest workspace state is being processed to discover resources, please "
             "try again later";
    }
    return "conflict\nworkspace cannot be safely deleted because it is still managing resources";
  }
  return reasons;
}

std::unexpected<Error> RefusedBy(const net::HttpResponse& response, std::string_view path) {
  switch (response.status) {
    case 401:
      return Fail(ErrorCode::kUnavailable, "unauthorized");
    case 404:
      return Fail(ErrorCode::kNotFound, "resource not found");
    case 409:
      return Fail(ErrorCode::kExists, ConflictOf(path, ReasonsOf(response)));
    default:
      return Fail(ErrorCode::kUnavailable, ReasonsOf(response));
  }
}

/// The resource of a document; the error of one that has none.
Result<const JsonNode*> DataOf(const JsonDocument& document) {
  const JsonNode* data =
      document.ok() && document.root().is_object() ? document.root().Find("data") : nullptr;
  if (data == nullptr) {
    return Fail(ErrorCode::kInvalid, "the service's answer is no JSON:API document");
  }
  return data;
}

HostedWorkspace WorkspaceFrom(const JsonNode& resource) {
  const JsonNode* attributes = AttributesOf(resource);
  HostedWorkspace out{.id = TextMember(&resource, "id"),
                      .name = TextMember(attributes, "name"),
                      .version = TextMember(attributes, "terraform-version"),
                      .execution_mode = TextMember(attributes, "execution-mode"),
                      .tags = {}};
  if (const JsonNode* tags = attributes == nullptr ? nullptr : attributes->Find("tag-names");
      tags != nullptr) {
    for (const JsonNode& tag : tags->elements()) {
      out.tags.emplace_back(tag.text());
    }
  }
  const auto member = [](const JsonNode* object, std::string_view name) {
    const JsonNode* found = object != nullptr && object->is_object() ? object->Find(name) : nullptr;
    return found == nullptr || found->is_null() ? nullptr : found;
  };
  const auto flag = [&](const JsonNode* object, std::string_view name) {
    const JsonNode* found = member(object, name);
    return found != nullptr && found->is_bool() && found->boolean();
  };
  const JsonNode* rights = member(attributes, "permissions");
  out.directory = TextMember(attributes, "working-directory");
  out.auto_apply = flag(attributes, "auto-apply");
  out.has_repository = member(attributes, "vcs-repo") != nullptr;
  out.may_plan = flag(rights, "can-queue-run");
  out.may_apply = flag(rights, "can-update") || flag(rights, "can-queue-apply");
  out.deletes_safely = member(rights, "can-force-delete") != nullptr;
  return out;
}

/// A number of the pagination; 0 if it is missing.
int64_t PageMember(const JsonNode& root, std::string_view name) {
  const JsonNode* meta = root.Find("meta");
  const JsonNode* pages =
      meta == nullptr || !meta->is_object() ? nullptr : meta->Find("pagination");
  const JsonNode* number = pages == nullptr || !pages->is_object() ? nullptr : pages->Find(name);
  int64_t out = 0;
  if (number != nullptr && number->is_number()) {
    std::from_chars(number->text().data(), number->text().data() + number->text().size(), out);
  }
  return out;
}

void WriteTags(JsonWriter& out, const std::vector<std::string>& tags) {
  out.Key("data");
  out.BeginArray();
  for (const std::string& tag : tags) {
    out.BeginObject();
    out.Member("type", "tags");
    out.Key("attributes");
    out.BeginObject();
    out.Member("name", tag);
    out.EndObject();
    out.EndObject();
  }
  out.EndArray();
}

/// What a workspace is related to.
void WriteRelations(JsonWriter& out, const NewHostedWorkspace& workspace) {
  out.Key("relationships");
  out.BeginObject();
  if (!workspace.project.empty()) {
    out.Key("project");
    out.BeginObject();
    out.Key("data");
    out.BeginObject();
    out.Member("type", "projects");
    out.Member("id", workspace.project);
    out.EndObject();
    out.EndObject();
  }
  if (!workspace.tags.empty()) {
    out.Key("tags");
    out.BeginObject();
    WriteTags(out, workspace.tags);
    out.EndObject();
  }
  out.EndObject();
}

/// A document with a resource that has these attributes.
std::string DocumentOf(std::string_view type,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> pairs,
                       const NewHostedWorkspace* related = nullptr) {
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("data");
  out.BeginObject();
  out.Member("type", type);
  out.Key("attributes");
  out.BeginObject();
  for (const auto& [name, value] : pairs) {
    if (!value.empty()) {
      out.Member(name, value);
    }
  }
  out.EndObject();
  if (related != nullptr && (!related->tags.empty() || !related->project.empty())) {
    WriteRelations(out, *related);
  }
  out.EndObject();
  out.EndObject();
  return text;
}

}  // namespace

const JsonNode* AttributesOf(const JsonNode& resource) {
  const JsonNode* attributes = resource.is_object() ? resource.Find("attributes") : nullptr;
  return attributes != nullptr && attributes->is_object() ? attributes : nullptr;
}

std::string TextMember(const JsonNode* object, std::string_view name) {
  const JsonNode* member = object != nullptr && object->is_object() ? object->Find(name) : nullptr;
  return member != nullptr && member->is_string() ? std::string(member->text()) : std::string();
}

namespace {

/// Reports attempts that failed, except the first one and those that came too often. Its texts are
/// read by people only.
std::function<void(int, const net::HttpResponse*)> RetryReporter(const OrganizationPlace& place) {
  using std::chrono::steady_clock;
  if (!place.report) {
    return {};
  }
  return [&place, since = steady_clock::now()](int attempt,
                                               const net::HttpResponse* response) mutable {
    constexpr int kTooMany = 429;
    if (attempt == 1 || (response != nullptr && response->status == kTooMany)) {
      since = steady_clock::now();
    } else if (attempt == 2) {
      place.report("There was an error connecting to the " +
                   std::string(place.for_cloud_block ? "cloud" : "remote") +
                   " backend. Please do not exit\nOpenTofu to prevent data loss! Trying to restore "
                   "the connection...\n");
    } else {
      const int64_t seconds =
          std::chrono::round<std::chrono::seconds>(steady_clock::now() - since).count();
      place.report("Still trying to restore the connection... (" +
                   (seconds < 60 ? "" : std::to_string(seconds / 60) + 'm') +
                   std::to_string(seconds % 60) + "s elapsed)");
    }
  };
}

}  // namespace

Organization::Organization(net::Transport& transport, OrganizationPlace place,
                           const std::atomic<bool>* stop)
    : client_(transport, {.user_agent = "OpenTofu/" + std::string(compatibility::FullRelease()),
                          .stop = stop,
                          .wait = {}}),
      place_(std::move(place)) {
  if (!place_.base.ends_with('/')) {
    place_.base += '/';
  }
}

net::HttpRequest Organization::RequestTo(std::string_view method, const std::string& path) const {
  net::HttpRequest request;
  request.method = method;
  request.url = place_.base + path;
  request.headers.Set("Accept", kJsonApi);
  request.headers.Set("Authorization", "Bearer " + place_.token);
  request.headers.Set("Terraform-Version", compatibility::Release());
  if (place_.for_cloud_block) {
    request.headers.Set("X-Terraform-Integration", "cloud");
  }
  request.retry = kPatience;
  request.on_retry = RetryReporter(place_);
  request.max_body = uint64_t{1} << 32;
  return request;
}

Result<net::HttpResponse> Organization::Send(const net::HttpRequest& request) const {
  KINU_TRY(net::HttpResponse response, client_.Send(request));
  if (response.status < 200 || response.status > 399) {
    return RefusedBy(response, std::string_view(request.url).substr(0, request.url.find('?')));
  }
  return response;
}

Result<net::HttpResponse> Organization::Ask(std::string_view method, const std::string& path,
                                            std::string body) const {
  net::HttpRequest request = RequestTo(method, path);
  if (method != "GET") {
    request.headers.Set("Content-Type", kJsonApi);
  }
  request.body = std::move(body);
  return Send(request);
}

Result<net::HttpResponse> Organization::Download(const std::string& url) const {
  net::HttpRequest request = RequestTo("GET", "");
  KINU_TRY(const net::Url base, net::Url::Parse(request.url));
  KINU_TRY(const net::Url place, base.Resolve(url));
  request.url = place.ToText();
  request.headers.Set("Accept", "application/json");
  return Send(request);
}

Result<net::HttpResponse> Organization::ReadPiece(const std::string& url, size_t offset) const {
  constexpr size_t kMost = 65536;
  net::HttpRequest request = RequestTo("GET", "");
  KINU_TRY(const net::Url base, net::Url::Parse(request.url));
  KINU_TRY(net::Url place, base.Resolve(url));
  place.SetArgument("limit", std::to_string(kMost));
  place.SetArgument("offset", std::to_string(offset));
  request.url = place.ToText();
  request.headers.Remove("Authorization");
  request.headers.Remove("Accept");
  return Send(request);
}

Result<void> Organization::Upload(const std::string& url, std::string_view bytes) const {
  net::HttpRequest request = RequestTo("PUT", "");
  KINU_TRY(const net::Url base, net::Url::Parse(request.url));
  KINU_TRY(const net::Url place, base.Resolve(url));
  request.url = place.ToText();
  request.headers.Remove("Authorization");  // the address itself is the permission
  request.headers.Set("Accept", "application/json, */*");
  request.headers.Set("Content-Type", "application/octet-stream");
  request.body = bytes;
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  if (response.status < 200 || response.status > 399) {
    return Fail(ErrorCode::kUnavailable, "error HTTP response: " + std::to_string(response.status));
  }
  return {};
}

Result<ServiceGreeting> Organization::Ping() const {
  net::HttpRequest request = RequestTo("GET", "ping");
  request.retry = {.keep_last = true};
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  return ServiceGreeting{.interface_version = std::string(response.headers.Get("TFP-API-Version")),
                         .product = std::string(response.headers.Get("TFP-AppName")),
                         .release = std::string(response.headers.Get("X-TFE-Version"))};
}

Result<bool> Organization::ReadOperations() const {
  net::HttpRequest request =
      RequestTo("GET", "organizations/" + cloud::AwsEscape(place_.name) + "/entitlement-set");
  request.retry = kHaste;
  KINU_TRY(const net::HttpResponse response, Send(request));
  const JsonDocument document = ParseJson(response.body);
  KINU_TRY(const JsonNode* data, DataOf(document));
  const JsonNode* attributes = AttributesOf(*data);
  const JsonNode* operations = attributes == nullptr ? nullptr : attributes->Find("operations");
  return operations != nullptr && operations->is_bool() && operations->boolean();
}

std::string Organization::PathOf(const std::string& workspace) const {
  return "organizations/" + cloud::AwsEscape(place_.name) + "/workspaces/" +
         cloud::AwsEscape(workspace);
}

Result<std::vector<HostedWorkspace>> Organization::List(
    const net::QueryArguments& arguments) const {
  std::vector<HostedWorkspace> out;
  const std::string path = "organizations/" + cloud::AwsEscape(place_.name) + "/workspaces";
  for (int64_t page = 1;;) {
    net::QueryArguments asked = arguments;
    if (page > 1) {
      asked.emplace_back("page[number]", std::to_string(page));
    }
    const std::string query = net::EncodeQuery(std::move(asked));
    KINU_TRY(const net::HttpResponse response,
             Ask("GET", query.empty() ? path : path + '?' + query));
    const JsonDocument document = ParseJson(response.body);
    KINU_TRY(const JsonNode* data, DataOf(document));
    for (const JsonNode& resource : data->elements()) {
      out.push_back(WorkspaceFrom(resource));
    }
    const int64_t next = PageMember(document.root(), "next-page");
    if (PageMember(document.root(), "current-page") >= PageMember(document.root(), "total-pages") ||
        next <= page) {
      return out;
    }
    page = next;
  }
}

Result<HostedWorkspace> Organization::AskForWorkspace(std::string_view method,
                                                      const std::string& path,
                                                      std::string body) const {
  KINU_TRY(const net::HttpResponse response, Ask(method, path, std::move(body)));
  const JsonDocument document = ParseJson(response.body);
  KINU_TRY(const JsonNode* data, DataOf(document));
  HostedWorkspace out = WorkspaceFrom(*data);
  if (out.id.empty()) {
    return Fail(ErrorCode::kInvalid, "the service's answer has no workspace");
  }
  return out;
}

Result<HostedWorkspace> Organization::Find(const std::string& workspace) const {
  return AskForWorkspace("GET", PathOf(workspace));
}

Result<HostedWorkspace> Organization::Make(const NewHostedWorkspace& workspace) const {
  return AskForWorkspace(
      "POST", "organizations/" + cloud::AwsEscape(place_.name) + "/workspaces",
      DocumentOf("workspaces", {{"name", workspace.name}, {"terraform-version", workspace.version}},
                 &workspace));
}

Result<void> Organization::SetVersion(const HostedWorkspace& workspace,
                                      std::string_view version) const {
  KINU_TRY(const net::HttpResponse response,
           Ask("PATCH", "workspaces/" + cloud::AwsEscape(workspace.id),
               DocumentOf("workspaces", {{"terraform-version", version}})));
  return {};
}

Result<void> Organization::AddTags(const HostedWorkspace& workspace,
                                   const std::vector<std::string>& tags) const {
  std::string body;
  JsonWriter out(body);
  out.BeginObject();
  WriteTags(out, tags);
  out.EndObject();
  KINU_TRY(const net::HttpResponse response,
           Ask("POST", "workspaces/" + cloud::AwsEscape(workspace.id) + "/relationships/tags",
               std::move(body)));
  return {};
}

Result<void> Organization::Delete(const std::string& workspace, bool safely) const {
  const std::string path = PathOf(workspace);
  Result<net::HttpResponse> response =
      safely ? Ask("POST", path + "/actions/safe-delete") : Ask("DELETE", path);
  if (!response && response.error().code != ErrorCode::kNotFound) {
    return Fail(response.error().code,
                "error deleting workspace " + workspace + ": " + response.error().message);
  }
  return {};
}

Result<std::string> Organization::FindProject(const std::string& project) const {
  const std::string path = "organizations/" + cloud::AwsEscape(place_.name) + "/projects?" +
                           net::EncodeQuery({{"filter[names]", project}});
  const Result<net::HttpResponse> response = Ask("GET", path);
  if (!response) {
    return response.error().code == ErrorCode::kNotFound ? Result<std::string>(std::string())
                                                         : std::unexpected(response.error());
  }
  const JsonDocument document = ParseJson(response->body);
  KINU_TRY(const JsonNode* data, DataOf(document));
  for (const JsonNode& resource : data->elements()) {
    if (TextMember(AttributesOf(resource), "name") == project) {
      return TextMember(&resource, "id");
    }
  }
  return std::string();
}

Result<std::string> Organization::MakeProject(const std::string& project) const {
  KINU_TRY(const net::HttpResponse response,
           Ask("POST", "organizations/" + cloud::AwsEscape(place_.name) + "/projects",
               DocumentOf("projects", {{"name", project}})));
  const JsonDocument document = ParseJson(response.body);
  KINU_TRY(const JsonNode* data, DataOf(document));
  return TextMember(data, "id");
}

}  // namespace kinu::backend
