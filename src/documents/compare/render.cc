#include <array>

#include "codec/xml.h"
#include "compare/compare.h"
#include "json/writer.h"
#include "tfjson/masks.h"

namespace kinu::compare {
namespace {

constexpr std::array<std::string_view, 3> kKindNames = {"added", "removed", "changed"};
constexpr std::array<std::string_view, 3> kSigns = {"+", "-", "~"};
constexpr std::array<std::string_view, 3> kColors = {"\x1b[32m", "\x1b[31m", "\x1b[33m"};

size_t Index(const ObjectChange& change) {
  return static_cast<size_t>(change.kind);
}

std::array<size_t, 3> Counts(const Difference& difference) {
  std::array<size_t, 3> counts{};
  for (const ObjectChange& change : difference) {
    ++counts[Index(change)];
  }
  return counts;
}

std::string CountsText(const Difference& difference) {
  if (difference.empty()) {
    return "No differences.";
  }
  const std::array<size_t, 3> counts = Counts(difference);
  return std::to_string(counts[2]) + " changed, " + std::to_string(counts[0]) + " added, " +
         std::to_string(counts[1]) + " removed.";
}

bool IsIdentifier(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string_view::npos &&
         (name[0] < '0' || name[0] > '9') && name[0] != '-';
}

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter::AppendQuoted(out, text, JsonEscape::kPlain);
  return out;
}

/// Replaces control characters, which would reach the terminal.
std::string Visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return out;
}

std::string PathText(const std::vector<PathStep>& path) {
  std::string out;
  for (const PathStep& step : path) {
    if (step.index) {
      out += "[" + std::to_string(*step.index) + "]";
    } else if (IsIdentifier(step.name)) {
      out += (out.empty() ? "" : ".") + step.name;
    } else {
      out += "[" + Quoted(step.name) + "]";
    }
  }
  return out;
}

/// The JSON text of a value; of a hidden one without quotes.
std::string ValueText(const std::optional<std::string>& value) {
  if (!value) {
    return "(none)";
  }
  return *value == tfjson::kRedacted ? "(sensitive value)" : *value;
}

/// A cell of a table in Markdown, as code.
std::string Cell(std::string_view text) {
  std::string out = "<code>";
  for (const char c : EscapeXml(text, XmlQuotes::kKept)) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '[' || c == '~') {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "</code>";
}

}  // namespace

std::string RenderText(const Difference& difference, bool color) {
  std::string out;
  for (const ObjectChange& change : difference) {
    const size_t kind = Index(change);
    out += color ? kColors[kind] : std::string_view();
    out += kSigns[kind];
    out += color ? "\x1b[0m " : " ";
    out += Visible(change.address) + "\n";
    for (const ValueChange& value : change.paths) {
      out += "    " + PathText(value.path) + ": " + ValueText(value.before) + " -> " +
             ValueText(value.after) + "\n";
    }
  }
  return out + (out.empty() ? "" : "\n") + CountsText(difference) + "\n";
}

std::string RenderJson(const Difference& difference) {
  std::string text;
  JsonWriter out(text, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  const std::array<size_t, 3> counts = Counts(difference);
  out.BeginObject();
  out.Member("format_version", "1.0");
  out.Member("equal", difference.empty());
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    out.Member(kKindNames[kind], static_cast<int64_t>(counts[kind]));
  }
  out.Key("changes");
  out.BeginArray();
  for (const ObjectChange& change : difference) {
    out.BeginObject();
    out.Member("address", change.address);
    out.Member("kind", kKindNames[Index(change)]);
    out.Key("paths");
    out.BeginArray();
    for (const ValueChange& value : change.paths) {
      out.BeginObject();
      out.Key("path");
      out.BeginArray();
      for (const PathStep& step : value.path) {
        if (step.index) {
          out.Uint(*step.index);
        } else {
          out.String(step.name);
        }
      }
      out.EndArray();
      for (const auto& [name, side] : {std::pair(JsonKey("before"), &value.before),
                                       std::pair(JsonKey("after"), &value.after)}) {
        if (*side) {
          out.Key(name);
          out.Raw(**side);
        }
      }
      out.Member("sensitive", value.sensitive);
      out.EndObject();
    }
    out.EndArray();
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return text + "\n";
}

std::string RenderMarkdown(const Difference& difference) {
  std::string out = "**" + CountsText(difference) + "**\n";
  for (const ObjectChange& change : difference) {
    const std::string title = std::string(kSigns[Index(change)]) + " <code>" +
                              EscapeXml(Visible(change.address), XmlQuotes::kKept) + "</code>";
    if (change.paths.empty()) {
      out += "\n\\" + title + "\n";
      continue;
    }
    out +=
        "\n<details><summary>" + title + "</summary>\n\n| Path | Before | After |\n|---|---|---|\n";
    for (const ValueChange& value : change.paths) {
      out += "| " + Cell(PathText(value.path)) + " | " + Cell(ValueText(value.before)) + " | " +
             Cell(ValueText(value.after)) + " |\n";
    }
    out += "\n</details>\n";
  }
  return out;
}

}  // namespace kinu::compare
