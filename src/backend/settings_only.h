// SettingsOnlyBackend: a backend whose settings are known and checked, and whose service is not
// reached yet.
#pragma once

#include <string>
#include <string_view>

#include "backend/backend.h"
#include "backend/settings.h"

namespace kinu::backend {

class SettingsOnlyBackend : public Backend {
 public:
  /// `type`: of the backend, for messages.
  explicit SettingsOnlyBackend(std::string_view type) : type_(type) {}

  void Configure(const Value&, provider::Problems& problems) override {
    AddFailure(problems, Refusal().message);
  }
  Result<std::vector<std::string>> Workspaces() override { return std::unexpected(Refusal()); }
  Result<void> DeleteWorkspace(std::string_view) override { return std::unexpected(Refusal()); }
  Result<std::unique_ptr<state::Store>> Open(std::string_view, std::shared_ptr<Program>,
                                             Opening) override {
    return std::unexpected(Refusal());
  }

 private:
  Error Refusal() const {
    return {
        ErrorCode::kUnavailable,
        "the backend \"" + type_ + "\" is not built yet: this version only checks its settings"};
  }

  std::string type_;
};

}  // namespace kinu::backend
