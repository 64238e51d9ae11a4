#include "view/human/diagnostic.h"

#include <algorithm>

#include "base/flat_map.h"
#include "json/reader.h"
#include "lang/compared_values.h"
#include "lang/deprecation.h"
#include "view/human/render.h"

namespace kinu::view {
namespace {

constexpr std::string_view kRuler = "    [dark_gray]├────────────────[reset]\n";

template <typename Visit>
void EachLine(std::string_view text, Visit&& visit) {
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('\n', begin);
    visit(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return;
    }
    begin = end + 1;
  }
}

/// Appends the code with line numbers. The subject is underlined.
void AppendCode(std::string& out, const Snippet& snippet, const terminal::Style& style) {
  const std::string_view code = snippet.code;
  std::string text = terminal::ShowControls(code.substr(0, snippet.highlight_begin));
  if (style.color()) {
    text += "\x1b[4m";
  }
  text += terminal::ShowControls(
      code.substr(snippet.highlight_begin, snippet.highlight_end - snippet.highlight_begin));
  if (style.color()) {
    text += "\x1b[0m";
  }
  text += terminal::ShowControls(code.substr(snippet.highlight_end));
  if (style.color()) {
    text += "\x1b[0m";
  }
  uint32_t number = snippet.start_line;
  EachLine(text, [&](std::string_view line) {
    const std::string digits = std::to_string(number++);
    out.append(digits.size() < 4 ? 4 - digits.size() : 0, ' ');
    out += digits;
    out += ": ";
    out += line;
    out += '\n';
  });
}

/// The parameter names in a function's signature: `pattern, string, more...`.
std::string ParameterNames(std::string_view signature) {
  const JsonDocument document = ParseJson(signature);
  std::string names;
  const auto add = [&names](const JsonNode& parameter, std::string_view suffix) {
    if (const JsonNode* name = parameter.Find("name")) {
      if (!names.empty()) {
        names += ", ";
      }
      names += name->text();
      names += suffix;
    }
  };
  if (const JsonNode* params = document.root().Find("params")) {
    for (const JsonNode& parameter : params->elements()) {
      add(parameter, "");
    }
  }
  if (const JsonNode* variadic = document.root().Find("variadic_param")) {
    add(*variadic, "...");
  }
  return names;
}

void AppendValues(std::string& out, const Diagnostic& diagnostic, const terminal::Style& style) {
  const std::vector<ExpressionValue> values = SortedValues(diagnostic);
  const auto& call = diagnostic.function_call;
  const bool describes_call = call && !call->signature.empty();
  if (values.empty() && !describes_call) {
    return;
  }
  out += style.Paint(kRuler);
  if (describes_call) {
    out += style.Paint("    [dark_gray]│[reset] while calling [bold]%[reset](", call->called_as);
    out += ParameterNames(call->signature);
    out += ")\n";
  }
  for (const ExpressionValue& value : values) {
    // The statement goes before the reset code that ends the painted text.
    std::string line = style.Paint("    [dark_gray]│[reset] [bold]%[reset] @\n", value.traversal);
    const size_t place = line.rfind('@');
    line.replace(place, 1, value.statement);
    out += line;
  }
}

void AppendDifference(std::string& out, const Diagnostic& diagnostic,
                      const terminal::Style& style) {
  const auto* sides = dynamic_cast<const lang::ComparedValues*>(diagnostic.extra.get());
  if (sides == nullptr) {
    return;
  }
  std::string text = "    ";
  Renderer(style).Render(text, DiffDynamic(Change::Of(sides->left, sides->right)), 0, {});
  out += style.Paint(kRuler);
  out += style.Paint("    [dark_gray]│[reset] [bold]Diff: [reset]");
  EachLine(text, [&](std::string_view line) {
    out += style.Paint("\n    [dark_gray]│[reset] ");
    out += line;
  });
  out += '\n';
}

void AppendSource(std::string& out, const Diagnostic& diagnostic, const std::optional<Place>& place,
                  const terminal::Style& style) {
  if (!diagnostic.address.empty()) {
    out += "  with " + diagnostic.address + ",\n";
  }
  if (!place) {
    return;
  }
  out += "  on " + style.Link(place->file, terminal::ShowControls(place->file)) + " line " +
         std::to_string(place->start.line);
  if (!place->snippet) {
    out += ":\n  (source code not available)\n";
  } else {
    if (place->snippet->context) {
      out += ", in " + *place->snippet->context;
    }
    out += ":\n";
    AppendCode(out, *place->snippet, style);
    AppendValues(out, diagnostic, style);
    AppendDifference(out, diagnostic, style);
  }
  out += '\n';
}

/// Appends the detail, wrapped by paragraph. Lines that begin with a space are not wrapped.
void AppendDetail(std::string& out, std::string_view detail, int limit) {
  if (detail.empty()) {
    return;
  }
  if (limit <= 0) {
    out += detail;
    out += '\n';
    return;
  }
  EachLine(detail, [&](std::string_view line) {
    out += line.starts_with(' ') ? std::string(line)
                                 : terminal::WrapParagraph(line, static_cast<size_t>(limit));
    out += '\n';
  });
}

/// Keeps one warning per deprecated object, and only those of the wanted level. Ref:
/// internal/tofu/deprecation_level.go.
void DropDeprecations(Diagnostics& diags, std::string_view level) {
  FlatSet<std::string> seen;
  std::erase_if(diags.list(), [&](const Diagnostic& diagnostic) {
    const auto* cause = dynamic_cast<const lang::DeprecationCause*>(diagnostic.extra.get());
    if (cause == nullptr) {
      return false;
    }
    std::string key = cause->by + '\n' + cause->message + (cause->remote ? "r" : "");
    if (!cause->group.empty()) {
      key = cause->module + '\n' + cause->group;
    }
    return !seen.insert(std::move(key)).second || level == "none" ||
           (level == "local" && cause->remote);
  });
}

/// Similar diagnostics, shown as one.
struct Group {
  Diagnostic first;
  size_t count = 1;
};

std::vector<Group> Merge(const Diagnostics& diags, const DiagnosticOptions& options) {
  std::vector<Group> groups;
  FlatMap<std::string, size_t> known;
  for (const Diagnostic& diagnostic : diags) {
    const bool wanted =
        diagnostic.is_error() ? options.consolidate_errors : options.consolidate_warnings;
    if (!wanted || !diagnostic.subject.valid() ||
        diagnostic.tag == DiagnosticTag::kConsolidateNever) {
      groups.push_back({diagnostic});
      continue;
    }
    std::string key = (diagnostic.is_error() ? "E" : "W") + diagnostic.summary;
    const auto* cause = dynamic_cast<const lang::DeprecationCause*>(diagnostic.extra.get());
    if (cause != nullptr && !cause->group.empty()) {
      key += '\n' + cause->group;
    } else if (cause != nullptr && !cause->of_block) {
      key += '\n' + cause->by;  // warnings about different objects are not merged
    }
    const auto [it, added] = known.try_emplace(std::move(key), groups.size());
    if (added) {
      groups.push_back({diagnostic});
    } else {
      ++groups[it->second].count;
    }
  }
  return groups;
}

void AddCount(Group& group) {
  if (group.count == 1) {
    return;
  }
  const std::string what = group.first.is_error() ? "error" : "warning";
  std::string note = group.count == 2 ? "(and one more similar " + what + " elsewhere)"
                                      : "(and " + std::to_string(group.count - 1) +
                                            " more similar " + what + "s elsewhere)";
  std::string& detail = group.first.detail;
  detail = detail.empty() ? std::move(note) : detail + "\n\n" + note;
}

std::string CompactWarnings(const std::vector<Group>& groups, const terminal::Style& style) {
  std::string out = "\n" + style.Paint("[bold][yellow]Warnings:[reset]\n\n");
  SourceIndex sources;
  for (const Group& group : groups) {
    out += "- " + group.first.summary + "\n";
    const std::optional<Place> place = PlaceOf(group.first, sources);
    if (!place) {
      continue;
    }
    out += "  on " + place->file + " line " + std::to_string(place->start.line);
    if (group.count > 1) {
      out += " (and " + std::to_string(group.count - 1) + " more)";
    }
    out += '\n';
  }
  return out + "\nTo see the full warning notes, run OpenTofu without -compact-warnings.\n";
}

}  // namespace

