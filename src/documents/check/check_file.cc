#include "check/check_file.h"

#include <algorithm>

#include "check/rule_file.h"
#include "lang/eval.h"

namespace kinu::check {
namespace {

constexpr std::string_view kLabels[] = {"name"};
constexpr std::string_view kAddressLabel[] = {"address"};

/// The side that a block of a check is about.
Side SideNamed(std::string_view block) {
  if (block == "plan") {
    return Side::kPlan;
  }
  return block == "state" ? Side::kState : Side::kConfiguration;
}

/// Whether a JSON value is a block or blocks: an object, or an array of objects.
bool IsBlocks(const hcl::Expr& value) {
  if (value.kind == hcl::ExprKind::kJsonObject) {
    return true;
  }
  if (value.kind != hcl::ExprKind::kTuple) {
    return false;
  }
  for (const hcl::Expr* element : static_cast<const hcl::TupleExpr&>(value).elements) {
    if (element->kind != hcl::ExprKind::kJsonObject) {
      return false;
    }
  }
  return true;
}

void ReportAttribute(SourceRange range, Diagnostics& diags) {
  diags.Error("Unsupported argument", "Only assertions can stand here, each a block of its own.",
              range);
}

}  // namespace

void CheckFiles::Add(const std::string& name, std::string text, Diagnostics& diags) {
  static constexpr hcl::BlockSchema kBlocks[] = {{.type = "check", .label_names = kLabels},
                                                 {.type = "test", .label_names = kLabels}};
  Diagnostics problems;
  const hcl::Body* body = ParseRuleFile(name, std::move(text), tree_, problems);
  if (!problems.has_errors()) {
    const auto content = body->Content({.blocks = kBlocks}, hcl::Strictness::kExact, problems);
    for (const hcl::Block& block : content.blocks) {
      if (block.type == "test") {
        ReadTest(block, problems);
      } else {
        ReadCheck(block, problems);
      }
    }
  }
  diags.Append(std::move(problems));
}

bool CheckFiles::needs_whole_documents() const {
  for (const Check& check : checks_) {
    for (const Assertion& assertion : check.assertions) {
      if (assertion.NeedsWholeDocument()) {
        return true;
      }
    }
  }
  return false;
}

void CheckFiles::ReadCheck(const hcl::Block& block, Diagnostics& diags) {
  static constexpr hcl::AttributeSchema kAttributes[] = {{"description", false},
                                                         {"severity", false}};
  static constexpr hcl::BlockSchema kBlocks[] = {{.type = "plan"},
                                                 {.type = "state"},
                                                 {.type = "configuration"},
                                                 {.type = "except", .label_names = kAddressLabel}};
  Check check{.name = std::string(block.labels[0]), .range = block.def_range};
  const auto [known, is_new] = names_.emplace(check.name, block.def_range);
  if (!is_new) {
    const Position where = known->second.start_position();
    diags.Error("Duplicate check name",
                "There is a check \"" + check.name + "\" already, at " +
                    known->second.file->name() + " line " + std::to_string(where.line) + ".",
                block.def_range);
  }
  const auto content = block.body->Content({.attributes = kAttributes, .blocks = kBlocks},
                                           hcl::Strictness::kExact, diags);
  if (const hcl::Attribute* description = content.Find("description")) {
    const Value value = lang::Evaluate(*description->expr, scope_, diags);
    if (value.IsKnown() && !value.IsNull() && value.type() == Type::String()) {
      check.description = value.AsString();
    } else if (!diags.has_errors()) {
      diags.Error("Invalid description", "The description of a check must be a string.",
                  description->expr->range());
    }
  }
  if (const hcl::Attribute* severity = content.Find("severity")) {
    const std::string text = ReadText(*severity, diags);
    check.warning = text == "warning";
    if (text != "warning" && text != "error") {
      diags.Error("Invalid severity", "The severity of a check is \"error\" or \"warning\".",
                  severity->expr->range());
    }
  }
  for (const hcl::Block& side : content.blocks) {
    if (side.type == "except") {
      ReadException(side, check, diags);
      continue;
    }
    ReadAssertions(SideNamed(side.type), side, check, diags);
  }
  checks_.push_back(std::move(check));
}

std::string CheckFiles::ReadText(const hcl::Attribute& attribute, Diagnostics& diags) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::String(), scope_, diags);
  if (!value.IsKnown()) {
    return {};
  }
  if (value.IsNull()) {
    diags.Error("Invalid value", "The argument must be a string.", attribute.expr->range());
    return {};
  }
  return std::string(value.AsString());
}

