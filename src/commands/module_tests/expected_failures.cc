#include "module_tests/expected_failures.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "config/reference_syntax.h"
#include "meta_arguments/conditions.h"

namespace kinu::module_tests {

namespace {

/// The kind of what an expected failure names; nothing for resources.
std::optional<CheckableKind> KindNamed(std::string_view root) {
  if (root == "output") {
    return CheckableKind::kOutput;
  }
  if (root == "check") {
    return CheckableKind::kCheck;
  }
  return root == "var" ? std::optional(CheckableKind::kVariable) : std::nullopt;
}

}  // namespace

ExpectedFailures::ExpectedFailures(Program& program, const config::Module& module,
                                   const config::TestRun& run)
    : program_(program) {
  for (const hcl::TraversalExpr* traversal : run.expect_failures) {
    Expected entry;
    entry.range = config::ReferenceRange(*traversal);
    if (const std::optional<CheckableKind> kind = KindNamed(traversal->root)) {
      const std::string_view name = traversal->steps[0].name();
      entry.kind = *kind;
      entry.name.name = program.Intern(name);
      entry.address = std::string(traversal->root) + "." + std::string(name);
      entry.range = {traversal->file(), traversal->begin, traversal->steps[0].end};
    } else {
      const config::ParsedReference parsed = config::ParseReference(*traversal, nullptr);
      const config::Reference ref = config::ResolveReference(program, module, *traversal, nullptr);
      entry.name = {parsed.mode, program.Intern(parsed.type), program.Intern(parsed.name)};
      // With an attribute behind it, it is an instance without a key.
      entry.whole = !ref.has_key && parsed.consumed == traversal->steps.size();
      entry.key = ref.key;
      entry.address = program.ToText(ResourceInstance{{ModuleInstId(), entry.name}, entry.key});
    }
    const auto same = std::ranges::find(expected_, entry.address, &Expected::address);
    if (same == expected_.end()) {
      expected_.push_back(std::move(entry));
    } else {
      same->range = entry.range;
    }
  }
}

ExpectedFailures::Expected* ExpectedFailures::Find(const Checkable& object) {
  if (!program_.ModuleOf(object.object.resource.module).is_root()) {
    return nullptr;
  }
  Expected* found = nullptr;
  for (Expected& entry : expected_) {
    if (entry.kind != object.kind || entry.name != object.object.resource.resource) {
      continue;
    }
    if (entry.kind == CheckableKind::kResource && !entry.whole) {
      if (entry.key == object.object.key) {
        return &entry;
      }
    } else {
      found = &entry;
    }
  }
  return found;
}

Diagnostics ExpectedFailures::Apply(Diagnostics&& found) {
  Diagnostics out;
  for (Diagnostic& diagnostic : found.list()) {
    const meta_arguments::ConditionOrigin* origin = meta_arguments::OriginOf(diagnostic);
    if (origin == nullptr) {
      out.Add(std::move(diagnostic));
      continue;
    }
    if (origin->data_source) {
      diagnostic.severity = origin->severity;
    } else if (origin->object.kind == CheckableKind::kCheck) {
      diagnostic.severity = Severity::kError;
    }
    Expected* expected = diagnostic.is_error() ? Find(origin->object) : nullptr;
    if (expected != nullptr) {
      expected->failed = true;
    } else {
      out.Add(std::move(diagnostic));
    }
  }
  for (const Expected& entry : expected_) {
    if (!entry.failed) {
      out.Error("Missing expected failure",
                "The checkable object, " + entry.address +
                    ", was expected to report an error but did not.",
                entry.range);
    }
  }
  return out;
}

void ExpectedFailures::WarnOfPlan(Diagnostics& found) const {
  std::vector<std::string> variables;
  for (const Diagnostic& diagnostic : found) {
    const meta_arguments::ConditionOrigin* origin = meta_arguments::OriginOf(diagnostic);
    if (origin == nullptr || origin->object.kind != CheckableKind::kVariable) {
      continue;
    }
    for (const Expected& entry : expected_) {
      if (entry.kind == CheckableKind::kVariable &&
          entry.name == origin->object.object.resource.resource) {
        variables.push_back(ToText(program_, origin->object));
      }
    }
  }
  for (const std::string& variable : variables) {
    found.Warning("Invalid Variable in test file",
                  "Variable " + variable +
                      ", has an invalid value within the test. Although this was an expected "
                      "failure, it has meant the apply stage was unable to run so the overall test "
                      "will fail.");
  }
}

}  // namespace kinu::module_tests
