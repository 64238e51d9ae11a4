// Carrying out the change of a row: plan it again, ask the provider, check the answer, record. Ref:
// opentofu internal/tofu/node_resource_abstract_instance.go apply.
#include "base/files.h"
#include "cty/ops.h"
#include "cty/walk_inl.h"
#include "engine/rows/apply_row.h"
#include "engine/rows/provision.h"
#include "schema/marks.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

using When = config::Provisioner::When;

void ReportBug(std::string summary, const std::string& what, Diagnostics& diags) {
  diags.Error(std::move(summary),
              what + "\n\nThis is a bug of the provider: please report it to its authors.");
}

/// One error for each value that is still unknown.
void ReportUnknownResults(const Value& value, const std::string& address, Diagnostics& diags) {
  Path at;
  WalkValue(value, at, [&](const Path& path, const Value& part) {
    if (!part.IsKnown()) {
      diags.Error("Provider returned invalid result object after apply",
                  "After the apply operation, the provider still indicated an unknown value for " +
                      address + path.ToText() +
                      ". All values must be known after apply.\n\nThis is a bug of the provider: "
                      "please report it to its authors.");
    }
    return true;
  });
}

/// What the provider made of an object.
struct Applied {
  Value value;  ///< marked; null: there is none
  ProviderNotes notes;
  bool failed = false;
};

/// Checks a provider's answer to a change. `value` is what it returned, unmarked, or stands for it.
void CheckApplied(const RowContext& row, const Value& before, const Value& after,
                  const provider::ApplyResponse& response, Value& value, Diagnostics& diags,
                  size_t errors) {
  const bool deleting = after.IsNull();
  auto named = [&] {
    return text::GoQuote(row.walk().program.ToText(row.provider_info().address));
  };
  auto failed = [&] { return diags.error_count() != errors; };
  if (!response.has_state && !failed()) {
    ReportBug("Provider produced invalid object",
              "Provider " + named() + " produced an invalid nil value after apply for " +
                  row.AddressText() + ".",
              diags);
  }
  if (!value.IsWhollyKnown()) {
    ReportUnknownResults(value, row.AddressText(), diags);
    value = UnknownAsNull(value);
  }
  if (!deleting && !failed() && !response.legacy_type_system) {
    for (const ValueError& error :
         schema::CheckCompatible(row.info.schema->block, after.UnmarkDeep(), value)) {
      ReportBug("Provider produced inconsistent result after apply",
                "When applying changes to " + row.AddressText() + ", provider " + named() +
                    " produced an unexpected new value: " + error.ToText() + ".",
                diags);
    }
  }
  if (!failed() && deleting != value.IsNull()) {
    const std::string_view verb = deleting ? "Delete" : before.IsNull() ? "Create" : "Update";
    ReportBug("Provider returned invalid result object after apply",
              "After applying a " + std::string(verb) + " plan, the provider returned a " +
                  (deleting ? "non-null" : "null") + " object for " + row.AddressText() + ".",
              diags);
  }
}

/// Asks the provider for a change and checks its answer.
Applied CallApply(RowContext& row, provider::Provider& provider, const Value& before,
                  const Value& after, const Value& config, const ProviderNotes& notes,
                  Diagnostics& diags) {
  const schema::Block& block = row.info.schema->block;
  const bool deleting = after.IsNull();
  const size_t errors = diags.error_count();
  std::vector<PathMarks> marks;
  provider::ApplyRequest request;
  request.type = row.walk().program.Text(row.address.resource.resource.type);
  request.prior = before.UnmarkDeep();
  request.planned = after.ContainsMarked() ? after.UnmarkDeepWithPaths(&marks) : after;
  request.config = config.UnmarkDeep();
  request.private_data = notes.private_data;
  request.identity = notes.identity;
  provider::Problems problems;
  provider::ApplyResponse response = provider.ApplyResourceChange(request, problems);
  // A destruction has no configuration that its problems could point at.
  AppendProblems(problems, deleting ? nullptr : row.resource.body,
                 deleting ? "" : row.AddressText(), diags);
  Value value = response.has_state ? response.state
                : deleting         ? Value::Null(block.implied_type())
                                   : before.UnmarkDeep();
  CheckApplied(row, before, after, response, value, diags, errors);
  if (!value.IsNull()) {
    value = marks.empty() ? std::move(value) : value.MarkWithPaths(marks);
    value = schema::MarkSensitive(block, std::move(value));
  }
  return {std::move(value),
          {std::move(response.private_data), std::move(response.identity), false},
          diags.error_count() != errors};
}

