// The four forms of a summary.
#include <algorithm>
#include <functional>

#include "codec/xml.h"
#include "json/writer.h"
#include "text/unicode.h"
#include "view/summary/summary.h"

namespace kinu::view {
namespace {

/// Attributes or reasons that a line names; more are counted.
constexpr size_t kNamed = 6;

/// The words for a number of objects with an effect, those of the line "Plan: …" of a plan.
constexpr std::array<std::string_view, kEffects> kCounted = {
    "to destroy", "to replace", "to forget", "to change", "to import",
    "to move",    "to add",     "to read",   ""};
constexpr std::array<std::string_view, kEffects> kSymbols = {"-", "-/+", ".",  "~", "←",
                                                             "→", "+",   "<=", ""};

std::string Objects(size_t count) {
  return GroupedDigits(count) + (count == 1 ? " object" : " objects");
}

std::string CountsText(const std::array<size_t, kEffects>& counts) {
  std::string out;
  for (size_t i = 0; i < kEffects; ++i) {
    if (counts[i] > 0) {
      out += out.empty() ? "" : ", ";
      out += static_cast<Effect>(i) == Effect::kExists
                 ? Objects(counts[i])
                 : GroupedDigits(counts[i]) + " " + std::string(kCounted[i]);
    }
  }
  return out;
}

std::string Headline(const Summary& summary) {
  std::string counts = CountsText(summary.counts);
  if (summary.of_state && !summary.groups.empty()) {
    const size_t blocks = summary.groups.size();
    counts += " of " + GroupedDigits(blocks) + (blocks == 1 ? " block" : " blocks");
  }
  if (!summary.outputs.empty()) {
    const size_t outputs = summary.outputs.size();
    counts += (counts.empty() ? "" : ", ") + GroupedDigits(outputs) +
              (outputs == 1 ? " output" : " outputs");
  }
  if (counts.empty()) {
    counts = summary.of_state ? "empty" : "no changes";
  }
  if (summary.errored) {
    counts += "; planning failed, more may be missing";
  }
  if (!summary.incomplete.empty()) {
    counts += "; planned offline, " + summary.incomplete;
  }
  if (summary.drifted > 0) {
    counts += "; " + GroupedDigits(summary.drifted) + " changed outside";
  }
  return (summary.of_state ? "State: " : "Plan: ") + counts;
}

/// The first names of a list with counts, where not all objects of a group have them.
std::string NameList(const std::map<std::string, size_t, std::less<>>& names, size_t all) {
  std::string out;
  size_t listed = 0;
  for (const auto& [name, count] : names) {
    if (listed == kNamed) {
      out += ", … " + GroupedDigits(names.size() - kNamed) + " more";
      break;
    }
    ++listed;
    out += (out.empty() ? "" : ", ") + name;
    if (count != all) {
      out += " (" + GroupedDigits(count) + ")";
    }
  }
  return out;
}

/// " (50,000, 1 tainted)", or nothing for a single ordinary object.
std::string CountNote(const SummaryGroup& group) {
  std::string out;
  const auto part = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (group.count > 1) {
    part(GroupedDigits(group.count));
  }
  const auto special = [&](size_t count, std::string_view what) {
    if (count > 0) {
      part((group.count > 1 ? GroupedDigits(count) + " " : "") + std::string(what));
    }
  };
  special(group.deposed, "deposed");
  special(group.tainted, "tainted");
  special(group.imported, "imported");
  return out.empty() ? out : " (" + out + ")";
}

/// What follows the address of a group in a line.
std::string Notes(const SummaryGroup& group) {
  std::string out = CountNote(group);
  if (group.count == 1 && !group.previous.empty()) {
    out += " (was " + group.previous + ")";
  }
  if (!group.attributes.empty()) {
    out += ": " + NameList(group.attributes, group.count);
  }
  if (!group.reasons.empty()) {
    out += " [" + NameList(group.reasons, group.count) + "]";
  }
  if (!group.causes.empty()) {
    out += ", because of " + NameList(group.causes, group.count);
  }
  return out;
}

/// Groups under one heading.
struct Section {
  std::string title;
  std::array<size_t, kEffects> counts{};
  std::vector<const SummaryGroup*> groups;
};

std::string TitleOf(const SummaryGroup& group, GroupBy group_by) {
  switch (group_by) {
    case GroupBy::kAction:
      return std::string(EffectName(group.effect));
    case GroupBy::kModule:
      return group.module;
    case GroupBy::kType:
      return group.type;
  }
  return {};
}

/// Actions in their order; modules and types by name.
std::vector<Section> SectionsOf(const Summary& summary, GroupBy group_by) {
  std::vector<Section> sections;
  FlatMap<std::string, size_t> index;
  for (const SummaryGroup& group : summary.groups) {
    std::string title = TitleOf(group, group_by);
    const auto [it, added] = index.try_emplace(title, sections.size());
    if (added) {
      sections.push_back({.title = std::move(title)});
    }
    Section& section = sections[it->second];
    section.counts[static_cast<size_t>(group.effect)] += group.count;
    section.groups.push_back(&group);
  }
  if (group_by != GroupBy::kAction) {
    std::ranges::stable_sort(sections, {}, &Section::title);
  }
  return sections;
}

/// Lines within a number of bytes and lines. What does not fit is counted at the end.
class BoundedLines {
 public:
  BoundedLines(std::string& out, const SummaryOptions& options) : out_(out), options_(options) {}

