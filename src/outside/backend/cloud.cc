// The backend of a `cloud` block: workspaces of an organization, by name or tags.
// Ref: opentofu internal/cloud/backend.go.
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

/// Which workspaces of the organization a configuration has.
struct CloudMapping {
  std::string name;
  std::vector<std::string> tags;
  std::string project;
  bool contradicted = false;  ///< TF_WORKSPACE has another name

  /// The tags as a list in one text.
  std::string TagList(std::string_view separator) const {
    std::string out;
    for (const std::string& tag : tags) {
      out.append(out.empty() ? "" : separator).append(tag);
    }
    return out;
  }

  explicit CloudMapping(const Value& settings) {
    if (const Value* workspaces = cloud::FindSetting(settings, "workspaces");
        workspaces != nullptr) {
      name = cloud::SettingText(*workspaces, "name");
      tags = cloud::SettingTexts(*workspaces, "tags");
      project = cloud::SettingText(*workspaces, "project");
    }
    if (project.empty()) {
      project = Environment("TF_CLOUD_PROJECT");
    }
    if (const std::string chosen(Environment("TF_WORKSPACE")); !chosen.empty()) {
      contradicted = !name.empty() && name != chosen;
      if (name.empty() && tags.empty()) {
        name = chosen;
      }
    }
  }
  CloudMapping() = default;
};

std::string CloudSetting(const Value& settings, std::string_view name, const char* variable) {
  return cloud::SettingText(settings, name, Environment(variable));
}

class CloudBackend final : public HostedBackend {
 public:
  using HostedBackend::HostedBackend;

  void Check(const Value& settings, provider::Problems& problems) const override;
  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override;
  std::string OnlyWorkspace() const override { return mapping_.name; }
  Result<void> DeleteWorkspace(std::string_view name) override { return Delete(name, true); }
  Result<void> DeleteUnusedWorkspace(std::string_view name) override { return Delete(name, false); }

 protected:
  Result<std::string> NameOf(std::string_view workspace) const override;
  Result<HostedWorkspace> Make(const std::string& name) override;
  Result<void> Adapt(HostedWorkspace& workspace) override;
  MidwayStoring midway() const override { return MidwayStoring::kWhenAsked; }
  std::string VersionProblem(const HostedWorkspace& workspace, std::string& summary) const override;

 private:
  void CheckChosen(provider::Problems& problems) const;
  Result<void> Delete(std::string_view name, bool force);

  CloudMapping mapping_;
};

void CloudBackend::Check(const Value& settings, provider::Problems& problems) const {
  const auto add = [&](std::string summary, std::string detail, std::string_view attribute) {
    problems.push_back({.summary = std::move(summary),
                        .detail = std::move(detail),
                        .attribute = Path().Attribute(attribute)});
  };
  if (CloudSetting(settings, "organization", "TF_CLOUD_ORGANIZATION").empty()) {
    add("Invalid or missing required argument",
        "\"organization\" must be set in the cloud configuration or in the environment variable "
        "TF_CLOUD_ORGANIZATION.",
        "organization");
  }
  const CloudMapping mapping(settings);
  constexpr const char* kWorkspaces = "Invalid workspaces configuration";
  if (mapping.contradicted) {
    add(kWorkspaces,
        "The environment variable TF_WORKSPACE has another name than the block \"workspaces\".",
        "workspaces");
  }
  if (mapping.name.empty() == mapping.tags.empty()) {
    add(kWorkspaces,
        mapping.name.empty() ? "Either workspace \"tags\" or \"name\" is required."
                             : "Only one of workspace \"tags\" or \"name\" is allowed.",
        "workspaces");
  }
}

void CloudBackend::Configure(const Value& settings, provider::Problems& problems) {
  const std::string host = CloudSetting(settings, "hostname", "TF_CLOUD_HOSTNAME");
  if (cloud::AddHostProblems(
          host, {.backend = "cloud", .where = R"("hostname" or TF_CLOUD_HOSTNAME)", .end = "."},
          problems)) {
    return;
  }
  mapping_ = CloudMapping(settings);
  if (!Connect({.host = host,
                .organization = CloudSetting(settings, "organization", "TF_CLOUD_ORGANIZATION"),
                .token = cloud::SettingText(settings, "token"),
                .service = "tfe.v2",
                .what = "cloud backend",
                .for_cloud_block = true},
               problems)) {
    return;
  }
  CheckChosen(problems);
  const Result<Version> interface = Version::Parse(interface_version());
  if (!provider::HasErrors(problems) && (!interface || *interface < *Version::Parse("2.5"))) {
    problems.push_back({.summary = "Unsupported cloud backend version",
                        .detail = "The 'cloud' option is not supported with this version of the "
                                  "cloud backend.",
                        .attribute = std::nullopt,
                        .sourceless = true});
  }
}

/// The workspace that TF_WORKSPACE names must exist, and have the tags.
void CloudBackend::CheckChosen(provider::Problems& problems) const {
  const std::string chosen(Environment("TF_WORKSPACE"));
  if (chosen.empty() || (mapping_.tags.empty() && chosen != mapping_.name)) {
    return;
  }
  const auto add = [&](std::string summary, std::string detail) {
    problems.push_back({.summary = std::move(summary),
                        .detail = std::move(detail),
                        .attribute = std::nullopt,
                        .sourceless = true});
  };
  constexpr const char* kInvalid = "Invalid workspace selection";
  const std::string named = "OpenTofu failed to find workspace \"" + chosen + "\" ";
  const Result<HostedWorkspace> found = organization().Find(chosen);
  if (!found) {
    const bool missing = found.error().code == ErrorCode::kNotFound;
    add(missing ? kInvalid : "Cloud backend returned an unexpected error",
        missing ? named + "in organization " + organization().name() + "." : found.error().message);
    return;
  }
  if (mapping_.tags.empty()) {
    return;
  }
  const Result<std::vector<HostedWorkspace>> tagged =
      organization().List({{"search[tags]", mapping_.TagList(",")}});
  if (!tagged) {
    add("Cloud backend returned an unexpected error", tagged.error().message);
  } else if (std::ranges::find(*tagged, chosen, &HostedWorkspace::name) == tagged->end()) {
    add(kInvalid,
        named + "with the tags specified in your configuration:\n[" + mapping_.TagList(", ") + "]");
  }
}

