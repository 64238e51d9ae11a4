// The planned change of a managed row, in steps over a RowFate: evaluate, validate, plan, check the
// answer, decide, record. A plan and the second plan of an apply have these steps in common. Ref:
// opentofu internal/tofu/node_resource_abstract_instance.go plan.
#include <algorithm>

#include "cty/ops.h"
#include "engine/rows/rows.h"
#include "meta_arguments/ignore_changes.h"
#include "schema/marks.h"
#include "schema/propose.h"

namespace kinu::engine {
namespace {

bool KnownTrue(const Value& value) {
  return value.IsKnown() && !value.IsNull() && value.UnmarkDeep().AsBool();
}

bool IsWriteOnly(const schema::Block& block, const Path& path) {
  const schema::Attribute* attribute =
      block.has_write_only() ? schema::FindAttributeByPath(block, path) : nullptr;
  return attribute != nullptr && attribute->write_only;
}

/// The paths that carry the sensitive mark, for comparing sensitivity before and after.
std::vector<Path> SensitivePaths(const Value& value) {
  std::vector<Path> out;
  if (!value.ContainsMarked()) {
    return out;
  }
  std::vector<PathMarks> marks;
  (void)value.UnmarkDeepWithPaths(&marks);
  for (PathMarks& entry : marks) {
    if (entry.marks.sensitive()) {
      out.push_back(std::move(entry.path));
    }
  }
  return out;
}

bool SamePaths(const std::vector<Path>& a, const std::vector<Path>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Path& path) {
           return std::find(b.begin(), b.end(), path) != b.end();
         });
}

/// Whether every number inside is a small integer: those have one form, others may be equal and
/// still be written in different ways.
bool HasSmallNumbersOnly(const Value& value) {
  if (value.IsNull() || !value.IsKnown()) {
    return true;
  }
  const TypeKind kind = value.kind();
  if (kind == TypeKind::kNumber) {
    return value.AsNumber().is_inline();
  }
  return kind == TypeKind::kString || kind == TypeKind::kBool || kind == TypeKind::kCapsule ||
         std::ranges::all_of(value.elements(), HasSmallNumbersOnly);
}

/// Whether two values are the same in all that is shown or written of them.
bool AreInterchangeable(const Value& a, const Value& b) {
  return Value::RawEquals(a, b) && HasSmallNumbersOnly(a);
}

/// One row whose change is planned.
class ChangePlanner {
 public:
  ChangePlanner(RowContext& row, provider::Provider& provider, RowFate& fate, Diagnostics& diags)
      : row_(row),
        provider_(provider),
        fate_(fate),
        diags_(diags),
        block_(row.info.schema->block),
        type_(block_.implied_type()) {}

  bool Run() {
    return Read() && AskToValidate() && AskToPlan() && CheckAnswer() && FindReplacements() &&
           Decide() && AskToReplace() && Record();
  }

 private:
  /// Whether the object has to be replaced.
  bool tainted() const {
    return fate_.stored && fate_.stored->status == state::ObjectStatus::kTainted;
  }

  /// Evaluates the configuration and finds the prior object.
  bool Read() {
    std::optional<Value> config = EvaluateConfig(row_, diags_);
    std::optional<Value> meta = config ? ProviderMetaOf(row_, diags_) : std::nullopt;
    if (!meta) {
      return false;
    }
    request_.provider_meta = *std::move(meta);
    fate_.config = *std::move(config);
    fate_.change = StartChange(row_);
    prior_ = fate_.object && !tainted() ? *fate_.object : Value::Null(type_);
    request_.prior = prior_.UnmarkDeep();
    return true;
  }

  bool AskToValidate() {
    request_.type = row_.walk().program.Text(row_.address.resource.resource.type);
    original_ = fate_.config.UnmarkDeep();
    provider::Problems problems;
    provider_.ValidateResourceConfig(request_.type, original_, problems);
    return AskedWithoutErrors(row_, problems, diags_);
  }

  bool AskToPlan() {
    const Value config =
        meta_arguments::IgnoreChanges(row_.resource, &block_, prior_, fate_.config);
    request_.config = config.ContainsMarked() ? config.UnmarkDeepWithPaths(&marks_) : config;
    request_.proposed = schema::ProposeNew(block_, request_.prior, request_.config);
    if (fate_.stored && !tainted()) {
      request_.private_data = fate_.stored->private_data;
      request_.identity = fate_.identity;
      fate_.change.before_identity = fate_.identity;
    }
    return KeepAsConfigured(row_, diags_) && Ask(true);
  }

