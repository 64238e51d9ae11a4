// Rows of what states hold: resources, attributes, outputs, and counts of modules and providers.
#include <charconv>
#include <cmath>

#include "table/rows.h"
#include "tfjson/actions.h"

namespace kinu::table {

using json::Member;
using json::Node;

void AppendJson(BatchWriter& rows, const Redaction& redaction, const Node& value,
                const Mask& mask) {
  if (!value || value.is_null() || redaction.Hides(value, mask)) {
    rows.Null();
    return;
  }
  rows.TextBy([&](std::string& json) { redaction.Append(json, value, mask); });
}

void AppendPlainJson(BatchWriter& rows, const Node& value) {
  if (!value || value.is_null()) {
    rows.Null();
    return;
  }
  rows.TextBy([&](std::string& json) { json::AppendCompact(json, value.text()); });
}

void AppendText(BatchWriter& rows, const Node& object, std::string_view name) {
  std::string scratch;
  rows.TextOrNull(TextOf(object, name, scratch));
}

namespace {

/// The attribute `id`, if it is a text.
void AppendId(BatchWriter& rows, const Redaction& redaction, const ResourceView& view) {
  const Node id = view.values ? view.values.Find("id") : Node();
  // The entry in front of a member is its name.
  if (id && id.is_string() &&
      !redaction.Hides(id, view.mask.Into({view.values, Node(&id.tree(), id.at() - 1), 0}))) {
    std::string scratch;
    rows.Text(id.String(scratch));
  } else {
    rows.Null();
  }
}

}  // namespace

void AppendResources(const Source& source, BatchWriter& rows) {
  const Redaction& redaction = source.redaction();
  source.ForEachResource([&](const ResourceView& view) {
    source.BeginRow(rows).Text(view.address).TextOrNull(view.module).TextOrNull(view.mode);
    rows.TextOrNull(view.type).TextOrNull(view.name);
    AppendPlainJson(rows, view.index);
    rows.TextOrNull(view.provider);
    const std::optional<int64_t> schema = IntegerOf(view.schema_version);
    (schema ? rows.Integer(*schema) : rows.Null()).Bool(view.tainted).TextOrNull(view.deposed);
    AppendId(rows, redaction, view);
    AppendJson(rows, redaction, view.values, view.mask);
    rows.Bool(view.mask.whole() || view.mask.partial());
    AppendPlainJson(rows, view.depends_on);
    rows.EndRow();
  });
}

namespace {

/// The double that holds a number to the last digit: its shortest text is that number.
std::optional<double> DoubleOf(std::string_view digits) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  char shortest[32];
  const auto [last, problem] = std::to_chars(shortest, shortest + sizeof shortest, value);
  const bool same =
      problem == std::errc() &&
      json::CompareNumbers({shortest, static_cast<size_t>(last - shortest)}, digits) == 0;
  return same ? std::optional(value) : std::nullopt;
}

/// The columns of an attribute's value.
void AppendValue(BatchWriter& rows, const Node& value, bool hidden) {
  rows.Text(json::KindName(value.kind()));
  if (hidden || value.is_null()) {
    rows.Null().Null().Null().Null();
    return;
  }
  std::string scratch;
  rows.Text(value.is_string() ? value.String(scratch) : value.text());
  if (value.is_number()) {
    const std::optional<double> number = DoubleOf(value.text());
    (number ? rows.Number(*number) : rows.Null()).Null().Bool(number.has_value());
  } else {
    rows.Null();
    (value.is_bool() ? rows.Bool(value.is_true()) : rows.Null()).Null();
  }
}

struct Owner {
  std::string_view address;
  std::string_view deposed;
  std::string_view side;
};

void AppendLeaves(const Source& source, BatchWriter& rows, const Owner& owner, const Node& values,
                  const Mask& mask) {
  if (!values || values.is_null()) {
    return;
  }
  source.redaction().ForEachLeaf(values, mask, [&](const Redaction::Leaf& leaf) {
    source.BeginRow(rows).Text(owner.address).TextOrNull(owner.deposed).Text(owner.side);
    rows.Text(leaf.path);
    AppendValue(rows, leaf.value, leaf.hidden);
    rows.Bool(leaf.sensitive).Bool(false).EndRow();
  });
}

/// The leaves that are known after apply.
void AppendUnknown(const Source& source, BatchWriter& rows, const Owner& owner, const Node& unknown,
                   const Mask& mask) {
  if (!unknown) {
    return;
  }
  static const Redaction kEverything;
  kEverything.ForEachLeaf(unknown, mask, [&](const Redaction::Leaf& leaf) {
    if (!leaf.value.is_true()) {
      return;
    }
    source.BeginRow(rows).Text(owner.address).TextOrNull(owner.deposed).Text(owner.side);
    rows.Text(leaf.path).Null().Null().Null().Null().Null();
    rows.Bool(leaf.sensitive).Bool(true).EndRow();
  });
}

}  // namespace