/// Adds one to a count of the result.
void Count(Recorder& recorder, int ApplyCounts::* count) {
  std::lock_guard lock(recorder.mutex());
  ++(recorder.counts.*count);
}

/// Create, update, or the create half of a replacement of one row.
class RowApplier {
 public:
  RowApplier(ApplyContext& context, RowContext& row, uint32_t change_index, Diagnostics& diags)
      : recorder_(context.recorder),
        row_(row),
        saved_(context.plan.changes[change_index]),
        deposed_(context.deposed_keys[change_index]),
        diags_(diags) {}

  void Run() {
    provider_ = ProviderOf(row_, diags_);
    if (provider_ == nullptr || !SetAside()) {
      return;
    }
    current_ = recorder_.Current(row_.address);
    if (!PlanAgain() || !CheckPlanned()) {
      Restore();
    } else if (fate_.change.action == plan::Action::kNoOp) {
      row_.row.value = fate_.change.before;
      CheckResult(*row_.row.value);
    } else {
      CarryOut();
    }
  }

 private:
  bool creating() const { return fate_.change.action != plan::Action::kUpdate; }

  bool Record(state::ObjectRecord::Step step, state::Object object = {}) {
    state::ObjectRecord record = RecordFor(row_, step);
    record.object = std::move(object);
    if (step != state::ObjectRecord::Step::kStore) {
      record.deposed = deposed_;
    }
    return recorder_.Record(record, DurabilityOf(row_));
  }

  /// The old object makes room where the new one is created first. False when that is not kept.
  bool SetAside() {
    if (saved_.action != plan::Action::kCreateThenDelete) {
      return true;
    }
    deposed_ = RandomUuid().substr(0, 8);
    if (Record(state::ObjectRecord::Step::kDepose)) {
      return true;
    }
    (void)Record(state::ObjectRecord::Step::kRestore);
    diags_.Error("execution halted", "");
    return false;
  }

  /// Puts the old object back if nothing was made in its place.
  void Restore() {
    if (saved_.action == plan::Action::kCreateThenDelete && !recorder_.Current(row_.address)) {
      (void)Record(state::ObjectRecord::Step::kRestore);
    }
  }

  bool PlanAgain() {
    fate_.earlier = &saved_;
    if (current_) {
      fate_.object = saved_.before;
      fate_.stored.emplace();
      fate_.stored->status = current_->status;
      fate_.stored->private_data = current_->private_data;
      fate_.identity = saved_.before_identity;
    }
    return PlanChange(row_, *provider_, fate_, diags_);
  }

  /// Action and values must be those of the saved plan.
  bool CheckPlanned() {
    const size_t errors = diags_.error_count();
    const plan::Action action = fate_.change.action;
    const bool fits =
        action == saved_.action ||
        (saved_.action == plan::Action::kUpdate && action == plan::Action::kNoOp) ||
        (saved_.action == plan::Action::kForgetThenCreate && action == plan::Action::kCreate);
    auto inconsistent = [&](const std::string& what) {
      ReportBug("Provider produced inconsistent final plan",
                "When expanding the plan for " + row_.AddressText() +
                    " to include new values learned so far during apply, provider " +
                    text::GoQuote(row_.walk().program.Text(row_.provider_info().address.provider)) +
                    what + ".",
                diags_);
    };
    if (!fits) {
      inconsistent(" changed the planned action from " +
                   std::string(plan::MessageName(saved_.action)) + " to " +
                   std::string(plan::MessageName(action)));
    } else {
      for (const ValueError& error :
           schema::CheckCompatible(row_.info.schema->block, saved_.after.UnmarkDeep(),
                                   fate_.change.after.UnmarkDeep())) {
        inconsistent(" produced an invalid new value for " + error.ToText());
      }
    }
    return diags_.error_count() == errors;
  }

