#include "encryption/target_sealer.h"

#include <algorithm>

#include "json/expected.h"

namespace kinu::encryption {
namespace {

std::string FirstErrorOf(const Diagnostics& diags) {
  for (const Diagnostic& problem : diags) {
    if (problem.severity == Severity::kError) {
      return problem.detail.empty() ? problem.summary : problem.summary + "; " + problem.detail;
    }
  }
  return {};
}

state::Protection ProtectionOf(const MethodSpec& spec) {
  return spec.encrypts() ? state::Protection::kEncrypted : state::Protection::kUnencrypted;
}

}  // namespace

TargetSealer::TargetSealer(std::shared_ptr<Shared> shared, std::string name, DeclaredMethod method,
                           std::vector<DeclaredMethod> fallbacks, state::Enforcement enforcement)
    : Sealer(ProtectionOf(method.spec), enforcement),
      shared_(std::move(shared)),
      name_(std::move(name)),
      method_(method),
      fallbacks_(std::move(fallbacks)) {
}

std::optional<TargetSealer::DeclaredMethod> TargetSealer::Find(const config::EncryptionPart& part,
                                                               Diagnostics& diags) {
  const Result<const MethodSpec*> spec = FindMethod(part.type);
  if (!spec) {
    diags.Error(spec.error().message, "There is no encryption method of this type.");
    return std::nullopt;
  }
  return DeclaredMethod{part, **spec};
}

std::optional<state::SealerRef> TargetSealer::Make(const std::shared_ptr<Shared>& shared,
                                                   const config::EncryptionTarget& target,
                                                   std::string name, Diagnostics& diags) {
  const auto declared = shared->source->Methods(target, diags);
  const auto method = declared ? Find(declared->method, diags) : std::nullopt;
  if (!method) {
    return std::nullopt;
  }
  std::vector<DeclaredMethod> fallbacks;
  for (const config::EncryptionPart* part : declared->fallbacks) {
    const auto fallback = Find(*part, diags);
    if (!fallback) {
      return std::nullopt;
    }
    fallbacks.push_back(*fallback);
  }
  std::shared_ptr<TargetSealer> sealer(new TargetSealer(
      shared, std::move(name), *method, std::move(fallbacks),
      target.enforced ? state::Enforcement::kEnforced : state::Enforcement::kOptional));
  if (sealer->encrypts()) {
    KeyRun keys(shared->cache, KeyRun::Use::kCheck);
    if (!sealer->MakeMethod(*method, keys, diags)) {
      return std::nullopt;
    }
  }
  return sealer;
}

/// Makes a method with its keys. An error is in `diags`, and in the result as one line.
Result<std::unique_ptr<Method>> TargetSealer::MakeMethod(const DeclaredMethod& method, KeyRun& keys,
                                                         Diagnostics& diags) const {
  Diagnostics found;
  const auto values = shared_->source->Evaluate(
      method.part,
      [&](const config::PartValues& provider, Diagnostics& problems) {
        return keys.Make(provider, problems);
      },
      found);
  Result<std::unique_ptr<Method>> made = Fail(ErrorCode::kInvalid, "");
  if (values) {
    made = method.spec.make(*values);
    if (!made) {
      found.Error("Invalid method configuration", made.error().message);
    }
  }
  if (!made) {
    made = Fail(ErrorCode::kInvalid, FirstErrorOf(found));
  }
  diags.Append(std::move(found));
  return made;
}

Result<std::string> TargetSealer::Encrypt(std::string_view document,
                                          const state::Snapshot* snapshot) const {
  KINU_TRY(const Method* method, SealingMethod());
  Result<std::string> data = method->Encrypt(document);
  if (!data) {
    return Fail(data.error().code, "encryption failed for " + name_ + ": " + data.error().message);
  }
  Envelope envelope;
  envelope.metadata = metadata_;
  envelope.data = *std::move(data);
  if (snapshot != nullptr) {
    envelope.serial = snapshot->serial;
    envelope.lineage = snapshot->lineage;
  }
  return envelope.ToJson(snapshot != nullptr);
}

/// The method for writing with its keys, which are made once.
Result<const Method*> TargetSealer::SealingMethod() const {
  const std::lock_guard lock(shared_->mutex);
  if (sealing_ == nullptr) {
    Diagnostics diags;
    KeyRun keys(shared_->cache, KeyRun::Use::kEncrypt);
    Result<std::unique_ptr<Method>> made = MakeMethod(method_, keys, diags);
    if (!made) {
      return Fail(ErrorCode::kInvalid,
                  "encryption failed for " + name_ + ": " + made.error().message);
    }
    sealing_ = *std::move(made);
    metadata_ = std::move(keys.metadata());
  }
  return sealing_.get();
}

bool TargetSealer::reads_clear() const {
  return !method_.spec.encrypts() ||
         std::ranges::any_of(
             fallbacks_, [](const DeclaredMethod& fallback) { return !fallback.spec.encrypts(); });
}

Result<state::Sealer::Opened> TargetSealer::Open(std::string bytes) const {
  std::string problem;
  KINU_TRY(const std::optional<Envelope> envelope, ReadEnvelope(bytes, problem));
  if (!envelope) {
    return OpenClear(std::move(bytes), problem);
  }
  KINU_TRY(Opened opened, Decrypt(*envelope));
  if (name_ != kPlan) {
    if (Result<void> same = CheckSnapshot(*envelope, opened.document); !same) {
      return std::unexpected(std::move(same).error());
    }
  }
  return opened;
}

namespace {

using json::Expected;

constexpr Expected::Member kVersionedMembers[] = {{"terraform_version", &json::kExpectedText}};
constexpr Expected kVersioned{
    .type = Expected::Type::kObject,
    .name = R"(struct { FormatVersion string "json:\"terraform_version\"" })",
    .members = kVersionedMembers};
