#include "ide/offline_providers.h"

#include "addrs/provider_source.h"
#include "provider/schema_table.h"

namespace kinu::ide {
namespace {

/// What a call reports that a validation never makes.
void Refuse(provider::Problems& problems) {
  problems.push_back({.summary = "Provider not started",
                      .detail = "This request is answered without any provider process.",
                      .sourceless = true});
}

class SilentProvider final : public provider::Provider {
 public:
  explicit SilentProvider(const schema::ProviderSchema& schema) : schema_(schema) {}

  const schema::ProviderSchema& schema() const override { return schema_; }
  bool blocking() const override { return false; }
  void ValidateProviderConfig(const Value&, provider::Problems&) override {}
  void ValidateResourceConfig(std::string_view, const Value&, provider::Problems&) override {}
  void ValidateDataConfig(std::string_view, const Value&, provider::Problems&) override {}
  void ValidateEphemeralConfig(std::string_view, const Value&, provider::Problems&) override {}
  std::expected<Value, std::string> CallFunction(std::string_view, std::span<const Value>,
                                                 int*) override {
    return Value::DynamicUnknown();
  }

  void Configure(const Value&, provider::Problems& problems) override { Refuse(problems); }
  Value UpgradeResourceState(std::string_view, int64_t, const provider::RawState&,
                             provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  Value UpgradeResourceIdentity(std::string_view, int64_t, std::string_view,
                                provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::ReadResponse ReadResource(const provider::ReadRequest&,
                                      provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest&,
                                            provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest&,
                                              provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  Value ReadDataSource(std::string_view, std::string_view, const Value&, const Value&,
                       provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  std::vector<provider::ImportedObject> ImportResourceState(std::string_view, std::string_view,
                                                            const Value&,
                                                            provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::ImportedObject MoveResourceState(const provider::MoveRequest&,
                                             provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::EphemeralResponse OpenEphemeral(std::string_view, const Value&,
                                            provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  provider::EphemeralResponse RenewEphemeral(std::string_view, std::string_view,
                                             provider::Problems& problems) override {
    Refuse(problems);
    return {};
  }
  void CloseEphemeral(std::string_view, std::string_view, provider::Problems& problems) override {
    Refuse(problems);
  }
  void Stop() override {}
  void Close() override {}

 private:
  const schema::ProviderSchema& schema_;
};

/// The schema of a provider that is not known.
const schema::ProviderSchema& EmptySchema() {
  static const auto kEmpty = [] {
    auto table = std::make_unique<provider::SchemaTable>();
    table->Finish();
    return table;
  }();
  return *kEmpty;
}

}  // namespace

Result<std::unique_ptr<provider::Provider>> OfflineProviders::Start(std::string_view address) {
  if (address == kBuiltInProvider) {
    return source_.Start(address);
  }
  const Result<const schema::ProviderSchema*> schema = source_.Schema(address);
  return std::make_unique<SilentProvider>(schema ? **schema : EmptySchema());
}

}  // namespace kinu::ide