  void CarryOut() {
    row_.row.keeps_object = BlockKeepsObject(row_, diags_);
    const Value before =
        creating() ? Value::Null(row_.info.schema->block.implied_type()) : fate_.change.before;
    Event event{.kind = EventKind::kApplyStart,
                .address = row_.address,
                .action = creating() ? plan::Action::kCreate : plan::Action::kUpdate};
    std::tie(event.id_key, event.id_value) = IdentifyObject(before);
    row_.walk().Post(event);
    const bool may_take_long =
        row_.provider_slot().blocking || HasProvisioners(row_.resource, When::kCreate);
    const Timed watch(row_.walk().ticker, may_take_long, event);
    Applied applied = Ask(before);
    Provision(applied);
    event.elapsed_seconds = watch.seconds();
    if (applied.failed) {
      Restore();
      event.kind = EventKind::kApplyErrored;
      event.id_key.clear();
      event.id_value.clear();
      row_.walk().Post(std::move(event));
      if (!applied.value.IsNull()) {
        CheckResult(applied.value);  // what was made is judged all the same
      }
      return;
    }
    Count(recorder_, creating() ? &ApplyCounts::added : &ApplyCounts::changed);
    event.kind = EventKind::kApplyComplete;
    std::tie(event.id_key, event.id_value) = IdentifyObject(applied.value);
    row_.walk().Post(std::move(event));
    row_.row.value = applied.value;
    CheckResult(*row_.row.value);
  }

  /// Asks for the change and records what came back.
  Applied Ask(const Value& before) {
    // Where only the sensitivity changes there is nothing for the provider to do.
    const plan::ResourceChange& change = fate_.change;
    if (!creating() && Value::RawEquals(before.UnmarkDeep(), change.after.UnmarkDeep())) {
      Applied applied{change.after, {current_->private_data, saved_.before_identity, false}};
      state::Object object =
          MakeObject(row_, applied.value, applied.notes, state::ObjectStatus::kReady);
      object.status = current_->status;
      object.create_before_destroy = current_->create_before_destroy;
      object.skip_destroy = current_->skip_destroy;
      (void)Record(state::ObjectRecord::Step::kStore, std::move(object));
      return applied;
    }
    Applied applied = CallApply(row_, *provider_, before, change.after, fate_.config,
                                {change.private_data, change.after_identity}, diags_);
    if (!applied.value.IsNull()) {
      RecordObject(applied);
    } else if (applied.failed && current_) {
      (void)Record(state::ObjectRecord::Step::kStore, *current_);  // it stays as it was known
    }
    return applied;
  }

  /// A failed creation leaves something that nobody can rely on: tainted. A failed update leaves
  /// the object as it was before in that respect.
  void RecordObject(const Applied& applied) {
    state::ObjectStatus status = state::ObjectStatus::kReady;
    if (applied.failed) {
      status = creating() ? state::ObjectStatus::kTainted
               : current_ ? current_->status
                          : state::ObjectStatus::kReady;
    }
    state::Object object = MakeObject(row_, applied.value, applied.notes, status);
    if (applied.failed) {
      object.skip_destroy = current_ && current_->skip_destroy;
    }
    (void)Record(state::ObjectRecord::Step::kStore, std::move(object));
  }

  /// Runs the provisioners of a new object, which is tainted when one fails.
  void Provision(Applied& applied) {
    if (!creating() || applied.failed || !HasProvisioners(row_.resource, When::kCreate)) {
      return;
    }
    row_.row.value = applied.value;
    const size_t errors = diags_.error_count();
    RunProvisioners(row_, When::kCreate, applied.value, nullptr, diags_);
    applied.failed = diags_.error_count() != errors;
    if (applied.failed) {
      (void)Record(state::ObjectRecord::Step::kStore,
                   MakeObject(row_, applied.value, applied.notes, state::ObjectStatus::kTainted));
    }
  }

  void CheckResult(const Value& value) {
    (void)CheckConditions(row_, meta::ConditionKind::kPostcondition, row_.resource.postconditions,
                          &value, Severity::kError, diags_);
  }

  Recorder& recorder_;
  RowContext& row_;
  const plan::ResourceChange& saved_;
  std::string& deposed_;  ///< the key of the old object, for the half that destroys it
  Diagnostics& diags_;
  provider::Provider* provider_ = nullptr;
  std::optional<state::Object> current_;
  RowFate fate_;
};

