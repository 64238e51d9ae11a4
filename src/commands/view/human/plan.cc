#include "view/human/plan.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/pieces.h"
#include "base/program_name.h"
#include "compatibility/features.h"
#include "cty/ops.h"
#include "plan_json/documents.h"
#include "text/unicode.h"
#include "view/human/change_heading.h"
#include "view/human/render.h"

namespace kinu::view {

using plan::Action;
using plan::Mode;
using plan::Plan;
using plan::Reason;
using plan::ResourceChange;

namespace {

std::string_view LegendLine(Action action) {
  switch (action) {
    case Action::kCreate:
      return "  [green]+[reset] create";
    case Action::kUpdate:
      return "  [yellow]~[reset] update in-place (current -> planned)";
    case Action::kDelete:
      return "  [red]-[reset] destroy";
    case Action::kDeleteThenCreate:
      return "[red]-[reset]/[green]+[reset] destroy and then create replacement";
    case Action::kCreateThenDelete:
      return "[green]+[reset]/[red]-[reset] create replacement and then destroy";
    case Action::kRead:
      return " [cyan]<=[reset] read (data resources)";
    case Action::kForgetThenCreate:
      return "[red].[reset]/[green]+[reset] forget and then create replacement";
    case Action::kForget:
      return "  [red].[reset] forget";
    case Action::kNoOp:
      return {};
  }
  return {};
}

bool CheckBlocksPass(const Plan& plan) {
  return std::ranges::all_of(plan.checks, [](const state::CheckResult& check) {
    return check.block.kind != CheckableKind::kCheck || check.status == CheckStatus::kPass;
  });
}

constexpr std::array kLegendOrder = {Action::kCreate,           Action::kUpdate,
                                     Action::kDelete,           Action::kDeleteThenCreate,
                                     Action::kCreateThenDelete, Action::kRead,
                                     Action::kForgetThenCreate, Action::kForget};

class PlanText {
 public:
  PlanText(const TextSink& sink, const Plan& plan, const SchemaLookup& schemas,
           const terminal::Style& style, const PlanTextOptions& options)
      : sink_(sink),
        plan_(plan),
        program_(*plan.program),
        schemas_(schemas),
        style_(style),
        options_(options),
        renderer_(style),
        checks_pass_(CheckBlocksPass(plan)) {}

  Result<void> Render();
  Result<void> RenderOnly(std::span<const ResourceChange* const> changes,
                          const std::function<bool(const plan::OutputChange&)>& shows_output);

 private:
  struct Drifted {
    const ResourceChange* change;
    Diff diff;
  };
  struct Listed {
    const ResourceChange* change;
    const schema::ResourceSchema* schema = nullptr;
  };

  Result<const schema::ResourceSchema*> SchemaOf(const ResourceChange& change) const;
  static Diff DiffOf(const ResourceChange& change, const schema::ResourceSchema& schema,
                     PathMatcher relevant);
  void CollectListed();
  bool IsListed(const ResourceChange& change) const;
  bool IsShown(const ResourceChange& change) const;
  Result<void> FindSchemas();
  /// Which parts of each object the plan follows from.
  FlatMap<ResourceInstance, PathMatcher> RelevantParts() const;
  Result<void> RenderDrift();
  Result<bool> HasNoOtherChange() const;
  void RenderNoChanges();
  /// Says what follows from a plan without changes and drift.
  void ExplainNoDifferences();
  void RenderLegend();
  Result<void> RenderChanges();
  Result<void> StreamListed();
  void RenderHidden();
  void RenderSummary();
  std::string OutputLines(const std::function<bool(const plan::OutputChange&)>& shows_output = {});
  void RenderListed(size_t begin, size_t end, std::string& out) const;
  void RenderChange(const ResourceChange& change, const Diff& diff, bool drift,
                    std::string& out) const;
  std::vector<const ResourceChange*> InOrder(const plan::BoxList<ResourceChange>& changes) const;

  void Line(std::string_view text) {
    out_ += text;
    out_ += '\n';
  }
  void Paragraph(std::string_view text) { Line(terminal::WordWrap(text, options_.width)); }
  void Rule() {
    out_ += terminal::HorizontalRule(style_, options_.width);
    out_ += '\n';
  }
  bool ChangesNoObject() const {
    return std::ranges::all_of(counts_, [](size_t count) { return count == 0; });
  }
  size_t Count(Action action) const { return counts_[static_cast<size_t>(action)]; }

