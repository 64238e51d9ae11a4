#include "cli/summary_flags.h"

#include <charconv>

namespace kinu::cli {
namespace {

using view::GroupBy;
using view::SummaryForm;
using view::SummaryOptions;

/// A comment of a code review has at most 65,536 characters.
constexpr size_t kMarkdownBytes = 60'000;

constexpr std::pair<std::string_view, SummaryForm> kForms[] = {{"text", SummaryForm::kText},
                                                               {"tree", SummaryForm::kTree},
                                                               {"markdown", SummaryForm::kMarkdown},
                                                               {"json", SummaryForm::kJson}};
constexpr std::pair<std::string_view, GroupBy> kGroups[] = {
    {"action", GroupBy::kAction}, {"module", GroupBy::kModule}, {"type", GroupBy::kType}};

template <typename Value, size_t kSize>
bool Choose(const std::pair<std::string_view, Value> (&table)[kSize], std::string_view name,
            Value& out) {
  for (const auto& [known, value] : table) {
    if (known == name) {
      out = value;
      return true;
    }
  }
  return false;
}

bool ReadBytes(std::string_view text, SummaryOptions& options) {
  size_t bytes = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (problem != std::errc() || stop != text.data() + text.size() || bytes == 0) {
    return false;
  }
  options.bytes = bytes;
  options.lines = 0;
  return true;
}

bool ReadForm(std::string_view text, SummaryOptions& options) {
  if (ReadBytes(text, options)) {
    return true;
  }
  const size_t comma = text.find(',');
  if (!Choose(kForms, text.substr(0, comma), options.form)) {
    return false;
  }
  if (options.form == SummaryForm::kMarkdown) {
    options.bytes = kMarkdownBytes;
    options.lines = 0;
  }
  return comma == std::string_view::npos || ReadBytes(text.substr(comma + 1), options);
}

}  // namespace

std::optional<SummaryOptions> ReadSummaryFlags(const Flags& flags, Diagnostics& diags) {
  SummaryOptions options;
  const std::string& group_by = flags.String("group-by");
  const std::string& form = flags.String("summary");
  if (!flags.IsSet("summary")) {
    if (flags.IsSet("group-by")) {
      diags.Error("Summary required", "The -group-by option requires -summary to be specified.");
    }
    return std::nullopt;
  }
  if (!ReadForm(form, options)) {
    diags.Error("Invalid summary",
                "The -summary option takes text, tree, markdown or json, a positive number of "
                "bytes, or both with a comma between them.");
  }
  if (options.form == SummaryForm::kTree) {
    options.group_by = GroupBy::kModule;
  }
  if (!group_by.empty() && !Choose(kGroups, group_by, options.group_by)) {
    diags.Error("Invalid summary", "The -group-by option takes action, module or type.");
  }
  if (flags.Bool("json")) {
    diags.Error("Invalid summary",
                "The -summary and -json options exclude each other; -summary=json is the summary "
                "as JSON.");
  }
  return options;
}

std::optional<tfjson::ActionFilter> ReadActions(const Flags& flags, Diagnostics& diags) {
  if (!flags.IsSet("actions")) {
    return std::nullopt;
  }
  if (flags.IsSet("summary")) {
    diags.Error("Invalid actions", "The -actions and -summary options exclude each other.");
    return std::nullopt;
  }
  auto filter = tfjson::ActionFilter::Parse(flags.String("actions"));
  if (!filter) {
    diags.Error("Invalid actions", "In -actions, " + filter.error().message + ".");
    return std::nullopt;
  }
  return *std::move(filter);
}

}  // namespace kinu::cli