/// Records what is left of an object that could not be destroyed.
void RecordSurvivor(ApplyContext& context, const RowContext& row, const std::string& deposed,
                    const state::Object& object, const Applied& applied) {
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
  record.deposed = deposed;
  record.object = MakeObject(row, applied.value, applied.notes, object.status);
  record.object.dependencies = object.dependencies;
  record.object.create_before_destroy = false;  // the next plan sets it again
  record.object.skip_destroy = object.skip_destroy;
  context.recorder.Record(record, DurabilityOf(row));
}

/// Runs the provisioners of the end of a current object. False when one failed.
bool ProvisionEnd(const ApplyContext& context, RowContext& row, const Value& before,
                  const std::string& deposed, const state::Object& object, Diagnostics& diags) {
  if (!deposed.empty() || object.status == state::ObjectStatus::kTainted) {
    return true;
  }
  const size_t errors = diags.error_count();
  RunProvisioners(row, When::kDestroy, before, &context.removed, diags);
  return diags.error_count() == errors;
}

}  // namespace

void ApplyManagedRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                     Diagnostics& diags) {
  RowApplier(context, row, change_index, diags).Run();
}

void DestroyRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                const std::string& deposed, Diagnostics& diags) {
  const plan::ResourceChange& saved = context.plan.changes[change_index];
  if (row.info.schema == nullptr) {
    diags.Error("no schema available for " + row.AddressText() +
                    " while reading state; this is a bug in OpenTofu and should be reported",
                "");
    return;
  }
  const std::optional<state::Object> object = deposed.empty()
                                                  ? context.recorder.Current(row.address)
                                                  : context.recorder.Deposed(row.address, deposed);
  if (!object) {
    return;  // gone already
  }
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  Walk& walk = row.walk();
  Event event{.kind = EventKind::kApplyStart,
              .address = row.address,
              .deposed = deposed,
              .action = plan::Action::kDelete};
  std::tie(event.id_key, event.id_value) = IdentifyObject(saved.before);
  walk.Post(event);
  const bool may_take_long =
      row.provider_slot().blocking || HasProvisioners(row.resource, When::kDestroy);
  const Timed watch(walk.ticker, may_take_long, event);
  auto post_end = [&](EventKind kind) {
    walk.Post({.kind = kind,
               .address = row.address,
               .deposed = deposed,
               .action = plan::Action::kDelete,
               .elapsed_seconds = watch.seconds()});
  };
  if (!ProvisionEnd(context, row, saved.before, deposed, *object, diags)) {
    return post_end(EventKind::kApplyErrored);
  }
  const Value nothing = Value::Null(row.info.schema->block.implied_type());
  ProviderNotes notes{object->private_data, saved.before_identity};
  if (saved.action == plan::Action::kDelete) {
    notes = {saved.private_data, saved.after_identity, false};
  }
  const Applied applied = CallApply(row, *provider, saved.before, nothing, nothing, notes, diags);
  if (applied.failed) {
    if (!applied.value.IsNull()) {
      RecordSurvivor(context, row, deposed, *object, applied);
    }
    if (deposed.empty()) {
      post_end(EventKind::kApplyErrored);
    }
    return;
  }
  ForgetRow(context, row, deposed);
  Count(context.recorder, &ApplyCounts::removed);
  post_end(EventKind::kApplyComplete);
}

void ApplyDataRow(ApplyContext& context, RowContext& row, Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  Diagnostics found;
  std::optional<Value> value = EvaluateAndRead(row, *provider, found);
  bool nested = row.resource.check >= 0;
  if (nested) {
    ReportToCheck(row, value ? nullptr : &found);
    meta::AppendAsCheckWarnings(std::move(found), diags);
  } else {
    diags.Append(std::move(found));
  }
  if (!value) {
    return;
  }
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
  record.object = MakeObject(row, *value, {}, state::ObjectStatus::kReady);
  record.object.dependencies = nullptr;
  record.object.create_before_destroy = false;
  context.recorder.Record(record, DurabilityOf(row));
  row.row.value = *value;
  (void)CheckConditions(row, meta::ConditionKind::kPostcondition, row.resource.postconditions,
                        &*row.row.value, Severity::kError, diags);
}

void ForgetRow(ApplyContext& context, RowContext& row, const std::string& deposed) {
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kRemove);
  record.deposed = deposed;
  context.recorder.Record(record, DurabilityOf(row));
}

}  // namespace kinu::engine
