#include "engine/spans.h"

#include "engine/rows/rows.h"
#include "engine/walk.h"

namespace kinu::engine {
namespace {

std::string WordsOf(const Diagnostic& diagnostic) {
  return diagnostic.detail.empty() ? diagnostic.summary
                                   : diagnostic.summary + ": " + diagnostic.detail;
}

void SetProviderInstance(trace::Span& span, const Program& program, const ProviderConfig& address,
                         const InstanceKey& key) {
  span.Set("opentofu.provider_instance.address", program.ToText(address) + program.ToText(key));
}

std::vector<std::string> TextsOf(const Program& program,
                                 const std::vector<TargetAddress>& addresses) {
  std::vector<std::string> out;
  for (const TargetAddress& address : addresses) {
    out.push_back(ToText(program, address));
  }
  return out;
}

}  // namespace

void FailSpan(trace::Span& span, const Diagnostics& diags) {
  if (!span.on() || !diags.has_errors()) {
    return;
  }
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : diags) {
    all.push_back(WordsOf(diagnostic));
  }
  if (all.size() == 1) {
    return span.Fail(std::move(all[0]));
  }
  std::string text = std::to_string(all.size()) + " problems:\n";
  for (const std::string& words : all) {
    text += "\n- " + words;
  }
  span.Fail(std::move(text));
}

std::string_view ModeWord(plan::Mode mode) {
  switch (mode) {
    case plan::Mode::kNormal:
      return "normal";
    case plan::Mode::kDestroy:
      return "destroy";
    case plan::Mode::kRefreshOnly:
      return "refresh-only";
  }
  return "";
}

void DescribePlan(trace::Span& span, const Request& request) {
  if (!span.on()) {
    return;
  }
  const Program& program = *request.config->program;
  const Options& options = request.options;
  span.Set("opentofu.plan.mode", std::string(ModeWord(options.mode)));
  span.Set("opentofu.plan.target_addrs", TextsOf(program, options.targets));
  span.Set("opentofu.plan.exclude_addrs", TextsOf(program, options.excludes));
  std::vector<std::string> replaced;
  for (const ResourceInstance& address : options.force_replace) {
    replaced.push_back(program.ToText(address));
  }
  span.Set("opentofu.plan.force_replace_addrs", std::move(replaced));
}

void RowSpan::Begin(RowStep step, trace::SpanId after) {
  if (step == RowStep::kDispose && !trace::Detailed()) {
    return;
  }
  const Walk& walk = row_.walk();
  const bool applies = step == RowStep::kApply || step == RowStep::kDispose;
  span_.emplace(kTraceScope,
                applies ? "Apply resource instance changes" : "Plan resource instance changes",
                trace::Kind::kObject, walk.phase);
  trace::Record& record = span_->record();
  record.exported = step != RowStep::kDispose;
  record.object = row_.AddressText();
  record.node = walk.scheduler.SpanOf(row_.trace_node != kNoNode ? row_.trace_node : row_.id);
  record.after = after;
  span_->Set("opentofu.resource_instance.address", record.object);
  span_->Set("opentofu.resource.type",
             std::string(walk.program.Text(row_.address.resource.resource.type)));
  if (!applies) {
    span_->Set("opentofu.plan.refresh",
               row_.node.destroying ? walk.context.request.options.refresh : walk.context.refresh);
  }
  if (step == RowStep::kPlan) {
    span_->Set("opentofu.plan.plan_changes", walk.context.mode != plan::Mode::kRefreshOnly);
  }
}

void RowSpan::Finish(const Diagnostics& diags) {
  SetProviderInstance(*span_, row_.walk().program, row_.provider_info().address,
                      row_.row.provider_key);
  FailSpan(*span_, diags);
}

void BeginProviderSpan(std::optional<trace::Span>& span, const Walk& walk, NodeId id,
                       const ProviderInfo& info, const InstanceKey& key) {
  if (!trace::On()) {
    return;
  }
  span.emplace(kTraceScope,
               walk.context.kind == WalkKind::kValidate ? "Validate provider configuration"
                                                        : "Configure provider",
               trace::Kind::kObject, walk.phase);
  span->record().object = walk.program.ToText(info.address) + walk.program.ToText(key);
  span->record().node = walk.scheduler.SpanOf(id);
  span->Set("opentofu.provider.source", std::string(walk.program.Text(info.address.provider)));
  span->Set("opentofu.provider_config.address", walk.program.ToText(info.address));
  SetProviderInstance(*span, walk.program, info.address, key);
}

}  // namespace kinu::engine
