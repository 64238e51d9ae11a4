// What `plan -offline` has in place of providers, and what it says of its plan.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/certainty.h"
#include "session/offline_providers.h"
#include "session/offline_schemas.h"
#include "view/recorded/given_schemas.h"

namespace kinu::operation {

/// Answers for the providers of an operation, without any process.
class OfflinePlanning {
 public:
  /// `providers` starts no processes, and outlives the result. `schemas_file`: what `providers
  /// schema -json` has printed; empty: there is none. Reports a file that cannot be read.
  static std::unique_ptr<OfflinePlanning> Open(session::ProviderSet& providers,
                                               const std::string& schemas_file, Diagnostics& diags);

  /// Requires the schemas that a plan needs. False after an error.
  bool Require(const config::Config& config, const state::State& state, Diagnostics& diags) {
    return schemas_->Require(config, state, diags);
  }
  /// Makes this what a plan of `request` asks, which has its prior state.
  void Answer(engine::Request& request);
  provider::ProviderSource& providers() { return *providers_; }
  const engine::CertaintyJudge& judge() const { return judge_; }

 private:
  OfflinePlanning() = default;

  view::GivenSchemas given_;
  std::unique_ptr<session::OfflineSchemas> schemas_;
  std::unique_ptr<session::OfflineProviders> providers_;
  engine::CertaintyJudge judge_;
};

/// Stands above the text of an offline plan.
inline constexpr std::string_view kOfflineNotice =
    "This plan was made offline: no provider was asked, and no real object was read. It is "
    "incomplete, and cannot be applied.";

/// What an offline plan says of itself.
class OfflineReport {
 public:
  /// Both outlive this.
  OfflineReport(const plan::Plan& plan, const engine::CertaintyJudge& judge);

  /// How sure a change is, in a few words.
  std::string_view Remark(const plan::ResourceChange& change) const;
  /// How many changes are certain: "3 certain, 1 at least that, 2 up to providers".
  std::string Counts() const;
  /// The same in sentences.
  std::string Summary() const;
  /// The members of the message `offline_plan`.
  std::vector<std::pair<std::string, std::string>> Members() const;

 private:
  /// How sure the changes of outputs are, as JSON.
  std::string OutputList() const;

  const plan::Plan& plan_;
  const engine::CertaintyJudge& judge_;
  std::array<size_t, 3> counts_{};  ///< of changes, by certainty
  size_t kept_ = 0;                 ///< objects that other providers keep, if they agree
  size_t outputs_ = 0;              ///< that change
  size_t open_outputs_ = 0;  ///< whose values are up to providers, also if they do not change
};

}  // namespace kinu::operation
