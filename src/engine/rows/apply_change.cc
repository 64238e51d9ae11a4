// Execution of the change of a row: plan it again, call the provider, check its answer, record.
// Ref: opentofu internal/tofu/node_resource_abstract_instance.go apply.
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

/// A change that a provider is asked to make.
struct ChangeRequest {
  const RowContext& row;
  provider::Provider& provider;
  Value before;  ///< marked; null: the object is created
  Value after;   ///< marked; null: the object is destroyed
  Value config;  ///< marked; null: the object is destroyed
  ProviderNotes notes;

  bool deleting() const { return after.IsNull(); }
};

/// The object that a provider returned.
struct Applied {
  Value value;  ///< marked; null: there is none
  ProviderNotes notes;
  bool failed = false;
};

/// "Create", "Update" or "Delete".
std::string_view NameOf(const ChangeRequest& request) {
  if (request.deleting()) {
    return "Delete";
  }
  return request.before.IsNull() ? "Create" : "Update";
}

/// Checks a provider's answer to a change. `value` is the object that it returned, unmarked, or
/// stands for it; unknown parts become null. `diags` has the provider's own problems.
void CheckApplied(const ChangeRequest& request, const provider::ApplyResponse& response,
                  Value& value, Diagnostics& diags) {
  const RowContext& row = request.row;
  auto named = [&] {
    return text::GoQuote(row.walk().program.ToText(row.provider_info().address));
  };
  if (!response.has_state && !diags.has_errors()) {
    ReportBug("Provider produced invalid object",
              "Provider " + named() + " produced an invalid nil value after apply for " +
                  row.AddressText() + ".",
              diags);
  }
  if (!value.IsWhollyKnown()) {
    ReportUnknownResults(value, row.AddressText(), diags);
    value = UnknownAsNull(value);
  }
  if (!request.deleting() && !diags.has_errors() && !response.legacy_type_system) {
    for (const ValueError& error :
         schema::CheckCompatible(row.info.schema->block, request.after.UnmarkDeep(), value)) {
      ReportBug("Provider produced inconsistent result after apply",
                "When applying changes to " + row.AddressText() + ", provider " + named() +
                    " produced an unexpected new value: " + error.ToText() + ".",
                diags);
    }
  }
  if (!diags.has_errors() && request.deleting() != value.IsNull()) {
    ReportBug("Provider returned invalid result object after apply",
              "After applying a " + std::string(NameOf(request)) +
                  " plan, the provider returned a " + (request.deleting() ? "non-null" : "null") +
                  " object for " + row.AddressText() + ".",
              diags);
  }
}

/// What a provider that answers without an object means: for a failed change, the object as it was.
Value WithoutAnswer(const ChangeRequest& change, const schema::Block& block) {
  return change.deleting() ? Value::Null(block.implied_type()) : change.before.UnmarkDeep();
}