std::vector<std::string> CheckFiles::ReadTexts(const hcl::Attribute& attribute,
                                               Diagnostics& diags) {
  const Value value = lang::EvaluateTo(*attribute.expr, Type::List(Type::String()), scope_, diags);
  std::vector<std::string> texts;
  if (!value.IsWhollyKnown() || value.IsNull()) {
    return texts;
  }
  for (const Value& element : value.elements()) {
    texts.emplace_back(element.IsNull() ? std::string_view() : element.AsString());
  }
  return texts;
}

void CheckFiles::ReadException(const hcl::Block& block, Check& check, Diagnostics& diags) {
  static constexpr hcl::AttributeSchema kAttributes[] = {{"reason", true}, {"expires", true}};
  const auto content =
      block.body->Content({.attributes = kAttributes}, hcl::Strictness::kExact, diags);
  Exception exception{.address = std::string(block.labels[0])};
  if (const hcl::Attribute* reason = content.Find("reason")) {
    exception.reason = ReadText(*reason, diags);
  }
  if (const hcl::Attribute* expires = content.Find("expires")) {
    exception.expires = ReadText(*expires, diags);
    if (!IsDay(exception.expires)) {
      diags.Error("Invalid day", "An exception expires on a day such as \"2027-03-31\".",
                  expires->expr->range());
    }
  }
  check.exceptions.push_back(std::move(exception));
}

void CheckFiles::ReadTest(const hcl::Block& block, Diagnostics& diags) {
  static constexpr hcl::AttributeSchema kAttributes[] = {
      {"plans", false}, {"states", false}, {"configurations", false}, {"passes", false}};
  static constexpr hcl::BlockSchema kBlocks[] = {{.type = "fails", .label_names = kLabels}};
  static constexpr hcl::AttributeSchema kAddresses[] = {{"addresses", false}};
  CheckTest test{.name = std::string(block.labels[0]), .range = block.def_range};
  const auto content = block.body->Content({.attributes = kAttributes, .blocks = kBlocks},
                                           hcl::Strictness::kExact, diags);
  for (const auto& [name, out] :
       {std::pair("plans", &test.plans), std::pair("states", &test.states),
        std::pair("configurations", &test.configurations), std::pair("passes", &test.passes)}) {
    if (const hcl::Attribute* attribute = content.Find(name)) {
      *out = ReadTexts(*attribute, diags);
    }
  }
  for (const hcl::Block& fails : content.blocks) {
    const auto inner =
        fails.body->Content({.attributes = kAddresses}, hcl::Strictness::kExact, diags);
    const hcl::Attribute* addresses = inner.Find("addresses");
    test.fails.push_back({.check = std::string(fails.labels[0]),
                          .addresses = addresses != nullptr ? ReadTexts(*addresses, diags)
                                                            : std::vector<std::string>()});
    std::sort(test.fails.back().addresses.begin(), test.fails.back().addresses.end());
  }
  tests_.push_back(std::move(test));
}

void CheckFiles::ReadAssertions(Side side, const hcl::Block& block, Check& check,
                                Diagnostics& diags) {
  if (!block.body->is_json()) {
    const auto& body = static_cast<const hcl::NativeBody&>(*block.body);
    for (const hcl::NativeAttribute& attribute : body.attributes) {
      ReportAttribute({body.file, attribute.begin, attribute.name_end()}, diags);
    }
    for (const hcl::NativeBlock& assertion : body.blocks) {
      const SourceRange range{body.file, assertion.type_begin, assertion.type_end()};
      if (!assertion.labels.empty()) {
        diags.Error("Extraneous label for " + std::string(assertion.type),
                    "An assertion has no labels.",
                    {body.file, assertion.labels[0].begin, assertion.labels[0].end}, range);
        continue;
      }
      check.assertions.push_back(
          DecodeAssertion(side, assertion.type, *assertion.body, range, scope_));
    }
    return;
  }
  // Every property is an assertion, so the names of the properties are the schema.
  Diagnostics repeated;
  const std::vector<hcl::Attribute> properties = block.body->JustAttributes({}, repeated);
  std::vector<hcl::BlockSchema> kinds;
  for (const hcl::Attribute& property : properties) {
    if (!IsBlocks(*property.expr)) {
      ReportAttribute(property.name_range, diags);
    }
    kinds.push_back({.type = property.name});
  }
  const auto content = block.body->Content({.blocks = kinds}, hcl::Strictness::kExact, diags);
  for (const hcl::Block& assertion : content.blocks) {
    check.assertions.push_back(
        DecodeAssertion(side, assertion.type, *assertion.body, assertion.type_range, scope_));
  }
}

}  // namespace kinu::check
