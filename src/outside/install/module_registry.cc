#include "install/module_registry.h"

#include "addrs/provider_source.h"
#include "json/expected.h"
#include "json/reader.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

using json::Expected;

// The versions of a module. Ref: opentofu internal/registry/response/module_versions.go.
constexpr Expected::Member kNeedMembers[] = {{"name", &json::kExpectedText},
                                             {"source", &json::kExpectedText},
                                             {"version", &json::kExpectedText}};
constexpr Expected kNeed{
    .type = Expected::Type::kObject, .name = "response.ModuleDep", .members = kNeedMembers};
constexpr Expected kNeeds{
    .type = Expected::Type::kList, .name = "[]*response.ModuleDep", .element = &kNeed};
constexpr Expected::Member kPartMembers[] = {
    {"path", &json::kExpectedText}, {"providers", &kNeeds}, {"dependencies", &kNeeds}};
constexpr Expected kPart{
    .type = Expected::Type::kObject, .name = "response.VersionSubmodule", .members = kPartMembers};
constexpr Expected kParts{
    .type = Expected::Type::kList, .name = "[]*response.VersionSubmodule", .element = &kPart};
constexpr Expected::Member kModuleVersionMembers[] = {
    {"version", &json::kExpectedText}, {"root", &kPart}, {"submodules", &kParts}};
constexpr Expected kModuleVersion{.type = Expected::Type::kObject,
                                  .name = "response.ModuleVersion",
                                  .members = kModuleVersionMembers};
constexpr Expected kModuleVersionList{
    .type = Expected::Type::kList, .name = "[]*response.ModuleVersion", .element = &kModuleVersion};
constexpr Expected::Member kProviderMembers[] = {{"source", &json::kExpectedText},
                                                 {"versions", &kModuleVersionList}};
constexpr Expected kProvider{.type = Expected::Type::kObject,
                             .name = "response.ModuleProviderVersions",
                             .members = kProviderMembers};
constexpr Expected kProviders{.type = Expected::Type::kList,
                              .name = "[]*response.ModuleProviderVersions",
                              .element = &kProvider};
constexpr Expected::Member kListMembers[] = {{"modules", &kProviders}};
constexpr Expected kModuleVersions{
    .type = Expected::Type::kObject, .name = "response.ModuleVersions", .members = kListMembers};

std::unexpected<ModuleRegistryError> FailedQuery(std::string message) {
  return std::unexpected(ModuleRegistryError{.message = std::move(message)});
}

/// Marks the span as failed if the answer is an error.
template <typename Answer>
Answer Told(trace::Span& span, Answer answer) {
  if (span.on() && !answer) {
    span.Fail(answer.error().message);
  }
  return answer;
}

}  // namespace

std::string RegistryModule::ForDisplay() const {
  return host == kDefaultRegistryHost ? path : ToText();
}

ModuleRegistryResult<net::Url> ModuleRegistry::Find(const RegistryModule& module,
                                                    const std::string& path) {
  auto service = network_.Service(module.host, "modules.v1");
  if (!service) {
    return std::unexpected(ModuleRegistryError{
        .problem = service.error().code == ErrorCode::kCancelled ? ModuleRegistryProblem::kCancelled
                                                                 : ModuleRegistryProblem::kFailed,
        .message = service.error().message});
  }
  if (service->status != HostService::Status::kFound) {
    return std::unexpected(ModuleRegistryError{
        .problem = ModuleRegistryProblem::kNoRegistry,
        .message = "host " + module.host + " does not provide a module registry"});
  }
  auto url = service->url.Resolve(module.path + path);
  if (!url) {
    return FailedQuery(url.error().message);
  }
  return *std::move(url);
}

ModuleRegistryResult<net::HttpResponse> ModuleRegistry::Get(const RegistryModule& module,
                                                            const net::Url& url) {
  auto request = network_.MetadataRequest(url, module.host);
  if (!request) {
    // A credentials helper that fails counts as no credentials here.
    request = network_.MetadataRequest(url);
    request->headers.Set("X-Terraform-Version", network_.version());
  }
  auto response = network_.client().Send(*request);
  if (!response) {
    return std::unexpected(
        ModuleRegistryError{.problem = response.error().code == ErrorCode::kCancelled
                                           ? ModuleRegistryProblem::kCancelled
                                           : ModuleRegistryProblem::kFailed,
                            .message = std::move(response).error().message});
  }
  return *std::move(response);
}

