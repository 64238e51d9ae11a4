#include "module_tests/mocks.h"

#include <algorithm>

#include "compatibility/features.h"
#include "module_tests/generated_value.h"

namespace kinu::module_tests {
namespace {

using provider::Problems;

/// Answers for the objects of resources with the same values. Validation, upgrades and functions
/// are those of the provider. Its objects have neither private data nor identities.
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
    return {.state = request.prior};
  }
  provider::PlanResponse PlanResourceChange(const provider::PlanRequest& request,
                                            Problems& problems) override;
  provider::ApplyResponse ApplyResourceChange(const provider::ApplyRequest& request,
                                              Problems&) override {
    return {.state = request.planned};
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
  if (request.config.IsNull()) {
    response.planned = request.proposed;
    return response;
  }
  const schema::Block& block = schema().FindResource(request.type)->block;
  response.planned = GenerateObject(request.type, block, WithoutComputed(block, request.config),
                                    values_, problems);
  return response;
}

/// Whether a block of a mocked provider is for a resource of a module instance. Release 1.12 knows
/// no instances there; later ones compare their keys, so that no key and [*] name no instance.
bool IsFor(const Program& program, const config::ResourceOverride& block,
           const AbsResource& resource) {
  if (block.target.resource != resource.resource) {
    return false;
  }
  if (!compatibility::Has(compatibility::Feature::kOverriddenInstances)) {
    return program.ModuleOf(block.target.module) == program.ModuleOf(resource.module);
  }
  return block.target.module == resource.module &&
         std::ranges::none_of(block.keys.begin(), block.keys.end() - 1, &config::KeyPattern::every);
}

/// `who`: has a key that the targets do not have.
void ReportMixedForms(const std::vector<SourceRange>& targets, const std::string& who,
                      Diagnostics& diags) {
  for (const SourceRange& target : targets) {
    diags.Error("Invalid resource override usage",
                "Overrides of this resource use [*], so all of them must have a key where its "
                "instances have one. " +
                    who + " a key where this target has none: write [*] there, too.",
                target);
  }
}

}  // namespace

Mocks::Mocks() = default;
Mocks::~Mocks() = default;

void Mocks::Add(const ConfigResource& resource, const config::ResourceOverride& block) {
  std::unique_ptr<Resource>& place = resources_[resource];
  if (place == nullptr) {
    place = std::make_unique<Resource>();
  }
  place->instances.Add(block);
}

const Value* Mocks::ValuesOf(const Program& program, const config::MockProvider& mock,
                             const ResourceInstance& object, Diagnostics& diags) const {
  OverriddenInstances instances;
  for (const config::ResourceOverride& block : mock.overrides) {
    if (IsFor(program, block, object.resource)) {
      instances.Add(block);
    }
  }
  const OverriddenInstances::Match match = instances.Find(KeysOf(program, object));
  if (match.mixed != nullptr) {
    ReportMixedForms(*match.mixed, program.ToText(object) + " has", diags);
  }
  if (match.block != nullptr) {
    return match.block->values ? &*match.block->values : nullptr;
  }
  for (const config::MockResource& block : mock.resources) {
    if (block.type == object.resource.resource.type &&
        block.mode == object.resource.resource.mode) {
      return block.defaults ? &*block.defaults : nullptr;
    }
  }
  return nullptr;
}

provider::Provider* Mocks::For(const Program& program, const ResourceInstance& object,
                               const ProviderConfig& address, provider::Provider& provider,
                               Diagnostics& diags) {
  const AbsResource& resource = object.resource;
  const auto overridden =
      resources_.find(ConfigResource{program.ModuleOf(resource.module), resource.resource});
  const auto mocked = providers_.find(address);
  if (overridden == resources_.end() && mocked == providers_.end()) {
    return &provider;
  }
  const size_t errors = diags.error_count();
  const Value* values =
      mocked != providers_.end() ? ValuesOf(program, *mocked->second, object, diags) : nullptr;
  const std::scoped_lock hold(mutex_);
  if (overridden != resources_.end() && diags.error_count() == errors) {
    const OverriddenInstances::Match match =
        overridden->second->instances.Find(KeysOf(program, object));
    if (match.block != nullptr) {
      values = match.block->values ? &*match.block->values : nullptr;
    }
    if (match.mixed != nullptr && !std::exchange(overridden->second->reported, true)) {
      ReportMixedForms(*match.mixed, "They have", diags);
    }
  }
  if (diags.error_count() != errors) {
    return nullptr;
  }
  std::unique_ptr<provider::Provider>& made = made_[{&provider, values}];
  if (made == nullptr) {
    made = std::make_unique<MockedProvider>(provider, values);
  }
  return made.get();
}

}  // namespace kinu::module_tests
