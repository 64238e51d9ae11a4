// Encoding and decoding: base64decode base64encode base64gunzip base64gzip csvdecode jsondecode
// jsonencode textdecodebase64 textencodebase64 urldecode urlencode.
#include <algorithm>

#include "codec/base64.h"
#include "codec/csv.h"
#include "codec/deflate.h"
#include "codec/iconv.h"
#include "compatibility/features.h"
#include "cty/json.h"
#include "functions/families.h"
#include "functions/support.h"
#include "json/reader.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

CallResult Base64Encode(Arguments args, const Type&, const CallContext&) {
  return Value::String(EncodeBase64(args[0].AsString()));
}

std::expected<std::string, CallError> Base64Argument(const Value& value) {
  Result<std::string> bytes = DecodeBase64(value.AsString());
  if (!bytes) {
    return CallFail("failed to decode base64 data " + ShowText(value.AsString(), value.marks()));
  }
  return *std::move(bytes);
}

CallResult Base64Decode(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const std::string bytes, Base64Argument(args[0]));
  if (!text::IsUtf8(bytes)) {
    return CallFail("the result of decoding the provided string is not valid UTF-8");
  }
  return Value::String(bytes).WithMarks(args[0].marks());
}

CallResult Base64Gzip(Arguments args, const Type&, const CallContext&) {
  const bool is_new = compatibility::Has(compatibility::Feature::kNewDeflate);
  const auto release = is_new ? GoRelease::k127 : GoRelease::k126;
  return Value::String(EncodeBase64(Gzip(args[0].AsString(), release)));
}

CallResult Base64Gunzip(Arguments args, const Type&, const CallContext&) {
  constexpr size_t kMostBytes = size_t{1} << 27;
  KINU_TRY(const std::string bytes, Base64Argument(args[0]));
  const Result<std::string> text = Gunzip(bytes, kMostBytes);
  if (!text) {
    return CallFail(text.error().message);
  }
  return Value::String(text::ReplaceInvalidUtf8(*text)).WithMarks(args[0].marks());
}

TypeResult CsvType(Arguments args) {
  if (!args[0].IsKnown()) {
    return Type::Dynamic();
  }
  const auto rows = ParseCsv(args[0].AsString(), 1);
  if (!rows) {
    return CallFail(rows.error().message);
  }
  if (rows->empty()) {
    return CallFail("missing header line");
  }
  std::vector<Type::Attribute> columns;
  FlatSet<std::string> seen;
  for (const std::string& name : rows->front()) {
    if (!seen.insert(name).second) {
      return CallFail("duplicate column name " + text::GoQuote(name));
    }
    columns.push_back({name, Type::String(), false});
  }
  return Type::List(Type::Object(columns));
}

CallResult CsvDecode(Arguments args, const Type& type, const CallContext&) {
  const auto rows = ParseCsv(args[0].AsString());
  if (!rows) {
    return CallFail(rows.error().message);
  }
  std::vector<Value> objects;
  for (size_t row = 1; row < rows->size(); ++row) {
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t column = 0; column < rows->front().size(); ++column) {
      attributes.emplace_back(rows->front()[column], Value::String((*rows)[row][column]));
    }
    objects.push_back(Value::Object(std::move(attributes)));
  }
  return Value::List(type.element(), std::move(objects));
}

// The type of an unknown JSON text's value, as far as the known first character decides it.
TypeResult TypeByPrefix(const Value& text) {
  const std::string prefix = text.refinements().prefix;
  const std::string_view start = text::TrimSpace(prefix);
  if (start.empty()) {
    return Type::Dynamic();
  }
  switch (start[0]) {
    case '{':
    case '[':
    case 'n':
      return Type::Dynamic();
    case '"':
      return Type::String();
    case 't':
    case 'f':
      return Type::Bool();
    default:
      break;
  }
  if (std::string_view("-.0123456789").find(start[0]) != std::string_view::npos) {
    return Type::Number();
  }
  return CallFail("a JSON document cannot begin with the character " +
                      text::GoQuoteRune(text::DecodeUtf8(start, 0).point),
                  0);
}

// The part of a text that the reference decodes: it ignores a closing bracket after the value and
// everything after it.
std::string_view JsonPart(std::string_view text) {
  const JsonDocument document = ParseJson(text);
  if (document.ok() || document.problems()[0].kind != JsonProblemKind::kExtraneousData) {
    return text;
  }
  const uint32_t after = document.problems()[0].begin;
  return text[after] == ']' || text[after] == '}' ? text.substr(0, after) : text;
}

// Dynamic for a known text, so that JsonDecode() parses it only once.
TypeResult JsonDecodeType(Arguments args) {
  return args[0].IsKnown() ? TypeResult(Type::Dynamic()) : TypeByPrefix(args[0]);
}

