#include "session/hosts.h"

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "addrs/provider_source.h"
#include "compatibility/level.h"
#include "install/network.h"

namespace kinu::session {
namespace {

class NetworkHosts final : public backend::ServiceHosts {
 public:
  explicit NetworkHosts(const Workspace& workspace)
      : config_(workspace.cli_config), stop_(workspace.stop), report_(workspace.report) {}

  Result<std::string> Service(const std::string& host, std::string_view id) override {
    KINU_TRY(const std::string name, NormalName(host));
    KINU_TRY(const install::HostService service, network().Service(name, id));
    switch (service.status) {
      case install::HostService::Status::kFound:
        break;
      case install::HostService::Status::kMissing:
        return Fail(ErrorCode::kNotFound,
                    "host " + host + " does not provide a " + NameOf(id) + " service");
      case install::HostService::Status::kOtherVersion:
        return Fail(ErrorCode::kNotFound, "host " + host + " does not support " + NameOf(id) +
                                              " version " + std::string(VersionOf(id)));
    }
    return service.url.ToText();
  }

  Result<std::string> Token(const std::string& host) override {
    KINU_TRY(const std::string name, NormalName(host));
    return network().credentials().Token(name);
  }

  const std::atomic<bool>* stop() const override { return stop_; }
  void Report(const std::string& text) override {
    if (report_) {
      report_(text);
    }
  }

 private:
  static Result<std::string> NormalName(const std::string& host) {
    auto name = ParseHostName(host);
    return name ? Result<std::string>(*std::move(name))
                : Fail(ErrorCode::kInvalid, std::move(name).error());
  }
  /// "tfe" of "tfe.v2.1", and "2.1".
  static std::string NameOf(std::string_view id) {
    return std::string(id.substr(0, id.find(".v")));
  }
  static std::string_view VersionOf(std::string_view id) { return id.substr(id.find(".v") + 2); }

  install::Network& network() {
    std::call_once(once_, [&] {
      network_.emplace(config_,
                       install::NetworkOptions{.transport = nullptr,
                                               .version = std::string(compatibility::FullRelease()),
                                               .stop = stop_,
                                               .wait = {}});
    });
    return *network_;
  }

  const install::CliConfig config_;
  const std::atomic<bool>* stop_;
  const std::function<void(std::string_view line)> report_;
  std::once_flag once_;
  std::optional<install::Network> network_;
};

}  // namespace

std::shared_ptr<backend::ServiceHosts> HostsOf(const Workspace& workspace) {
  return std::make_shared<NetworkHosts>(workspace);
}

}  // namespace kinu::session