  const TextSink& sink_;
  const Plan& plan_;
  const Program& program_;
  const SchemaLookup& schemas_;
  const terminal::Style& style_;
  const PlanTextOptions& options_;
  Renderer renderer_;
  const bool checks_pass_;  // all check blocks do
  std::string out_;         // what the sink does not have yet
  std::vector<Listed> listed_;
  std::array<size_t, 9> counts_{};
  std::array<size_t, 9> shown_counts_{};
  size_t hidden_ = 0;  // changes that options_.actions leaves out
  size_t imports_ = 0;
  size_t forgets_ = 0;
  bool shows_drift_ = false;
};

std::vector<const ResourceChange*> PlanText::InOrder(
    const plan::BoxList<ResourceChange>& changes) const {
  std::vector<const ResourceChange*> order;
  for (const ResourceChange& change : changes) {
    if (change.address.resource.resource.mode != ResourceMode::kEphemeral) {
      order.push_back(&change);
    }
  }
  const auto before = [this](const ResourceChange* a, const ResourceChange* b) {
    if (a->address != b->address) {
      return program_.Less(a->address, b->address);
    }
    return a->deposed.text() < b->deposed.text();
  };
  if (!std::ranges::is_sorted(order, before)) {  // those of a new plan are
    std::ranges::stable_sort(order, before);
  }
  return order;
}

Result<const schema::ResourceSchema*> PlanText::SchemaOf(const ResourceChange& item) const {
  const ResourceName& name = item.address.resource.resource;
  const std::string_view provider = ProviderName(program_, item.provider);
  const schema::ResourceSchema* schema =
      schemas_.FindResource(provider, name.mode, program_.Text(name.type));
  if (schema == nullptr) {
    return Fail(ErrorCode::kNotFound, "no schema found for " + program_.ToText(item.address) +
                                          " (in provider " + std::string(provider) + ")");
  }
  return schema;
}

Diff PlanText::DiffOf(const ResourceChange& item, const schema::ResourceSchema& schema,
                      PathMatcher relevant) {
  Change change = Change::Of(item.before, item.after);
  change.replace = PathMatcher(item.required_replace, /*propagate=*/false);
  change.relevant = std::move(relevant);
  return DiffBlock(change, schema.block);
}

/// Whether plans list a change at all.
bool PlanText::IsListed(const ResourceChange& change) const {
  if (change.action == Action::kNoOp) {
    return Moved(change) || change.importing;
  }
  return change.action != Action::kDelete ||
         change.address.resource.resource.mode == ResourceMode::kManaged;
}

/// Whether -actions lists a change.
bool PlanText::IsShown(const ResourceChange& change) const {
  const tfjson::ActionFilter* filter = options_.actions;
  if (filter == nullptr) {
    return true;
  }
  if (change.reason == Reason::kReadCheckNested && checks_pass_) {
    return false;
  }
  return filter->Has(ActionWord(change.action)) || (filter->has_imports() && change.importing) ||
         (filter->has_moves() && Moved(change));
}

void PlanText::CollectListed() {
  for (const ResourceChange* change : InOrder(plan_.changes)) {
    if (!IsListed(*change)) {
      continue;
    }
    const auto action = static_cast<size_t>(change->action);
    if (IsShown(*change)) {
      listed_.push_back({.change = change});
      shown_counts_[action] += change->action == Action::kNoOp ? 0 : 1;
    } else {
      ++hidden_;
    }
    imports_ += change->importing ? 1 : 0;
    forgets_ += change->action == Action::kForget || change->action == Action::kForgetThenCreate;
    if (change->action != Action::kNoOp) {
      ++counts_[action];
    }
  }
}

/// Changes are rendered on several threads; schemas are looked up before, on one.
Result<void> PlanText::FindSchemas() {
  for (Listed& listed : listed_) {
    KINU_TRY(listed.schema, SchemaOf(*listed.change));
  }
  return {};
}

void PlanText::RenderChange(const ResourceChange& change, const Diff& diff, bool drift,
                            std::string& out) const {
  const ResourceName& name = change.address.resource.resource;
  out += '\n';
  AppendHeading(out, program_, style_, change, drift);
  if (options_.remark && !drift) {
    style_.PaintTo(out, "  # [reset](" + std::string(options_.remark(change)) + ")\n");
  }
  out += renderer_.Symbol(change.action);
  out += name.mode == ResourceMode::kManaged ? " resource \"" : " data \"";
  out += program_.Text(name.type);
  out += "\" \"";
  out += program_.Text(name.name);
  out += "\" ";
  const bool forget = change.action == Action::kForget;
  renderer_.Render(out, diff, 0,
                   {.no_null_suffix = forget,
                    .show_unchanged = change.importing.has_value(),
                    .hide_symbols = forget,
                    .show_sensitive = options_.show_sensitive});
  out += '\n';
}

/// Whether the plan changes nothing, apart from drift.
Result<bool> PlanText::HasNoOtherChange() const {
  for (const plan::OutputChange& output : plan_.outputs) {
    if (output.action != Action::kNoOp) {
      return false;
    }
  }
  for (const ResourceChange& change : plan_.changes) {
    if (change.address.resource.resource.mode == ResourceMode::kEphemeral ||
        (change.address.resource.resource.mode == ResourceMode::kData &&
         change.action == Action::kDelete)) {
      continue;
    }
    if (Moved(change)) {
      return false;
    }
    KINU_TRY(const schema::ResourceSchema* schema, SchemaOf(change));
    if (DiffOf(change, *schema, PathMatcher::All()).action != Action::kNoOp) {
      return false;
    }
  }
  return true;
}

FlatMap<ResourceInstance, PathMatcher> PlanText::RelevantParts() const {
  FlatMap<ResourceInstance, PathMatcher> parts;
  for (const plan::RelevantAttribute& attribute : plan_.relevant_attributes) {
    const auto [place, added] =
        parts.try_emplace(attribute.resource, PathMatcher({}, /*propagate=*/true));
    place.value().Add(attribute.attribute);
  }
  return parts;
}

Result<void> PlanText::RenderDrift() {
  const bool refresh_only = plan_.mode == Mode::kRefreshOnly;
  if (plan_.drift.empty()) {
    return {};
  }
  const FlatMap<ResourceInstance, PathMatcher> relevant_of = RelevantParts();
  std::vector<Drifted> drifted;
  for (const ResourceChange* change : InOrder(plan_.drift)) {
    if (change->action == Action::kNoOp && !refresh_only) {
      continue;
    }
    PathMatcher relevant = PathMatcher::All();
    if (!refresh_only) {
      const auto found = relevant_of.find(change->address);
      if (found == relevant_of.end()) {
        continue;
      }
      relevant = found->second;
    }
    KINU_TRY(const schema::ResourceSchema* schema, SchemaOf(*change));
    Diff diff = DiffOf(*change, *schema, std::move(relevant));
    if (refresh_only || diff.action != Action::kNoOp) {
      if (IsShown(*change)) {
        drifted.push_back({change, std::move(diff)});
      } else {
        ++hidden_;
      }
    }
  }
  if (drifted.empty()) {
    return {};
  }
  if (!refresh_only) {
    const Result<bool> nothing_else = HasNoOtherChange();
    if (!nothing_else) {
      return std::unexpected(nothing_else.error());
    }
    if (*nothing_else) {
      return {};
    }
  }
  shows_drift_ = true;
  out_ +=
      style_.Paint("\n[bold][cyan]Note:[reset][bold] Objects have changed outside of OpenTofu\n");
  out_ += '\n';
  out_ += terminal::WordWrap(
      Hint("OpenTofu detected the following changes made outside of OpenTofu since the last \"tofu "
           "apply\" which may have affected this plan:\n"),
      options_.width);
  for (const Drifted& item : drifted) {
    const ResourceChange& change = *item.change;
    if (change.action == Action::kNoOp && !Moved(change) && !change.importing) {
      continue;
    }
    RenderChange(change, item.diff, /*drift=*/true, out_);
  }
  Paragraph(refresh_only
                ? "\n\nThis is a refresh-only plan, so OpenTofu will not take any actions to undo "
                  "these. If you were expecting these changes then you can apply this plan to "
                  "record the updated values in the OpenTofu state without changing any remote "
                  "objects."
                : "\n\nUnless you have made equivalent changes to your configuration, or ignored "
                  "the relevant attributes using ignore_changes, the following plan may include "
                  "actions to undo or respond to these changes.");
  return {};
}

void PlanText::ExplainNoDifferences() {
  if (!compatibility::Has(compatibility::Feature::kQuietNoChanges)) {
    Paragraph(
        "OpenTofu has compared your real infrastructure against your configuration and found no "
        "differences, so no changes are needed.");
    return;
  }
  if (plan_.targets.empty()) {
    return;
  }
  Paragraph(
      "\nNote: You used the -target option, so OpenTofu only checked resources matching those "
      "targets "
      "and may have skipped others. If you expected changes to appear, verify that the addresses "
      "passed to -target are correct.");
}

void PlanText::RenderNoChanges() {
  const bool quiet = compatibility::Has(compatibility::Feature::kQuietNoChanges);
  const auto headline = [this](std::string_view rest, std::string_view end = "\n\n") {
    std::string markup = "\n[reset][bold][green]No changes.[reset][bold] ";
    markup += rest;
    markup += "[reset]";
    markup += end;
    out_ += style_.Paint(markup);
  };
  const auto rule_after_drift = [this] {
    if (shows_drift_) {
      Rule();
    }
  };
  if (plan_.errored) {
    rule_after_drift();
    out_ += style_.Paint(
        "\n[reset][bold][red]Planning failed.[reset][bold] OpenTofu encountered an error while "
        "generating this plan.[reset]\n\n");
    return;
  }
  switch (plan_.mode) {
    case Mode::kRefreshOnly:
      if (!shows_drift_) {
        headline("Your infrastructure still matches the configuration.");
        Paragraph(
            "OpenTofu has checked that the real remote objects still match the result of your most "
            "recent changes, and found no differences.");
      }
      return;
    case Mode::kDestroy:
      rule_after_drift();
      headline("No objects need to be destroyed.");
      Paragraph(
          "Either you have not created any objects yet or the existing objects were already "
          "deleted outside of OpenTofu.");
      return;
    case Mode::kNormal:
      rule_after_drift();
      headline("Your infrastructure matches the configuration.",
               quiet && !shows_drift_ ? "\n" : "\n\n");
      if (!shows_drift_) {
        ExplainNoDifferences();
      } else if (options_.can_apply.value_or(plan_.CanApply())) {
        Paragraph(
            "Your configuration already matches the changes detected above, so applying this plan "
            "will only update the state to include the changes detected above and won't change "
            "any real infrastructure.");
      } else {
        std::string text =
            "Your configuration already matches the changes detected above. If you'd like to "
            "update the OpenTofu state to match, create and apply a refresh-only plan";
        text += options_.in_automation ? "." : Hint(":\n  tofu apply -refresh-only");
        Paragraph(text);
      }
      return;
  }
}

void PlanText::RenderLegend() {
  if (std::ranges::all_of(shown_counts_, [](size_t count) { return count == 0; })) {
    return;
  }
  Paragraph((options_.remark ? "\nThis is what is known without them. "
                             : "\nOpenTofu used the selected providers to generate the following "
                               "execution plan. ") +
            std::string("Resource actions are indicated with the following symbols:"));
  for (const Action action : kLegendOrder) {
    if (shown_counts_[static_cast<size_t>(action)] > 0) {
      Line(style_.Paint(LegendLine(action)));
    }
  }
}

Result<void> PlanText::RenderChanges() {
  if (listed_.empty()) {
    if (hidden_ > 0 && !ChangesNoObject()) {
      RenderSummary();
    }
    return {};
  }
  out_ += plan_.errored
              ? "\nOpenTofu planned the following actions, but then encountered a problem:\n"
              : "\nOpenTofu will perform the following actions:\n";
  sink_(std::exchange(out_, {}));
  auto done = StreamListed();
  RenderSummary();
  return done;
}

Result<void> PlanText::StreamListed() {
  constexpr size_t kPiece = 128;
  return StreamInPieces(
      listed_.size(), kPiece,
      [this](size_t begin, size_t end, std::string& out) -> Result<void> {
        RenderListed(begin, end, out);
        return {};
      },
      sink_);
}

void PlanText::RenderListed(size_t begin, size_t end, std::string& out) const {
  for (size_t i = begin; i < end; ++i) {
    const auto& [change, schema] = listed_[i];
    RenderChange(*change, DiffOf(*change, *schema, PathMatcher::All()), /*drift=*/false, out);
  }
}

void PlanText::RenderSummary() {
  const size_t replaced = Count(Action::kDeleteThenCreate) + Count(Action::kCreateThenDelete);
  const size_t add = Count(Action::kCreate) + replaced + Count(Action::kForgetThenCreate);
  const size_t destroy = Count(Action::kDelete) + replaced;
  std::string text = "\n[bold]Plan:[reset] ";
  if (imports_ > 0) {
    text += std::to_string(imports_) + " to import, ";
  }
  text += std::to_string(add) + " to add, " + std::to_string(Count(Action::kUpdate)) +
          " to change, " + std::to_string(destroy) + " to destroy";
  if (forgets_ > 0) {
    text += ", " + std::to_string(forgets_) + " to forget";
  }
  out_ += style_.Paint(text + ".\n");
}

/// Says what -actions has left out.
void PlanText::RenderHidden() {
  if (hidden_ > 0) {
    const std::string count = std::to_string(hidden_);
    Paragraph("\n" + count + (hidden_ == 1 ? " change is" : " changes are") +
              " not shown (-actions=" + options_.actions->text() + ").");
  }
}

std::string PlanText::OutputLines(
    const std::function<bool(const plan::OutputChange&)>& shows_output) {
  size_t width = 0;
  std::string quoted;
  for (const plan::OutputChange& output : plan_.outputs) {
    width = std::max(width, terminal::AttributeName(output.name, quoted).size());
  }
  std::string lines;
  for (const plan::OutputChange& output : plan_.outputs) {
    if (shows_output && !shows_output(output)) {
      continue;
    }
    Change change = Change::Of(output.before, output.after);
    change.before_sensitive = change.after_sensitive = output.sensitive;
    change.before_marks = change.after_marks = false;
    const Diff diff = DiffDynamic(change);
    if (diff.action == Action::kNoOp) {
      continue;
    }
    if (options_.actions != nullptr && !options_.actions->Has(ActionWord(diff.action))) {
      ++hidden_;
      continue;
    }
    const std::string_view name = terminal::AttributeName(output.name, quoted);
    const size_t size = text::CodePointCount(name);
    lines += renderer_.Symbol(diff.action);
    lines += ' ';
    lines += name;
    lines.append(width > size ? width - size : 0, ' ');
    lines += " = ";
    renderer_.Render(lines, diff, 0, {.show_sensitive = options_.show_sensitive});
    lines += '\n';
  }
  return lines;
}

Result<void> PlanText::Render() {
  CollectListed();
  if (auto done = RenderDrift(); !done) {
    return done;
  }
  if (auto done = FindSchemas(); !done) {
    return done;
  }
  const std::string outputs = OutputLines();
  if (listed_.empty() && outputs.empty() && hidden_ == 0) {
    RenderNoChanges();
    // OpenTofu ends these texts with a rule if drift was shown.
    if (shows_drift_ && (plan_.mode == Mode::kDestroy || plan_.errored)) {
      Rule();
    }
    sink_(out_);
    return {};
  }
  if (shows_drift_) {
    Rule();
  }
  RenderLegend();
  if (auto done = RenderChanges(); !done) {
    return done;
  }
  if (!outputs.empty()) {
    out_ += "\nChanges to Outputs:\n";
    out_ += outputs;
    if (ChangesNoObject() && !options_.remark) {
      Paragraph(
          "\nYou can apply this plan to save these new output values to the OpenTofu state, "
          "without changing any real infrastructure.");
    }
  }
  RenderHidden();
  sink_(out_);
  return {};
}

Result<void> PlanText::RenderOnly(
    std::span<const ResourceChange* const> changes,
    const std::function<bool(const plan::OutputChange&)>& shows_output) {
  for (const ResourceChange* change : changes) {
    listed_.push_back({.change = change});
  }
  if (auto done = FindSchemas(); !done) {
    return done;
  }
  if (auto done = StreamListed(); !done) {
    return done;
  }
  if (const std::string outputs = OutputLines(shows_output); !outputs.empty()) {
    sink_("\nChanges to Outputs:\n" + outputs);
  }
  return {};
}

bool HasInfiniteOutput(const Plan& plan) {
  return std::ranges::any_of(plan.outputs, [](const plan::OutputChange& output) {
    return ContainsInfinity(output.before) || ContainsInfinity(output.after);
  });
}

}  // namespace

Result<void> RenderPlanTo(const TextSink& sink, const Plan& plan, const SchemaLookup& schemas,
                          const terminal::Style& style, const PlanTextOptions& options) {
  if (HasInfiniteOutput(plan)) {
    return Fail(ErrorCode::kInvalid, "cannot serialize infinity as JSON");
  }
  return PlanText(sink, plan, schemas, style, options).Render();
}

Result<void> RenderChangesTo(const TextSink& sink, const Plan& plan,
                             std::span<const ResourceChange* const> changes,
                             const std::function<bool(const plan::OutputChange&)>& shows_output,
                             const SchemaLookup& schemas, const terminal::Style& style,
                             const PlanTextOptions& options) {
  if (HasInfiniteOutput(plan)) {
    return Fail(ErrorCode::kInvalid, "cannot serialize infinity as JSON");
  }
  return PlanText(sink, plan, schemas, style, options).RenderOnly(changes, shows_output);
}

Result<std::string> RenderPlan(const Plan& plan, const SchemaLookup& schemas,
                               const terminal::Style& style, const PlanTextOptions& options) {
  std::string text;
  auto done =
      RenderPlanTo([&](std::string_view piece) { text += piece; }, plan, schemas, style, options);
  return done ? Result<std::string>(std::move(text)) : std::unexpected(std::move(done).error());
}

}  // namespace kinu::view
