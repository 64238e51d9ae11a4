#include "backend/object_backend.h"

#include <algorithm>

#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "compatibility/level.h"

namespace kinu::backend {
namespace {

/// A client that keeps the service that it refers to.
class ServiceClient final : public RemoteClient {
 public:
  ServiceClient(std::shared_ptr<const ObjectService> service, std::unique_ptr<RemoteClient> client)
      : service_(std::move(service)), client_(std::move(client)) {}

  Result<std::optional<std::string>> Get() override { return client_->Get(); }
  Result<void> PutState(const state::StoredBytes& stored, const state::State& state,
                        bool force) override {
    return client_->PutState(stored, state, force);
  }
  Result<void> Delete() override { return client_->Delete(); }
  Result<std::string> Lock(const state::LockInfo& info) override { return client_->Lock(info); }
  Result<void> Unlock(std::string_view id) override { return client_->Unlock(id); }
  bool can_lock() const override { return client_->can_lock(); }

 private:
  std::shared_ptr<const ObjectService> service_;
  std::unique_ptr<RemoteClient> client_;
};

class ObjectBackend final : public Backend {
 public:
  explicit ObjectBackend(std::unique_ptr<ObjectService> service) : service_(std::move(service)) {}

  void Check(const Value& settings, provider::Problems& problems) const override {
    service_->Check(settings, problems);
  }

  void Configure(const Value& settings, provider::Problems& problems) override {
    layout_ = service_->Configure(settings, problems);
  }

  Result<std::vector<std::string>> Workspaces() override {
    KINU_TRY(const std::vector<std::string> keys, service_->List(layout_.listed));
    std::vector<std::string> names;
    for (const std::string& key : keys) {
      if (const std::string_view name = layout_.WorkspaceOf(key); !name.empty()) {
        names.emplace_back(name);
      }
    }
    std::ranges::sort(names);
    names.insert(names.begin(), std::string(kDefaultWorkspace));
    return names;
  }

  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, std::string(service_->traits().refused_default));
    }
    KINU_TRY(const std::unique_ptr<RemoteClient> client, service_->Client(layout_.KeyOf(name)));
    return client->Delete();
  }

  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override {
    KINU_TRY(std::unique_ptr<RemoteClient> client, service_->Client(layout_.KeyOf(workspace)));
    KINU_TRY(const bool exists, Exists(workspace, *client));
    auto store = std::make_unique<RemoteStore>(
        std::make_unique<ServiceClient>(service_, std::move(client)), StoringOf(workspace));
    if (!exists && opening == Opening::kMake) {
      if (auto made = StartWorkspace(*store, std::move(program), service_->traits().name); !made) {
        return std::unexpected(std::move(made).error());
      }
    }
    return store;
  }

 private:
  Result<bool> Exists(std::string_view workspace, RemoteClient& client) {
    if (service_->traits().reads_to_find) {
      KINU_TRY(const std::optional<std::string> present, client.Get());
      return present.has_value();
    }
    KINU_TRY(const std::vector<std::string> names, Workspaces());
    return std::ranges::find(names, workspace) != names.end();
  }

  std::shared_ptr<ObjectService> service_;
  ObjectLayout layout_;
};

}  // namespace

std::string ObjectLayout::KeyOf(std::string_view workspace) const {
  return workspace == kDefaultWorkspace ? default_key : prefix + std::string(workspace) + suffix;
}

std::string_view ObjectLayout::WorkspaceOf(std::string_view key) const {
  if (key.size() < prefix.size() + suffix.size() || !key.starts_with(prefix) ||
      !key.ends_with(suffix)) {
    return {};
  }
  const std::string_view name =
      key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
  return name == kDefaultWorkspace || name.find('/') != name.npos ? std::string_view() : name;
}

ObjectLayout DirectoryLayout(std::string_view prefix, std::string_view key) {
  ObjectLayout layout;
  layout.default_key = JoinPath(prefix, key);
  layout.prefix = JoinPath(prefix, "x");
  layout.prefix.pop_back();
  layout.suffix = '/' + JoinPath("", key);
  layout.listed = layout.prefix;
  return layout;
}

std::unique_ptr<Backend> MakeObjectBackend(std::unique_ptr<ObjectService> service) {
  return std::make_unique<ObjectBackend>(std::move(service));
}

net::HttpClientOptions ServiceClientOptions() {
  return {.user_agent = "OpenTofu/" + std::string(compatibility::FullRelease()),
          .stop = nullptr,
          .wait = {}};
}

void CheckDirectorySettings(const Value& settings, std::string_view prefix_name,
                            provider::Problems& problems) {
  const std::string prefix = cloud::SettingText(settings, "prefix");
  if (prefix.starts_with('/') || prefix.starts_with("./")) {
    cloud::AddFailure(problems, std::string(prefix_name) + " must not start with '/' or './'");
  }
  const std::string key = cloud::SettingText(settings, "key");
  if (key.starts_with('/') || key.ends_with('/')) {
    cloud::AddFailure(problems, "key can not start and end with '/'");
  }
}

}  // namespace kinu::backend