CallResult JsonDecode(Arguments args, const Type&, const CallContext&) {
  const std::string_view text = args[0].AsString();
  auto value = ImpliedValueOfJson(text);
  if (!value) {
    value = ImpliedValueOfJson(JsonPart(text));
  }
  if (!value) {
    return CallFail(value.error().ToText());
  }
  return *value;
}

// An unknown text, whose first character is known if the type is.
Value UnknownJson(const Value& value) {
  const Refinements known = value.refinements();
  if (!known.not_null) {
    return Value::Unknown(Type::String());
  }
  Refinements text;
  text.not_null = true;
  const Type type = value.type();
  if (type == Type::String()) {
    text.prefix = "\"";
  } else if (type.is_object() || type.is_map()) {
    text.prefix = "{";
  } else if (IsSequence(type)) {
    text.prefix = "[";
  }
  return Value::Unknown(Type::String(), text);
}

CallResult JsonEncode(Arguments args, const Type&, const CallContext&) {
  if (!args[0].IsWhollyKnown()) {
    return UnknownJson(args[0]);
  }
  if (HasTooManyParts(args[0])) {
    return TooManyParts();
  }
  std::string json;
  JsonWriter writer(json);
  const auto written = WriteSimpleJson(writer, args[0]);
  if (!written) {
    return CallFail(written.error().ToText());
  }
  return Value::String(json);
}

std::unexpected<CallError> UnknownEncoding(std::string_view name) {
  return CallFail(text::GoQuote(name) +
                      " is not a supported IANA encoding name or alias in this OpenTofu version",
                  1);
}

CallResult TextEncodeBase64(Arguments args, const Type&, const CallContext&) {
  const std::string_view encoding = EncodingName(args[1].AsString());
  if (encoding.empty()) {
    return UnknownEncoding(args[1].AsString());
  }
  const Result<std::string> bytes = EncodeText(args[0].AsString(), encoding);
  if (!bytes) {
    return CallFail("the given string contains characters that cannot be represented in " +
                        std::string(encoding),
                    0);
  }
  return Value::String(EncodeBase64(*bytes));
}

CallResult TextDecodeBase64(Arguments args, const Type&, const CallContext&) {
  const std::string_view encoding = EncodingName(args[1].AsString());
  if (encoding.empty()) {
    return UnknownEncoding(args[1].AsString());
  }
  const Result<std::string> bytes = DecodeBase64(args[0].AsString());
  if (!bytes) {
    return CallFail(bytes.error().message, 0);
  }
  const Result<std::string> text = DecodeText(*bytes, encoding);
  if (!text || text->find("\uFFFD") != std::string::npos) {
    return CallFail(
        "the given string contains symbols that are not defined for " + std::string(encoding), 0);
  }
  return Value::String(*text);
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

CallResult UrlEncode(Arguments args, const Type&, const CallContext&) {
  std::string out;
  for (char c : args[0].AsString()) {
    if (IsUnreserved(c)) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += text::ToUpper(EncodeHex(std::string_view(&c, 1)));
    }
  }
  return Value::String(out);
}

CallResult UrlDecode(Arguments args, const Type&, const CallContext&) {
  const std::string_view in = args[0].AsString();
  std::string out;
  for (size_t pos = 0; pos < in.size(); ++pos) {
    if (in[pos] == '+') {
      out += ' ';
    } else if (in[pos] != '%') {
      out += in[pos];
    } else {
      const Result<std::string> byte = DecodeHex(in.substr(pos + 1, 2));
      if (!byte || byte->empty()) {
        return CallFail("a percent sign must be followed by two hexadecimal digits");
      }
      out += *byte;
      pos += 2;
    }
  }
  return Value::String(text::ReplaceInvalidUtf8(out));
}

constexpr Parameter kMarkedText = {.name = "str", .type = &Type::String, .allow_marked = true};
constexpr std::string_view kRef = "opentofu internal/lang/funcs/encoding.go";

