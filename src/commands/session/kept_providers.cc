#include "session/kept_providers.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "addrs/provider_source.h"
#include "session/kept_answers.h"

namespace kinu::session {

using provider::Problems;

static provider::Problem NotStarted(const Error& error) {
  return {.summary = "Failed to instantiate provider",
          .detail = error.message,
          .attribute = std::nullopt,
          .sourceless = true};
}

/// A running provider. One plan gives it to one of its provider configurations.
class KeptProviders::Process {
 public:
  /// `plan`: that starts it.
  Process(std::string address, std::unique_ptr<provider::Provider> running, uint64_t plan)
      : born(plan), address_(std::move(address)), provider_(std::move(running)) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { provider_->Close(); }

  const std::string& address() const { return address_; }
  provider::Provider& provider() { return *provider_; }
  KeptAnswers& answers() { return answers_; }

  const uint64_t born;            ///< the plan that started it
  std::optional<Value> config;    ///< once it is configured; the owner's mutex guards it
  uint64_t taken = 0;             ///< the plan with a configured provider on it; so is this
  std::atomic<uint64_t> used{0};  ///< the last plan that needed it
  std::atomic<bool> failed{false};

 private:
  std::string address_;
  std::unique_ptr<provider::Provider> provider_;
  KeptAnswers answers_;
};

/// A provider of one plan.
class KeptProviders::Handle final : public provider::Provider {
 public:
  Handle(KeptProviders& owner, std::string address, const schema::ProviderSchema& schema,
         std::shared_ptr<KeptAnswers> unconfigured, uint64_t plan)
      : owner_(owner),
        address_(std::move(address)),
        schema_(schema),
        unconfigured_(std::move(unconfigured)),
        plan_(plan) {}

  const schema::ProviderSchema& schema() const override { return schema_; }

