#include "engine/configuration_digest.h"
#include "engine/nodes/nodes.h"
#include "engine/reference_check.h"
#include "engine/spans.h"
#include "hcl/body.h"
#include "lang/eval.h"
#include "schema/decode.h"
#include "schema/locate.h"

namespace kinu::engine {
void AppendProblems(const provider::Problems& problems, const hcl::Body* body,
                    const std::string& address, Diagnostics& diags) {
  for (const provider::Problem& problem : problems) {
    Diagnostic diagnostic;
    diagnostic.severity = problem.severity;
    diagnostic.summary = problem.summary;
    diagnostic.detail = problem.detail;
    if (!problem.sourceless) {
      diagnostic.address = address;
    }
    if (body != nullptr && !problem.sourceless) {
      diagnostic.subject =
          problem.attribute ? schema::Locate(*body, *problem.attribute) : body->MissingItemRange();
    }
    diags.Add(std::move(diagnostic));
  }
}

void ConfigureProvider(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const ProviderInfo& info = walk.graph.providers[walk.graph.node(id).index];
  ProviderSlot& slot = walk.slots.providers[walk.graph.node(id).index];
  if (info.schema == nullptr || info.node == nullptr) {
    return;
  }
  if (walk.graph.dependents(id).empty()) {
    return;  // an unused provider is not configured
  }
  std::optional<trace::Span> span;
  if (walk.context.kind == WalkKind::kValidate && info.block == nullptr) {
    BeginProviderSpan(span, walk, id, info);
    return;  // an absent block is not validated
  }
  auto start = [&](size_t row) -> std::unique_ptr<provider::Provider> {
    if (walk.context.request.pool != nullptr) {
      if (auto kept = walk.context.request.pool->Take(info.address, row)) {
        slot.blocking = kept->blocking();
        slot.reads_block = kept->reads_block();
        return kept;
      }
    }
    auto started = walk.context.request.providers->Start(walk.program.Text(info.address.provider));
    if (started && walk.context.request.pool != nullptr) {
      walk.context.request.pool->Use(**started);
    }
    if (!started) {
      diags.Error("Failed to instantiate provider", started.error().message);
      return nullptr;
    }
    slot.blocking = (*started)->blocking();
    slot.reads_block = (*started)->reads_block();
    return std::move(*started);
  };
  const Substitutes* substitutes = walk.context.request.substitutes;
  const bool configured =
      !info.only_functions && (substitutes == nullptr || !substitutes->Unconfigured(info.address));
  const schema::Block& block = info.schema->provider_config().block;
  auto configure = [&](provider::Provider& provider, const ModuleInstance* instance,
                       Repetition repetition) {
    size_t errors = diags.error_count();
    Value config = block.EmptyValue();
    const hcl::Body* body = info.body;
    if (body != nullptr && instance != nullptr) {
      ModuleScope scope(walk, *instance, repetition);
      config = ReferenceCheck(walk, *info.node, {}, repetition.expansion)
                   .Decode(block, *body, config::kProviderMetaNames, scope, diags);
    }
    if (diags.error_count() != errors) {
      return;
    }
    slot.digests.push_back(DigestOfProvider(walk, info, config));
    config = config.UnmarkDeep();
    std::string address = walk.program.ToText(info.address);
    provider::Problems problems;
    provider.ValidateProviderConfig(config, problems);
    if (!provider::HasErrors(problems) && walk.context.kind != WalkKind::kValidate) {
      provider.Configure(config, problems);
    }
    AppendProblems(problems, body, address, diags);
    if (info.block == nullptr && provider::HasErrors(problems)) {
      diags.Error("Invalid provider configuration",
                  "The provider " + std::string(walk.program.Text(info.address.provider)) +
                      " has to be configured: add a provider block to the root module, with the "
                      "arguments that the provider's documentation asks for.");
    }
  };
  // Modules with provider configurations have one instance; the first one is used.
  const auto& instances = walk.slots.instances[info.node->index];
  const ModuleInstance* instance = instances.empty() ? nullptr : instances[0];
  if (info.block != nullptr && info.block->for_each != nullptr && instance != nullptr) {
    const auto index = static_cast<size_t>(info.block - info.node->module->providers.data());
    slot.expansion = info.node->provider_instances[index];
    for (size_t row = 0; row < slot.expansion.size(); ++row) {
      span.reset();
      BeginProviderSpan(span, walk, id, info, slot.expansion.key(row));
      slot.keyed.push_back(start(row));
      if (slot.keyed.back() != nullptr && configured) {
        configure(*slot.keyed.back(), instance, Repetition{&slot.expansion, row});
      }
    }
    return;
  }
  BeginProviderSpan(span, walk, id, info);
  slot.provider = start(0);
  if (slot.provider != nullptr && configured) {
    configure(*slot.provider, instance, {});
  }
  if (span) {
    FailSpan(*span, diags);
  }
}

}  // namespace kinu::engine