std::string WhyNoState(std::string_view document) {
  std::string problem = json::ProblemOf(document, ParseJson(document), kVersioned);
  return problem.empty() ? "Given payload is not a state file" : problem;
}

}  // namespace

Result<state::Sealer::Opened> TargetSealer::OpenClear(std::string document,
                                                      std::string problem) const {
  const bool is_plan = name_ == kPlan;
  const StateNumber number = is_plan ? StateNumber() : ReadStateNumber(document);
  if (is_plan ? !document.starts_with("PK") : !number.is_state) {
    if (problem.empty()) {
      problem = WhyNoEnvelope(document);
    }
    const std::string what =
        is_plan ? "Invalid plan file " + document.substr(0, 2) : WhyNoState(document);
    return Fail(ErrorCode::kInvalid,
                problem.empty() ? "unable to determine data structure during decryption: " + what
                                : "invalid data format for decryption: " + problem + ", " + what);
  }
  if (!reads_clear()) {
    return Fail(ErrorCode::kInvalid,
                "encountered unencrypted payload without unencrypted method configured");
  }
  problem = number.fits ? "" : ProblemOfNumber(document);
  if (!problem.empty()) {
    return Fail(ErrorCode::kInvalid, std::move(problem));
  }
  return Opened{std::move(document), method_.spec.encrypts()};
}

Result<state::Sealer::Opened> TargetSealer::Decrypt(const Envelope& envelope) const {
  const std::lock_guard lock(shared_->mutex);
  std::string failures = "decryption failed for all provided methods";
  std::vector<const DeclaredMethod*> methods = {&method_};
  for (const DeclaredMethod& fallback : fallbacks_) {
    methods.push_back(&fallback);
  }
  for (const DeclaredMethod* declared : methods) {
    if (!declared->spec.encrypts()) {
      continue;
    }
    Diagnostics diags;
    KeyRun keys(shared_->cache, envelope.metadata);
    KINU_TRY(const std::unique_ptr<Method> method, MakeMethod(*declared, keys, diags));
    Result<std::string> document = method->Decrypt(envelope.data);
    if (document) {
      return Opened{*std::move(document), declared != &method_};
    }
    failures += "\nattempted decryption failed for " + name_ + ": " + document.error().message;
  }
  return Fail(ErrorCode::kInvalid, std::move(failures));
}

Result<void> TargetSealer::CheckSnapshot(const Envelope& envelope, const std::string& document) {
  const StateNumber inner = ReadStateNumber(document);
  const bool fits = inner.is_state && inner.fits;
  if (std::string problem = fits ? envelope.number_problem : ProblemOfNumber(document);
      !problem.empty()) {
    return Fail(ErrorCode::kInvalid, std::move(problem));
  }
  if (envelope.serial && inner.serial && *envelope.serial != *inner.serial) {
    return Fail(ErrorCode::kInvalid, "invalid state metadata, serial field mismatch " +
                                         std::to_string(*envelope.serial) + " vs " +
                                         std::to_string(*inner.serial));
  }
  if (!envelope.lineage.empty() && envelope.lineage != inner.lineage) {
    return Fail(ErrorCode::kInvalid, "invalid state metadata, linage field mismatch " +
                                         envelope.lineage + " vs " + inner.lineage);
  }
  return {};
}

}  // namespace kinu::encryption