  void ValidateProviderConfig(const Value& config, Problems& problems) override {
    Validate({.call = KeptCall::kValidateProvider, .values = {config}}, problems,
             [&](provider::Provider& real, Problems& found) {
               real.ValidateProviderConfig(config, found);
             });
  }
  void ValidateResourceConfig(std::string_view type, const Value& config,
                              Problems& problems) override {
    Validate({.call = KeptCall::kValidateResource, .type = std::string(type), .values = {config}},
             problems, [&](provider::Provider& real, Problems& found) {
               real.ValidateResourceConfig(type, config, found);
             });
  }
  void ValidateDataConfig(std::string_view type, const Value& config, Problems& problems) override {
    Validate({.call = KeptCall::kValidateData, .type = std::string(type), .values = {config}},
             problems, [&](provider::Provider& real, Problems& found) {
               real.ValidateDataConfig(type, config, found);
             });
  }
  void ValidateEphemeralConfig(std::string_view type, const Value& config,
                               Problems& problems) override {
    Validate({.call = KeptCall::kValidateEphemeral, .type = std::string(type), .values = {config}},
             problems, [&](provider::Provider& real, Problems& found) {
               real.ValidateEphemeralConfig(type, config, found);
             });
  }
  void Configure(const Value& config, Problems& problems) override;
  Value UpgradeResourceState(std::string_view type, int64_t version, const provider::RawState& raw,
                             Problems& problems) override;
  Value UpgradeResourceIdentity(std::string_view type, int64_t version, std::string_view json,
                                Problems& problems) override {
    return Ask<Value>(*unconfigured_,
                      {.call = KeptCall::kUpgradeIdentity,
                       .type = std::string(type),
                       .text = std::string(json),
                       .version = version},
                      problems, [&](provider::Provider& real, Problems& found) {
                        return real.UpgradeResourceIdentity(type, version, json, found);
                      });
  }
  provider::ReadResponse ReadResource(const provider::ReadRequest& request,
                                      Problems& problems) override {
    return Ask<provider::ReadResponse>(
        OwnAnswers(),
        {.call = KeptCall::kRead,
         .type = std::string(request.type),
         .text = request.private_data,
         .values = {request.prior, request.provider_meta, request.identity}},
        problems, [&](provider::Provider& real, Problems& found) {
          return real.ReadResource(request, found);
        });
  }
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest& request,
                                            Problems& problems) override {
    return Ask<provider::PlanResponse>(OwnAnswers(),
                                       {.call = KeptCall::kPlan,
                                        .type = std::string(request.type),
                                        .text = request.private_data,
                                        .values = {request.prior, request.proposed, request.config,
                                                   request.provider_meta, request.identity}},
                                       problems, [&](provider::Provider& real, Problems& found) {
                                         return real.PlanResourceChange(request, found);
                                       });
  }
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest& request,
                                              Problems& problems) override {
    return WithReal(problems, [&](provider::Provider& real) {
      return real.ApplyResourceChange(request, problems);
    });
  }
  Value ReadDataSource(std::string_view type, std::string_view address, const Value& config,
                       const Value& provider_meta, Problems& problems) override {
    return Ask<Value>(
        OwnAnswers(),
        {.call = KeptCall::kReadData, .type = std::string(type), .values = {config, provider_meta}},
        problems, [&](provider::Provider& real, Problems& found) {
          return real.ReadDataSource(type, address, config, provider_meta, found);
        });
  }
  std::vector<provider::ImportedObject> ImportResourceState(std::string_view type,
                                                            std::string_view id,
                                                            const Value& identity,
                                                            Problems& problems) override {
    return Ask<std::vector<provider::ImportedObject>>(
        OwnAnswers(),
        {.call = KeptCall::kImport,
         .type = std::string(type),
         .text = std::string(id),
         .values = {identity}},
        problems, [&](provider::Provider& real, Problems& found) {
          return real.ImportResourceState(type, id, identity, found);
        });
  }
  provider::ImportedObject MoveResourceState(const provider::MoveRequest& request,
                                             Problems& problems) override;
  provider::EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                            Problems& problems) override {
    return WithReal(problems, [&](provider::Provider& real) {
      return real.OpenEphemeral(type, config, problems);
    });
  }
  provider::EphemeralResponse RenewEphemeral(std::string_view type, std::string_view private_data,
                                             Problems& problems) override {
    return WithReal(problems, [&](provider::Provider& real) {
      return real.RenewEphemeral(type, private_data, problems);
    });
  }
  void CloseEphemeral(std::string_view type, std::string_view private_data,
                      Problems& problems) override {
    WithReal(problems, [&](provider::Provider& real) {
      real.CloseEphemeral(type, private_data, problems);
      return 0;
    });
  }
  std::expected<Value, std::string> CallFunction(std::string_view name,
                                                 std::span<const Value> arguments,
                                                 int* argument) override {
    Problems problems;
    provider::Provider* real = Real(problems);
    if (real == nullptr) {
      *argument = -1;
      return std::unexpected(problems.front().summary);
    }
    return real->CallFunction(name, arguments, argument);
  }
  const schema::FunctionSignature* ConfiguredFunction(std::string_view name) override {
    Problems problems;
    provider::Provider* real = Real(problems);
    return real == nullptr ? nullptr : real->ConfiguredFunction(name);
  }
  void Stop() override {
    const std::lock_guard lock(mutex_);
    if (process_ != nullptr) {
      process_->provider().Stop();
    }
  }
  /// The process stays.
  void Close() override {}

 private:
  using ValidateCall = std::function<void(provider::Provider&, Problems&)>;

  void Validate(Question question, Problems& problems, const ValidateCall& call) {
    Ask<std::monostate>(*unconfigured_, std::move(question), problems,
                        [&](provider::Provider& real, Problems& found) {
                          call(real, found);
                          return std::monostate();
                        });
  }
  /// Answers from what is kept, or lets the provider answer.
  template <typename T, typename Call>
  T Ask(KeptAnswers& answers, Question question, Problems& problems, const Call& call) {
    if (auto known = answers.Find(question, plan_)) {
      return std::get<T>(*std::move(known));
    }
    Problems found;
    provider::Provider* real = Real(found);
    T answer = real == nullptr ? T() : call(*real, found);
    if (found.empty()) {
      answers.Add(std::move(question), answer, plan_);
    } else if (provider::HasErrors(found)) {
      NoteFailure(found);
    }
    problems.insert(problems.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
    return answer;
  }
  template <typename Call>
  auto WithReal(Problems& problems, const Call& call)
      -> decltype(call(std::declval<provider::Provider&>())) {
    provider::Provider* real = Real(problems);
    return real == nullptr ? decltype(call(*real))() : call(*real);
  }
  /// The answers that depend on the configuration.
  KeptAnswers& OwnAnswers() {
    const std::lock_guard lock(mutex_);
    return configured_ ? process_->answers() : loose_;
  }
  /// The process, taken or started at first need; null after an error.
  provider::Provider* Real(Problems& problems);
  /// A process may have died: it is not used again.
  void NoteFailure(const Problems& problems);

  KeptProviders& owner_;
  const std::string address_;
  const schema::ProviderSchema& schema_;
  const std::shared_ptr<KeptAnswers> unconfigured_;
  const uint64_t plan_;
  KeptAnswers loose_;  // of a provider that nobody configured
  std::mutex mutex_;   // of all below
  std::shared_ptr<Process> process_;
  bool configured_ = false;
};

