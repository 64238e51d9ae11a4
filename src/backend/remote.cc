// The backend "remote": its settings are checked; states and runs of the service are not built.
// Ref: opentofu internal/backend/remote/backend.go.
#include "addrs/host_name.h"
#include "backend/settings.h"
#include "backend/specs.h"

namespace kinu::backend {
namespace {

class RemoteBackend final : public Backend {
 public:
  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override { return NotBuilt(); }
  Result<void> DeleteWorkspace(std::string_view) override { return NotBuilt(); }
  Result<std::unique_ptr<state::Store>> Open(std::string_view, std::shared_ptr<Program>,
                                             Opening) override {
    return NotBuilt();
  }

 private:
  static std::unexpected<Error> NotBuilt() {
    return Fail(ErrorCode::kInvalid, "the backend \"remote\" is not built yet");
  }
};

void RemoteBackend::Configure(const Value& settings, provider::Problems& problems) {
  const auto add = [&](std::string summary, std::string detail, std::string_view attribute) {
    problems.push_back({.summary = std::move(summary),
                        .detail = std::move(detail),
                        .attribute = Path().Attribute(attribute)});
  };
  if (SettingText(settings, "organization").empty()) {
    add("Invalid organization value", "The \"organization\" attribute value must not be empty.",
        "organization");
  }
  const Value& workspaces = *settings.Find("workspaces");
  const bool written = !workspaces.IsNull();
  const bool named = written && !SettingText(workspaces, "name").empty();
  const bool prefixed = written && !SettingText(workspaces, "prefix").empty();
  if (named == prefixed) {
    add("Invalid workspaces configuration",
        named ? "Only one of workspace \"name\" or \"prefix\" is allowed."
              : "Either workspace \"name\" or \"prefix\" is required.",
        "workspaces");
  }
  if (provider::HasErrors(problems)) {
    return;
  }
  const std::string host = SettingText(settings, "hostname");
  if (host.empty()) {
    problems.push_back({.summary = "Hostname is required for the remote backend",
                        .detail = "There is no default: \"hostname\" names the service.",
                        .attribute = std::nullopt,
                        .sourceless = true});
    return;
  }
  if (!AddHostProblems(host, "", problems)) {
    add("Unsupported backend type", "The backend \"remote\" is not built yet.", "");
  }
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
  return std::make_unique<RemoteBackend>();
}

}  // namespace

constexpr BackendSpec kRemote{.type = "remote",
                              .docs = "A service that keeps states and runs plans.",
                              .settings = kSettings,
                              .make = MakeRemote,
                              .checks_required = true};

}  // namespace kinu::backend
