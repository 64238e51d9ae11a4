#include "view/report/report.h"

#include <span>
#include <vector>

#include "json/writer.h"
#include "plan_json/expression.h"
#include "tfjson/format.h"
#include "tfjson/masks.h"
#include "tfjson/secrets.h"
#include "view/recorded/recorded.h"
#include "view/recorded/shape.h"
#include "view/report/graph.h"
#include "view/report/page.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;

/// Writes the data of the page. A change has the members
///   a address, m module, t type ("data.x" for data sources), k action, r reason, p previous
///   address, d deposed key, i import id, b before, n after, u unknown parts, f paths that force a
///   replacement, s names of attributes whose sensitive values differ.
class DataWriter {
 public:
  DataWriter(const Node& document, const Node& locals)
      : document_(document), locals_(locals), secrets_(document) {}

  std::string Write(std::string_view title, const ReportParts& parts);

 private:
  void Changes(std::string_view name);
  void Change(const Node& entry);
  /// `hidden`: all values are sensitive, whatever the masks are.
  void Values(const Node& change, bool hidden = false);
  void DifferentSecrets(const Node& change, bool hidden);
  void Outputs();
  void StateObjects();
  void StateModule(const Node& module);
  void Checks();
  void Graph();
  void Redacted(std::string_view name, const Node& value, const Node& mask, bool hidden = false);
  void Text(std::string_view name, const Node& object, std::string_view member);
  void Common(const Node& entry, const std::string& module);

  const Node& document_;
  const Node& locals_;
  tfjson::Secrets secrets_;
  std::string text_;
  JsonWriter out_{text_};
};

/// A text, unless it has a secret in it.
void DataWriter::Text(std::string_view name, const Node& object, std::string_view member) {
  const Node text = MemberOf(object, member);
  if (text && text.is_string() && text.size() == 0 && !text.Is("")) {
    out_.Key(name);
    if (secrets_.AreIn(text)) {
      out_.Raw(tfjson::kRedacted);
    } else {
      out_.String(text.String());
    }
  }
}

void DataWriter::Redacted(std::string_view name, const Node& value, const Node& mask, bool hidden) {
  if (!value) {
    return;
  }
  out_.Key(name);
  std::string json;
  if ((hidden || IsTrue(mask)) && !value.is_null()) {
    json = tfjson::kRedacted;
  } else {
    tfjson::AppendRedacted(json, value, tfjson::MaskCursor::Over(mask), secrets_);
  }
  out_.Raw(json);
}

std::string_view ActionOf(const Node& change) {
  const Node actions = MemberOf(change, "actions");
  bool create = false;
  bool remove = false;
  std::string_view action = "no-op";
  if (actions && actions.is_array()) {
    for (const Node word : actions.elements()) {
      create = create || word.Is("create");
      remove = remove || word.Is("delete") || word.Is("forget");
      for (const std::string_view known : {"create", "read", "update", "delete", "forget"}) {
        action = word.Is(known) ? known : action;
      }
    }
  }
  if (create && remove) {
    return "replace";
  }
  return action == "no-op" && MemberOf(change, "importing") ? "import" : action;
}

void DataWriter::Common(const Node& entry, const std::string& module) {
  Text("a", entry, "address");
  out_.Member("m", module);
  out_.Member("t", (TextOf(entry, "mode") == "data" ? "data." : "") + TextOf(entry, "type"));
}

/// Names the attributes whose sensitive values differ: the page cannot compare them. "" is the
/// value as a whole.
void DataWriter::DifferentSecrets(const Node& change, bool hidden) {
  const Node before = MemberOf(change, "before");
  const Node after = MemberOf(change, "after");
  if (!before || !after) {
    return;
  }
  const Node before_mask = MemberOf(change, "before_sensitive");
  const Node after_mask = MemberOf(change, "after_sensitive");
  const bool whole = hidden || IsTrue(before_mask) || IsTrue(after_mask);
  out_.Key("s");
  out_.BeginArray();
  if (!before.is_object() || !after.is_object()) {
    if (whole && before.text() != after.text()) {
      out_.String("");
    }
    out_.EndArray();
    return;
  }
  if (whole || (before_mask && before_mask.is_object() && before_mask.size() > 0) ||
      (after_mask && after_mask.is_object() && after_mask.size() > 0)) {
    for (const Member member : after.members()) {
      const std::string name = member.name.String();
      const Node old = before.Find(name);
      const bool masked = whole || MemberOf(before_mask, name) || MemberOf(after_mask, name);
      if (masked && old && old.text() != member.value.text()) {
        out_.String(name);
      }
    }
  }
  out_.EndArray();
}

