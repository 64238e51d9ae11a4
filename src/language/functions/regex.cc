// Regular expressions (RE2): regex regexall replace.
//
// RE2 has the syntax and semantics of Go's regexp. This file implements the differences: groups
// written (?<name>…), repeated matching after an empty match, and replacement templates.
#include <algorithm>
#include <map>

#include <re2/re2.h>

#include "functions/families.h"
#include "functions/regex_syntax.h"
#include "functions/support.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::functions {

std::string WithNamedGroups(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (size_t pos = 0; pos < pattern.size(); ++pos) {
    const char c = pattern[pos];
    out += c;
    if (c == '\\' && pos + 1 < pattern.size()) {
      const bool quotes = pattern[pos + 1] == 'Q' && !in_class;
      const size_t end = quotes ? pattern.find("\\E", pos + 2) : pos + 1;
      const size_t stop = end == std::string_view::npos ? pattern.size() - 1 : end;
      out += pattern.substr(pos + 1, stop - pos);
      pos = stop;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      // A bracket at the start of a class is literal.
      for (char literal : {'^', ']'}) {
        if (pos + 1 < pattern.size() && pattern[pos + 1] == literal) {
          out += literal;
          ++pos;
        }
      }
    } else if (c == '(' && pattern.substr(pos + 1, 2) == "?<" &&
               pattern.substr(pos + 3, 1) != "=" && pattern.substr(pos + 3, 1) != "!") {
      out += "?P<";
      pos += 2;
    }
  }
  return out;
}

namespace {

// Whether the pattern has \C, a single byte, which RE2 supports and Go does not.
bool HasByteEscape(std::string_view pattern) {
  size_t pos = pattern.find('\\');
  while (pos < pattern.size() && pattern.substr(pos + 1, 1) != "C") {
    const bool quotes = pattern.substr(pos + 1, 1) == "Q";
    const size_t next = quotes ? pattern.find("\\E", pos + 2) : pos + 2;
    pos = next < pattern.size() ? pattern.find('\\', next) : next;
  }
  return pos < pattern.size();
}

/// The message of Go's regexp/syntax for an error.
std::string_view Describe(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "invalid character class range";
  }
}

/// The message for an invalid pattern. `argument` is -1 for the pattern inside the argument of
/// `replace`, whose message differs.
std::string Describe(const RE2& pattern, int argument) {
  const std::string what(Describe(pattern.error_code()));
  return argument < 0 ? "error parsing regexp: " + what + ": `" + pattern.error_arg() + "`"
                      : "invalid regexp pattern: " + what + " in " + pattern.error_arg();
}

class Pattern {
 public:
  using Compiled = std::shared_ptr<const Pattern>;

  /// Each thread keeps the patterns that it used last: a call needs its pattern for the type and
  /// for the result, and expressions are evaluated for many objects.
  static std::expected<Compiled, CallError> Of(std::string_view source, int argument) {
    constexpr size_t kKept = 16;
    static thread_local std::vector<std::pair<std::string, Compiled>> kept;
    const auto found = std::ranges::find(kept, source, &std::pair<std::string, Compiled>::first);
    if (found != kept.end()) {
      std::rotate(kept.begin(), found, found + 1);
      return kept.front().second;
    }
    KINU_TRY(Compiled pattern, Compile(source, argument));
    if (kept.size() == kKept) {
      kept.pop_back();
    }
    kept.emplace(kept.begin(), source, pattern);
    return pattern;
  }

  size_t groups() const { return static_cast<size_t>(re_.NumberOfCapturingGroups()); }
  /// Name of group `index` (from 1); empty if it has none.
  std::string_view name(size_t index) const {
    const auto& names = re_.CapturingGroupNames();
    const auto found = names.find(static_cast<int>(index));
    return found == names.end() ? std::string_view() : std::string_view(found->second);
  }

  /// The first match at or after `from`: the whole match, then the groups; empty if there is none.
  std::vector<re2::StringPiece> Find(std::string_view text, size_t from) const {
    std::vector<re2::StringPiece> parts(groups() + 1);
    const bool matched = re_.Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                                   RE2::UNANCHORED, parts.data(), static_cast<int>(parts.size()));
    if (!matched) {
      parts.clear();
    }
    return parts;
  }

 private:
  Pattern(const std::string& source, const RE2::Options& options) : re_(source, options) {}

  static std::expected<Compiled, CallError> Compile(std::string_view source, int argument) {
    if (HasByteEscape(source)) {
      return CallFail("invalid regexp pattern: invalid escape sequence in \\C", argument);
    }
    RE2::Options options;
    options.set_log_errors(false);
    auto pattern = std::shared_ptr<Pattern>(new Pattern(WithNamedGroups(source), options));
    if (!pattern->re_.ok()) {
      return CallFail(Describe(pattern->re_, argument), argument);
    }
    return pattern;
  }

  RE2 re_;
};

