#include "schema/locate.h"

#include <algorithm>
#include <optional>
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

constexpr std::string_view kDynamicLabels[] = {"type"};

// The `content` body of a `dynamic` block, or null.
const hcl::Body* ContentOf(const hcl::Block& dynamic) {
  const hcl::BlockSchema inner[] = {{"content", {}}};
  Diagnostics problems;
  const hcl::BodyContent content =
      dynamic.body->Content({.blocks = inner}, hcl::Strictness::kPartial, problems);
  return content.blocks.empty() ? nullptr : content.blocks.front().body;
}

// How many blocks named `name` a decoded body has. Nothing: they are not known.
std::optional<size_t> CountOf(const Value* decoded, std::string_view name) {
  const Value* part = decoded == nullptr ? nullptr : decoded->Find(name);
  const bool counted = part != nullptr && part->IsKnown() && !part->IsNull() &&
                       (part->type().is_list() || part->type().is_tuple() ||
                        part->type().is_set() || part->type().is_map());
  return counted ? std::optional(part->size()) : std::nullopt;
}

// The blocks of one kind in a body.
struct Blocks {
  std::vector<hcl::Block> written;
  std::vector<const hcl::Body*> bodies;  // of all blocks, in the order of the source
  const hcl::Body* generated = nullptr;  // of the first that is not written
};

// Finds the blocks that a header describes, with those that `dynamic` blocks generate if
// `generated`. `count`: how many there are. The first `dynamic` block has generated those that are
// not written; blocks of which nothing is known are one.
std::optional<Blocks> FindBlocks(const hcl::Body& body, const hcl::BlockSchema& header,
                                 bool generated, std::optional<size_t> count) {
  const hcl::BlockSchema headers[] = {header, {"dynamic", kDynamicLabels}};
  Diagnostics problems;
  const hcl::BodyContent content = body.Content(
      {.blocks = std::span(headers).first(generated ? 2 : 1)}, hcl::Strictness::kPartial, problems);
  if (problems.has_errors()) {
    return std::nullopt;
  }
  Blocks out;
  size_t written = 0;
  for (const hcl::Block& block : content.blocks) {
    written += block.type == header.type ? 1 : 0;
  }
  for (const hcl::Block& block : content.blocks) {
    if (block.type == header.type) {
      out.written.push_back(block);
      out.bodies.push_back(block.body);
      continue;
    }
    const hcl::Body* made = block.labels.front() == header.type ? ContentOf(block) : nullptr;
    if (made == nullptr) {
      continue;
    }
    const size_t rest = count ? *count - std::min(*count, written) : 1;
    if (out.generated == nullptr || !count) {
      out.bodies.insert(out.bodies.end(), rest, made);
    }
    out.generated = out.generated == nullptr ? made : out.generated;
  }
  return out;
}

// The block that an index means; null without one.
const hcl::Body* Choose(const Blocks& blocks, const Value* index) {
  if (index == nullptr) {
    return blocks.bodies.size() == 1 ? blocks.bodies.front() : nullptr;
  }
  if (index->type() == Type::String()) {
    for (const hcl::Block& block : blocks.written) {
      if (block.labels.front() == index->AsString()) {
        return block.body;
      }
    }
    return blocks.generated;
  }
  const std::optional<int64_t> at =
      index->type() == Type::Number() ? index->AsInt64() : std::nullopt;
  return at && *at >= 0 && static_cast<size_t>(*at) < blocks.bodies.size()
             ? blocks.bodies[static_cast<size_t>(*at)]
             : nullptr;
}

// Follows path steps from body to body, as long as they name blocks. Other steps are inside an
// attribute and are skipped. With `decoded`, the value of the body, blocks that `dynamic` blocks
// generate are found too.
const hcl::Body* Descend(const hcl::Body* body, std::span<const PathStep> steps,
                         const Value* decoded = nullptr) {
  const bool generated = decoded != nullptr;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != Kind::kAttribute) {
      return body;
    }
    const std::string& name = steps[i].name;
    const Value* index = nullptr;
    if (i + 1 < steps.size() && steps[i + 1].kind == Kind::kIndex) {
      index = &steps[++i].key;
    }
    hcl::BlockSchema header{name, {}};
    if (index != nullptr && index->type() == Type::String()) {
      header.label_names = kMapLabels;
    }
    const auto blocks = FindBlocks(*body, header, generated, CountOf(decoded, name));
    if (!blocks) {
      return body;
    }
    decoded = nullptr;  // how many blocks there are is known at the top only
    if (blocks->bodies.empty()) {
      continue;
    }
    const hcl::Body* next = Choose(*blocks, index);
    if (next == nullptr) {
      return body;
    }
    body = next;
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

SourceRange Locate(const hcl::Body& body, const Path& path, const Value* decoded) {
  std::span<const PathStep> steps = path.steps();
  if (steps.empty() || steps.front().kind == Kind::kIndex) {
    return body.MissingItemRange();
  }
  const Value* index = nullptr;
  if (steps.back().kind == Kind::kIndex) {
    index = &steps.back().key;
    steps = steps.first(steps.size() - 1);
  }
  const hcl::Body* deepest = steps.size() > 1 ? Descend(&body, steps, decoded) : &body;
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