ModuleRegistryResult<ModuleVersions> ModuleRegistry::AskVersions(const RegistryModule& module) {
  KINU_TRY(const net::Url url, Find(module, "/versions"));
  KINU_TRY(const net::HttpResponse response, Get(module, url));
  if (response.status == 404) {
    return std::unexpected(
        ModuleRegistryError{.problem = ModuleRegistryProblem::kNotFound,
                            .message = "module " + module.ToText() + " not found"});
  }
  if (response.status != 200) {
    return FailedQuery("error looking up module versions: " + response.StatusText());
  }
  const JsonDocument document = ParseJson(response.body);
  if (const auto problem = json::ProblemOf(response.body, document, kModuleVersions);
      !problem.empty()) {
    return FailedQuery(problem);
  }
  ModuleVersions out;
  const JsonNode* modules = json::FindInAnyCase(document.root(), "modules");
  if (modules == nullptr || modules->elements().empty()) {
    return out;
  }
  out.listed = true;
  const JsonNode* versions = json::FindInAnyCase(modules->elements()[0], "versions");
  for (const JsonNode& entry :
       versions == nullptr ? std::span<const JsonNode>() : versions->elements()) {
    out.versions.push_back(json::TextInAnyCase(entry, "version"));
  }
  return out;
}

const ModuleRegistryResult<ModuleVersions>& ModuleRegistry::Versions(const RegistryModule& module) {
  return versions_.Get(module.ToText(), [&] {
    trace::Span span("kinu/install", "List Versions");
    if (span.on()) {
      span.Set("opentofu.module.source", module.ToText());
    }
    return Told(span, AskVersions(module));
  });
}

const ModuleRegistryResult<ModuleLocation>& ModuleRegistry::Location(const RegistryModule& module,
                                                                     const std::string& version) {
  return locations_.Get(module.ToText() + ' ' + version, [&] {
    trace::Span span("kinu/install", "Find Module Location");
    if (span.on()) {
      span.Set("opentofu.module.source", module.ToText());
      span.Set("opentofu.module.version", version);
    }
    return Told(span, AskLocation(module, version));
  });
}

ModuleRegistryResult<ModuleLocation> ModuleRegistry::AskLocation(const RegistryModule& module,
                                                                 const std::string& version) {
  KINU_TRY(const net::Url url, Find(module, "/" + version + "/download"));
  KINU_TRY(const net::HttpResponse response, Get(module, url));
  ModuleLocation out;
  out.address = response.headers.Get("X-Terraform-Get");
  if (response.status == 404) {
    return std::unexpected(ModuleRegistryError{
        .problem = ModuleRegistryProblem::kNotFound,
        .message = "module \"" + module.ToText() + "\" version \"" + version + "\" not found"});
  }
  if (response.status == 200) {
    const JsonDocument document = ParseJson(response.body);
    if (!document.ok() || !document.root().is_object()) {
      return FailedQuery("error getting download location for \"" + module.ToText() +
                         "\": the response is no JSON object");
    }
    if (std::string location = json::TextInAnyCase(document.root(), "location");
        !location.empty()) {
      out.address = std::move(location);
    }
    if (const JsonNode* credentials = document.root().Find("use_registry_credentials");
        credentials != nullptr && credentials->is_bool()) {
      out.direct = true;
      out.with_credentials = credentials->boolean();
    }
  } else if (response.status != 204) {
    return FailedQuery("error getting download location for \"" + module.ToText() +
                       "\": " + response.StatusText() + " resp:" + response.body);
  }
  if (out.address.empty()) {
    return FailedQuery("registry did not return a location for this package");
  }
  const bool relative = out.address.starts_with('/') || out.address.starts_with("./") ||
                        out.address.starts_with("../");
  if (relative || out.direct) {
    auto resolved = url.Resolve(out.address);
    if (!resolved || (out.direct && resolved->scheme != "http" && resolved->scheme != "https")) {
      return FailedQuery("registry returned invalid package location \"" + out.address + '"');
    }
    out.address = resolved->ToText();
  }
  return out;
}

}  // namespace kinu::install