size_t OffsetIn(std::string_view text, const re2::StringPiece& part) {
  return static_cast<size_t>(part.data() - text.data());
}

std::string_view View(const re2::StringPiece& part) {
  return {part.data(), part.size()};
}

size_t WidthAt(std::string_view text, size_t pos) {
  return pos < text.size() ? text::DecodeUtf8(text, pos).size : 1;
}

// The type of a match: a string, a tuple of the groups, or an object of the named groups.
TypeResult ResultType(const Pattern& pattern) {
  std::vector<Type::Attribute> attributes;
  for (size_t i = 1; i <= pattern.groups(); ++i) {
    if (!pattern.name(i).empty()) {
      attributes.push_back({pattern.name(i), Type::String(), false});
    }
  }
  if (pattern.groups() == 0) {
    return Type::String();
  }
  if (attributes.empty()) {
    return Type::Tuple(std::vector<Type>(pattern.groups(), Type::String()));
  }
  if (attributes.size() < pattern.groups()) {
    return CallFail("invalid regexp pattern: cannot mix both named and unnamed capture groups", 0);
  }
  return Type::Object(attributes);
}

Value GroupValue(const re2::StringPiece& part) {
  return part.data() == nullptr ? Value::Null(Type::String()) : Value::String(View(part));
}

Value ResultOf(const Pattern& pattern, const std::vector<re2::StringPiece>& parts,
               const Type& type) {
  if (type == Type::String()) {
    return Value::String(View(parts[0]));
  }
  std::vector<Value> groups;
  std::vector<std::pair<std::string, Value>> named;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (type.is_tuple()) {
      groups.push_back(GroupValue(parts[i]));
    } else {
      named.emplace_back(std::string(pattern.name(i)), GroupValue(parts[i]));
    }
  }
  return type.is_tuple() ? Value::Tuple(std::move(groups)) : Value::Object(std::move(named));
}

TypeResult RegexType(Arguments args) {
  if (!args[0].IsKnown()) {
    return Type::Dynamic();
  }
  KINU_TRY(const auto pattern, Pattern::Of(args[0].AsString(), 0));
  return ResultType(*pattern);
}

TypeResult RegexAllType(Arguments args) {
  KINU_TRY(const Type type, RegexType(args));
  return Type::List(type);
}

CallResult Regex(Arguments args, const Type& type, const CallContext&) {
  KINU_TRY(const auto pattern, Pattern::Of(args[0].AsString(), 0));
  const auto parts = pattern->Find(args[1].AsString(), 0);
  if (parts.empty()) {
    return CallFail("pattern did not match any part of the given string");
  }
  return ResultOf(*pattern, parts, type);
}

CallResult RegexAll(Arguments args, const Type& type, const CallContext&) {
  KINU_TRY(const auto pattern, Pattern::Of(args[0].AsString(), 0));
  const std::string_view text = args[1].AsString();
  std::vector<Value> matches;
  size_t previous_end = std::string_view::npos;
  for (size_t pos = 0; pos <= text.size();) {
    const auto parts = pattern->Find(text, pos);
    if (parts.empty()) {
      break;
    }
    const size_t begin = OffsetIn(text, parts[0]);
    const size_t end = begin + parts[0].size();
    // Skips an empty match directly after the previous match.
    const bool counts = end != pos || begin != previous_end;
    pos = end == pos ? pos + WidthAt(text, pos) : end;
    previous_end = end;
    if (counts) {
      matches.push_back(ResultOf(*pattern, parts, type.element()));
    }
  }
  return Value::List(type.element(), std::move(matches));
}

// Index of the group that a name in a replacement refers to; 0 is the whole match, npos no group.
size_t GroupNamed(const Pattern& pattern, std::string_view name,
                  const std::vector<re2::StringPiece>& parts) {
  constexpr size_t kMostDigits = 8;
  const bool number =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number && name.size() <= kMostDigits && (name.size() == 1 || name[0] != '0')) {
    const size_t group = std::stoul(std::string(name));
    return group < parts.size() ? group : std::string_view::npos;
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    if (pattern.name(i) == name && parts[i].data() != nullptr) {
      return i;
    }
  }
  return std::string_view::npos;
}

size_t NameLength(std::string_view text) {
  size_t pos = 0;
  while (pos < text.size()) {
    const text::Decoded next = text::DecodeUtf8(text, pos);
    if (!next.ok ||
        !(text::IsLetter(next.point) || text::IsDigit(next.point) || next.point == '_')) {
      break;
    }
    pos += next.size;
  }
  return pos;
}

