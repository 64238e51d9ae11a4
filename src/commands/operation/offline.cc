#include "operation/offline.h"

#include <numeric>

#include "base/files.h"
#include "json/tree.h"
#include "json/writer.h"
#include "plan_json/documents.h"

namespace kinu::operation {
namespace {

using plan::Certainty;

void ReadSchemas(const std::string& path, view::GivenSchemas& given, Diagnostics& diags) {
  auto text = ReadFile(path);
  if (!text) {
    diags.Error("Failed to read schemas", text.error().message);
    return;
  }
  const auto document = json::Document::Parse(*std::move(text));
  const json::Node providers = document && (*document)->root().is_object()
                                   ? (*document)->root().Find("provider_schemas")
                                   : json::Node();
  if (!providers) {
    diags.Error("Failed to read schemas", path + " is not what \"providers schema -json\" prints.");
  } else if (const auto added = given.Add(providers); !added) {
    diags.Error("Failed to read schemas", path + ": " + added.error().message);
  }
}

std::string Count(size_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : several);
}

}  // namespace

std::unique_ptr<OfflinePlanning> OfflinePlanning::Open(session::ProviderSet& providers,
                                                       const std::string& schemas_file,
                                                       Diagnostics& diags) {
  std::unique_ptr<OfflinePlanning> out(new OfflinePlanning());
  if (!schemas_file.empty()) {
    ReadSchemas(schemas_file, out->given_, diags);
  }
  out->schemas_ = std::make_unique<session::OfflineSchemas>(
      providers, [given = &out->given_](std::string_view address) { return given->Find(address); });
  out->providers_ = std::make_unique<session::OfflineProviders>(*out->schemas_);
  return out;
}

void OfflinePlanning::Answer(engine::Request& request) {
  providers_->PlanFrom(*request.prior_state);
  request.providers = providers_.get();
  judge_.Begin(*request.config);
  request.inspector = &judge_;
}

OfflineReport::OfflineReport(const plan::Plan& plan, const engine::CertaintyJudge& judge)
    : plan_(plan), judge_(judge) {
  for (const plan::ResourceChange& change : plan.changes) {
    const Certainty certainty = judge.Of(plan, change);
    if (change.action != plan::Action::kNoOp) {
      ++counts_[static_cast<size_t>(certainty)];
    } else if (certainty != Certainty::kCertain) {
      ++kept_;
    }
  }
  for (const plan::OutputChange& output : plan.outputs) {
    outputs_ += output.action == plan::Action::kNoOp ? 0 : 1;
    open_outputs_ += judge.Of(plan, output) == Certainty::kCertain ? 0 : 1;
  }
}

std::string_view OfflineReport::Remark(const plan::ResourceChange& change) const {
  switch (judge_.Of(plan_, change)) {
    case Certainty::kCertain:
      return "certain";
    case Certainty::kAtLeast:
      return "at least this: the provider may have to replace it";
    case Certainty::kOpen:
      return change.action == plan::Action::kRead ? "not read: this depends on the provider"
                                                  : "depends on the provider";
  }
  return {};
}

std::string OfflineReport::Counts() const {
  const auto count = [this](Certainty certainty) {
    return std::to_string(counts_[static_cast<size_t>(certainty)]);
  };
  return count(Certainty::kCertain) + " certain, " + count(Certainty::kAtLeast) +
         " at least that, " + count(Certainty::kOpen) + " up to providers";
}

std::string OfflineReport::Summary() const {
  const size_t all = std::accumulate(counts_.begin(), counts_.end(), size_t{0});
  std::string text = "The plan is incomplete, because no provider was asked. Of " +
                     Count(all, "change", "changes") + ": " + Counts() + '.';
  if (kept_ > 0) {
    text += " " + Count(kept_, "object stays as it is if its provider agrees.",
                        "objects stay as they are if their providers agree.");
  }
  if (open_outputs_ > 0) {
    text += " " + Count(open_outputs_, "output has a value that depends on providers.",
                        "outputs have values that depend on providers.");
  } else if (outputs_ > 0) {
    text += " All changes of outputs are certain.";
  }
  return text;
}

std::string OfflineReport::OutputList() const {
  std::string text;
  JsonWriter out(text);
  out.BeginArray();
  for (const plan::OutputChange& output : plan_.outputs) {
    out.BeginObject();
    out.Member("name", output.name);
    out.Member("action", view::ActionWord(output.action));
    out.Member("certainty", plan::CertaintyName(judge_.Of(plan_, output)));
    out.EndObject();
  }
  out.EndArray();
  return text;
}

std::vector<std::pair<std::string, std::string>> OfflineReport::Members() const {
  std::string changes;
  JsonWriter out(changes);
  out.BeginArray();
  for (const plan::ResourceChange& change : plan_.changes) {
    out.BeginObject();
    out.Member("addr", plan_.program->ToText(change.address));
    if (!change.deposed.empty()) {
      out.Member("deposed", change.deposed.text());
    }
    out.Member("action", view::ActionWord(change.action));
    out.Member("certainty", plan::CertaintyName(judge_.Of(plan_, change)));
    out.EndObject();
  }
  out.EndArray();
  return {{"complete", "false"}, {"changes", std::move(changes)}, {"outputs", OutputList()}};
}

}  // namespace kinu::operation
