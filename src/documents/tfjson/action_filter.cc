#include "tfjson/action_filter.h"

#include <algorithm>

#include "tfjson/actions.h"

namespace kinu::tfjson {
namespace {

constexpr std::string_view kWords[] = {"create", "read",  "update", "delete", "replace",
                                       "forget", "no-op", "import", "move"};

/// Appends one container with a part of its members or elements.
class PartWriter {
 public:
  PartWriter(std::string& out, char open, char close) : out_(out), close_(close) { out_ += open; }
  /// Where the next member or element is appended.
  std::string& Next() {
    if (!first_) {
      out_ += ',';
    }
    first_ = false;
    return out_;
  }
  void Element(const json::Node& value) { Next() += value.text(); }
  void Member(const struct json::Member& member) { Name(member) += member.value.text(); }
  /// Appends the name of a member, whose value follows.
  std::string& Name(const struct json::Member& member) {
    return (Next() += member.name.text()) += ':';
  }
  void Close() { out_ += close_; }

 private:
  std::string& out_;
  char close_;
  bool first_ = true;
};

/// Writes the parts of a plan's document.
class FilteredPlan {
 public:
  FilteredPlan(std::string& out, const json::Node& plan, const ActionFilter& filter)
      : out_(out), filter_(filter), checks_pass_(ChecksPass(plan.Find("checks"))) {}

  void Changes(const json::Node& changes) {
    PartWriter part(out_, '[', ']');
    for (const json::Node change : changes.elements()) {
      if (Shows(change)) {
        part.Element(change);
      }
    }
    part.Close();
  }
  void Outputs(const json::Node& outputs) {
    PartWriter part(out_, '{', '}');
    for (const json::Member output : outputs.members()) {
      if (filter_.Has(ActionOf(output.value.Find("actions")))) {
        part.Member(output);
      }
    }
    part.Close();
  }
  void Checks(const json::Node& checks) {
    PartWriter part(out_, '[', ']');
    for (const json::Node check : checks.elements()) {
      if (!Passes(check)) {
        part.Element(check);
      }
    }
    part.Close();
  }

 private:
  static bool Passes(const json::Node& check) {
    const json::Node status = check.Find("status");
    return status && status.Is("pass");
  }
  static bool ChecksPass(const json::Node& checks) {
    if (!checks) {
      return false;
    }
    for (const json::Node check : checks.elements()) {
      const json::Node address = check.Find("address");
      const json::Node kind = address ? address.Find("kind") : json::Node();
      if (kind && kind.Is("check") && !Passes(check)) {
        return false;
      }
    }
    return true;
  }
  bool Shows(const json::Node& entry) const {
    const json::Node change = entry.Find("change");
    const json::Node reason = entry.Find("action_reason");
    if (!change || (checks_pass_ && reason && reason.Is("read_because_check_nested"))) {
      return false;
    }
    return filter_.Has(ActionOf(change.Find("actions"))) ||
           (filter_.has_imports() && change.Find("importing")) ||
           (filter_.has_moves() && entry.Find("previous_address"));
  }

  std::string& out_;
  const ActionFilter& filter_;
  const bool checks_pass_;
};

}  // namespace

Result<ActionFilter> ActionFilter::Parse(std::string_view list) {
  ActionFilter filter;
  filter.text_ = list;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view word = list.substr(begin, end - begin);
    if (std::ranges::find(kWords, word) == std::end(kWords)) {
      std::string known;
      for (const std::string_view each : kWords) {
        known += (known.empty() ? "" : ", ") + std::string(each);
      }
      return Fail(ErrorCode::kInvalid,
                  "\"" + std::string(word) + "\" is no action; there are " + known);
    }
    filter.words_.emplace_back(word);
    begin = end + 1;
  }
  return filter;
}

bool ActionFilter::Has(std::string_view action) const {
  if (action == "forget-then-create") {
    return Has("forget") || Has("replace");
  }
  return std::ranges::find(words_, action) != words_.end();
}

Result<void> AppendFiltered(std::string& out, const json::Node& plan, const ActionFilter& filter) {
  if (!plan.is_object() || !plan.Find("planned_values")) {
    return Fail(ErrorCode::kInvalid, "only plans have changes with actions");
  }
  FilteredPlan filtered(out, plan, filter);
  PartWriter document(out, '{', '}');
  for (const json::Member member : plan.members()) {
    if (member.name.Is("resource_changes") || member.name.Is("resource_drift")) {
      document.Name(member);
      filtered.Changes(member.value);
    } else if (member.name.Is("output_changes")) {
      document.Name(member);
      filtered.Outputs(member.value);
    } else if (member.name.Is("checks")) {
      document.Name(member);
      filtered.Checks(member.value);
    } else {
      document.Member(member);
    }
  }
  document.Close();
  return {};
}

}  // namespace kinu::tfjson
