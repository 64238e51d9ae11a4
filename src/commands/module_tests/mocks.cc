#include "module_tests/mocks.h"

#include "module_tests/generated_value.h"

namespace kinu::module_tests {
namespace {

using provider::Problems;

/// Answers for the objects of resources with the same values. Validation, upgrades and functions
/// are those of the provider.
class MockedProvider final : public provider::Provider {
 public:
  /// `values`: of computed attributes; null: all are generated.
  MockedProvider(provider::Provider& real, const Value* values) : real_(real), values_(values) {}

  const schema::ProviderSchema& schema() const override { return real_.schema(); }
  bool blocking() const override { return real_.blocking(); }
  void ValidateProviderConfig(const Value&, Problems&) override {}
  void ValidateResourceConfig(std::string_view type, const Value& config,
                              Problems& problems) override {
    real_.ValidateResourceConfig(type, config, problems);
  }
  void ValidateDataConfig(std::string_view type, const Value& config, Problems& problems) override {
    real_.ValidateDataConfig(type, config, problems);
  }
  void ValidateEphemeralConfig(std::string_view type, const Value& config,
                               Problems& problems) override {
    real_.ValidateEphemeralConfig(type, config, problems);
  }
  void Configure(const Value&, Problems&) override {}
  Value UpgradeResourceState(std::string_view type, int64_t version, const provider::RawState& raw,
                             Problems& problems) override {
    return real_.UpgradeResourceState(type, version, raw, problems);
  }
  Value UpgradeResourceIdentity(std::string_view type, int64_t version, std::string_view json,
                                Problems& problems) override {
    return real_.UpgradeResourceIdentity(type, version, json, problems);
  }
  provider::ReadResponse ReadResource(const provider::ReadRequest& request, Problems&) override {
    return {request.prior, request.private_data, request.identity};
  }
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest& request,
                                            Problems& problems) override;
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest& request,
                                              Problems&) override {
    provider::ApplyResponse response;
    response.state = request.planned;
    response.private_data = request.private_data;
    response.identity = request.identity;
    return response;
  }
  Value ReadDataSource(std::string_view type, std::string_view, const Value& config, const Value&,
                       Problems& problems) override {
    const schema::ResourceSchema* found = schema().FindData(type);
    return GenerateObject(type, found->block, config, values_, problems);
  }
  std::vector<provider::ImportedObject> ImportResourceState(std::string_view type, std::string_view,
                                                            const Value&,
                                                            Problems& problems) override {
    Refuse("imported", type, problems);
    return {};
  }
  provider::ImportedObject MoveResourceState(const provider::MoveRequest& request,
                                             Problems& problems) override {
    Refuse("moved from another type", request.target_type, problems);
    return {};
  }
  provider::EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                            Problems& problems) override {
    const schema::ResourceSchema* found = schema().FindEphemeral(type);
    return {GenerateObject(type, found->block, config, values_, problems), {}, std::nullopt};
  }
  provider::EphemeralResponse RenewEphemeral(std::string_view, std::string_view,
                                             Problems&) override {
    return {};
  }
  void CloseEphemeral(std::string_view, std::string_view, Problems&) override {}
  std::expected<Value, std::string> CallFunction(std::string_view name,
                                                 std::span<const Value> arguments,
                                                 int* argument) override {
    return real_.CallFunction(name, arguments, argument);
  }
  const schema::FunctionSignature* ConfiguredFunction(std::string_view name) override {
    return real_.ConfiguredFunction(name);
  }
  void Stop() override { real_.Stop(); }
  void Close() override {}

 private:
  static void Refuse(std::string_view what, std::string_view type, Problems& problems) {
    problems.push_back({.summary = "Mocked resource cannot be " + std::string(what),
                        .detail = "Objects of the type \"" + std::string(type) +
                                  "\" are mocked in this test, and a mock has no objects but those "
                                  "that it creates.",
                        .attribute = std::nullopt});
  }

  provider::Provider& real_;
  const Value* values_;
};

provider::PlanResponse MockedProvider::PlanResourceChange(const provider::PlanRequest& request,
                                                          Problems& problems) {
  provider::PlanResponse response;
  response.private_data = request.private_data;
  response.identity = request.identity;
  if (request.config.IsNull()) {
    response.planned = request.proposed;
    return response;
  }
  const schema::Block& block = schema().FindResource(request.type)->block;
  response.planned = GenerateObject(request.type, block, WithoutComputed(block, request.config),
                                    values_, problems);
  return response;
}

/// The values that a mock has for a resource; null: none.
const Value* ValuesOf(const Program& program, const config::MockProvider& mock,
                      const ConfigResource& resource) {
  for (const config::ResourceOverride& block : mock.overrides) {
    if (program.ModuleOf(block.target.module) == resource.module &&
        block.target.resource == resource.resource) {
      return block.values ? &*block.values : nullptr;
    }
  }
  for (const config::MockResource& block : mock.resources) {
    if (block.type == resource.resource.type && block.mode == resource.resource.mode) {
      return block.defaults ? &*block.defaults : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

Mocks::Mocks() = default;
Mocks::~Mocks() = default;

provider::Provider& Mocks::For(const Program& program, const AbsResource& resource,
                               const ProviderConfig& address, provider::Provider& provider) {
  const ConfigResource block{program.ModuleOf(resource.module), resource.resource};
  const auto overridden = resources_.find(block);
  const auto mocked = providers_.find(address);
  if (overridden == resources_.end() && mocked == providers_.end()) {
    return provider;
  }
  const Value* values = overridden != resources_.end() ? overridden->second
                                                       : ValuesOf(program, *mocked->second, block);
  const std::scoped_lock hold(mutex_);
  std::unique_ptr<provider::Provider>& made = made_[{&provider, values}];
  if (made == nullptr) {
    made = std::make_unique<MockedProvider>(provider, values);
  }
  return *made;
}

}  // namespace kinu::module_tests