Result<std::vector<std::string>> CloudBackend::Workspaces() {
  if (!mapping_.name.empty()) {
    return std::vector<std::string>{mapping_.name};
  }
  net::QueryArguments arguments{{"search[tags]", mapping_.TagList(",")}};
  if (!mapping_.project.empty()) {
    const Result<std::string> project = organization().FindProject(mapping_.project);
    if (!project) {
      return Fail(project.error().code, "failed to retrieve project " + mapping_.project + ": " +
                                            project.error().message);
    }
    if (!project->empty()) {
      arguments.emplace_back("filter[project][id]", *project);
    }
  }
  KINU_TRY(const std::vector<HostedWorkspace> found, organization().List(std::move(arguments)));
  std::vector<std::string> names;
  for (const HostedWorkspace& workspace : found) {
    names.push_back(workspace.name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> CloudBackend::NameOf(std::string_view workspace) const {
  if (workspace == kDefaultWorkspace) {
    return NoDefaultWorkspace();
  }
  if (!mapping_.name.empty() && workspace != mapping_.name) {
    return NoWorkspaces();
  }
  return std::string(workspace);
}

Result<HostedWorkspace> CloudBackend::Make(const std::string& name) {
  NewHostedWorkspace wanted{.name = name, .version = {}, .tags = mapping_.tags, .project = {}};
  if (!mapping_.project.empty()) {
    KINU_TRY(wanted.project, organization().FindProject(mapping_.project));
    if (wanted.project.empty()) {
      KINU_TRY(wanted.project, organization().MakeProject(mapping_.project));
    }
  }
  KINU_TRY(HostedWorkspace made, organization().Make(wanted));
  // A service that does not have this version keeps its own.
  if (organization().SetVersion(made, compatibility::FullRelease())) {
    made.version = compatibility::FullRelease();
  }
  return made;
}

Result<void> CloudBackend::Adapt(HostedWorkspace& workspace) {
  const bool tagged = std::ranges::all_of(mapping_.tags, [&](const std::string& tag) {
    return std::ranges::find(workspace.tags, tag) != workspace.tags.end();
  });
  return tagged ? Result<void>() : organization().AddTags(workspace, mapping_.tags);
}

Result<void> CloudBackend::Delete(std::string_view name, bool force) {
  if (name == kDefaultWorkspace) {
    return NoDefaultWorkspace();
  }
  if (!mapping_.name.empty()) {
    return NoWorkspaces();
  }
  const Result<HostedWorkspace> found = organization().Find(std::string(name));
  if (!found) {
    return found.error().code == ErrorCode::kNotFound
               ? Result<void>()
               : Fail(found.error().code, "failed to retrieve workspace " + std::string(name) +
                                              ": " + found.error().message);
  }
  return organization().Delete(found->name, !force && found->deletes_safely);
}

std::string CloudBackend::VersionProblem(const HostedWorkspace& workspace,
                                         std::string& summary) const {
  summary = "Incompatible TF version";
  const std::string here(compatibility::FullRelease());
  Result<VersionConstraints> wanted = VersionConstraints::Parse(workspace.version);
  if (!wanted) {
    return "The remote workspace specified an invalid TF version or constraint (" +
           workspace.version +
           "), and it isn't possible to determine whether the local OpenTofu version (" + here +
           ") is compatible.";
  }
  std::string text = workspace.version;
  const Result<Version> exact = Version::Parse(workspace.version);
  if (exact && exact->prerelease().empty() && !(*exact < *Version::Parse("1.3.0"))) {
    // States of one minor version suit all its patches.
    text = "~> " + std::to_string(exact->numbers()[0]) + '.' + std::to_string(exact->numbers()[1]) +
           ".0";
    wanted = VersionConstraints::Parse(text);
  }
  return wanted && wanted->Allows(*Version::Parse(compatibility::Release()))
             ? std::string()
             : "The local OpenTofu version (" + here +
                   ") does not meet the version requirements for remote workspace " +
                   organization().name() + '/' + workspace.name + " (" + text + ").";
}

constexpr Setting kCloudWorkspaces[] = {
    {.name = "name", .docs = "The only workspace."},
    {.name = "project", .docs = "The project of new workspaces."},
    {.name = "tags",
     .docs = "What all workspaces are tagged with.",
     .type = SettingType::kStringSet}};
constexpr Setting kSettings[] = {
    {.name = "hostname", .docs = "The host of the service."},
    {.name = "organization", .docs = "The organization."},
    {.name = "token", .docs = "The token of the user.", .sensitive = true},
    {.name = "workspaces",
     .docs = "Which workspaces of the service there are.",
     .type = SettingType::kBlock,
     .parts = kCloudWorkspaces}};

std::unique_ptr<Backend> MakeCloud(const StateFlags&) {
  return MakeCloudBackend(net::CurlTransport());
}

}  // namespace

std::unique_ptr<Backend> MakeCloudBackend(net::Transport& transport) {
  return std::make_unique<CloudBackend>(transport);
}

constexpr BackendSpec kCloud{.type = "cloud",
                             .docs = "A service that keeps states and runs plans.",
                             .settings = kSettings,
                             .make = MakeCloud,
                             .checks_required = true};

}  // namespace kinu::backend
