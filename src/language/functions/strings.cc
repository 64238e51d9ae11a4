// Strings: case, trimming, splitting, joining, searching.
#include <algorithm>

#include "functions/families.h"
#include "functions/support.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

CallResult Upper(Arguments args, const Type&, const CallContext&) {
  return Value::String(text::ToUpper(args[0].AsString()));
}

CallResult Lower(Arguments args, const Type&, const CallContext&) {
  return Value::String(text::ToLower(args[0].AsString()));
}

CallResult Title(Arguments args, const Type&, const CallContext&) {
  return Value::String(text::ToTitle(args[0].AsString()));
}

CallResult StrRev(Arguments args, const Type&, const CallContext&) {
  const std::string_view in = args[0].AsString();
  std::string out(in.size(), '\0');
  size_t free = in.size();
  for (size_t pos = 0; pos < in.size();) {
    const size_t next = text::NextGrapheme(in, pos);
    free -= next - pos;
    in.substr(pos, next - pos).copy(out.data() + free, next - pos);
    pos = next;
  }
  return Value::String(out);
}

// The text without its first `count` grapheme clusters.
std::string_view DropGraphemes(std::string_view text, int64_t count) {
  size_t pos = 0;
  for (; count > 0 && pos < text.size(); --count) {
    pos = text::NextGrapheme(text, pos);
  }
  return text.substr(pos);
}

CallResult Substr(Arguments args, const Type&, const CallContext&) {
  const std::string_view in = args[0].AsString();
  KINU_TRY(int64_t offset, ToInteger(args[1]));
  KINU_TRY(const int64_t length, ToInteger(args[2]));
  if (offset < 0) {
    offset += static_cast<int64_t>(text::GraphemeCount(in));
  } else if (length == 0) {
    return Value::String("");
  }
  const std::string_view rest = DropGraphemes(in, offset);
  // With a negative offset, the reference treats a length of 0 like a negative one: it returns the
  // rest.
  if (length <= 0) {
    return Value::String(rest);
  }
  return Value::String(rest.substr(0, rest.size() - DropGraphemes(rest, length).size()));
}

size_t NullIndex(std::span<const Value> values) {
  return static_cast<size_t>(
      std::find_if(values.begin(), values.end(), [](const Value& v) { return v.IsNull(); }) -
      values.begin());
}

CallResult Join(Arguments args, const Type&, const CallContext&) {
  const std::string_view separator = args[0].AsString();
  const Arguments lists = args.subspan(1);
  if (lists.empty()) {
    return CallFail("at least one list is required");
  }
  for (const Value& list : lists) {
    if (!list.IsWhollyKnown()) {
      return Value::Unknown(Type::String());
    }
  }
  std::string out;
  bool first = true;
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const Value& element : lists[i].elements()) {
      if (element.IsNull()) {
        return CallFail("element " + std::to_string(NullIndex(lists[i].elements())) +
                            (lists.size() > 1 ? " of list " + std::to_string(i + 1) : "") +
                            " is null; cannot concatenate null values",
                        static_cast<int>(i) + 1);
      }
      if (!first) {
        out += separator;
      }
      first = false;
      out += element.AsString();
    }
  }
  return Value::String(out);
}

Value StringList(const std::vector<std::string_view>& texts) {
  std::vector<Value> values;
  values.reserve(texts.size());
  for (std::string_view each : texts) {
    values.push_back(Value::String(each));
  }
  return Value::List(Type::String(), std::move(values));
}

CallResult Split(Arguments args, const Type&, const CallContext&) {
  const std::string_view separator = args[0].AsString();
  std::string_view rest = args[1].AsString();
  std::vector<std::string_view> parts;
  if (separator.empty()) {
    while (!rest.empty()) {
      const size_t size = text::DecodeUtf8(rest, 0).size;
      parts.push_back(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    return StringList(parts);
  }
  for (;;) {
    const size_t at = rest.find(separator);
    parts.push_back(rest.substr(0, at));
    if (at == std::string_view::npos) {
      return StringList(parts);
    }
    rest.remove_prefix(at + separator.size());
  }
}

CallResult Sort(Arguments args, const Type& type, const CallContext&) {
  const Value& list = args[0];
  if (!list.IsWhollyKnown()) {
    const Refinements known = list.refinements();
    Refinements lengths;
    lengths.not_null = true;
    lengths.min_length = known.min_length;
    lengths.max_length = known.max_length;
    return Value::Unknown(type, lengths);
  }
  std::vector<Value> values = CopyElements(list);
  if (std::any_of(values.begin(), values.end(), [](const Value& v) { return v.IsNull(); })) {
    return CallFail("given list element " + std::to_string(NullIndex(values)) +
                    " is null; a null string cannot be sorted");
  }
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return a.AsString() < b.AsString(); });
  return Value::List(Type::String(), std::move(values));
}