provider::Provider* KeptProviders::Handle::Real(Problems& problems) {
  const std::lock_guard lock(mutex_);
  if (process_ == nullptr) {
    auto found = owner_.Any(address_);
    if (!found) {
      problems.push_back(NotStarted(found.error()));
      return nullptr;
    }
    process_ = *std::move(found);
  }
  process_->used = plan_;
  return &process_->provider();
}

void KeptProviders::Handle::NoteFailure(const Problems& problems) {
  // What is wrong with a configuration has a place in it.
  const bool of_call = std::ranges::any_of(problems, [](const provider::Problem& problem) {
    return problem.severity == Severity::kError && problem.sourceless;
  });
  const std::lock_guard lock(mutex_);
  if (of_call && process_ != nullptr) {
    process_->failed.store(true);
  }
}

void KeptProviders::Handle::Configure(const Value& config, Problems& problems) {
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    again = configured_;
  }
  auto taken = again ? process_ : owner_.Configured(address_, config);
  const bool fits = taken != nullptr && owner_.HasConfig(*taken, config);
  if (taken == nullptr) {
    auto fresh = owner_.Fresh(address_);
    if (!fresh) {
      problems.push_back(NotStarted(fresh.error()));
      return;
    }
    taken = *std::move(fresh);
  }
  taken->used = plan_;
  {
    const std::lock_guard lock(mutex_);
    process_ = taken;
    configured_ = true;
  }
  if (fits) {
    return;
  }
  Problems found;
  taken->provider().Configure(config, found);
  if (found.empty()) {
    owner_.Keep(*taken, config);
  } else {
    taken->failed.store(true);  // a warning is given again by each plan
  }
  problems.insert(problems.end(), found.begin(), found.end());
}

Value KeptProviders::Handle::UpgradeResourceState(std::string_view type, int64_t version,
                                                  const provider::RawState& raw,
                                                  Problems& problems) {
  Question question{.call = KeptCall::kUpgradeState,
                    .type = std::string(type),
                    .text = raw.json,
                    .version = version};
  for (const auto& [name, value] : raw.flatmap) {
    question.text += '\0' + name + '\0' + value;
  }
  return Ask<Value>(*unconfigured_, std::move(question), problems,
                    [&](provider::Provider& real, Problems& found) {
                      return real.UpgradeResourceState(type, version, raw, found);
                    });
}

