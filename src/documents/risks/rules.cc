#include "risks/rules.h"

#include <algorithm>

#include "check/objects.h"
#include "check/rule_arguments.h"
#include "check/rule_file.h"

namespace kinu::risks {
namespace {

constexpr std::string_view kAddressLabel[] = {"address"};
constexpr hcl::BlockSchema kBlocks[] = {{.type = "ignore", .label_names = kAddressLabel}};
constexpr hcl::AttributeSchema kLimits[] = {{"data_types", false},  {"name_types", false},
                                            {"other_types", false}, {"default_types", false},
                                            {"many", false},        {"share", false}};
constexpr hcl::AttributeSchema kExceptionAttributes[] = {
    {"rules", false}, {"reason", true}, {"expires", false}};

/// Reads what is in a file.
class FileReader {
 public:
  explicit FileReader(Diagnostics& diags) : diags_(diags), arguments_(diags) {}

  void ReadLimits(const hcl::BodyContent& content, Limits& limits) {
    static constexpr std::pair<std::string_view, Holds> kLists[] = {
        {"other_types", Holds::kNothing},
        {"name_types", Holds::kNames},
        {"data_types", Holds::kData}};
    for (const auto& [name, holds] : kLists) {
      if (const hcl::Attribute* list = content.Find(name)) {
        limits.types.Add(holds, arguments_.Texts(*list, "The list must name types of resources."));
      }
    }
    if (const hcl::Attribute* use = content.Find("default_types");
        use != nullptr && arguments_.Flag(*use) == false) {
      limits.types.DropDefaults();
    }
    if (const hcl::Attribute* many = content.Find("many")) {
      limits.many = arguments_.Number(*many, 1, kMostObjects).value_or(limits.many);
    }
    if (const hcl::Attribute* share = content.Find("share")) {
      limits.share = arguments_.Number(*share, 1, 100).value_or(limits.share);
    }
  }

  Exception ReadException(const hcl::Block& block) {
    const auto content =
        block.body->Content({.attributes = kExceptionAttributes}, hcl::Strictness::kExact, diags_);
    Exception exception{.address = std::string(block.labels[0])};
    if (const hcl::Attribute* reason = content.Find("reason")) {
      exception.reason = arguments_.Text(*reason);
    }
    if (const hcl::Attribute* rules = content.Find("rules")) {
      exception.rules = arguments_.Texts(
          *rules, "The list must name rules. Without the argument all risks are expected.");
      CheckNames(*rules, exception.rules);
    }
    if (const hcl::Attribute* expires = content.Find("expires")) {
      exception.expires = arguments_.Day(*expires);
    }
    return exception;
  }

 private:
  static constexpr int64_t kMostObjects = 1'000'000'000;

  void CheckNames(const hcl::Attribute& attribute, const std::vector<std::string>& names) {
    const auto known = RuleNames();
    for (const std::string& name : names) {
      if (std::ranges::find(known, name) == known.end()) {
        diags_.Error("Unknown rule", "There is no rule with the name \"" + name + "\".",
                     attribute.expr->range());
      }
    }
  }

  Diagnostics& diags_;
  check::RuleArguments arguments_;
};

bool Covers(const Exception& exception, const Risk& risk) {
  if (!exception.rules.empty() &&
      std::ranges::find(exception.rules, risk.rule) == exception.rules.end()) {
    return false;
  }
  return check::MatchesPattern(exception.address,
                               risk.addresses.empty() ? std::string_view() : risk.addresses[0]);
}

}  // namespace

void Rules::Add(const std::string& name, std::string text, Diagnostics& diags) {
  Diagnostics problems;
  const hcl::Body* body = check::ParseRuleFile(name, std::move(text), tree_, problems);
  if (!problems.has_errors()) {
    const auto content = body->Content({.attributes = kLimits, .blocks = kBlocks},
                                       hcl::Strictness::kExact, problems);
    FileReader reader(problems);
    reader.ReadLimits(content, limits_);
    for (const hcl::Block& block : content.blocks) {
      exceptions_.push_back(reader.ReadException(block));
    }
  }
  diags.Append(std::move(problems));
}

void Rules::Apply(Report& report, std::string today) const {
  if (today.empty()) {
    today = check::Today();
  }
  for (const Exception& exception : exceptions_) {
    for (Risk& risk : report.risks) {
      if (!risk.ignored.empty() || !Covers(exception, risk)) {
        continue;
      }
      if (exception.expires.empty() || exception.expires >= today) {
        risk.ignored =
            exception.reason + (exception.expires.empty() ? "" : ", until " + exception.expires);
      } else {
        risk.note = "the rule \"" + exception.reason + "\" expired on " + exception.expires;
      }
    }
  }
}

}  // namespace kinu::risks
