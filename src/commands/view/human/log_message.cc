#include "view/human/log_message.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "cty/json.h"
#include "json/reader.h"
#include "lang/compared_values.h"
#include "view/human/diagnostic.h"
#include "view/human/render.h"

namespace kinu::view {
namespace {

const JsonNode* Inner(const JsonNode* object, std::string_view name) {
  return object != nullptr && object->is_object() ? object->Find(name) : nullptr;
}

std::string InnerText(const JsonNode* object, std::string_view name) {
  const JsonNode* member = Inner(object, name);
  return member != nullptr && member->is_string() ? std::string(member->text()) : std::string();
}

uint32_t InnerNumber(const JsonNode* object, std::string_view name) {
  const JsonNode* member = Inner(object, name);
  uint32_t out = 0;
  if (member != nullptr && member->is_number()) {
    std::from_chars(member->text().data(), member->text().data() + member->text().size(), out);
  }
  return out;
}

bool IsSet(const JsonNode* node) {
  return node != nullptr && node->is_bool() && node->boolean();
}

/// The bytes of a value.
std::string_view SourceOf(std::string_view line, const JsonNode& node) {
  return line.substr(node.begin(), node.end() - node.begin());
}

Position PositionOf(const JsonNode* position) {
  Position out;
  out.line = InnerNumber(position, "line");
  out.column = InnerNumber(position, "column");
  out.byte = InnerNumber(position, "byte");
  return out;
}

std::optional<Snippet> SnippetOf(const JsonNode* node) {
  if (node == nullptr || !node->is_object()) {
    return std::nullopt;
  }
  Snippet out;
  if (const JsonNode* context = node->Find("context"); context != nullptr && context->is_string()) {
    out.context = context->text();
  }
  out.code = InnerText(node, "code");
  out.start_line = InnerNumber(node, "start_line");
  out.highlight_begin =
      std::min<size_t>(InnerNumber(node, "highlight_start_offset"), out.code.size());
  out.highlight_end = InnerNumber(node, "highlight_end_offset");
  if (out.highlight_end < out.highlight_begin) {
    out.highlight_end = out.highlight_begin + 1;
  }
  out.highlight_end = std::min(out.highlight_end, out.code.size());
  return out;
}

/// The value of a member; null where there is none, or where it is sensitive.
Value ComparedValueOf(const JsonNode& difference, std::string_view name, bool sensitive) {
  const JsonNode* node = difference.Find(name);
  if (node == nullptr) {
    return Value::Null(Type::Dynamic());
  }
  auto value = ImpliedValueOfJson(*node);
  Value out = value ? *std::move(value) : Value::Null(Type::Dynamic());
  return sensitive ? out.WithMarks(MarkSet::Sensitive()) : out;
}

void AddSnippetParts(std::string_view line, const JsonNode* snippet, Diagnostic& out) {
  if (const JsonNode* values = Inner(snippet, "values")) {
    for (const JsonNode& value : values->elements()) {
      out.values.push_back({InnerText(&value, "traversal"), InnerText(&value, "statement")});
    }
  }
  if (const JsonNode* call = Inner(snippet, "function_call")) {
    out.function_call = {.called_as = InnerText(call, "called_as"), .signature = {}};
    if (const JsonNode* signature = Inner(call, "signature");
        signature != nullptr && signature->is_object()) {
      out.function_call->signature = SourceOf(line, *signature);
    }
  }
}

std::string RenderDiagnosticMessage(std::string_view line, const JsonNode& node,
                                    const terminal::Style& style) {
  Diagnostic diagnostic;
  diagnostic.severity =
      InnerText(&node, "severity") == "warning" ? Severity::kWarning : Severity::kError;
  diagnostic.summary = InnerText(&node, "summary");
  diagnostic.detail = InnerText(&node, "detail");
  diagnostic.address = InnerText(&node, "address");
  std::optional<Place> place;
  if (const JsonNode* range = node.Find("range"); range != nullptr && range->is_object()) {
    const JsonNode* snippet = node.Find("snippet");
    place = {.file = InnerText(range, "filename"),
             .start = PositionOf(range->Find("start")),
             .end = PositionOf(range->Find("end")),
             .snippet = SnippetOf(snippet)};
    AddSnippetParts(line, snippet, diagnostic);
  }
  if (const JsonNode* sides = node.Find("difference"); sides != nullptr && sides->is_object()) {
    diagnostic.extra = std::make_shared<lang::ComparedValues>(
        ComparedValueOf(*sides, "before", IsSet(sides->Find("before_sensitive"))),
        ComparedValueOf(*sides, "after", IsSet(sides->Find("after_sensitive"))));
  }
  return RenderDiagnosticAt(diagnostic, place, style, terminal::kDefaultWidth, /*boxed=*/true);
}

std::string RenderOutputsMessage(const JsonNode* outputs, const terminal::Style& style) {
  if (outputs == nullptr || !outputs->is_object() || outputs->members().empty()) {
    return {};
  }
  std::string out = style.Paint("[bold][green]Outputs:[reset]") + '\n';
  for (const JsonMember& member : outputs->members()) {
    const JsonNode* type_node = member.value.is_object() ? member.value.Find("type") : nullptr;
    const auto type =
        type_node == nullptr ? ValueResult<Type>(Type::Dynamic()) : TypeFromJson(*type_node);
    const JsonNode* node = Inner(&member.value, "value");
    ValueResult<Value> value = Value::Null(Type::Dynamic());
    if (type && node != nullptr) {
      value = type->is_dynamic() ? ImpliedValueOfJson(*node) : ValueFromJson(*node, *type);
    }
    if (!value) {
      continue;
    }
    Change change = Change::Unchanged(*value);
    change.before_sensitive = change.after_sensitive = IsSet(Inner(&member.value, "sensitive"));
    out += member.name;
    out += " = ";
    Renderer(style).Render(out, type ? DiffType(change, value->type()) : DiffDynamic(change), 0,
                           {.show_unchanged = true});
    out += '\n';
  }
  return out;
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

}  // namespace

std::string RenderLogLine(std::string_view line, LoggedPhase phase, const terminal::Style& style) {
  const JsonDocument document = line.starts_with('{') ? ParseJson(line) : JsonDocument();
  if (!line.starts_with('{') || !document.ok() || !document.root().is_object()) {
    return std::string(line) + '\n';
  }
  const JsonNode& root = document.root();
  const std::string type = InnerText(&root, "type");
  const std::string message = InnerText(&root, "@message");
  if (IsOneOf(type, {"refresh_complete", "version", "planned_change", "provision_complete",
                     "provision_errored", "apply_errored"}) ||
      (phase == LoggedPhase::kPlan && IsOneOf(type, {"outputs", "change_summary"}))) {
    return {};
  }
  if (IsOneOf(type, {"apply_start", "apply_complete", "refresh_start", "provision_start",
                     "resource_drift"})) {
    return style.Paint("[bold]%[reset]", message) + '\n';
  }
  if (type == "diagnostic") {
    const JsonNode* diagnostic = root.Find("diagnostic");
    return diagnostic != nullptr && diagnostic->is_object()
               ? RenderDiagnosticMessage(line, *diagnostic, style)
               : std::string();
  }
  if (type == "outputs") {
    return RenderOutputsMessage(root.Find("outputs"), style);
  }
  if (type == "provision_progress") {
    const JsonNode* hook = root.Find("hook");
    std::string out =
        style.Paint("[bold]%[reset] @", InnerText(Inner(hook, "resource"), "addr") + ": (" +
                                            InnerText(hook, "provisioner") + "):");
    return out.replace(out.rfind('@'), 1, InnerText(hook, "output")) + '\n';
  }
  if (type == "change_summary") {
    return '\n' + style.Paint("[bold][green]%[reset]", message) + "\n\n";
  }
  return message + '\n';
}

}  // namespace kinu::view
