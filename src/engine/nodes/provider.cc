#include "engine/expansion.h"
#include "engine/nodes/nodes.h"
#include "hcl/body.h"
#include "lang/eval.h"
#include "schema/decode.h"

namespace kinu::engine {
namespace {

/// The narrowest source range of a path inside a body: the attribute that its first steps name,
/// through nested blocks where they can be told apart. Ref: tfdiags/contextual.go.
SourceRange RangeOfPath(const hcl::Body& body, const Path& path) {
  const hcl::Body* current = &body;
  SourceRange best = body.MissingItemRange();
  size_t at = 0;
  auto steps = path.steps();
  while (at < steps.size() && steps[at].kind == PathStep::Kind::kAttribute) {
    const std::string& name = steps[at].name;
    hcl::AttributeSchema attribute{name, false};
    Diagnostics ignored;
    hcl::BodyContent content =
        current->Content({.attributes = {&attribute, 1}}, hcl::Strictness::kPartial, ignored);
    if (const hcl::Attribute* found = content.Find(name)) {
      return found->expr->range();
    }
    hcl::BlockSchema block{name, {}};
    Diagnostics ignored_too;
    content = current->Content({.blocks = {&block, 1}}, hcl::Strictness::kPartial, ignored_too);
    if (content.blocks.empty()) {
      return best;
    }
    size_t index = 0;
    if (at + 1 < steps.size() && steps[at + 1].kind == PathStep::Kind::kIndex) {
      const Value& key = steps[at + 1].key;
      std::optional<int64_t> number = key.IsKnown() && !key.IsNull() && key.type() == Type::Number()
                                          ? key.AsInt64()
                                          : std::nullopt;
      if (!number || *number < 0 || static_cast<size_t>(*number) >= content.blocks.size()) {
        return content.blocks[0].def_range;
      }
      index = static_cast<size_t>(*number);
      ++at;
    }
    ++at;
    current = content.blocks[index].body;
    best = current->MissingItemRange();
  }
  return best;
}

}  // namespace

void AppendProblems(const provider::Problems& problems, const hcl::Body* body,
                    const std::string& address, Diagnostics& diags) {
  for (const provider::Problem& problem : problems) {
    Diagnostic diagnostic;
    diagnostic.severity = problem.severity;
    diagnostic.summary = problem.summary;
    diagnostic.detail = problem.detail;
    diagnostic.address = address;
    if (body != nullptr) {
      diagnostic.subject =
          problem.attribute ? RangeOfPath(*body, *problem.attribute) : body->MissingItemRange();
    }
    diags.Add(std::move(diagnostic));
  }
}

void ConfigureProvider(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  ProviderSlot& slot = walk.providers[walk.graph.node(id).index];
  if (slot.schema == nullptr || slot.node == nullptr) {
    return;
  }
  if (walk.kind == WalkKind::kValidate && slot.block == nullptr) {
    return;  // an absent block is not validated
  }
  auto start = [&](size_t row) -> std::unique_ptr<provider::Provider> {
    if (walk.input.pool != nullptr) {
      if (auto kept = walk.input.pool->Take(slot.address, row)) {
        slot.blocking = kept->blocking();
        return kept;
      }
    }
    auto started = walk.input.providers->Start(walk.program.Text(slot.address.provider));
    if (!started) {
      diags.Error("Failed to instantiate provider", started.error().message);
      return nullptr;
    }
    slot.blocking = (*started)->blocking();
    return std::move(*started);
  };
  const schema::Block& block = slot.schema->provider_config().block;
  auto configure = [&](provider::Provider& provider, const ModuleInstance* instance,
                       Repetition repetition) {
    size_t errors = diags.error_count();
    Value config = block.EmptyValue();
    const hcl::Body* body = slot.block != nullptr ? slot.block->body : nullptr;
    if (body != nullptr && instance != nullptr) {
      ModuleScope scope(walk, *instance, repetition);
      config = schema::DecodeBody(block, *body, config::kProviderMetaNames, scope, nullptr, diags);
    }
    if (diags.error_count() != errors) {
      return;
    }
    config = config.UnmarkDeep();
    std::string address = walk.program.ToText(slot.address);
    provider::Problems problems;
    provider.ValidateProviderConfig(config, problems);
    bool failed = provider::HasErrors(problems);
    AppendProblems(problems, body, address, diags);
    if (failed || walk.kind == WalkKind::kValidate) {
      return;
    }
    problems.clear();
    provider.Configure(config, problems);
    AppendProblems(problems, body, address, diags);
  };
  // A provider configuration belongs to a module without instances of its own choosing: the first
  // instance stands for it.
  const auto& instances = walk.instances[slot.node->index];
  const ModuleInstance* instance = instances.empty() ? nullptr : instances[0];
  if (slot.block != nullptr && slot.block->for_each != nullptr && instance != nullptr) {
    ModuleScope scope(walk, *instance);
    slot.expansion = Expand({.for_each = slot.block->for_each}, scope, walk.program,
                            walk.kind == WalkKind::kValidate, diags);
    if (diags.has_errors()) {
      return;
    }
    for (size_t row = 0; row < slot.expansion.size(); ++row) {
      slot.keyed.push_back(start(row));
      if (slot.keyed.back() != nullptr) {
        configure(*slot.keyed.back(), instance, Repetition{&slot.expansion, row});
      }
    }
    return;
  }
  slot.provider = start(0);
  if (slot.provider != nullptr) {
    configure(*slot.provider, instance, {});
  }
}

}  // namespace kinu::engine
