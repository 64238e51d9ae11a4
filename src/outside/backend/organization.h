// Organization: the workspaces of an organization of a service that keeps states and runs plans,
// over the JSON:API of that service. Ref: github.com/hashicorp/go-tfe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/reader.h"
#include "net/http.h"
#include "net/url.h"

namespace kinu::backend {

/// A workspace as the service describes it.
struct HostedWorkspace {
  std::string id;
  std::string name;
  std::string version;         ///< of the program that runs it there; "latest", or a constraint
  std::string execution_mode;  ///< "remote", "local", "agent"
  std::vector<std::string> tags;
  std::string directory;        ///< of the configuration in what is uploaded
  bool auto_apply = false;      ///< applies need no approval
  bool has_repository = false;  ///< the configuration comes from a repository
  bool may_plan = false;
  bool may_apply = false;
  bool deletes_safely = false;  ///< the service can refuse to delete it while it manages objects

  bool runs_locally() const { return execution_mode == "local"; }
};

/// What a new workspace is made with.
struct NewHostedWorkspace {
  std::string name;
  std::string version;  ///< empty: the service decides
  std::vector<std::string> tags;
  std::string project;  ///< id; empty: that of the organization
};

/// Where an organization is, and who asks.
struct OrganizationPlace {
  std::string base;  ///< URL of the interface
  std::string name;
  std::string token;
  bool for_cloud_block = false;  ///< requests say so
  /// Tells the user that requests fail and are sent again. May be empty.
  std::function<void(const std::string& text)> report;
};

/// What the service says about itself. Empty: nothing.
struct ServiceGreeting {
  std::string interface_version;
  std::string product;  ///< "HCP Terraform", "Terraform Enterprise"
  std::string release;  ///< of the product: "v202302-1"
};

/// Errors have the texts of go-tfe: kNotFound: there is no such thing, or the token does not show
/// it. kExists: it conflicts with what there is.
class Organization {
 public:
  Organization(net::Transport& transport, OrganizationPlace place, const std::atomic<bool>* stop);

  const std::string& name() const { return place_.name; }
  Result<ServiceGreeting> Ping() const;
  /// Whether the organization may run plans in the service.
  Result<bool> ReadOperations() const;

  /// All workspaces for these arguments ("search[name]").
  Result<std::vector<HostedWorkspace>> List(const net::QueryArguments& arguments) const;
  Result<HostedWorkspace> Find(const std::string& workspace) const;
  Result<HostedWorkspace> Make(const NewHostedWorkspace& workspace) const;
  Result<void> SetVersion(const HostedWorkspace& workspace, std::string_view version) const;
  Result<void> AddTags(const HostedWorkspace& workspace,
                       const std::vector<std::string>& tags) const;
  /// `safely`: only if it manages nothing.
  Result<void> Delete(const std::string& workspace, bool safely) const;
  /// The id of a project; empty if there is none of that name.
  Result<std::string> FindProject(const std::string& project) const;
  Result<std::string> MakeProject(const std::string& project) const;

  /// Sends a request to a path below the interface. `body` may be empty.
  Result<net::HttpResponse> Ask(std::string_view method, const std::string& path,
                                std::string body = {}) const;
  /// Gets the content at a URL that the service gave, with its token.
  Result<net::HttpResponse> Download(const std::string& url) const;
  /// Gets some bytes at a URL that the service gave, without the token.
  Result<net::HttpResponse> ReadPiece(const std::string& url, size_t offset) const;
  /// Stores bytes at a URL that the service gave, without the token.
  Result<void> Upload(const std::string& url, std::string_view bytes) const;

 private:
  net::HttpRequest RequestTo(std::string_view method, const std::string& path) const;
  Result<net::HttpResponse> Send(const net::HttpRequest& request) const;
  Result<HostedWorkspace> AskForWorkspace(std::string_view method, const std::string& path,
                                          std::string body = {}) const;
  std::string PathOf(const std::string& workspace) const;

  net::HttpClient client_;
  OrganizationPlace place_;
};

/// The attributes of a document's resource, or of an element of its list. Null if it has none.
const JsonNode* AttributesOf(const JsonNode& resource);
/// A text member; empty if there is none.
std::string TextMember(const JsonNode* object, std::string_view name);

}  // namespace kinu::backend