void DataWriter::Values(const Node& change, bool hidden) {
  Redacted("b", MemberOf(change, "before"), MemberOf(change, "before_sensitive"), hidden);
  Redacted("n", MemberOf(change, "after"), MemberOf(change, "after_sensitive"), hidden);
  if (const Node unknown = MemberOf(change, "after_unknown");
      unknown && (unknown.is_true() || unknown.size() > 0)) {
    out_.Key("u");
    std::string json;
    json::AppendCompact(json, unknown.text());
    out_.Raw(json);
  }
  DifferentSecrets(change, hidden);
}

void DataWriter::Change(const Node& entry) {
  const Node change = MemberOf(entry, "change");
  const std::string_view action = ActionOf(change);
  const bool moved = static_cast<bool>(MemberOf(entry, "previous_address"));
  if (action == "no-op" && !moved) {
    return;
  }
  out_.BeginObject();
  Common(entry, TextOf(entry, "module_address"));
  out_.Member("k", action == "no-op" ? "move" : action);
  Text("r", entry, "action_reason");
  Text("p", entry, "previous_address");
  Text("d", entry, "deposed");
  Text("i", MemberOf(change, "importing"), "id");
  Values(change);
  if (const Node paths = MemberOf(change, "replace_paths"); paths && paths.is_array()) {
    out_.Key("f");
    std::string json;
    json::AppendCompact(json, paths.text());
    out_.Raw(json);
  }
  out_.EndObject();
}

void DataWriter::Changes(std::string_view name) {
  const Node list = MemberOf(document_, name);
  if (list && list.is_array()) {
    for (const Node entry : list.elements()) {
      Change(entry);
    }
  }
}

void DataWriter::Outputs() {
  const Node changes = MemberOf(document_, "output_changes");
  const Node declared =
      MemberOf(MemberOf(MemberOf(document_, "configuration"), "root_module"), "outputs");
  if (changes && changes.is_object()) {
    for (const Member member : changes.members()) {
      const Node inner = MemberOf(member.value, "change");
      const Node change = inner ? inner : member.value;
      const std::string_view action = ActionOf(change);
      if (action == "no-op") {
        continue;
      }
      out_.BeginObject();
      out_.Member("a", member.name.String());
      out_.Member("k", action);
      // Documents before masks have the declaration alone.
      Values(change, IsTrue(MemberOf(MemberOf(declared, member.name.String()), "sensitive")));
      out_.EndObject();
    }
  }
  const Node outputs = MemberOf(MemberOf(document_, "values"), "outputs");
  if (outputs && outputs.is_object()) {
    for (const Member member : outputs.members()) {
      out_.BeginObject();
      out_.Member("a", member.name.String());
      out_.Member("k", "exists");
      Redacted("n", MemberOf(member.value, "value"), MemberOf(member.value, "sensitive"));
      out_.EndObject();
    }
  }
}

void DataWriter::StateModule(const Node& module) {
  const std::string address = TextOf(module, "address");
  const Node resources = MemberOf(module, "resources");
  if (resources && resources.is_array()) {
    for (const Node entry : resources.elements()) {
      out_.BeginObject();
      Common(entry, address);
      out_.Member("k", IsTrue(MemberOf(entry, "tainted")) ? "tainted" : "exists");
      Text("d", entry, "deposed_key");
      Redacted("n", MemberOf(entry, "values"), MemberOf(entry, "sensitive_values"));
      out_.EndObject();
    }
  }
  const Node children = MemberOf(module, "child_modules");
  if (children && children.is_array()) {
    for (const Node child : children.elements()) {
      StateModule(child);
    }
  }
}

void DataWriter::StateObjects() {
  if (const Node root = MemberOf(MemberOf(document_, "values"), "root_module")) {
    StateModule(root);
  }
}

void DataWriter::Checks() {
  const Node checks = MemberOf(document_, "checks");
  if (!checks || !checks.is_array()) {
    return;
  }
  for (const Node check : checks.elements()) {
    out_.BeginObject();
    Text("a", MemberOf(check, "address"), "to_display");
    Text("t", MemberOf(check, "address"), "kind");
    Text("k", check, "status");
    out_.Key("p");
    out_.BeginArray();
    const Node instances = MemberOf(check, "instances");
    if (instances && instances.is_array()) {
      for (const Node instance : instances.elements()) {
        const Node problems = MemberOf(instance, "problems");
        if (!problems || !problems.is_array()) {
          continue;
        }
        for (const Node problem : problems.elements()) {
          out_.BeginObject();
          Text("a", MemberOf(instance, "address"), "to_display");
          Text("m", problem, "message");
          out_.EndObject();
        }
      }
    }
    out_.EndArray();
    out_.EndObject();
  }
}