void AppendAttributes(const Source& source, BatchWriter& rows) {
  if (source.kind() != DocumentKind::kPlan) {
    source.ForEachResource([&](const ResourceView& view) {
      AppendLeaves(source, rows, {view.address, view.deposed, "state"}, view.values, view.mask);
    });
    return;
  }
  ForEachChange(source, [&](const Node& entry, bool drift) {
    const Node change = entry.Find("change");
    if (drift || !change) {
      return;
    }
    std::string scratch[2];
    Owner owner{TextOf(entry, "address", scratch[0]), TextOf(entry, "deposed", scratch[1]),
                "before"};
    AppendLeaves(source, rows, owner, change.Find("before"),
                 Mask::Over(change.Find("before_sensitive")));
    owner.side = "after";
    const Mask after = Mask::Over(change.Find("after_sensitive"));
    AppendLeaves(source, rows, owner, change.Find("after"), after);
    AppendUnknown(source, rows, owner, change.Find("after_unknown"), after);
  });
}

namespace {

/// The outputs of a state.
void AppendStateOutputs(const Source& source, BatchWriter& rows) {
  Node outputs = source.root().Find("outputs");
  if (source.kind() == DocumentKind::kState) {
    const Node values = source.root().Find("values");
    outputs = values && values.is_object() ? values.Find("outputs") : Node();
  }
  if (!outputs) {
    return;
  }
  for (const Member member : outputs.members()) {
    const Node sensitive = member.value.Find("sensitive");
    const bool hides = sensitive && sensitive.is_true();
    source.BeginRow(rows).Text(member.name.String());
    AppendPlainJson(rows, member.value.Find("type"));
    AppendJson(rows, source.redaction(), member.value.Find("value"),
               hides ? Mask::Over(sensitive) : Mask());
    rows.Null().Null().Bool(hides).Bool(false).EndRow();
  }
}

/// The changes of outputs in a plan. Format 0.1 has an object around each.
void AppendOutputChanges(const Source& source, BatchWriter& rows) {
  const Node changes = source.root().Find("output_changes");
  if (!changes) {
    return;
  }
  for (const Member member : changes.members()) {
    const Node inner = member.value.Find("change");
    const Node change = inner ? inner : member.value;
    const Mask after = Mask::Over(change.Find("after_sensitive"));
    source.BeginRow(rows).Text(member.name.String()).Null();
    AppendJson(rows, source.redaction(), change.Find("after"), after);
    AppendJson(rows, source.redaction(), change.Find("before"),
               Mask::Over(change.Find("before_sensitive")));
    rows.TextOrNull(tfjson::ActionOf(change.Find("actions")));
    rows.Bool(after.whole() || after.partial());
    const Node unknown = change.Find("after_unknown");
    rows.Bool(unknown && tfjson::AnyTrue(unknown)).EndRow();
  }
}

}  // namespace

void AppendOutputs(const Source& source, BatchWriter& rows) {
  if (source.kind() == DocumentKind::kPlan) {
    AppendOutputChanges(source, rows);
  } else {
    AppendStateOutputs(source, rows);
  }
}

}  // namespace kinu::table
