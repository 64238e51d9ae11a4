// HostedBackend: what the backends "remote" and "cloud" share: an organization of a service that
// keeps states and may run plans. Ref: opentofu internal/backend/remote, internal/cloud.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/hosted_state.h"
#include "backend/organization.h"

namespace kinu::backend {

class HostedBackend : public Backend {
 public:
  explicit HostedBackend(net::Transport& transport) : transport_(transport) {}

  /// kNotFound: there is no such workspace, for the default one.
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace, std::shared_ptr<Program>,
                                             Opening opening) override;
  Result<bool> RunsRemotely(std::string_view workspace) override;
  Result<std::shared_ptr<const HostedRuns>> Runs(std::string_view workspace) override;
  void CheckVersion(std::string_view workspace, bool go_on, provider::Problems& problems) override;

 protected:
  struct Address {
    std::string host;
    std::string organization;
    std::string token;         ///< empty: that of the host
    std::string_view service;  ///< "tfe.v2"
    std::string_view what;     ///< the backend, in messages
    bool for_cloud_block = false;
  };
  /// Finds the service and the organization. False after a problem.
  bool Connect(const Address& address, provider::Problems& problems);
  /// Of the service's interface, after Connect().
  const std::string& interface_version() const { return greeting_.interface_version; }
  const Organization& organization() const { return *organization_; }

  /// The name of a workspace in the organization. kNotFound: there is no default workspace.
  virtual Result<std::string> NameOf(std::string_view workspace) const = 0;
  virtual Result<HostedWorkspace> Make(const std::string& name) = 0;
  /// Adapts a workspace that is there.
  virtual Result<void> Adapt(HostedWorkspace&) { return {}; }
  virtual MidwayStoring midway() const = 0;
  /// Says why the version of a workspace does not suit; empty: it does. `summary`: of the problem.
  virtual std::string VersionProblem(const HostedWorkspace& workspace,
                                     std::string& summary) const = 0;

 private:
  bool FindService(const Address& address, OrganizationPlace& place, provider::Problems& problems);

  net::Transport& transport_;
  std::shared_ptr<const Organization> organization_;
  ServiceGreeting greeting_;
  std::string host_;
  bool for_cloud_block_ = false;
  bool runs_here_ = false;  // whatever the workspaces say
};

/// The backend of a `backend "remote"` and of a `cloud` block over any transport, which must
/// outlive it; for tests.
std::unique_ptr<Backend> MakeRemoteBackend(net::Transport& transport);
std::unique_ptr<Backend> MakeCloudBackend(net::Transport& transport);

}  // namespace kinu::backend