/// Asks the provider for a change and checks its answer.
Applied CallApply(ChangeRequest change, Diagnostics& diags) {
  const RowContext& row = change.row;
  const schema::Block& block = row.info.schema->block;
  std::vector<PathMarks> marks;
  std::optional<Value> meta = ProviderMetaOf(row, diags);
  if (!meta) {
    return {WithoutAnswer(change, block), change.notes, true};
  }
  provider::ApplyRequest request;
  request.provider_meta = *std::move(meta);
  request.type = row.walk().program.Text(row.address.resource.resource.type);
  request.prior = change.before.UnmarkDeep();
  request.planned =
      change.after.ContainsMarked() ? change.after.UnmarkDeepWithPaths(&marks) : change.after;
  request.config = change.config.UnmarkDeep();
  request.private_data = change.notes.private_data;
  request.identity = change.notes.identity;
  provider::Problems problems;
  provider::ApplyResponse response = change.provider.ApplyResourceChange(request, problems);
  Diagnostics found;
  // A destruction has no configuration that its problems could point at.
  AppendProblems(problems, change.deleting() ? nullptr : row.resource.body,
                 change.deleting() ? "" : row.AddressText(), found);
  Value value = response.has_state ? response.state : WithoutAnswer(change, block);
  CheckApplied(change, response, value, found);
  if (!value.IsNull()) {
    if (!marks.empty()) {
      value = value.MarkWithPaths(marks);
    }
    value = schema::MarkSensitive(block, std::move(value));
  }
  const bool failed = found.has_errors();
  diags.Append(std::move(found));
  return {std::move(value),
          {std::move(response.private_data), std::move(response.identity), false},
          failed};
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
    provider_ = ProviderOf(row_, KeyBasis::kConfiguration, diags_);
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

  /// Deposes the old object if the new one is created first. False if that could not be recorded.
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

  /// Restores the deposed object if no new one was created.
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
    std::tie(event.id_key, event.id_value) = IdentifyOrNameObject(before);
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
        CheckResult(applied.value);  // of a new object that is tainted
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

  /// Warns of deprecated values once more, as the reference does, which evaluates the body again
  /// before it calls the provider and does not name the object then.
  void WarnOfDeprecatedAgain() {
    const size_t found = diags_.size();
    for (size_t i = 0; i < found; ++i) {
      Diagnostic warning = diags_.list()[i];
      if (warning.tag == DiagnosticTag::kDeprecation && !warning.address.empty()) {
        warning.address.clear();
        diags_.Add(std::move(warning));
      }
    }
  }

  /// Calls the provider and records the result.
  Applied Ask(const Value& before) {
    WarnOfDeprecatedAgain();
    if (!fate_.config.IsWhollyKnown()) {
      diags_.Error("Configuration contains unknown value",
                   "The configuration of " + row_.AddressText() +
                       " is not known after all that it depends on was applied, which happens "
                       "where -target or -exclude has left out a part of that.");
      return KeepUnchanged();
    }
    // The provider is not called if only the sensitivity changes.
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
    Applied applied = CallApply({row_,
                                 *provider_,
                                 before,
                                 change.after,
                                 fate_.config,
                                 {change.private_data, change.after_identity}},
                                diags_);
    if (!applied.value.IsNull()) {
      RecordObject(applied);
    } else if (applied.failed) {
      return KeepUnchanged();
    }
    return applied;
  }

  /// Stores the object as it was, if there was one, after a failure that has changed nothing.
  Applied KeepUnchanged() {
    if (current_) {
      state::Object unchanged = *current_;
      unchanged.configuration = 0;
      (void)Record(state::ObjectRecord::Step::kStore, std::move(unchanged));
    }
    return {.failed = true};
  }

  bool WantsProvisioners(const Applied& applied) const {
    return creating() && !applied.failed && HasProvisioners(row_.resource, When::kCreate);
  }

  /// An object whose creation failed is tainted, and a new one until its provisioners have ended. A
  /// failed update keeps the status of the object.
  void RecordObject(const Applied& applied) {
    const bool taints = applied.failed ? creating() : WantsProvisioners(applied);
    state::ObjectStatus status =
        taints ? state::ObjectStatus::kTainted : state::ObjectStatus::kReady;
    if (applied.failed && !taints && current_) {
      status = current_->status;
    }
    state::Object object = MakeObject(row_, applied.value, applied.notes, status);
    if (applied.failed) {
      object.skip_destroy = current_ && current_->skip_destroy;
      object.configuration = 0;  // what exists now must be read
    }
    (void)Record(state::ObjectRecord::Step::kStore, std::move(object));
  }

  /// Runs the provisioners of a new object, which is tainted when one fails.
  void Provision(Applied& applied) {
    if (!WantsProvisioners(applied)) {
      return;
    }
    row_.row.value = applied.value;
    const size_t errors = diags_.error_count();
    RunProvisioners(row_, When::kCreate, applied.value, nullptr, diags_);
    applied.failed = diags_.error_count() != errors;
    (void)Record(
        state::ObjectRecord::Step::kStore,
        MakeObject(row_, applied.value, applied.notes,
                   applied.failed ? state::ObjectStatus::kTainted : state::ObjectStatus::kReady));
  }

  void CheckResult(const Value& value) {
    (void)CheckConditions(row_, meta_arguments::ConditionKind::kPostcondition,
                          row_.resource.postconditions, &value, Severity::kError, diags_);
  }

  Recorder& recorder_;
  RowContext& row_;
  const plan::ResourceChange& saved_;
  std::string& deposed_;  ///< the key of the old object, used by the half that destroys it
  Diagnostics& diags_;
  provider::Provider* provider_ = nullptr;
  std::optional<state::Object> current_;
  RowFate fate_;
};

/// Destroys the current object of a row, or a deposed one.
class RowDestroyer {
 public:
  RowDestroyer(ApplyContext& context, RowContext& row, const plan::ResourceChange& saved,
               const std::string& deposed, Diagnostics& diags)
      : context_(context), row_(row), saved_(saved), deposed_(deposed), diags_(diags) {}

