#include "cli/edit_selector.h"

#include "operation/documents.h"
#include "query/evaluate.h"

namespace kinu::cli {
namespace {

using json::Node;
using session::Capture;
using session::LineWord;
using session::PatternStep;
using tfjson::TrailStep;

/// The object of a resource that a trail leads to or into: `values.root_module`, any number of
/// `child_modules[…]`, `resources[…]`. No node if it leads elsewhere.
Node ResourceAt(const Node& found, std::span<const TrailStep> trail) {
  const auto node = [&](size_t depth) {
    return depth < trail.size() ? trail[depth].container : found;
  };
  const auto is = [&](size_t depth, std::string_view name) {
    return depth < trail.size() && trail[depth].name && trail[depth].name.Is(name);
  };
  if (!is(0, "values") || !is(1, "root_module")) {
    return {};
  }
  size_t depth = 2;
  while (is(depth, "child_modules")) {
    depth += 2;
  }
  return is(depth, "resources") && depth + 1 < trail.size() ? node(depth + 2) : Node();
}

/// Adds the capture of a name. False if it has several wildcards.
bool AddName(const session::Glob& glob, std::string_view name, std::vector<Capture>& captures) {
  if (glob.wildcards() == 0) {
    return true;
  }
  captures.push_back({.text = std::string(name), .key = {}});
  return glob.wildcards() == 1;
}

}  // namespace

bool IsSelector(const LineWord& word) {
  return word.text.starts_with('$');
}

bool StateSelection::Read(const LineWord& word) {
  if (document_ != nullptr) {
    return true;
  }
  auto text = operation::StateJson(run_.invocation.workspace, state_, run_.diags);
  if (!text) {
    return false;
  }
  auto document = json::Document::Parse(*std::move(text));
  if (!document) {
    run_.diags.Error("Failed to read document", document.error().message + ".", word.range);
    return false;
  }
  document_ = *std::move(document);
  return true;
}

std::vector<ResourceInstance> StateSelection::Select(const LineWord& word) {
  const auto selector = query::ParseSelector(word.text);
  if (!selector) {
    SourceRange range = word.range;
    if (word.verbatim) {
      range.begin += static_cast<uint32_t>(selector.error().offset);
      range.end = range.begin;
    }
    run_.diags.Error("Invalid selector", selector.error().message + ".", range);
    return {};
  }
  std::vector<ResourceInstance> out;
  if (!Read(word)) {
    return out;
  }
  FlatSet<ResourceInstance> seen;
  query::Evaluator evaluator(document_->root());
  evaluator.Run(selector->segments, document_->root(),
                [&](const Node& found, std::span<const TrailStep> trail) {
                  const Node resource = ResourceAt(found, trail);
                  const Node address = resource ? resource.Find("address") : Node();
                  ResourceInstance instance;
                  if (address && address.is_string() &&
                      run_.program->ParseResourceInstance(address.String(), &instance) &&
                      seen.insert(instance).second) {
                    out.push_back(instance);
                  }
                  return true;
                });
  if (evaluator.problem()) {
    run_.diags.Error("Invalid selector", json::DescribeProblem(*evaluator.problem()) + ".",
                     word.range);
    return {};
  }
  return out;
}

std::optional<std::string> DestinationOf(const Program& program, const ResourceInstance& instance,
                                         session::AddressPattern pattern) {
  std::vector<Capture> captures;
  for (const PatternStep& step : pattern.modules) {
    if (step.any_modules) {
      captures.push_back(
          {.text = program.ToText(instance.resource.module), .key = {}, .modules = true});
    } else if (step.name.wildcards() > 0 || step.key == PatternStep::Key::kAny ||
               (step.key == PatternStep::Key::kString && step.text.wildcards() > 0)) {
      return std::nullopt;
    }
  }
  const ResourceName& name = instance.resource.resource;
  PatternStep& last = pattern.resource;
  if (pattern.is_module || !AddName(pattern.type, program.Text(name.type), captures) ||
      !AddName(last.name, program.Text(name.name), captures) ||
      (last.key == PatternStep::Key::kString && last.text.wildcards() > 0)) {
    return std::nullopt;
  }
  if (last.key == PatternStep::Key::kAny && instance.key.none()) {
    last.key = PatternStep::Key::kNone;
  } else if (last.key == PatternStep::Key::kAny) {
    captures.push_back({.text = {}, .key = instance.key});
  }
  const auto text = session::Substitute(program, pattern, captures);
  return text ? std::optional(*text) : std::nullopt;
}

}  // namespace kinu::cli