constexpr FunctionSpec kRows[] = {
    {.name = "base64decode",
     .params = {kMarkedText},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Decode,
     .refine = &NeverNull,
     .doc = "The text whose bytes are given in base64; they must be UTF-8.",
     .examples = {Example{R"(base64decode("SGVsbG8gV29ybGQ="))", R"("Hello World")"},
                  Example{R"(base64decode(""))", R"("")"}},
     .ref = kRef},
    {.name = "base64encode",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Encode,
     .refine = &NeverNull,
     .doc = "The bytes of a text (UTF-8) in base64.",
     .examples = {Example{R"(base64encode("Hello World"))", R"("SGVsbG8gV29ybGQ=")"},
                  Example{R"(base64encode("ä"))", R"("w6Q=")"}},
     .ref = kRef},
    {.name = "base64gunzip",
     .params = {kMarkedText},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Gunzip,
     .refine = &NeverNull,
     .doc = "The text that was compressed with gzip and is given in base64.",
     .examples = {Example{R"(base64gunzip(base64gzip("test")))", R"("test")"},
                  Example{R"(base64gunzip("H4sIAAAAAAAA/ypJLS4BAAAA//8BAAD//wx+f9gEAAAA"))",
                          R"("test")"}},
     .ref = kRef},
    {.name = "base64gzip",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &Base64Gzip,
     .refine = &NeverNull,
     .doc = "The text compressed with gzip, in base64.",
     .examples = {Example{R"(substr(base64gzip("x"), 0, 4))", R"("H4sI")"},
                  Example{R"(base64gunzip(base64gzip("")))", R"("")"}},
     .ref = kRef},
    {.name = "csvdecode",
     .params = {TextParameter("str")},
     .result_type = &CsvType,
     .impl = &CsvDecode,
     .refine = &NeverNull,
     .doc = "The rows of a CSV text as objects; its first line names the columns.",
     .examples = {Example{R"(csvdecode("a,b\n1,2\n3,\"4,5\"\n"))",
                          R"(tolist([{a = "1", b = "2"}, {a = "3", b = "4,5"}]))"},
                  Example{R"(length(csvdecode("a,b\n")))", "0"}},
     .ref = "go-cty stdlib/csv.go"},
    {.name = "jsondecode",
     .params = {TextParameter("str")},
     .result_type = &JsonDecodeType,
     .impl = &JsonDecode,
     .doc = "The value that a JSON text describes: objects, tuples, strings, numbers, bools, null.",
     .examples = {Example{R"(jsondecode("{\"hello\": \"world\"}"))", R"({hello = "world"})"},
                  Example{R"(jsondecode("[true, 1.5]"))", "[true, 1.5]"}},
     .ref = "go-cty stdlib/json.go JSONDecodeFunc"},
    {.name = "jsonencode",
     .params = {Parameter{
         .name = "val", .allow_null = true, .allow_unknown = true, .allow_dynamic = true}},
     .result_type = &Returns<&Type::String>,
     .impl = &JsonEncode,
     .refine = &NeverNull,
     .doc = "The value as JSON text, without spaces; keys are sorted.",
     .examples = {Example{R"(jsonencode({hello = "<world>"}))",
                          R"("{\"hello\":\"\\u003cworld\\u003e\"}")"},
                  Example{"jsonencode([1, null])", R"("[1,null]")"}},
     .ref = "go-cty stdlib/json.go JSONEncodeFunc"},
    {.name = "textdecodebase64",
     .params = {TextParameter("source"), TextParameter("encoding")},
     .result_type = &Returns<&Type::String>,
     .impl = &TextDecodeBase64,
     .refine = &NeverNull,
     .doc = "The text whose bytes, in the given character encoding, are given in base64.",
     .examples = {Example{R"(textdecodebase64("SABpAA==", "UTF-16LE"))", R"("Hi")"},
                  Example{R"(textdecodebase64("6Q==", "ISO-8859-1"))", R"("é")"}},
     .ref = kRef},
    {.name = "textencodebase64",
     .params = {TextParameter("string"), TextParameter("encoding")},
     .result_type = &Returns<&Type::String>,
     .impl = &TextEncodeBase64,
     .refine = &NeverNull,
     .doc = "The bytes of a text in the given character encoding, in base64.",
     .examples = {Example{R"(textencodebase64("Hi", "UTF-16LE"))", R"("SABpAA==")"},
                  Example{R"(textencodebase64("é", "windows-1252"))", R"("6Q==")"}},
     .ref = kRef},
    {.name = "urldecode",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &UrlDecode,
     .refine = &NeverNull,
     .doc = "The text with percent escapes and plus signs of a URL's query resolved.",
     .examples = {Example{R"(urldecode("Hello+World%21"))", R"("Hello World!")"},
                  Example{R"(urldecode("%E2%98%83"))", R"("☃")"}},
     .ref = kRef},
    {.name = "urlencode",
     .params = {TextParameter("str")},
     .result_type = &Returns<&Type::String>,
     .impl = &UrlEncode,
     .refine = &NeverNull,
     .doc = "The text as it can stand in a URL's query.",
     .examples = {Example{R"(urlencode("Hello World!"))", R"("Hello+World%21")"},
                  Example{R"(urlencode("☃"))", R"("%E2%98%83")"}},
     .ref = kRef},
};

}  // namespace

std::span<const FunctionSpec> EncodingFunctions() {
  return kRows;
}

}  // namespace kinu::functions
