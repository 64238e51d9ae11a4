#include "check/check_file.h"

#include "hcl/parse.h"
#include "lang/eval.h"

namespace kinu::check {
namespace {

constexpr std::string_view kLabels[] = {"name"};

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
  static constexpr hcl::BlockSchema kBlocks[] = {{.type = "check", .label_names = kLabels}};
  const SourceFile* source = tree_.KeepSource(SourceFile::Make(name, std::move(text)));
  Diagnostics problems;
  const hcl::Body* body = name.ends_with(".json") ? hcl::ParseJson(source, tree_, problems)
                                                  : hcl::ParseNative(source, tree_, problems);
  if (!problems.has_errors()) {
    const auto content = body->Content({.blocks = kBlocks}, hcl::Strictness::kExact, problems);
    for (const hcl::Block& block : content.blocks) {
      ReadCheck(block, problems);
    }
  }
  diags.Append(std::move(problems));
}

bool CheckFiles::has_selectors() const {
  for (const Check& check : checks_) {
    for (const Assertion& assertion : check.assertions) {
      if (assertion.HasSelector()) {
        return true;
      }
    }
  }
  return false;
}

void CheckFiles::ReadCheck(const hcl::Block& block, Diagnostics& diags) {
  static constexpr hcl::AttributeSchema kAttributes[] = {{"description", false}};
  static constexpr hcl::BlockSchema kBlocks[] = {{.type = "plan"}, {.type = "state"}};
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
  for (const hcl::Block& side : content.blocks) {
    ReadAssertions(side.type == "plan" ? Side::kPlan : Side::kState, side, check, diags);
  }
  checks_.push_back(std::move(check));
}

void CheckFiles::ReadAssertions(Side side, const hcl::Block& block, Check& check,
                                Diagnostics& diags) {
  if (!block.body->is_json()) {
    const auto& body = static_cast<const hcl::NativeBody&>(*block.body);
    for (const hcl::NativeAttribute& attribute : body.attributes) {
      ReportAttribute({body.file, attribute.begin, attribute.name_end}, diags);
    }
    for (const hcl::NativeBlock& assertion : body.blocks) {
      const SourceRange range{body.file, assertion.type_begin, assertion.type_end};
      if (!assertion.labels.empty()) {
        diags.Error("Extraneous label for " + std::string(assertion.type),
                    "An assertion has no labels.", assertion.label_ranges[0], range);
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
