#include "lang/deprecation.h"

#include <memory>
#include <optional>

namespace kinu::lang {
namespace {

constexpr std::string_view kMark = "deprecated";

DeprecationCause CauseOf(const MarkSet::Rare& mark) {
  DeprecationCause cause;
  cause.remote = mark.detail.starts_with('r');
  size_t end = mark.detail.find('\0');
  cause.by = mark.detail.substr(1, end - 1);
  const size_t end_of_message = mark.detail.find('\0', end + 1);
  cause.message = mark.detail.substr(end + 1, end_of_message - end - 1);
  if (end_of_message != std::string::npos) {
    const size_t end_of_module = mark.detail.find('\0', end_of_message + 1);
    cause.module = mark.detail.substr(end_of_message + 1, end_of_module - end_of_message - 1);
    cause.group = mark.detail.substr(end_of_module + 1);
  }
  return cause;
}

/// Whether a walk through values looks at what is in this one.
bool IsLookedInto(const Value& value) {
  return value.IsKnown() && !value.IsNull() &&
         (value.type().is_list() || value.type().is_tuple() || value.type().is_map() ||
          value.type().is_object());
}

PathStep StepTo(const Value& container, size_t i) {
  if (container.type().is_object()) {
    return PathStep::Attribute(container.key(i));
  }
  return PathStep::Index(container.type().is_map() ? Value::String(container.key(i))
                                                   : Value::Int(static_cast<int64_t>(i)));
}

/// The last step that a walk through a value takes `depth` levels below it.
std::optional<PathStep> LastStep(const Value& value, size_t depth) {
  if (!IsLookedInto(value)) {
    return std::nullopt;
  }
  for (size_t i = value.size(); i > 0; --i) {
    auto step = depth == 0 ? StepTo(value, i - 1) : LastStep(value.elements()[i - 1], depth - 1);
    if (step) {
      return step;
    }
  }
  return std::nullopt;
}

}  // namespace

MarkSet DeprecatedMark(const DeprecationCause& cause) {
  std::string detail = (cause.remote ? "r" : "l") + cause.by + '\0' + cause.message;
  if (!cause.group.empty()) {
    detail += '\0' + cause.module + '\0' + cause.group;
  }
  return MarkSet::Named(kMark, std::move(detail));
}

Value TakeDeprecated(const Value& value, std::vector<DeprecatedPart>& parts) {
  if (!value.ContainsMarked()) {
    return value;
  }
  std::vector<PathMarks> marks;
  Value unmarked = value.UnmarkDeepWithPaths(&marks);
  size_t before = parts.size();
  std::vector<PathMarks> kept;
  for (PathMarks& entry : marks) {
    MarkSet rest = entry.marks;
    for (const MarkSet::Rare& mark : entry.marks.rare()) {
      if (mark.name == kMark) {
        rest = rest.Without(MarkSet::Named(mark.name, mark.detail));
        parts.push_back({entry.path, CauseOf(mark)});
      }
    }
    if (!rest.empty()) {
      kept.push_back({std::move(entry.path), std::move(rest)});
    }
  }
  if (parts.size() == before) {
    return value;
  }
  return kept.empty() ? unmarked : unmarked.MarkWithPaths(kept);
}

Path ReportedPath(const Value& value, const Path& path) {
  // A path has room for four steps. Longer ones move to a place of their own, which is twice as
  // large, where what is below the first step that did not fit overwrites only later steps.
  size_t room = 4;
  size_t own = 0;
  while (path.size() > room) {
    own = room + 1;
    room *= 2;
  }
  std::vector<PathStep> steps(path.steps().begin(),
                              path.steps().begin() + static_cast<ptrdiff_t>(own));
  const Result<Value> inner = Path(steps).Apply(value);
  if (!inner) {
    return path;
  }
  for (size_t i = own; i < path.size(); ++i) {
    auto step = LastStep(*inner, i - own);
    if (!step) {
      return path;
    }
    steps.push_back(*std::move(step));
  }
  return Path(std::move(steps));
}

Diagnostic DeprecationWarning(const DeprecationCause& cause, std::string_view what,
                              SourceRange range) {
  Diagnostic out;
  out.severity = Severity::kWarning;
  out.summary = "Value derived from a deprecated source";
  out.detail = std::string(what) + " is derived from " + cause.by + ", which is deprecated" +
               (cause.message.empty() ? "." : " with the following message:\n\n" + cause.message);
  out.subject = range;
  out.tag = DiagnosticTag::kDeprecation;
  out.extra = std::make_shared<DeprecationCause>(cause);
  return out;
}

Value WarnDeprecated(Value value, const hcl::Expr& expr, Diagnostics& diags) {
  if (!value.ContainsMarked()) {
    return value;
  }
  std::vector<DeprecatedPart> parts;
  Value out = TakeDeprecated(value, parts);
  for (const DeprecatedPart& part : parts) {
    std::string what = "This value";
    if (!part.path.steps().empty()) {
      std::string path = part.path.ToText();
      what += "'s attribute " + (path.starts_with('.') ? path.substr(1) : path);
    }
    diags.Add(DeprecationWarning(part.cause, what, expr.range()));
  }
  return out;
}

}  // namespace kinu::lang