  /// Calls the provider for a plan, and checks the type of its answer.
  bool Ask(bool reports_warnings) {
    provider::Problems problems;
    response_ = provider_.PlanResourceChange(request_, problems);
    if ((reports_warnings || provider::HasErrors(problems)) &&
        !AskedWithoutErrors(row_, problems, diags_)) {
      return false;
    }
    if (!response_.planned.type().ConformsTo(type_)) {
      ProviderBug(row_, "Provider produced invalid plan", "planned an invalid value for", "",
                  diags_);
      return false;
    }
    return true;
  }

  /// Checks the answer against prior object and configuration, and marks it as configured.
  bool CheckAnswer() {
    const size_t errors = diags_.error_count();
    if (response_.legacy_type_system) {
      response_.planned =
          meta_arguments::IgnoreChanges(row_.resource, nullptr, request_.prior, response_.planned);
    } else {
      for (const ValueError& error :
           schema::CheckPlanned(block_, request_.prior, request_.config, response_.planned)) {
        ProviderBug(row_, "Provider produced invalid plan", "planned an invalid value for",
                    error.ToText(), diags_);
      }
    }
    if (diags_.error_count() != errors) {
      return false;
    }
    if (block_.has_write_only()) {
      // Write-only attributes may be ephemeral; what is planned of them is null.
      for (PathMarks& entry : marks_) {
        if (entry.marks.ephemeral() && IsWriteOnly(block_, entry.path)) {
          entry.marks = entry.marks.Without(MarkSet::Ephemeral());
        }
      }
      std::erase_if(marks_, [](const PathMarks& entry) { return entry.marks.empty(); });
    }
    planned_ = schema::MarkSensitive(block_, MarkedAsConfigured(response_.planned));
    return true;
  }

  Value MarkedAsConfigured(const Value& value) const {
    return marks_.empty() ? value : value.MarkWithPaths(marks_);
  }

  /// Only paths that really change force a replacement; write-only ones always do.
  bool FindReplacements() {
    if (request_.prior.IsNull()) {
      return true;
    }
    const size_t errors = diags_.error_count();
    for (const Path& path : response_.requires_replace) {
      const Result<Value> before = path.Apply(request_.prior);
      const Result<Value> after = path.Apply(response_.planned);
      if (!before && !after) {
        ProviderBug(row_, "Provider produced invalid plan",
                    "has indicated \"requires replacement\" on",
                    " for a non-existent attribute path " + path.ToText(), diags_);
        continue;
      }
      const Value a = before ? *before : Value::Null(after->type());
      const Value b = after ? *after : Value::Null(before->type());
      auto& paths = fate_.change.required_replace;
      // A provider may name elements of a set, which the protocol does not distinguish from the
      // set.
      if ((!KnownTrue(Equals(a, b)) || IsWriteOnly(block_, path)) &&
          std::find(paths.begin(), paths.end(), path) == paths.end()) {
        paths.push_back(path);
      }
    }
    return diags_.error_count() == errors;
  }

  /// The kind of a replacement: that of the saved change, or of the block.
  plan::Action Replacing() const {
    const bool create_first = fate_.earlier != nullptr
                                  ? fate_.earlier->action == plan::Action::kCreateThenDelete
                                  : row_.info.create_before_destroy;
    return create_first ? plan::Action::kCreateThenDelete : plan::Action::kDeleteThenCreate;
  }

  bool Decide() {
    plan::ResourceChange& change = fate_.change;
    const std::vector<ResourceInstance>& forced = row_.walk().context.request.options.force_replace;
    const bool by_request =
        row_.triggered || std::find(forced.begin(), forced.end(), row_.address) != forced.end();
    if (request_.prior.IsNull()) {
      change.action = plan::Action::kCreate;
    } else if (by_request || !change.required_replace.empty()) {
      change.action = Replacing();
      change.reason =
          by_request ? plan::Reason::kReplaceByRequest : plan::Reason::kReplaceCannotUpdate;
    } else if (KnownTrue(Equals(response_.planned, request_.prior))) {
      change.action = plan::Action::kNoOp;
    } else {
      change.action = plan::Action::kUpdate;
    }
    return true;
  }