void DataWriter::Graph() {
  const ReportGraph graph = MakeReportGraph(document_, locals_);
  out_.BeginObject();
  out_.Key("blocks");
  out_.BeginArray();
  for (const ReportGraph::Block& block : graph.blocks) {
    out_.BeginArray();
    out_.String(block.address);
    out_.String(block.module);
    out_.EndArray();
  }
  out_.EndArray();
  out_.Key("edges");
  out_.BeginArray();
  for (const auto& [from, to] : graph.edges) {
    out_.BeginArray();
    out_.Uint(from);
    out_.Uint(to);
    out_.EndArray();
  }
  out_.EndArray();
  out_.EndObject();
}

std::string DataWriter::Write(std::string_view title, const ReportParts& parts) {
  const bool plan = IsPlanDocument(document_);
  text_.reserve(document_.text().size() / 2);
  out_.BeginObject();
  out_.Member("kind", plan ? "plan" : "state");
  out_.Member("title", title);
  Text("version", document_, "terraform_version");
  Text("timestamp", document_, "timestamp");
  out_.Member("errored", IsTrue(MemberOf(document_, "errored")));
  const auto list = [&](std::string_view name, auto&& write) {
    out_.Key(name);
    out_.BeginArray();
    write();
    out_.EndArray();
  };
  list("changes", [&] {
    if (plan) {
      Changes("resource_changes");
    } else {
      StateObjects();
    }
  });
  list("drift", [&] { Changes("resource_drift"); });
  list("outputs", [&] { Outputs(); });
  list("checks", [&] { Checks(); });
  out_.Key("graph");
  Graph();
  for (const auto& [name, text] : {std::pair(std::string_view("why"), parts.why),
                                   std::pair(std::string_view("risks"), parts.risks)}) {
    if (!text.empty()) {
      out_.Key(name);
      out_.Raw(text);
    }
  }
  out_.EndObject();
  return std::move(text_);
}

/// The data as the content of a script element: nothing in it can end the element.
void AppendScriptData(std::string& out, std::string_view json) {
  size_t done = 0;
  for (size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<', done)) {
    out += json.substr(done, at - done);
    out += "\\u003c";
    done = at + 1;
  }
  out += json.substr(done);
}

}  // namespace

std::string LocalReferences(const config::Config& config) {
  const Program& program = *config.program;
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  for (const auto& node : config.nodes) {
    const std::string module = program.ToText(node->path);
    const std::string prefix = module.empty() ? "local." : module + ".local.";
    for (const config::Local& local : node->module->locals) {
      out.Key(prefix + std::string(program.Text(local.name)));
      WriteExpression(out, *local.expr, false);
    }
  }
  out.EndObject();
  return text;
}

Result<std::string> ReportData(const Node& document, std::string_view title,
                               const ReportParts& parts) {
  KINU_TRY([[maybe_unused]] const tfjson::FormatVersion version, tfjson::FormatVersionOf(document));
  if (!IsPlanDocument(document) && !IsStateDocument(document)) {
    return Fail(ErrorCode::kInvalid, "it is neither a plan nor a state");
  }
  const auto references =
      json::Document::Parse(std::string(parts.locals.empty() ? "{}" : parts.locals));
  if (!references) {
    return std::unexpected(references.error());
  }
  return DataWriter(document, (*references)->root()).Write(title, parts);
}

Result<std::string> RenderReport(const Node& document, std::string_view title,
                                 const ReportParts& parts) {
  KINU_TRY(const std::string data, ReportData(document, title, parts));
  constexpr std::pair<std::string_view, int> kMarks[] = {
      {"/*style*/", 0}, {"/*data*/", 1}, {"/*script*/", 2}};
  std::string out;
  out.reserve(kReportPage.size() + kReportStyle.size() + kReportScript.size() + data.size() +
              data.size() / 16);
  std::string_view rest = kReportPage;
  for (const auto& [mark, part] : kMarks) {
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    rest.remove_prefix(at + mark.size());
    if (part == 1) {
      AppendScriptData(out, data);
    } else {
      out += part == 0 ? kReportStyle : kReportScript;
    }
  }
  out += rest;
  return out;
}

}  // namespace kinu::view