// Appends a replacement, in which $1, $name and ${name} are groups and $$ is a dollar sign.
// Ref: Go Regexp.Expand.
void Expand(std::string& out, std::string_view replacement, const Pattern& pattern,
            const std::vector<re2::StringPiece>& parts) {
  while (!replacement.empty()) {
    const size_t dollar = replacement.find('$');
    out += replacement.substr(0, dollar);
    if (dollar == std::string_view::npos) {
      return;
    }
    replacement.remove_prefix(dollar + 1);
    if (replacement.starts_with('$')) {
      out += '$';
      replacement.remove_prefix(1);
      continue;
    }
    const bool braced = replacement.starts_with('{');
    const std::string_view rest = replacement.substr(braced ? 1 : 0);
    const std::string_view name = rest.substr(0, NameLength(rest));
    if (name.empty() || (braced && rest.substr(name.size(), 1) != "}")) {
      out += '$';
      continue;
    }
    const size_t group = GroupNamed(pattern, name, parts);
    if (group != std::string_view::npos && parts[group].data() != nullptr) {
      out += View(parts[group]);
    }
    replacement = rest.substr(name.size() + (braced ? 1 : 0));
  }
}

std::string ReplaceMatches(const Pattern& pattern, std::string_view text,
                           std::string_view replacement) {
  std::string out;
  size_t copied = 0;
  for (size_t pos = 0; pos <= text.size();) {
    const auto parts = pattern.Find(text, pos);
    if (parts.empty()) {
      break;
    }
    const size_t begin = OffsetIn(text, parts[0]);
    const size_t end = begin + parts[0].size();
    out += text.substr(copied, begin - copied);
    // Does not replace an empty match directly after the previous match.
    if (end > copied || begin == 0) {
      Expand(out, replacement, pattern, parts);
    }
    copied = end;
    const size_t width = WidthAt(text, pos);
    pos = pos + width > end ? pos + width : end;
  }
  if (copied < text.size()) {
    out += text.substr(copied);
  }
  return out;
}

CallResult Replace(Arguments args, const Type&, const CallContext&) {
  const std::string_view text = args[0].AsString();
  const std::string_view wanted = args[1].AsString();
  const std::string_view replacement = args[2].AsString();
  if (wanted.size() > 1 && wanted.front() == '/' && wanted.back() == '/') {
    KINU_TRY(const auto pattern, Pattern::Of(wanted.substr(1, wanted.size() - 2), -1));
    return Value::String(ReplaceMatches(*pattern, text, replacement));
  }
  std::string out;
  for (size_t pos = 0;;) {
    const size_t at = text.find(wanted, pos);
    if (at == std::string_view::npos) {
      out += text.substr(std::min(pos, text.size()));
      return Value::String(out);
    }
    out += text.substr(pos, at - pos);
    out += replacement;
    if (wanted.empty()) {
      // An empty text matches before each character and at the end.
      const size_t step = WidthAt(text, at);
      out += text.substr(at, step);
      pos = at + step;
      if (pos > text.size()) {
        return Value::String(out);
      }
    } else {
      pos = at + wanted.size();
    }
  }
}

constexpr FunctionSpec kRows[] = {
    {.name = "regex",
     .params = {TextParameter("pattern"), TextParameter("string")},
     .result_type = &RegexType,
     .impl = &Regex,
     .refine = &NeverNull,
     .doc = "The first match of a regular expression. Without groups it is a string, with groups a "
            "tuple of their texts, with named groups an object. No match is an error.",
     .examples = {Example{R"(regex("[a-z]+", "53453453.345345aaabbbccc23454"))", R"("aaabbbccc")"},
                  Example{R"x(regex("(\\d+)-(\\d+)", "2019-02"))x", R"(["2019", "02"])"},
                  Example{R"x(regex("(?P<y>\\d+)", "in 2019"))x", R"({y = "2019"})"}},
     .ref = "go-cty stdlib/regexp.go RegexFunc"},
    {.name = "regexall",
     .params = {TextParameter("pattern"), TextParameter("string")},
     .result_type = &RegexAllType,
     .impl = &RegexAll,
     .refine = &NeverNull,
     .doc = "All matches of a regular expression, each as `regex` gives it.",
     .examples = {Example{R"(regexall("[a-z]+", "1234abcd5678efgh9"))",
                          R"(tolist(["abcd", "efgh"]))"},
                  Example{R"(regexall("x", "abc"))", "tolist([])"}},
     .ref = "go-cty stdlib/regexp.go RegexAllFunc"},
    {.name = "replace",
     .params = {TextParameter("str"), TextParameter("substr"), TextParameter("replace")},
     .result_type = &Returns<&Type::String>,
     .impl = &Replace,
     .refine = &NeverNull,
     .doc = "The text with all occurrences of another text replaced. Between slashes the other "
            "text is a regular expression, whose groups the replacement can name: $1, ${name}.",
     .examples = {Example{R"(replace("1 + 2 + 3", "+", "-"))", R"("1 - 2 - 3")"},
                  Example{R"(replace("hello world", "/w.*d/", "everybody"))",
                          R"("hello everybody")"}},
     .ref = "opentofu internal/lang/funcs/string.go ReplaceFunc"},
};

}  // namespace

std::span<const FunctionSpec> RegexFunctions() {
  return kRows;
}

}  // namespace kinu::functions