  /// Plans once more as if nothing existed: a new object starts from the configuration alone.
  bool AskToReplace() {
    if (!plan::IsReplace(fate_.change.action)) {
      return true;
    }
    request_.prior = Value::Null(type_);
    request_.config = original_;
    request_.proposed = schema::ProposeNew(block_, request_.prior, original_);
    request_.private_data = std::move(response_.private_data);
    request_.identity = Value();
    if (!Ask(false)) {  // its warnings are those of the first answer
      return false;
    }
    // What a replacement shows as sensitive is what the configuration says; the schema's part is
    // added where the value is read.
    planned_ = MarkedAsConfigured(response_.planned);
    return true;
  }

  /// Completes the change with its values.
  bool Record() {
    plan::ResourceChange& change = fate_.change;
    Value before = prior_;
    if (change.action == plan::Action::kCreate && tainted() && fate_.object &&
        !fate_.object->IsNull()) {
      change.action = Replacing();
      change.reason = plan::Reason::kReplaceTainted;
      before = *fate_.object;
      change.before_identity = fate_.identity;
    }
    if (plan::IsReplace(change.action) && row_.row.keeps_object) {
      change.action = plan::Action::kForgetThenCreate;
    }
    if (change.action == plan::Action::kNoOp &&
        !SamePaths(SensitivePaths(planned_), SensitivePaths(before))) {
      change.action = plan::Action::kUpdate;
    }
    if (fate_.earlier != nullptr && plan::IsReplace(fate_.earlier->action) &&
        change.action == plan::Action::kCreate) {
      change.action = fate_.earlier->action;
      before = fate_.earlier->before;
    }
    if (change.action != plan::Action::kNoOp && ContainsInfinity(planned_)) {
      diags_.Error("failed to encode " + row_.AddressText() +
                       " in state: failed to serialize value: cannot serialize infinity as JSON",
                   "");
      return false;
    }
    if (change.action == plan::Action::kNoOp && AreInterchangeable(planned_, before)) {
      planned_ = before;  // so that it is kept and written once
    }
    // A plan keeps no sign of a zero; what is applied does.
    const bool planning = fate_.earlier == nullptr && change.action != plan::Action::kNoOp;
    change.before = planning ? WithUnsignedZeros(before) : std::move(before);
    change.after = planning ? WithUnsignedZeros(planned_) : std::move(planned_);
    change.after_identity = std::move(response_.identity);
    change.private_data = std::move(response_.private_data);
    return true;
  }

  RowContext& row_;
  provider::Provider& provider_;
  RowFate& fate_;
  Diagnostics& diags_;
  const schema::Block& block_;
  const Type& type_;
  Value prior_;                    ///< the prior object, marked; null: none
  Value original_;                 ///< the configuration, unmarked
  std::vector<PathMarks> marks_;   ///< of the configuration with its ignored changes
  provider::PlanRequest request_;  ///< all values unmarked
  provider::PlanResponse response_;
  Value planned_;  ///< marked
};

}  // namespace

bool PlanChange(RowContext& row, provider::Provider& provider, RowFate& fate, Diagnostics& diags) {
  return ChangePlanner(row, provider, fate, diags).Run();
}

std::optional<plan::ResourceChange> PlanDestroy(RowContext& row, provider::Provider& provider,
                                                const Value& prior, const ProviderNotes& notes,
                                                Diagnostics& diags) {
  const Type& type = row.info.schema->block.implied_type();
  plan::ResourceChange change = StartRemoval(row);
  change.action = plan::Action::kDelete;
  change.before = WithUnsignedZeros(prior);
  change.after = Value::Null(type);
  change.before_identity = notes.identity;
  change.private_data = notes.private_data;
  std::optional<Value> meta = ProviderMetaOf(row, diags);
  if (!meta) {
    return std::nullopt;
  }
  if (!row.provider_info().schema->capabilities().plan_destroy) {
    return change;
  }
  provider::PlanRequest request;
  request.type = row.walk().program.Text(row.address.resource.resource.type);
  request.prior = prior.UnmarkDeep();
  request.proposed = Value::Null(type);
  request.config = Value::Null(type);
  request.private_data = notes.private_data;
  request.identity = notes.identity;
  request.provider_meta = *std::move(meta);
  provider::Problems problems;
  provider::PlanResponse response = provider.PlanResourceChange(request, problems);
  if (!AskedWithoutErrors(row, problems, diags)) {
    return std::nullopt;
  }
  if (!response.planned.IsNull()) {
    ProviderBug(row, "Provider produced invalid plan", "planned a non-null destroy value for", "",
                diags);
    return std::nullopt;
  }
  change.private_data = std::move(response.private_data);
  change.after_identity = std::move(response.identity);
  return change;
}

}  // namespace kinu::engine
