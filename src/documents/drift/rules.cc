#include "drift/rules.h"

#include <algorithm>

#include "base/flat_map.h"
#include "check/objects.h"
#include "check/rule_arguments.h"
#include "check/rule_file.h"
#include "query/evaluate.h"

namespace kinu::drift {
namespace {

constexpr std::string_view kAddressLabel[] = {"address"};
constexpr hcl::BlockSchema kBlocks[] = {{.type = "ignore", .label_names = kAddressLabel}};
constexpr hcl::AttributeSchema kAttributes[] = {
    {"attributes", false}, {"selector", false}, {"reason", true}, {"expires", false}};

/// Reads `ignore` blocks.
class RuleReader {
 public:
  explicit RuleReader(Diagnostics& diags) : diags_(diags), arguments_(diags) {}

  Rule Read(const hcl::Block& block) {
    const auto content =
        block.body->Content({.attributes = kAttributes}, hcl::Strictness::kExact, diags_);
    Rule rule{.address = std::string(block.labels[0])};
    if (const hcl::Attribute* reason = content.Find("reason")) {
      rule.reason = arguments_.Text(*reason);
    }
    if (const hcl::Attribute* attributes = content.Find("attributes")) {
      rule.attributes =
          arguments_.Texts(*attributes,
                           "The list must name attributes. Without the argument a rule is about "
                           "whole objects.");
    }
    if (const hcl::Attribute* expires = content.Find("expires")) {
      rule.expires = arguments_.Day(*expires);
    }
    if (const hcl::Attribute* selector = content.Find("selector")) {
      ReadSelector(*selector, rule);
    }
    return rule;
  }

 private:
  void ReadSelector(const hcl::Attribute& attribute, Rule& rule) {
    auto parsed = query::ParseSelector(arguments_.Text(attribute));
    if (parsed) {
      rule.selector = *std::move(parsed);
    } else {
      diags_.Error("Invalid selector",
                   parsed.error().message + ", at byte " + std::to_string(parsed.error().offset) +
                       " of the selector.",
                   attribute.expr->range());
    }
  }

  Diagnostics& diags_;
  check::RuleArguments arguments_;
};

/// Whether a path is what a pattern names, or lies inside of it.
bool Covers(std::string_view pattern, std::string_view path) {
  if (check::MatchesPattern(pattern, path)) {
    return true;
  }
  for (size_t end = path.find_first_of(".["); end != std::string_view::npos;
       end = path.find_first_of(".[", end + 1)) {
    if (check::MatchesPattern(pattern, path.substr(0, end))) {
      return true;
    }
  }
  return false;
}

bool Covers(const Rule& rule, const Difference& difference) {
  const std::string path = difference.PathText();
  return std::ranges::any_of(rule.attributes,
                             [&](const std::string& attribute) { return Covers(attribute, path); });
}

/// The reason with the last day of a rule.
std::string WhyOf(const Rule& rule) {
  return rule.expires.empty() ? rule.reason : rule.reason + ", until " + rule.expires;
}

/// Marks what a rule covers in an object.
void Ignore(const Rule& rule, Object& object) {
  const std::string why = WhyOf(rule);
  if (rule.attributes.empty()) {
    object.ignored = why;
    return;
  }
  for (Difference& difference : object.differences) {
    if (difference.ignored.empty() && Covers(rule, difference)) {
      difference.ignored = why;
    }
  }
  const auto is_ignored = [](const Difference& difference) { return !difference.ignored.empty(); };
  if (!object.differences.empty() && std::ranges::all_of(object.differences, is_ignored)) {
    object.ignored = why;
  }
}

/// Whether a rule would cover something in an object, had it not expired.
bool WouldCover(const Rule& rule, const Object& object) {
  return rule.attributes.empty() ||
         std::ranges::any_of(object.differences, [&](const Difference& difference) {
           return Covers(rule, difference);
         });
}

/// The entries of `resource_drift` that a selector finds, or in which it finds something.
Result<FlatSet<uint64_t>> Found(const query::Query& selector, const json::Node& plan) {
  FlatSet<uint64_t> offsets;
  query::Evaluator evaluator(plan);
  (void)evaluator.Run(selector.segments, plan,
                      [&](json::Node node, std::span<const tfjson::TrailStep> trail) {
                        offsets.insert(node.offset());
                        for (const tfjson::TrailStep& step : trail) {
                          offsets.insert(step.container.offset());
                        }
                        return true;
                      });
  if (evaluator.problem()) {
    return Fail(ErrorCode::kInvalid, evaluator.problem()->message);
  }
  return offsets;
}

}  // namespace

void Rules::Add(const std::string& name, std::string text, Diagnostics& diags) {
  Diagnostics problems;
  const hcl::Body* body = check::ParseRuleFile(name, std::move(text), tree_, problems);
  if (!problems.has_errors()) {
    const auto content = body->Content({.blocks = kBlocks}, hcl::Strictness::kExact, problems);
    RuleReader reader(problems);
    for (const hcl::Block& block : content.blocks) {
      rules_.push_back(reader.Read(block));
    }
  }
  diags.Append(std::move(problems));
}

Result<void> Rules::Apply(const json::Node& plan, Report& report, std::string today) const {
  if (today.empty()) {
    today = check::Today();
  }
  for (const Rule& rule : rules_) {
    FlatSet<uint64_t> found;
    if (rule.selector) {
      KINU_TRY(found, Found(*rule.selector, plan));
    }
    for (Object& object : report.objects) {
      if (!object.ignored.empty() || !check::MatchesPattern(rule.address, object.address) ||
          (rule.selector && !found.contains(object.entry.offset()))) {
        continue;
      }
      if (rule.expires.empty() || rule.expires >= today) {
        Ignore(rule, object);
      } else if (WouldCover(rule, object)) {
        object.note = "the rule \"" + rule.reason + "\" expired on " + rule.expires;
      }
    }
  }
  return {};
}

}  // namespace kinu::drift