  /// Adds lines that belong together. `items` of them are counted if they do not fit.
  /// `reserved`: bytes of what must follow.
  bool Add(std::string_view text, size_t items, size_t reserved = 0) {
    constexpr size_t kMoreLine = 24;  // "… 1,000,000 more"
    const size_t lines = static_cast<size_t>(std::ranges::count(text, '\n'));
    const bool fits = omitted_ == 0 &&
                      out_.size() + text.size() + reserved + kMoreLine <= options_.bytes &&
                      (options_.lines == 0 || lines_ + lines + 1 <= options_.lines);
    if (fits) {
      out_ += text;
      lines_ += lines;
    } else {
      omitted_ += items;
    }
    return fits;
  }
  void Close() {
    if (omitted_ > 0) {
      out_ += "… " + GroupedDigits(omitted_) + " more\n";
    }
  }
  size_t omitted() const { return omitted_; }

 private:
  std::string& out_;
  const SummaryOptions& options_;
  size_t lines_ = 0;
  size_t omitted_ = 0;
};

/// " (because of var.size)" for an output, if its causes are known.
std::string OutputNote(const Summary& summary, const std::string& output) {
  const auto& known = summary.output_causes;
  const auto found = known.find(output);
  if (found == known.end() || found->second.empty()) {
    return "";
  }
  const std::vector<std::string>& causes = found->second;
  std::string out;
  for (size_t i = 0; i < std::min(causes.size(), kNamed); ++i) {
    out += (i == 0 ? " (because of " : ", ") + causes[i];
  }
  return out +
         (causes.size() > kNamed ? ", … " + GroupedDigits(causes.size() - kNamed) + " more)" : ")");
}

std::string OutputsLine(const Summary& summary) {
  std::string out;
  for (size_t i = 0; i < summary.outputs.size(); ++i) {
    if (i == kNamed) {
      return out + ", … " + GroupedDigits(summary.outputs.size() - kNamed) + " more";
    }
    out += (i == 0 ? "" : ", ") + summary.outputs[i] + OutputNote(summary, summary.outputs[i]);
  }
  return out;
}

/// `high data-deleted: aws_db_instance.main: It holds data.`
std::string RiskText(const SummaryRisk& risk, const std::string& objects) {
  return risk.severity + " " + risk.rule + (objects.empty() ? "" : ": " + objects) + ": " +
         risk.reason;
}

/// The objects of a risk, or one for the plan.
size_t Weight(const SummaryRisk& risk) {
  return std::max<size_t>(1, risk.addresses.size());
}

std::string Verb(const SummaryGroup& group) {
  const std::string_view name = EffectName(group.effect);
  return name.empty() ? std::string() : std::string(name) + " ";
}

std::string RenderText(const Summary& summary, const SummaryOptions& options) {
  std::string out;
  BoundedLines lines(out, options);
  lines.Add(Headline(summary) + "\n", 0);
  if (summary.risks) {
    lines.Add(summary.risks->headline + "\n", 0);
    for (const SummaryRisk& risk : summary.risks->risks) {
      lines.Add("- " + RiskText(risk, risk.objects) + "\n", Weight(risk));
    }
  }
  for (const Section& section : SectionsOf(summary, options.group_by)) {
    std::string_view dash = "- ";
    if (options.group_by != GroupBy::kAction) {
      lines.Add((section.title.empty() ? "root module" : section.title) + ": " +
                    CountsText(section.counts) + "\n",
                0);
      dash = "  - ";
    }
    for (const SummaryGroup* group : section.groups) {
      std::string line(dash);
      line += Verb(*group) + group->Address() + Notes(*group) + "\n";
      lines.Add(line, group->count);
    }
  }
  if (!summary.outputs.empty()) {
    lines.Add("- outputs " + OutputsLine(summary) + "\n", summary.outputs.size());
  }
  lines.Close();
  return out;
}

/// `last`: nothing follows.
void AddRiskTree(BoundedLines& lines, const SummaryRisks& risks, bool last) {
  lines.Add((last ? "└─ " : "├─ ") + risks.headline + "\n", 0);
  for (const SummaryRisk& risk : risks.risks) {
    const std::string branch = &risk == &risks.risks.back() ? "└─ " : "├─ ";
    lines.Add((last ? "   " : "│  ") + branch + RiskText(risk, risk.objects) + "\n", Weight(risk));
  }
}

std::string RenderTree(const Summary& summary, const SummaryOptions& options) {
  std::string out;
  BoundedLines lines(out, options);
  lines.Add(Headline(summary) + "\n", 0);
  const std::vector<Section> sections = SectionsOf(summary, options.group_by);
  const bool outputs = !summary.outputs.empty();
  if (summary.risks) {
    AddRiskTree(lines, *summary.risks, sections.empty() && !outputs);
  }
  for (size_t i = 0; i < sections.size(); ++i) {
    const Section& section = sections[i];
    const bool last = i + 1 == sections.size() && !outputs;
    std::string title = section.title;
    if (title.empty()) {
      title = options.group_by == GroupBy::kModule ? "root module" : "state";
    }
    const std::string counts =
        options.group_by == GroupBy::kAction
            ? Objects(section.counts[static_cast<size_t>(section.groups.front()->effect)])
            : CountsText(section.counts);
    lines.Add((last ? "└─ " : "├─ ") + title + ": " + counts + "\n", 0);
    for (size_t j = 0; j < section.groups.size(); ++j) {
      const SummaryGroup& group = *section.groups[j];
      std::string line = last ? "   " : "│  ";
      line += j + 1 == section.groups.size() ? "└─ " : "├─ ";
      const std::string_view symbol = kSymbols[static_cast<size_t>(group.effect)];
      line += std::string(symbol) + (symbol.empty() ? "" : " ");
      line += group.Address() + Notes(group) + "\n";
      lines.Add(line, group.count);
    }
  }
  if (outputs) {
    lines.Add("└─ outputs: " + OutputsLine(summary) + "\n", summary.outputs.size());
  }
  lines.Close();
  return out;
}

/// A code span: as many backticks around the text as it needs. Line ends cannot be in one.
std::string CodeSpan(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  std::string body;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    body += c == '\n' || c == '\r' ? ' ' : c;
  }
  const std::string fence(longest + 1, '`');
  const std::string_view space = longest > 0 ? " " : "";
  return fence + std::string(space) + body + std::string(space) + fence;
}

std::string MarkdownNotes(const SummaryGroup& group) {
  std::string out = CountNote(group);
  if (group.count == 1 && !group.previous.empty()) {
    out += " (was " + CodeSpan(group.previous) + ")";
  }
  if (!group.attributes.empty()) {
    out += ": " + CodeSpan(NameList(group.attributes, group.count));
  }
  if (!group.reasons.empty()) {
    out += " — " + CodeSpan(NameList(group.reasons, group.count));
  }
  if (!group.causes.empty()) {
    out += ", because of " + CodeSpan(NameList(group.causes, group.count));
  }
  return out;
}

/// Folds of destroyed and replaced objects are open.
bool IsOpen(const Section& section) {
  return section.counts[static_cast<size_t>(Effect::kDestroy)] +
             section.counts[static_cast<size_t>(Effect::kReplace)] >
         0;
}

/// The risks are never folded away.
void AddRiskMarkdown(BoundedLines& lines, const SummaryRisks& risks) {
  lines.Add("\n**" + risks.headline + "**\n" + (risks.risks.empty() ? "" : "\n"), 0);
  for (const SummaryRisk& risk : risks.risks) {
    const std::string objects = risk.objects.empty() ? "" : ": " + CodeSpan(risk.objects);
    lines.Add(
        "- **" + risk.severity + "** " + CodeSpan(risk.rule) + objects + ": " + risk.reason + "\n",
        Weight(risk));
  }
}

std::string RenderMarkdown(const Summary& summary, const SummaryOptions& options) {
  std::string out;
  BoundedLines lines(out, options);
  lines.Add("**" + Headline(summary) + "**\n", 0);
  if (summary.risks) {
    AddRiskMarkdown(lines, *summary.risks);
  }
  for (const Section& section : SectionsOf(summary, options.group_by)) {
    constexpr std::string_view kEnd = "\n</details>\n";
    std::string title;
    if (options.group_by != GroupBy::kAction) {
      title = section.title.empty() ? "root module: "
                                    : EscapeXml(section.title, XmlQuotes::kKept) + ": ";
    }
    title += CountsText(section.counts);
    size_t items = 0;
    for (const SummaryGroup* group : section.groups) {
      items += group->count;
    }
    const std::string open = std::string("\n<details") + (IsOpen(section) ? " open" : "") +
                             "><summary>" + title + "</summary>\n\n";
    if (!lines.Add(open, items, kEnd.size())) {
      continue;
    }
    for (const SummaryGroup* group : section.groups) {
      lines.Add("- " + Verb(*group) + CodeSpan(group->Address()) + MarkdownNotes(*group) + "\n",
                group->count, kEnd.size());
    }
    out += kEnd;
  }
  if (!summary.outputs.empty()) {
    lines.Add("\nOutputs: " + CodeSpan(OutputsLine(summary)) + "\n", summary.outputs.size());
  }
  if (lines.omitted() > 0) {
    out += "\n";
  }
  lines.Close();
  return out;
}

void WriteCounts(JsonWriter& out, std::string_view name,
                 const std::map<std::string, size_t, std::less<>>& counts) {
  if (counts.empty()) {
    return;
  }
  out.Key(name);
  out.BeginObject();
  for (const auto& [key, count] : counts) {
    out.Member(key, static_cast<int64_t>(count));
  }
  out.EndObject();
}

void WriteKeys(JsonWriter& out, const KeySet& keys) {
  const auto ranges = keys.Ranges();
  if (!ranges.empty()) {
    out.Key("indexes");
    out.BeginArray();
    for (const auto& [first, last] : ranges) {
      out.BeginArray();
      out.Int(first);
      out.Int(last);
      out.EndArray();
    }
    out.EndArray();
  }
  if (keys.text_count() > 0) {
    out.Key("keys");
    out.BeginArray();
    for (const std::string& text : keys.texts()) {
      out.String(text);
    }
    out.EndArray();
    out.Member("key_count", static_cast<int64_t>(keys.text_count()));
  }
}

void WriteGroup(JsonWriter& out, const SummaryGroup& group) {
  out.BeginObject();
  if (group.effect != Effect::kExists) {
    out.Member("action", EffectName(group.effect));
  }
  out.Member("address", group.Address());
  out.Member("module", group.module);
  out.Member("type", group.type);
  out.Member("count", static_cast<int64_t>(group.count));
  const auto some = [&](std::string_view name, size_t count) {
    if (count > 0) {
      out.Member(name, static_cast<int64_t>(count));
    }
  };
  some("deposed", group.deposed);
  some("tainted", group.tainted);
  some("imported", group.imported);
  WriteKeys(out, group.keys);
  WriteCounts(out, "attributes", group.attributes);
  WriteCounts(out, "reasons", group.reasons);
  if (!group.causes.empty()) {
    WriteCounts(out, "causes", group.causes);
  }
  if (group.count == 1 && !group.previous.empty()) {
    out.Member("previous_address", group.previous);
  }
  out.EndObject();
}

void WriteOutputCauses(JsonWriter& out, const Summary& summary) {
  if (summary.output_causes.empty()) {
    return;
  }
  out.Key("output_causes");
  out.BeginObject();
  for (const auto& [output, causes] : summary.output_causes) {
    out.Key(JsonKey(output));
    out.BeginArray();
    for (const std::string& cause : causes) {
      out.String(cause);
    }
    out.EndArray();
  }
  out.EndObject();
}

void WriteRisks(JsonWriter& out, const SummaryRisks& risks) {
  out.Key("risks");
  out.BeginArray();
  for (const SummaryRisk& risk : risks.risks) {
    out.BeginObject();
    out.Member("rule", risk.rule);
    out.Member("severity", risk.severity);
    out.Key("addresses");
    out.BeginArray();
    for (const std::string& address : risk.addresses) {
      out.String(address);
    }
    out.EndArray();
    out.Member("reason", risk.reason);
    out.EndObject();
  }
  out.EndArray();
}

std::string RenderJson(const Summary& summary, const SummaryOptions& options) {
  std::string text;
  JsonWriter out(text, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  out.BeginObject();
  out.Member("format_version", "1.0");
  out.Member("kind", summary.of_state ? "state" : "plan");
  out.Key("counts");
  out.BeginObject();
  for (size_t i = 0; i < kEffects; ++i) {
    if (summary.counts[i] > 0) {
      const Effect effect = static_cast<Effect>(i);
      out.Member(effect == Effect::kExists ? "objects" : EffectName(effect),
                 static_cast<int64_t>(summary.counts[i]));
    }
  }
  out.EndObject();
  out.Key("groups");
  out.BeginArray();
  for (const Section& section : SectionsOf(summary, options.group_by)) {
    for (const SummaryGroup* group : section.groups) {
      WriteGroup(out, *group);
    }
  }
  out.EndArray();
  out.Key("outputs");
  out.BeginArray();
  for (const std::string& output : summary.outputs) {
    out.String(output);
  }
  out.EndArray();
  WriteOutputCauses(out, summary);
  if (!summary.of_state) {
    out.Member("drifted", static_cast<int64_t>(summary.drifted));
    out.Member("errored", summary.errored);
    if (!summary.incomplete.empty()) {
      out.Member("complete", false);
      out.Member("certainty", summary.incomplete);
    }
    if (summary.risks) {
      WriteRisks(out, *summary.risks);
    }
  }
  out.EndObject();
  return text + "\n";
}

}  // namespace

std::string RenderSummary(const Summary& summary, const SummaryOptions& options) {
  switch (options.form) {
    case SummaryForm::kText:
      return RenderText(summary, options);
    case SummaryForm::kTree:
      return RenderTree(summary, options);
    case SummaryForm::kMarkdown:
      return RenderMarkdown(summary, options);
    case SummaryForm::kJson:
      return RenderJson(summary, options);
  }
  return {};
}

}  // namespace kinu::view
