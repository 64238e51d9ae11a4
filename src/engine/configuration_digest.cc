#include "engine/configuration_digest.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "codec/hash.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "engine/module_references.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

/// The first 64 bits; never 0.
uint64_t DigestOf(std::string_view text) {
  const std::string digits = HexDigest(HashKind::kSha256, text).substr(0, 16);
  uint64_t digest = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  return std::max<uint64_t>(digest, 1);
}

/// Appends a value without its marked parts, so that nobody can guess them.
void AppendPublic(const Value& value, std::string& out) {
  if (value.IsMarked()) {
    out += '?';
    return;
  }
  const TypeKind kind = value.kind();
  const bool named = kind == TypeKind::kMap || kind == TypeKind::kObject;
  const bool listed = kind == TypeKind::kList || kind == TypeKind::kTuple || kind == TypeKind::kSet;
  if (value.IsNull() || (!named && !listed)) {
    out += ValueToJson(value, value.type()).value_or("");
    return;
  }
  out += '(';
  for (size_t i = 0; i < value.elements().size(); ++i) {
    if (named) {
      Path name;
      name.Push(StepToElement(value, i));
      out += name.ToText();
    }
    out += '=';
    AppendPublic(value.elements()[i], out);
    out += ';';
  }
  out += ')';
}

/// Appends what the traversal names. Keys of indexes are left out: they may be anything.
void AppendTraversal(const hcl::TraversalExpr& traversal, std::string& out) {
  out += traversal.root.view();
  for (const hcl::TraversalStep& step : traversal.steps) {
    const bool named = step.kind == hcl::TraversalStep::Kind::kAttribute;
    out += named ? "." + std::string(step.name()) : "[]";
  }
  out += '\n';
}

/// The digest of the provider configuration that serves the row; 0: unknown.
uint64_t ProviderDigest(const RowContext& row) {
  const ProviderSlot& slot = row.provider_slot();
  if (slot.keyed.empty()) {
    return slot.digests.size() == 1 ? slot.digests[0] : 0;
  }
  for (size_t i = 0; i < slot.digests.size() && slot.digests.size() == slot.keyed.size(); ++i) {
    if (slot.expansion.key(i) == row.row.provider_key) {
      return slot.digests[i];
    }
  }
  return 0;
}

}  // namespace

uint64_t DigestOfProvider(const Walk& walk, const ProviderInfo& info, const Value& config) {
  const Request& request = walk.context.request;
  if (!request.options.refresh_changed || !config.IsWhollyKnown()) {
    return 0;
  }
  std::string text = walk.program.ToText(info.address) + '\n';
  if (request.provider_version) {
    text += request.provider_version(walk.program.Text(info.address.provider));
  }
  text += '\n';
  AppendPublic(schema::MarkSensitive(info.schema->provider_config().block, config), text);
  return DigestOf(text);
}

uint64_t DigestOfConfiguration(const RowContext& row) {
  const Walk& walk = row.walk();
  if (!walk.context.request.options.refresh_changed || row.instance == nullptr ||
      row.resource.body == nullptr ||
      row.address.resource.resource.mode != ResourceMode::kManaged) {
    return 0;
  }
  const uint64_t provider = ProviderDigest(row);
  if (provider == 0) {
    return 0;
  }
  const Node& node = walk.graph.node(row.id);
  std::string text = std::to_string(provider) + '\n' + std::to_string(row.info.schema->version) +
                     '\n' + std::string(walk.program.Text(row.resource.name.type)) + '\n';
  const config::Module& module = *walk.config.nodes[node.config_node]->module;
  for (const hcl::TraversalExpr* traversal :
       walk.graph.references().OfBody(module, node.index).traversals) {
    AppendTraversal(*traversal, text);
  }
  return DigestOf(text);
}

}  // namespace kinu::engine
