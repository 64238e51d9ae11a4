// A backend whose states are objects that are listed by their prefix: which workspaces there are,
// and how a state is opened, made and deleted, is decided here, once for all such services.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/remote_client.h"
#include "net/http.h"

namespace kinu::backend {

/// Where the states of the workspaces are.
struct ObjectLayout {
  std::string default_key;  ///< of the default workspace's state
  /// Other states have the key PREFIX NAME SUFFIX, where the name of a workspace has no slash.
  std::string prefix;
  std::string suffix;
  std::string listed;  ///< the prefix by which the states are listed

  std::string KeyOf(std::string_view workspace) const;
  /// The name of the workspace whose state has this key; empty if it is none, or the default one.
  std::string_view WorkspaceOf(std::string_view key) const;
};

/// The layout PREFIX/NAME/KEY and, for the default workspace, PREFIX/KEY. The paths are cleaned.
ObjectLayout DirectoryLayout(std::string_view prefix, std::string_view key);

/// The requests of a service that stores states as objects.
class ObjectService {
 public:
  /// What messages call the service, and where it differs from others.
  struct Traits {
    std::string_view name;
    std::string_view refused_default = "can't delete default state";
    /// Whether a state is read, rather than searched in the list, to find out if it exists.
    bool reads_to_find = false;
  };

  virtual ~ObjectService() = default;
  virtual Traits traits() const = 0;
  /// As Backend::Check().
  virtual void Check(const Value& settings, provider::Problems& problems) const = 0;
  /// As Backend::Configure(). The result counts if there are no problems.
  virtual ObjectLayout Configure(const Value& settings, provider::Problems& problems) = 0;
  /// The keys with this prefix.
  virtual Result<std::vector<std::string>> List(const std::string& prefix) const = 0;
  /// The client of one state. It must not outlive the service.
  virtual Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const = 0;
};

std::unique_ptr<Backend> MakeObjectBackend(std::unique_ptr<ObjectService> service);

/// How the clients of such services present themselves.
net::HttpClientOptions ServiceClientOptions();

/// Reports a prefix or a key of states that the service's directories cannot have. `prefix_name`:
/// of the setting, for its message.
void CheckDirectorySettings(const Value& settings, std::string_view prefix_name,
                            provider::Problems& problems);

}  // namespace kinu::backend
