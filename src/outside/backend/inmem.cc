// The backend "inmem": states that live as long as the process, for tests of configurations and of
// backends. All backends of a process share them, as clients of one service would.
// Ref: opentofu internal/backend/remote-state/inmem.
#include <map>
#include <mutex>

#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "backend/specs.h"
#include "cloud/settings.h"

namespace kinu::backend {
namespace {

/// The data of the simulated service. A workspace exists once it has an entry in `texts`.
struct Memory {
  std::mutex mutex;
  std::map<std::string, std::optional<std::string>, std::less<>> texts;
  std::map<std::string, state::LockInfo, std::less<>> locks;
};

Memory& SharedMemory() {
  static Memory memory;
  return memory;
}

class InmemClient final : public RemoteClient {
 public:
  explicit InmemClient(std::string_view workspace) : workspace_(workspace) {}

  Result<std::optional<std::string>> Get() override {
    const std::scoped_lock hold(memory_.mutex);
    const auto found = memory_.texts.find(workspace_);
    return found == memory_.texts.end() ? std::nullopt : found->second;
  }
  Result<void> Put(std::string_view bytes) override {
    const std::scoped_lock hold(memory_.mutex);
    memory_.texts[workspace_] = std::string(bytes);
    return {};
  }
  Result<void> Delete() override {
    const std::scoped_lock hold(memory_.mutex);
    memory_.texts[workspace_] = std::nullopt;
    return {};
  }
  Result<std::string> Lock(const state::LockInfo& info) override {
    const std::scoped_lock hold(memory_.mutex);
    const auto [holder, free] = memory_.locks.try_emplace(workspace_, info);
    if (!free) {
      return Fail(ErrorCode::kExists, "state locked\n" + holder->second.ToText());
    }
    return info.id;
  }
  Result<void> Unlock(std::string_view id) override {
    const std::scoped_lock hold(memory_.mutex);
    const auto holder = memory_.locks.find(workspace_);
    if (holder == memory_.locks.end()) {
      return Fail(ErrorCode::kInvalid, "state not locked");
    }
    if (holder->second.id != id) {
      return Fail(ErrorCode::kInvalid, "invalid lock id\n" + holder->second.ToText());
    }
    memory_.locks.erase(holder);
    return {};
  }

 private:
  Memory& memory_ = SharedMemory();
  std::string workspace_;
};

class InmemBackend final : public Backend {
 public:
  /// Empties the default workspace, as in a new service.
  void Configure(const Value& settings, provider::Problems&) override {
    const std::scoped_lock hold(memory_.mutex);
    memory_.texts[std::string(kDefaultWorkspace)] = std::nullopt;
    if (const std::string id = cloud::SettingText(settings, "lock_id"); !id.empty()) {
      state::LockInfo info = state::NewLockInfo("test");
      info.id = id;
      info.info = "test config";
      memory_.locks.try_emplace(std::string(kDefaultWorkspace), std::move(info));
    }
  }
  Result<std::vector<std::string>> Workspaces() override {
    const std::scoped_lock hold(memory_.mutex);
    std::vector<std::string> names;
    for (const auto& [name, text] : memory_.texts) {
      names.push_back(name);
    }
    return names;
  }
  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "can't delete default state");
    }
    const std::scoped_lock hold(memory_.mutex);
    if (const auto found = memory_.texts.find(name); found != memory_.texts.end()) {
      memory_.texts.erase(found);
    }
    return {};
  }
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override {
    auto store = std::make_unique<RemoteStore>(std::make_unique<InmemClient>(workspace),
                                               Storing{sealer(), {}});
    bool exists = true;
    {
      const std::scoped_lock hold(memory_.mutex);
      exists = memory_.texts.contains(workspace);
    }
    if (!exists && opening == Opening::kMake) {
      if (auto made = StartWorkspace(*store, std::move(program), "inmem"); !made) {
        return std::unexpected(std::move(made).error());
      }
    }
    return store;
  }

 private:
  Memory& memory_ = SharedMemory();
};

constexpr Setting kSettings[] = {
    {.name = "lock_id", .docs = "The default workspace starts locked with this ID."}};

std::unique_ptr<Backend> MakeInmem(const StateFlags&) {
  return std::make_unique<InmemBackend>();
}

}  // namespace

constexpr BackendSpec kInmem{.type = "inmem",
                             .docs = "States in the memory of one process, for tests.",
                             .settings = kSettings,
                             .make = MakeInmem};

}  // namespace kinu::backend
