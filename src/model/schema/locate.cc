#include "schema/locate.h"

#include <string>
#include <utility>
#include <vector>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "lang/eval.h"
#include "text/quote.h"

namespace kinu::schema {

using Kind = PathStep::Kind;

namespace {

constexpr std::string_view kMapLabels[] = {"key"};

// The `content` body of the first `dynamic` block that generates blocks named `name`, or null.
const hcl::Body* DynamicContent(const hcl::Body& body, std::string_view name) {
  static constexpr std::string_view kLabel[] = {"type"};
  const hcl::BlockSchema dynamic[] = {{"dynamic", kLabel}};
  const hcl::BlockSchema inner[] = {{"content", {}}};
  Diagnostics problems;
  const hcl::BodyContent found =
      body.Content({.blocks = dynamic}, hcl::Strictness::kPartial, problems);
  for (const hcl::Block& block : found.blocks) {
    if (block.labels.front() == name) {
      const hcl::BodyContent content =
          block.body->Content({.blocks = inner}, hcl::Strictness::kPartial, problems);
      return content.blocks.empty() ? nullptr : content.blocks.front().body;
    }
  }
  return nullptr;
}

// Follows path steps from body to body, as long as they name blocks. Other steps are inside an
// attribute and are skipped. With `generated`, an index past the last written block means a block
// that a `dynamic` block generates.
const hcl::Body* Descend(const hcl::Body* body, std::span<const PathStep> steps,
                         bool generated = false) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != Kind::kAttribute) {
      return body;
    }
    const Value* index = nullptr;
    if (i + 1 < steps.size() && steps[i + 1].kind == Kind::kIndex) {
      index = &steps[i + 1].key;
    }
    const bool by_label = index != nullptr && index->type() == Type::String();
    hcl::BlockSchema header{steps[i].name, {}};
    if (by_label) {
      header.label_names = kMapLabels;
    }
    if (index != nullptr) {
      ++i;
    }
    const hcl::BlockSchema blocks[] = {header};
    Diagnostics problems;
    const hcl::BodyContent content =
        body->Content({.blocks = blocks}, hcl::Strictness::kPartial, problems);
    if (problems.has_errors()) {
      return body;
    }
    if (const hcl::Body* made =
            generated ? DynamicContent(*body, steps[i - (index != nullptr)].name) : nullptr;
        made != nullptr) {
      const std::optional<int64_t> at =
          index != nullptr && index->type() == Type::Number() ? index->AsInt64() : std::nullopt;
      if (!at || *at < 0 || static_cast<size_t>(*at) >= content.blocks.size()) {
        body = made;
        continue;
      }
    }
    if (content.blocks.empty()) {
      continue;
    }
    const hcl::Block* next = nullptr;
    if (index == nullptr) {
      next = content.blocks.size() == 1 ? &content.blocks.front() : nullptr;
    } else if (by_label) {
      for (const hcl::Block& block : content.blocks) {
        if (block.labels.front() == index->AsString()) {
          next = &block;
          break;
        }
      }
    } else if (index->type() == Type::Number()) {
      const std::optional<int64_t> at = index->AsInt64();
      if (at && *at >= 0 && static_cast<size_t>(*at) < content.blocks.size()) {
        next = &content.blocks[static_cast<size_t>(*at)];
      }
    }
    if (next == nullptr) {
      return body;
    }
    body = next->body;
  }
  return body;
}

// The range of the element `key` in a list or object constructor; else that of the whole
// expression.
SourceRange LocateElement(const hcl::Attribute& attribute, const Value& key) {
  const hcl::Expr& expr = *attribute.expr;
  if (key.type() == Type::Number()) {
    const auto items = hcl::AsList(expr);
    if (!items) {
      return expr.range();
    }
    const std::optional<int64_t> at = key.AsInt64();
    return at && *at >= 0 && static_cast<size_t>(*at) < items->size()
               ? (*items)[static_cast<size_t>(*at)]->range()
               : attribute.name_range;
  }
  if (!(key.type() == Type::String())) {
    return expr.range();
  }
  const auto items = hcl::AsMap(expr);
  if (!items) {
    return expr.range();
  }
  const functions::CallContext context;
  const lang::VariableScope nothing(nullptr, nullptr, context);
  for (const hcl::ObjectItem& item : *items) {
    Diagnostics problems;
    const Value name = lang::Evaluate(*item.key, nothing, problems);
    if (problems.has_errors() || !(name.type() == Type::String()) || name.IsNull() ||
        !name.IsKnown()) {
      return expr.range();
    }
    if (name.AsString() == key.AsString()) {
      return hcl::StartRange(*item.value);
    }
  }
  return attribute.name_range;
}

}  // namespace

SourceRange Locate(const hcl::Body& body, const Path& path) {
  std::span<const PathStep> steps = path.steps();
  if (steps.empty() || steps.front().kind == Kind::kIndex) {
    return body.MissingItemRange();
  }
  const Value* index = nullptr;
  if (steps.back().kind == Kind::kIndex) {
    index = &steps.back().key;
    steps = steps.first(steps.size() - 1);
  }
  const hcl::Body* deepest = steps.size() > 1 ? Descend(&body, steps) : &body;
  if (steps.back().kind != Kind::kAttribute) {
    return deepest->MissingItemRange();
  }
  const hcl::AttributeSchema attributes[] = {{steps.back().name, true}};
  Diagnostics problems;
  const hcl::BodyContent content =
      deepest->Content({.attributes = attributes}, hcl::Strictness::kPartial, problems);
  const hcl::Attribute* attribute = content.Find(steps.back().name);
  if (problems.has_errors() || attribute == nullptr) {
    return deepest->MissingItemRange();
  }
  return index == nullptr ? attribute->expr->range() : LocateElement(*attribute, *index);
}

SourceRange LocateBody(const hcl::Body& body, const Path& path) {
  std::span<const PathStep> steps = path.steps();
  if (steps.empty() || steps.front().kind == Kind::kIndex) {
    return body.MissingItemRange();
  }
  if (steps.back().kind == Kind::kIndex) {
    steps = steps.first(steps.size() - 1);
  }
  return (steps.size() > 1 ? Descend(&body, steps, true) : &body)->MissingItemRange();
}

void RejectEphemeral(const Block& block, const hcl::Body& body, const Value& value,
                     const std::string& address, Diagnostics& diags) {
  if (!value.HasMarkDeep(MarkSet::Ephemeral())) {
    return;
  }
  std::vector<PathMarks> marks;
  value.UnmarkDeepWithPaths(&marks);
  for (const PathMarks& marked : marks) {
    if (!marked.marks.ephemeral()) {
      continue;
    }
    // The schema does not describe the inside of an attribute of dynamic type: the attribute around
    // it decides.
    Path path = marked.path;
    const Attribute* attribute = FindAttributeByPath(block, path);
    while (attribute == nullptr && !path.empty()) {
      path.Pop();
      attribute = FindAttributeByPath(block, path);
    }
    if (attribute != nullptr && attribute->write_only) {
      continue;
    }
    diags
        .Error("Ephemeral value used in non-ephemeral context",
               "Attribute " + text::GoQuote(path.ToText()) +
                   " is referencing an ephemeral value but ephemeral values can be "
                   "referenced only by other ephemeral attributes or by write-only ones.",
               Locate(body, path))
        .address = address;
  }
}

}  // namespace kinu::schema