std::string RenderDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources,
                             const terminal::Style& style, int width) {
  return RenderDiagnosticAt(diagnostic, PlaceOf(diagnostic, sources), style, width, style.color());
}

std::string RenderDiagnosticAt(const Diagnostic& diagnostic, const std::optional<Place>& place,
                               const terminal::Style& style, int width, bool boxed) {
  std::string text;
  if (!boxed) {
    text = diagnostic.is_error() ? "\nError: " : "\nWarning: ";
    text += diagnostic.summary;
    text += "\n\n";
    AppendSource(text, diagnostic, place, style);
    AppendDetail(text, diagnostic.detail, width - 1);
    return text;
  }
  text = style.Paint(diagnostic.is_error() ? "[bold][red]Error: [reset]"
                                           : "[bold][yellow]Warning: [reset]");
  text += style.Paint("[bold]%[reset]\n\n", terminal::ShowControls(diagnostic.summary));
  AppendSource(text, diagnostic, place, style);
  AppendDetail(text, terminal::ShowControls(diagnostic.detail), width - 3);
  if (text.ends_with('\n')) {
    text.pop_back();
  }
  const std::string color = diagnostic.is_error() ? "[red]" : "[yellow]";
  const std::string bar = style.Paint(color + "│[reset] ");
  std::string out = style.Paint(color + "╷[reset]") + "\n";
  EachLine(text, [&](std::string_view line) {
    out += line.empty() && !style.color() ? "│" : bar;
    out += line;
    out += '\n';
  });
  return out + style.Paint(color + "╵[reset]") + "\n";
}

std::vector<RenderedDiagnostic> RenderDiagnostics(const Diagnostics& diags,
                                                  const terminal::Style& style,
                                                  const DiagnosticOptions& options) {
  std::vector<RenderedDiagnostic> rendered;
  if (diags.empty()) {
    return rendered;
  }
  Diagnostics sorted = diags;
  sorted.Sort();
  DropDeprecations(sorted, options.deprecation);
  std::vector<Group> groups = Merge(sorted, options);
  if (options.compact_warnings && !diags.has_errors()) {
    rendered.push_back({Severity::kWarning, CompactWarnings(groups, style)});
    return rendered;
  }
  SourceIndex sources;
  for (Group& group : groups) {
    AddCount(group);
    rendered.push_back(
        {group.first.severity, RenderDiagnostic(group.first, sources, style, options.width)});
  }
  return rendered;
}

}  // namespace kinu::view
