#include "lang/deprecation.h"

#include <memory>

namespace kinu::lang {
namespace {

constexpr std::string_view kMark = "deprecated";

DeprecationCause CauseOf(const MarkSet::Rare& mark) {
  DeprecationCause cause;
  cause.remote = mark.detail.starts_with('r');
  size_t end = mark.detail.find('\0');
  cause.by = mark.detail.substr(1, end - 1);
  cause.message = mark.detail.substr(end + 1);
  return cause;
}

}  // namespace

MarkSet DeprecatedMark(const DeprecationCause& cause) {
  return MarkSet::Named(kMark, (cause.remote ? "r" : "l") + cause.by + '\0' + cause.message);
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