CallResult Chomp(Arguments args, const Type&, const CallContext&) {
  std::string_view text = args[0].AsString();
  while (text.ends_with('\n') || text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return Value::String(text);
}

CallResult Indent(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const int64_t spaces, ToInteger(args[0]));
  constexpr int64_t kMostSpaces = 1 << 20;
  if (spaces < 0 || spaces > kMostSpaces) {
    return CallFail("the number of spaces is out of range");
  }
  const std::string_view text = args[1].AsString();
  constexpr size_t kMostBytes = size_t{1} << 28;
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines > 0 && static_cast<size_t>(spaces) > kMostBytes / lines) {
    return CallFail("the indented text would be too large");
  }
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') {
      out.append(static_cast<size_t>(spaces), ' ');
    }
  }
  return Value::String(out);
}

CallResult TrimSpace(Arguments args, const Type&, const CallContext&) {
  return Value::String(text::TrimSpace(args[0].AsString()));
}

bool HasCodePoint(std::string_view set, std::string_view point) {
  // UTF-8 is self-synchronising: the bytes of a code point occur in a text only as that code point.
  return set.find(point) != std::string_view::npos;
}

CallResult Trim(Arguments args, const Type&, const CallContext&) {
  std::string_view text = args[0].AsString();
  const std::string_view cutset = args[1].AsString();
  while (!text.empty()) {
    const size_t size = text::DecodeUtf8(text, 0).size;
    if (!HasCodePoint(cutset, text.substr(0, size))) {
      break;
    }
    text.remove_prefix(size);
  }
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && (static_cast<uint8_t>(text[last]) & 0xC0) == 0x80) {
      --last;
    }
    if (!HasCodePoint(cutset, text.substr(last))) {
      break;
    }
    text = text.substr(0, last);
  }
  return Value::String(text);
}

CallResult TrimPrefix(Arguments args, const Type&, const CallContext&) {
  std::string_view text = args[0].AsString();
  if (text.starts_with(args[1].AsString())) {
    text.remove_prefix(args[1].AsString().size());
  }
  return Value::String(text);
}

CallResult TrimSuffix(Arguments args, const Type&, const CallContext&) {
  std::string_view text = args[0].AsString();
  if (text.ends_with(args[1].AsString())) {
    text.remove_suffix(args[1].AsString().size());
  }
  return Value::String(text);
}

CallResult StartsWith(Arguments args, const Type&, const CallContext&) {
  const std::string_view prefix = args[1].AsString();
  if (args[0].IsKnown()) {
    return Value::Bool(args[0].AsString().starts_with(prefix));
  }
  const std::string known = args[0].refinements().prefix;
  if (prefix.empty() || (!known.empty() && known.starts_with(prefix))) {
    return Value::True();
  }
  if (!known.empty() && known.size() >= prefix.size()) {
    return Value::False();
  }
  return Value::Unknown(Type::Bool());
}

CallResult EndsWith(Arguments args, const Type&, const CallContext&) {
  return Value::Bool(args[0].AsString().ends_with(args[1].AsString()));
}

CallResult StrContains(Arguments args, const Type&, const CallContext&) {
  return Value::Bool(args[0].AsString().find(args[1].AsString()) != std::string_view::npos);
}

constexpr Parameter kTextOrUntyped = {.name = "str", .type = &Type::String, .allow_dynamic = true};
constexpr Parameter NumberOrUntyped(std::string_view name) {
  return {.name = name, .type = &Type::Number, .allow_dynamic = true};
}
constexpr Parameter TextNamed(std::string_view name) {
  return {.name = name, .type = &Type::String};
}

