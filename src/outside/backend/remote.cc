// The backend "remote": workspaces of an organization, by name or prefix.
// Ref: opentofu internal/backend/remote/backend.go.
#include <algorithm>

#include "addrs/version.h"
#include "backend/hosted_backend.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cloud/settings.h"
#include "compatibility/level.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

class RemoteBackend final : public HostedBackend {
 public:
  using HostedBackend::HostedBackend;

  void Check(const Value& settings, provider::Problems& problems) const override;
  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override;
  Result<void> DeleteWorkspace(std::string_view name) override;
  std::string NamePattern() const override { return prefix_ + "*"; }

 protected:
  Result<std::string> NameOf(std::string_view workspace) const override;
  Result<HostedWorkspace> Make(const std::string& name) override {
    return organization().Make({.name = name,
                                .version = std::string(compatibility::FullRelease()),
                                .tags = {},
                                .project = {}});
  }
  MidwayStoring midway() const override {
    return Environment("TFE_RUN_ID").empty() ? MidwayStoring::kAlways : MidwayStoring::kNever;
  }
  std::string VersionProblem(const HostedWorkspace& workspace, std::string& summary) const override;

 private:
  std::string workspace_;  // of the organization; empty: there is a prefix
  std::string prefix_;
};

/// A setting of the block `workspaces`.
std::string WorkspaceSetting(const Value& settings, std::string_view name) {
  const Value* workspaces = cloud::FindSetting(settings, "workspaces");
  return workspaces == nullptr ? std::string() : cloud::SettingText(*workspaces, name);
}

void RemoteBackend::Check(const Value& settings, provider::Problems& problems) const {
  const auto add = [&](std::string summary, std::string detail, std::string_view attribute) {
    problems.push_back({.summary = std::move(summary),
                        .detail = std::move(detail),
                        .attribute = Path().Attribute(attribute)});
  };
  if (cloud::SettingText(settings, "organization").empty()) {
    add("Invalid organization value", "The \"organization\" attribute value must not be empty.",
        "organization");
  }
  const bool named = !WorkspaceSetting(settings, "name").empty();
  if (named != WorkspaceSetting(settings, "prefix").empty()) {
    add("Invalid workspaces configuration",
        named ? "Only one of workspace \"name\" or \"prefix\" is allowed."
              : "Either workspace \"name\" or \"prefix\" is required.",
        "workspaces");
  }
}

void RemoteBackend::Configure(const Value& settings, provider::Problems& problems) {
  const std::string host = cloud::SettingText(settings, "hostname");
  if (cloud::AddHostProblems(host, {.backend = "remote", .where = R"("hostname")", .end = ""},
                             problems)) {
    return;
  }
  workspace_ = WorkspaceSetting(settings, "name");
  prefix_ = WorkspaceSetting(settings, "prefix");
  const bool forced = !Environment("TF_FORCE_LOCAL_BACKEND").empty();
  Connect({.host = host,
           .organization = cloud::SettingText(settings, "organization"),
           .token = cloud::SettingText(settings, "token"),
           .service = forced ? "state.v2" : "tfe.v2.1",
           .what = "remote backend"},
          problems);
}

Result<std::string> RemoteBackend::NameOf(std::string_view workspace) const {
  if (workspace == kDefaultWorkspace) {
    return workspace_.empty() ? NoDefaultWorkspace() : Result<std::string>(workspace_);
  }
  if (prefix_.empty()) {
    return NoWorkspaces();
  }
  return workspace.starts_with(prefix_) ? std::string(workspace) : prefix_ + std::string(workspace);
}

Result<std::vector<std::string>> RemoteBackend::Workspaces() {
  if (prefix_.empty()) {
    return NoWorkspaces();
  }
  KINU_TRY(const std::vector<HostedWorkspace> found,
           organization().List({{"search[name]", prefix_}}));
  std::vector<std::string> names;
  for (const HostedWorkspace& workspace : found) {
    if (workspace.name.starts_with(prefix_)) {
      names.push_back(workspace.name.substr(prefix_.size()));
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<void> RemoteBackend::DeleteWorkspace(std::string_view name) {
  if (prefix_.empty()) {
    return NoWorkspaces();
  }
  KINU_TRY(const std::string in_organization, NameOf(name));
  return organization().Delete(in_organization, false);
}

std::string RemoteBackend::VersionProblem(const HostedWorkspace& workspace,
                                          std::string& summary) const {
  const Result<Version> there = Version::Parse(workspace.version);
  if (!there) {
    return "Invalid OpenTofu version: " + there.error().message;
  }
  // States of one minor version suit all its patches.
  const std::vector<int64_t> here = Version::Parse(compatibility::Release())->numbers();
  if (there->numbers()[0] == here[0] && there->numbers()[1] == here[1]) {
    return {};
  }
  summary = "OpenTofu version mismatch";
  return "The local OpenTofu version (" + std::string(compatibility::FullRelease()) +
         ") does not match the configured version for remote workspace " + organization().name() +
         '/' + workspace.name + " (" + workspace.version + ").";
}

constexpr Setting kWorkspaceSettings[] = {
    {.name = "name", .docs = "The only workspace."},
    {.name = "prefix", .docs = "What the names of all workspaces begin with."}};
constexpr Setting kSettings[] = {
    {.name = "hostname", .docs = "The host of the service."},
    {.name = "organization", .docs = "The organization.", .required = true},
    {.name = "token", .docs = "The token of the user.", .sensitive = true},
    {.name = "workspaces",
     .docs = "Which workspaces of the service there are.",
     .type = SettingType::kBlock,
     .parts = kWorkspaceSettings}};

std::unique_ptr<Backend> MakeRemote(const StateFlags&) {
  return MakeRemoteBackend(net::CurlTransport());
}

}  // namespace

std::unique_ptr<Backend> MakeRemoteBackend(net::Transport& transport) {
  return std::make_unique<RemoteBackend>(transport);
}

constexpr BackendSpec kRemote{.type = "remote",
                              .docs = "A service that keeps states and runs plans.",
                              .settings = kSettings,
                              .make = MakeRemote,
                              .checks_required = true,
                              .unanswered =
                                  "failed to create backend alias to target \"\". The "
                                  "hostname is not in the correct format"};

}  // namespace kinu::backend
