#include "risks/risks.h"

#include <algorithm>
#include <array>

#include "check/objects.h"
#include "risks/protection.h"
#include "risks/revealed.h"
#include "tfjson/actions.h"
#include "tfjson/format.h"

namespace kinu::risks {
namespace {

using json::Node;

constexpr std::string_view kDataDeleted = "data-deleted";
constexpr std::string_view kDataReplaced = "data-replaced";
constexpr std::string_view kNameDeleted = "name-deleted";
constexpr std::string_view kNameReplaced = "name-replaced";
constexpr std::string_view kManyDeleted = "many-deleted";
constexpr std::string_view kNoPreventDestroy = "no-prevent-destroy";
constexpr std::string_view kProtectionOff = "deletion-protection-off";
constexpr std::string_view kProviderChanged = "provider-changed";
constexpr std::string_view kProviderVersion = "provider-version-changed";
constexpr std::string_view kSecretVisible = "secret-visible";
constexpr std::string_view kWriteOnlyDropped = "write-only-dropped";

/// Fewer objects are not a share of anything.
constexpr uint64_t kFewest = 5;

std::string TextOf(const Node& node) {
  return node && node.is_string() ? node.String() : std::string();
}

/// The first names, and how many more there are.
std::string Joined(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 10;
  std::string out;
  for (size_t i = 0; i < names.size() && i < kNamed; ++i) {
    out += (out.empty() ? "" : ", ") + names[i];
  }
  if (names.size() > kNamed) {
    out += " and " + std::to_string(names.size() - kNamed) + " more";
  }
  return out;
}

/// What forces a replacement, as a sentence. Of `replace_paths` the attributes alone are named:
/// keys of maps are values of people.
std::string ReplacedBecause(const Node& change, const Node& entry) {
  const std::string reason = TextOf(entry.Find("action_reason"));
  if (reason == "replace_because_tainted") {
    return " It is tainted.";
  }
  if (reason == "replace_by_request") {
    return " -replace asks for it.";
  }
  if (reason == "replace_by_triggers") {
    return " Its replace_triggered_by asks for it.";
  }
  std::vector<std::string> names;
  const Node paths = change.Find("replace_paths");
  for (const Node path : paths ? paths.elements() : Node().elements()) {
    const std::string name = path.is_array() && path.size() > 0 ? TextOf(path.At(0)) : "";
    if (!name.empty() && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names.empty() ? "" : " " + Joined(names) + " cannot be updated in place.";
}

/// What the block says about the destruction, as a sentence.
std::string_view PreventionText(Prevention prevention) {
  switch (prevention) {
    case Prevention::kNoBlock:
      return " No block declares it any more, so that nothing prevents its destruction.";
    case Prevention::kAbsent:
      return " Its block has no prevent_destroy.";
    case Prevention::kOff:
      return " prevent_destroy of its block is false.";
    case Prevention::kUnknown:
    case Prevention::kDecides:
      break;
  }
  return {};
}

/// One pass over the changes of a plan.
class Finder {
 public:
  Finder(const Facts& facts, const Limits& limits, Report& report)
      : facts_(facts), limits_(limits), report_(report) {}

  void Look(const check::Object& object);
  void LookAtPlan(const Node& plan);

 private:
  /// The object that is being looked at.
  struct Current {
    const check::Object& object;
    std::string address;  ///< as people name it
    std::string action;
    Holds holds;
    std::string sign;  ///< the attribute that says that it holds data; empty: the type says so
    const ObjectFacts* facts;
    bool destroyed;
  };

  void LookAtDestruction(const Current& current);
  void LookAtProtection(const Current& current);
  void LookAtSecrets(const Current& current);
  void LookAtProvider(const Current& current);
  void Add(const Current& current, std::string_view rule, Severity severity, std::string reason);

  const Facts& facts_;
  const Limits& limits_;
  Report& report_;
  uint64_t objects_ = 0;
  uint64_t destroyed_ = 0;
};

void Finder::Add(const Current& current, std::string_view rule, Severity severity,
                 std::string reason) {
  const Node position = current.object.entry.Find("position");
  report_.risks.push_back({.rule = rule,
                           .severity = severity,
                           .action = current.action,
                           .addresses = {current.address},
                           .reason = std::move(reason),
                           .place = position ? check::ReadPlace(position) : check::Place()});
}

void Finder::Look(const check::Object& object) {
  const Node mode = object.entry.Find("mode");
  if (!object.address || !object.change || (mode && mode.Is("data"))) {
    return;
  }
  const std::string address = object.address.String();
  const std::string deposed = TextOf(object.entry.Find("deposed"));
  const auto facts = facts_.objects.find(address);
  Current current{
      .object = object,
      .address = deposed.empty() ? address : address + " (deposed object " + deposed + ")",
      .action = tfjson::ActionOf(object.actions),
      .holds = limits_.types.Of(TextOf(object.type)),
      .sign = {},
      .facts = facts == facts_.objects.end() ? nullptr : &facts->second,
      .destroyed = object.HasAction({"delete"})};
  const check::MaskedNode& shown = current.destroyed ? object.before : object.after;
  if (current.holds == Holds::kNothing && HasSignOfData(shown, current.sign)) {
    current.holds = Holds::kData;
  }
  if (deposed.empty() && object.before.value && !object.before.value.is_null()) {
    ++objects_;
    destroyed_ += current.destroyed ? 1 : 0;
  }
  LookAtDestruction(current);
  LookAtProtection(current);
  LookAtSecrets(current);
  if (deposed.empty()) {
    LookAtProvider(current);
  }
}

void Finder::LookAtDestruction(const Current& current) {
  if (!current.destroyed || current.holds == Holds::kNothing) {
    return;
  }
  const bool data = current.holds == Holds::kData;
  const bool replaced = current.action != "delete";
  std::string reason = data ? "It holds data" : "Others may know its name or address";
  reason += current.sign.empty() ? "." : ", as " + current.sign + " says.";
  if (replaced) {
    reason += ReplacedBecause(current.object.change, current.object.entry);
  }
  if (current.facts != nullptr) {
    reason += PreventionText(current.facts->prevention);
  }
  reason += DeletionTerms(current.object.before);
  const std::string_view rules[] = {kNameDeleted, kNameReplaced, kDataDeleted, kDataReplaced};
  Add(current, rules[(data ? 2 : 0) + (replaced ? 1 : 0)],
      data ? Severity::kHigh : Severity::kMedium, std::move(reason));
}

void Finder::LookAtProtection(const Current& current) {
  const check::Object& object = current.object;
  if (!object.after.value || !object.after.value.is_object()) {
    return;
  }
  if (const std::string off = TurnedOff(object.before, object.after); !off.empty()) {
    Add(current, kProtectionOff, Severity::kHigh,
        "The plan turns off what protects it: " + off + ".");
  }
  if (current.action != "create" || current.holds != Holds::kData) {
    return;
  }
  if (const std::string off = OffInNew(object.after); !off.empty()) {
    Add(current, kProtectionOff, Severity::kMedium, "It holds data, and " + off + " is false.");
  }
  if (current.facts != nullptr && (current.facts->prevention == Prevention::kAbsent ||
                                   current.facts->prevention == Prevention::kOff)) {
    Add(current, kNoPreventDestroy, Severity::kMedium,
        "It will hold data." + std::string(PreventionText(current.facts->prevention)));
  }
}

void Finder::LookAtSecrets(const Current& current) {
  const check::Object& object = current.object;
  if (const auto names = Revealed(object.before, object.after); !names.empty()) {
    const bool one = names.size() == 1;
    Add(current, kSecretVisible, Severity::kHigh,
        Joined(names) +
            (one ? " was sensitive, and no longer is: the value is"
                 : " were sensitive, and no longer are: the values are") +
            " shown from now on.");
  }
  if (const auto names = NoLongerWriteOnly(object.before, object.after); !names.empty()) {
    const bool one = names.size() == 1;
    Add(current, kWriteOnlyDropped, Severity::kMedium,
        Joined(names) +
            (one ? " was write-only: the state has the value"
                 : " were write-only: the state has the values") +
            " from now on.");
  }
}

void Finder::LookAtProvider(const Current& current) {
  if (current.facts == nullptr) {
    return;
  }
  const ObjectFacts& facts = *current.facts;
  if (!facts.earlier_provider.empty()) {
    Add(current, kProviderChanged, Severity::kMedium,
        "The state was written with the provider " + facts.earlier_provider +
            ", and the plan uses " + TextOf(current.object.entry.Find("provider_name")) + ".");
  }
  if (!facts.schema_versions) {
    return;
  }
  const auto [earlier, now] = *facts.schema_versions;
  Add(current, kProviderVersion, Severity::kMedium,
      "The provider has another version than when the state was written: its schema version is " +
          std::to_string(now) + ", that of the state " + std::to_string(earlier) +
          ". After an apply older versions of the provider cannot read it.");
}

void Finder::LookAtPlan(const Node& plan) {
  if (destroyed_ >= limits_.many ||
      (destroyed_ >= kFewest && destroyed_ * 100 >= limits_.share * objects_)) {
    report_.risks.push_back({.rule = kManyDeleted,
                             .severity = Severity::kHigh,
                             .reason = "The plan destroys " + std::to_string(destroyed_) + " of " +
                                       std::to_string(objects_) +
                                       " objects, those that it replaces included."});
  }
  std::vector<std::string> outputs = facts_.revealed_outputs;
  for (std::string& name : RevealedOutputs(plan)) {
    if (std::ranges::find(outputs, name) == outputs.end()) {
      outputs.push_back(std::move(name));
    }
  }
  for (const std::string& name : outputs) {
    report_.risks.push_back(
        {.rule = kSecretVisible,
         .severity = Severity::kHigh,
         .addresses = {"output." + name},
         .reason = "It was sensitive, and no longer is: the value is shown from now on."});
  }
}

/// An address without the key of its instance.
std::string BlockOf(const std::string& address) {
  const size_t name = address.rfind(']') == address.size() - 1 ? address.rfind('[') : address.npos;
  return address.substr(0, name);
}

/// Whether two risks say the same about objects of one block.
bool SayTheSame(const Risk& a, const Risk& b) {
  return a.rule == b.rule && a.severity == b.severity && a.action == b.action &&
         a.reason == b.reason && a.ignored == b.ignored && a.note == b.note &&
         !a.addresses.empty() && !b.addresses.empty() &&
         BlockOf(a.addresses[0]) == BlockOf(b.addresses[0]);
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  return severity == Severity::kHigh ? "high" : "medium";
}

std::vector<std::string_view> RuleNames() {
  return {kDataDeleted,     kDataReplaced,     kNameDeleted,     kNameReplaced,
          kManyDeleted,     kNoPreventDestroy, kProtectionOff,   kProviderChanged,
          kProviderVersion, kSecretVisible,    kWriteOnlyDropped};
}

size_t Report::Count(Severity severity) const {
  size_t count = 0;
  for (const Risk& risk : risks) {
    if (risk.severity == severity && risk.ignored.empty()) {
      count += std::max<size_t>(1, risk.addresses.size());
    }
  }
  return count;
}

size_t Report::Ignored() const {
  size_t count = 0;
  for (const Risk& risk : risks) {
    count += risk.ignored.empty() ? 0 : std::max<size_t>(1, risk.addresses.size());
  }
  return count;
}

Result<Report> ReadRisks(const Node& plan, const Facts& facts, const Limits& limits) {
  KINU_TRY([[maybe_unused]] const auto version, tfjson::FormatVersionOf(plan));
  if (plan.Find("values") || plan.Find("root_module")) {
    return Fail(ErrorCode::kInvalid, "the document is a state or a configuration, not a plan");
  }
  Report report;
  const Node errored = plan.Find("errored");
  report.errored = errored && errored.is_true();
  Finder finder(facts, limits, report);
  const check::ObjectList objects(plan);
  for (const check::Object& object : objects.all()) {
    finder.Look(object);
  }
  finder.LookAtPlan(plan);
  return report;
}

void Collect(Report& report) {
  std::vector<Risk> out;
  FlatMap<std::string, std::vector<size_t>> by_block;
  for (Risk& risk : report.risks) {
    std::vector<size_t>& known =
        by_block[risk.addresses.empty() ? std::string() : BlockOf(risk.addresses[0])];
    const auto same =
        std::ranges::find_if(known, [&](size_t at) { return SayTheSame(out[at], risk); });
    if (same == known.end()) {
      known.push_back(out.size());
      out.push_back(std::move(risk));
    } else {
      out[*same].addresses.push_back(std::move(risk.addresses[0]));
    }
  }
  std::ranges::stable_sort(out, {}, &Risk::severity);
  report.risks = std::move(out);
}

}  // namespace kinu::risks