  void Run() {
    if (row_.info.schema == nullptr) {
      diags_.Error("no schema available for " + row_.AddressText() +
                       " while reading state; this is a bug in OpenTofu and should be reported",
                   "");
      return;
    }
    Recorder& recorder = context_.recorder;
    object_ = deposed_.empty() ? recorder.Current(row_.address)
                               : recorder.Deposed(row_.address, deposed_);
    if (!object_) {
      return;  // it no longer exists
    }
    if (provider::Provider* provider = ProviderOf(row_, KeyBasis::kState, diags_)) {
      Destroy(*provider);
    }
  }

 private:
  void Destroy(provider::Provider& provider) {
    Event event{.kind = EventKind::kApplyStart,
                .address = row_.address,
                .deposed = deposed_,
                .action = plan::Action::kDelete};
    std::tie(event.id_key, event.id_value) = IdentifyOrNameObject(saved_.before);
    row_.walk().Post(event);
    const bool may_take_long =
        row_.provider_slot().blocking || HasProvisioners(row_.resource, When::kDestroy);
    const Timed watch(row_.walk().ticker, may_take_long, event);
    if (!Provision()) {
      return PostEnd(EventKind::kApplyErrored, watch);
    }
    const Value nothing = Value::Null(row_.info.schema->block.implied_type());
    ProviderNotes notes{object_->private_data, saved_.before_identity};
    if (saved_.action == plan::Action::kDelete) {
      notes = {saved_.private_data, saved_.after_identity, false};
    }
    const Applied applied =
        CallApply({row_, provider, saved_.before, nothing, nothing, std::move(notes)}, diags_);
    if (!applied.failed) {
      ForgetRow(context_, row_, deposed_);
      Count(context_.recorder, &ApplyCounts::removed);
      return PostEnd(EventKind::kApplyComplete, watch);
    }
    if (!applied.value.IsNull()) {
      RecordSurvivor(applied);
    }
    if (deposed_.empty()) {
      PostEnd(EventKind::kApplyErrored, watch);
    }
  }

  void PostEnd(EventKind kind, const Timed& watch) {
    row_.walk().Post({.kind = kind,
                      .address = row_.address,
                      .deposed = deposed_,
                      .action = plan::Action::kDelete,
                      .elapsed_seconds = watch.seconds()});
  }

  /// Runs the destroy provisioners of a current object. False if one failed.
  bool Provision() {
    if (!deposed_.empty() || object_->status == state::ObjectStatus::kTainted) {
      return true;
    }
    const size_t errors = diags_.error_count();
    RunProvisioners(row_, When::kDestroy, saved_.before, &context_.removed, diags_);
    return diags_.error_count() == errors;
  }

  /// Records what is left of an object that could not be destroyed.
  void RecordSurvivor(const Applied& applied) {
    state::ObjectRecord record = RecordFor(row_, state::ObjectRecord::Step::kStore);
    record.deposed = deposed_;
    record.object = MakeObject(row_, applied.value, applied.notes, object_->status);
    record.object.dependencies = object_->dependencies;
    record.object.create_before_destroy = false;  // the next plan sets it again
    record.object.skip_destroy = object_->skip_destroy;
    record.object.configuration = 0;
    context_.recorder.Record(record, DurabilityOf(row_));
  }

  ApplyContext& context_;
  RowContext& row_;
  const plan::ResourceChange& saved_;
  const std::string& deposed_;  ///< the key of the object; empty: the current one
  Diagnostics& diags_;
  std::optional<state::Object> object_;
};

}  // namespace

void ApplyManagedRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                     Diagnostics& diags) {
  RowApplier(context, row, change_index, diags).Run();
}

void DestroyRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                const std::string& deposed, Diagnostics& diags) {
  RowDestroyer(context, row, context.plan.changes[change_index], deposed, diags).Run();
}

void ApplyDataRow(ApplyContext& context, RowContext& row, Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, KeyBasis::kConfiguration, diags);
  if (provider == nullptr) {
    return;
  }
  Diagnostics found;
  std::optional<Value> value = EvaluateAndRead(row, *provider, found);
  bool nested = row.resource.check >= 0;
  if (nested) {
    ReportToCheck(row, value ? nullptr : &found);
    meta_arguments::AppendAsCheckWarnings(std::move(found), EnclosingCheck(row), diags);
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
  (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                        row.resource.postconditions, &*row.row.value, Severity::kError, diags);
}

void ForgetRow(ApplyContext& context, RowContext& row, const std::string& deposed) {
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kRemove);
  record.deposed = deposed;
  context.recorder.Record(record, DurabilityOf(row));
}

}  // namespace kinu::engine