constexpr FunctionSpec kRows[] = {
    {.name = "chomp",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Chomp,
     .refine = &NeverNull,
     .doc = "The text without the line breaks at its end.",
     .examples = {Example{R"(chomp("hello\r\n\n"))", R"("hello")"},
                  Example{R"(chomp("a\nb"))", R"("a\nb")"}},
     .ref = "go-cty stdlib/string.go ChompFunc"},
    {.name = "endswith",
     .params = {TextParameter("str"), TextNamed("suffix")},
     .result_type = &Returns<&Type::Bool>,
     .impl = &EndsWith,
     .refine = &NeverNull,
     .doc = "Whether the text ends with the given suffix.",
     .examples = {Example{R"(endswith("hello world", "world"))", "true"},
                  Example{R"(endswith("hello world", "hello"))", "false"}},
     .ref = "opentofu internal/lang/funcs/string.go EndsWithFunc"},
    {.name = "indent",
     .params = {Parameter{.name = "spaces", .type = &Type::Number}, TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Indent,
     .refine = &NeverNull,
     .doc = "The text with spaces put before each line but the first.",
     .examples = {Example{R"(indent(2, "a\nb"))", R"("a\n  b")"},
                  Example{R"(indent(4, "one line"))", R"("one line")"}},
     .ref = "go-cty stdlib/string.go IndentFunc"},
    {.name = "join",
     .params = {TextNamed("separator")},
     .has_variadic = true,
     .variadic = {.name = "lists", .type = &ListOfString},
     .result_type = &Returns<&Type::String>,
     .impl = &Join,
     .refine = &NeverNull,
     .doc = "The strings of one or more lists in one text, with a separator between them.",
     .examples = {Example{R"(join(", ", ["foo", "bar"]))", R"("foo, bar")"},
                  Example{R"(join("-", ["a"], ["b", 3]))", R"("a-b-3")"}},
     .ref = "go-cty stdlib/string.go JoinFunc"},
    {.name = "lower",
     .params = {kTextOrUntyped},
     .result_type = &Returns<&Type::String>,
     .impl = &Lower,
     .refine = &NeverNull,
     .doc = "The text with all letters in lower case.",
     .examples = {Example{R"(lower("HELLO"))", R"("hello")"}, Example{R"(lower("ÄÖ"))", R"("äö")"}},
     .ref = "go-cty stdlib/string.go LowerFunc"},
    {.name = "sort",
     .params = {Parameter{.name = "list", .type = &ListOfString, .allow_unknown = true}},
     .result_type = &Returns<&ListOfString>,
     .impl = &Sort,
     .refine = &NeverNull,
     .doc = "The strings of a list in the order of their bytes.",
     .examples = {Example{R"(sort(["e", "d", "a", "x"]))", R"(tolist(["a", "d", "e", "x"]))"},
                  Example{"sort([10, 9])", R"(tolist(["10", "9"]))"}},
     .ref = "go-cty stdlib/string.go SortFunc"},
    {.name = "split",
     .params = {TextNamed("separator"), TextParameter("str")},
     .result_type = &Returns<&ListOfString>,
     .impl = &Split,
     .refine = &NeverNull,
     .doc = "The parts of a text between the occurrences of a separator. An empty separator cuts "
            "between all characters.",
     .examples = {Example{R"(split(",", "foo,bar"))", R"(tolist(["foo", "bar"]))"},
                  Example{R"(split(",", ""))", R"(tolist([""]))"}},
     .ref = "go-cty stdlib/string.go SplitFunc"},
    {.name = "startswith",
     .params = {Parameter{.name = "str", .type = &Type::String, .allow_unknown = true},
                TextNamed("prefix")},
     .result_type = &Returns<&Type::Bool>,
     .impl = &StartsWith,
     .refine = &NeverNull,
     .doc = "Whether the text starts with the given prefix.",
     .examples = {Example{R"(startswith("hello world", "hello"))", "true"},
                  Example{R"(startswith("hello world", "world"))", "false"}},
     .ref = "opentofu internal/lang/funcs/string.go StartsWithFunc"},
    {.name = "strcontains",
     .params = {TextParameter("str"), TextNamed("substr")},
     .result_type = &Returns<&Type::Bool>,
     .impl = &StrContains,
     .doc = "Whether the second text occurs in the first.",
     .examples = {Example{R"(strcontains("hello world", "wor"))", "true"},
                  Example{R"(strcontains("hello world", "x"))", "false"}},
     .ref = "opentofu internal/lang/funcs/string.go StrContainsFunc"},
    {.name = "strrev",
     .params = {kTextOrUntyped},
     .result_type = &Returns<&Type::String>,
     .impl = &StrRev,
     .refine = &NeverNull,
     .doc = "The characters of a text in reverse. A character is what people see as one.",
     .examples = {Example{R"(strrev("hello"))", R"("olleh")"},
                  Example{R"(strrev("a☃"))", R"("☃a")"}},
     .ref = "go-cty stdlib/string.go ReverseFunc"},
    {.name = "substr",
     .params = {kTextOrUntyped, NumberOrUntyped("offset"), NumberOrUntyped("length")},
     .result_type = &Returns<&Type::String>,
     .impl = &Substr,
     .refine = &NeverNull,
     .doc = "A part of a text, by offset and length in characters. A negative offset counts from "
            "the end, a negative length takes all that is left.",
     .examples = {Example{R"(substr("hello world", 1, 4))", R"("ello")"},
                  Example{R"(substr("hello world", -5, -1))", R"("world")"}},
     .ref = "go-cty stdlib/string.go SubstrFunc"},
    {.name = "title",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Title,
     .refine = &NeverNull,
     .doc = "The text with the first letter of each word in title case.",
     .examples = {Example{R"(title("hello world"))", R"("Hello World")"},
                  Example{R"(title("a-b"))", R"("A-B")"}},
     .ref = "go-cty stdlib/string.go TitleFunc"},
    {.name = "trim",
     .params = {TextParameter("str"), TextNamed("cutset")},
     .result_type = &Returns<&Type::String>,
     .impl = &Trim,
     .refine = &NeverNull,
     .doc = "The text without those characters at its start and end that are in the cutset.",
     .examples = {Example{R"(trim("?!hello?!", "!?"))", R"("hello")"},
                  Example{R"(trim("foobar", "far"))", R"("oob")"}},
     .ref = "go-cty stdlib/string.go TrimFunc"},
    {.name = "trimprefix",
     .params = {TextParameter("str"), TextNamed("prefix")},
     .result_type = &Returns<&Type::String>,
     .impl = &TrimPrefix,
     .refine = &NeverNull,
     .doc = "The text without the prefix, if it starts with it.",
     .examples = {Example{R"(trimprefix("helloworld", "hello"))", R"("world")"},
                  Example{R"(trimprefix("helloworld", "cat"))", R"("helloworld")"}},
     .ref = "go-cty stdlib/string.go TrimPrefixFunc"},
    {.name = "trimspace",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &TrimSpace,
     .refine = &NeverNull,
     .doc = "The text without white space at its start and end.",
     .examples = {Example{R"(trimspace("  hello\n\n"))", R"("hello")"},
                  Example{R"(trimspace(" a b "))", R"("a b")"}},
     .ref = "go-cty stdlib/string.go TrimSpaceFunc"},
    {.name = "trimsuffix",
     .params = {TextParameter("str"), TextNamed("suffix")},
     .result_type = &Returns<&Type::String>,
     .impl = &TrimSuffix,
     .refine = &NeverNull,
     .doc = "The text without the suffix, if it ends with it.",
     .examples = {Example{R"(trimsuffix("helloworld", "world"))", R"("hello")"},
                  Example{R"(trimsuffix("helloworld", "cat"))", R"("helloworld")"}},
     .ref = "go-cty stdlib/string.go TrimSuffixFunc"},
    {.name = "upper",
     .params = {kTextOrUntyped},
     .result_type = &Returns<&Type::String>,
     .impl = &Upper,
     .refine = &NeverNull,
     .doc = "The text with all letters in upper case.",
     .examples = {Example{R"(upper("hello"))", R"("HELLO")"}, Example{R"(upper("äö"))", R"("ÄÖ")"}},
     .ref = "go-cty stdlib/string.go UpperFunc"},
};

}  // namespace

std::span<const FunctionSpec> StringFunctions() {
  return kRows;
}

}  // namespace kinu::functions