provider::ImportedObject KeptProviders::Handle::MoveResourceState(
    const provider::MoveRequest& request, Problems& problems) {
  std::string text = request.source_provider;
  for (const std::string& part :
       {request.source_type, request.source_state.json, request.source_private}) {
    text += '\0' + part;
  }
  for (const auto& [name, value] : request.source_state.flatmap) {
    text += '\0' + name + '\0' + value;
  }
  return Ask<provider::ImportedObject>(OwnAnswers(),
                                       {.call = KeptCall::kMove,
                                        .type = std::string(request.target_type),
                                        .text = std::move(text),
                                        .version = request.source_schema_version},
                                       problems, [&](provider::Provider& real, Problems& found) {
                                         return real.MoveResourceState(request, found);
                                       });
}

KeptProviders::KeptProviders(provider::ProviderSource& source) : source_(source), plan_(1) {
}

KeptProviders::~KeptProviders() = default;

Result<std::unique_ptr<provider::Provider>> KeptProviders::Start(std::string_view address) {
  if (SplitProviderAddress(address).is_built_in()) {
    return source_.Start(address);
  }
  KINU_TRY(const schema::ProviderSchema* schema, source_.Schema(address));
  const std::lock_guard lock(mutex_);
  auto answers = answers_.find(address);
  if (answers == answers_.end()) {
    answers = answers_.emplace(std::string(address), std::make_shared<KeptAnswers>()).first;
  }
  return std::make_unique<Handle>(*this, std::string(address), *schema, answers->second, plan_);
}

Result<std::shared_ptr<KeptProviders::Process>> KeptProviders::Launch(std::string_view address) {
  KINU_TRY(auto running, source_.Start(address));
  processes_.push_back(std::make_shared<Process>(std::string(address), std::move(running), plan_));
  return processes_.back();
}

std::shared_ptr<KeptProviders::Process> KeptProviders::Configured(std::string_view address,
                                                                  const Value& config) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Process>& process : processes_) {
    if (process->address() == address && process->taken != plan_ && !process->failed.load() &&
        process->config && Value::RawEquals(*process->config, config)) {
      process->taken = plan_;
      return process;
    }
  }
  return nullptr;
}

void KeptProviders::Keep(Process& process, const Value& config) {
  const std::lock_guard lock(mutex_);
  if (process.config) {
    process.answers().KeepOnlyOf(0);  // those of the other configuration
  }
  process.config = config;
}

bool KeptProviders::HasConfig(const Process& process, const Value& config) {
  const std::lock_guard lock(mutex_);
  return process.config && Value::RawEquals(*process.config, config);
}

Result<std::shared_ptr<KeptProviders::Process>> KeptProviders::Any(std::string_view address) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Process>& process : processes_) {
    if (process->address() == address && !process->failed.load()) {
      return process;
    }
  }
  return Launch(address);
}

Result<std::shared_ptr<KeptProviders::Process>> KeptProviders::Fresh(std::string_view address) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Process>& process : processes_) {
    if (process->address() == address && process->taken != plan_ && !process->config &&
        !process->failed.load()) {
      process->taken = plan_;
      return process;
    }
  }
  KINU_TRY(auto process, Launch(address));
  process->taken = plan_;
  return process;
}

bool KeptProviders::EndPlan(bool planned) {
  const std::lock_guard lock(mutex_);
  const bool lost = std::ranges::any_of(processes_, [&](const std::shared_ptr<Process>& process) {
    return process->failed.load() && process->born != plan_;
  });
  std::erase_if(processes_, [&](const std::shared_ptr<Process>& process) {
    return process->failed.load() || (planned && process->config && process->used != plan_);
  });
  if (planned) {
    for (const auto& [address, answers] : answers_) {
      answers->KeepOnlyOf(plan_);
    }
    for (const std::shared_ptr<Process>& process : processes_) {
      process->answers().KeepOnlyOf(plan_);
    }
  }
  ++plan_;
  return lost;
}

}  // namespace kinu::session
