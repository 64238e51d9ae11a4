// yamldecode and yamlencode. Ref: go-cty-yaml decode.go, encode.go, resolve.go.
#include "codec/yaml.h"

#include <algorithm>
#include <charconv>

#include "codec/base64.h"
#include "cty/conversion.h"
#include "functions/families.h"
#include "functions/support.h"
#include "functions/timestamp.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

using Kind = YamlEvent::Kind;

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

enum class Tag : uint8_t {
  kNone,
  kString,
  kBool,
  kInt,
  kFloat,
  kNull,
  kTimestamp,
  kBinary,
  kOther
};

Tag TagOf(std::string_view tag) {
  struct Name {
    std::string_view name;
    Tag tag;
  };
  constexpr Name kNames[] = {{"str", Tag::kString},   {"bool", Tag::kBool},
                             {"int", Tag::kInt},      {"float", Tag::kFloat},
                             {"null", Tag::kNull},    {"timestamp", Tag::kTimestamp},
                             {"binary", Tag::kBinary}};
  if (tag.empty()) {
    return Tag::kNone;
  }
  if (tag.starts_with(kTagPrefix)) {
    for (const Name& each : kNames) {
      if (tag.substr(kTagPrefix.size()) == each.name) {
        return each.tag;
      }
    }
  }
  return Tag::kOther;
}

bool OneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool IsTrueWord(std::string_view text) {
  return OneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
}
bool IsFalseWord(std::string_view text) {
  return OneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
}

// The value of a bool, null or infinity; nothing for other texts.
std::optional<Value> WordValue(std::string_view text) {
  if (IsTrueWord(text) || IsFalseWord(text)) {
    return Value::Bool(IsTrueWord(text));
  }
  if (OneOf(text, {"", "~", "null", "Null", "NULL"})) {
    return Value();
  }
  if (OneOf(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return Value::Of(Number::Infinity(false));
  }
  if (OneOf(text, {"-.inf", "-.Inf", "-.INF"})) {
    return Value::Of(Number::Infinity(true));
  }
  return std::nullopt;
}

bool AllIn(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

std::string_view WithoutSign(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
}

bool LooksLikeInteger(std::string_view text) {
  return AllIn(WithoutSign(text), kDigits) ||
         (text.starts_with("0o") && AllIn(text.substr(2), "01234567")) ||
         (text.starts_with("0x") && AllIn(text.substr(2), "0123456789abcdefABCDEF"));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool LooksLikeFloat(std::string_view text) {
  text = WithoutSign(text);
  const size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos && !AllIn(WithoutSign(text.substr(e + 1)), kDigits)) {
    return false;
  }
  text = text.substr(0, e);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction =
      dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
  if (whole.empty()) {
    return AllIn(fraction, kDigits);
  }
  return AllIn(whole, kDigits) && (fraction.empty() || AllIn(fraction, kDigits));
}

// The base that the prefix of a number names; 0 without one.
int BaseOf(std::string_view digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    return 16;
  }
  if (digits.starts_with("0o") || digits.starts_with("0O")) {
    return 8;
  }
  return digits.starts_with("0b") || digits.starts_with("0B") ? 2 : 0;
}

std::optional<Value> ParseYamlNumber(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (const auto number = Number::Parse(plain)) {
    return Value::Of(*number);
  }
  std::string_view digits = WithoutSign(plain);
  const bool negative = plain.starts_with('-');
  const int base = BaseOf(digits);
  if (base == 0) {
    return std::nullopt;
  }
  digits.remove_prefix(2);
  uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    return std::nullopt;
  }
  const Number number = Number::FromUint(value);
  return Value::Of(negative ? Number::Negate(number) : number);
}

std::unexpected<CallError> InvalidForTag(std::string_view text, std::string_view tag) {
  return CallFail(text::GoQuote(text) + " is not a value of the tag " + text::GoQuote(tag));
}

// The value of a scalar with an explicit or implied tag.
CallResult TaggedValue(std::string_view text, Tag tag, std::string_view tag_text) {
  switch (tag) {
    case Tag::kNone:
    case Tag::kString:
      return Value::String(text);
    case Tag::kBinary:
      return DecodeBase64(text) ? CallResult(Value::String(text)) : InvalidForTag(text, tag_text);
    case Tag::kBool:
      if (!IsTrueWord(text) && !IsFalseWord(text)) {
        return InvalidForTag(text, tag_text);
      }
      return Value::Bool(IsTrueWord(text));
    case Tag::kInt:
    case Tag::kFloat: {
      const auto number = ParseYamlNumber(text);
      return number ? CallResult(*number) : InvalidForTag(text, tag_text);
    }
    case Tag::kTimestamp: {
      const auto time = ParseYamlTimestamp(text);
      return time ? CallResult(Value::String(ToText(*time))) : InvalidForTag(text, tag_text);
    }
    case Tag::kNull:
      return Value();
    case Tag::kOther:
      break;
  }
  return CallFail("the tag " + text::GoQuote(tag_text) + " is not supported");
}

CallResult ResolveScalar(const YamlEvent& event) {
  const std::string& text = event.text;
  Tag tag = TagOf(event.tag);
  if (tag == Tag::kOther) {
    return CallFail("the tag " + text::GoQuote(event.tag) + " is not supported");
  }
  const char first = text.empty() ? '~' : text[0];
  const bool may_be_special =
      std::string_view("+-.0123456789yYnNtTfFoO~").find(first) != std::string_view::npos;
  if (may_be_special && tag != Tag::kString && tag != Tag::kBinary) {
    if (event.style == YamlStyle::kQuoted) {
      return Value::String(text);
    }
    if (const auto word = WordValue(text)) {
      return *word;
    }
    if (tag == Tag::kNone && OneOf(text, {".nan", ".NaN", ".NAN"})) {
      return CallFail("NaN is not a number of the language");
    }
    if (first == '.') {
      if (const auto number = Number::Parse(text)) {
        return Value::Of(*number);
      }
    } else if (std::string_view("+-0123456789").find(first) != std::string_view::npos) {
      const auto time =
          tag == Tag::kNone || tag == Tag::kTimestamp ? ParseYamlTimestamp(text) : std::nullopt;
      if (time) {
        return Value::String(ToText(*time));
      }
      if (LooksLikeInteger(text) || LooksLikeFloat(text)) {
        tag = Tag::kFloat;
      }
    }
  }
  return TaggedValue(text, tag, event.tag);
}

bool IsMergeKey(const YamlEvent& event) {
  return event.kind == Kind::kScalar && ((event.tag.empty() && event.text == "<<") ||
                                         event.tag == std::string(kTagPrefix) + "merge");
}

// Reads a text with exactly one document. The nesting limit of YamlReader bounds the recursion.
class YamlDecoder {
 public:
  explicit YamlDecoder(std::string_view text) : reader_(text) {}

  CallResult Decode() {
    KINU_TRY(const YamlEvent stream, Next());
    KINU_TRY(const YamlEvent document, Next());
    if (document.kind != Kind::kDocumentStart) {
      return CallFail("the YAML text has no document");
    }
    KINU_TRY(const YamlEvent event, Next());
    KINU_TRY(Value value, DecodeValue(event));
    KINU_TRY(const YamlEvent end, Next());
    KINU_TRY(const YamlEvent stream_end, Next());
    if (end.kind != Kind::kDocumentEnd || stream_end.kind != Kind::kStreamEnd) {
      return CallFail("only one YAML document is allowed");
    }
    return value;
  }

 private:
  using Attributes = std::vector<std::pair<std::string, Value>>;

  std::expected<YamlEvent, CallError> Next() {
    Result<YamlEvent> event = reader_.Next();
    if (!event) {
      return CallFail(event.error().message);
    }
    return *std::move(event);
  }

  static std::unexpected<CallError> FailAt(const YamlEvent& event, std::string_view what) {
    return CallFail("line " + std::to_string(event.line) +
                    " of the YAML text: " + std::string(what));
  }

  CallResult DecodeValue(const YamlEvent& event) {
    switch (event.kind) {
      case Kind::kAlias: {
        const auto found = anchors_.find(event.anchor);
        if (found == anchors_.end() || pending_.contains(event.anchor)) {
          return FailAt(
              event, "the alias " + text::GoQuote(event.anchor) + " refers to no anchor before it");
        }
        parts_ += found->second.parts;
        aliased_ += found->second.parts;
        if (aliased_ > kMostAliased) {
          return FailAt(
              event, "the aliases stand for more than " + std::to_string(kMostAliased) + " values");
        }
        return found->second.value;
      }
      case Kind::kScalar:
        return DecodeAnchored(event, &YamlDecoder::DecodeScalar);
      case Kind::kSequenceStart:
        return DecodeAnchored(event, &YamlDecoder::DecodeSequence);
      case Kind::kMappingStart:
        return DecodeAnchored(event, &YamlDecoder::DecodeMapping);
      default:
        return FailAt(event, "a value is missing");
    }
  }

  CallResult DecodeAnchored(const YamlEvent& event,
                            CallResult (YamlDecoder::*read)(const YamlEvent&)) {
    if (event.anchor.empty()) {
      ++parts_;
      return (this->*read)(event);
    }
    const bool outermost = pending_.insert(event.anchor).second;
    const size_t before = parts_++;
    KINU_TRY(Value value, (this->*read)(event));
    if (outermost) {
      pending_.erase(event.anchor);
    }
    anchors_.insert_or_assign(event.anchor, Anchor{value, parts_ - before});
    return value;
  }

  CallResult DecodeScalar(const YamlEvent& event) {
    const CallResult value = ResolveScalar(event);
    if (!value) {
      return FailAt(event, value.error().message);
    }
    if (!event.tag.empty() || event.implicit) {
      return *value;
    }
    // Quoted and block scalars are strings, even if they look like numbers.
    const auto text = Convert(*value, Type::String());
    return text ? CallResult(*text) : FailAt(event, text.error().ToText());
  }

  CallResult DecodeSequence(const YamlEvent& start) {
    if (!start.tag.empty() && start.tag != std::string(kTagPrefix) + "seq") {
      return FailAt(start, "a sequence cannot have the tag " + text::GoQuote(start.tag));
    }
    std::vector<Value> values;
    for (;;) {
      KINU_TRY(const YamlEvent event, Next());
      if (event.kind == Kind::kSequenceEnd) {
        return Value::Tuple(std::move(values));
      }
      KINU_TRY(values.emplace_back(), DecodeValue(event));
    }
  }

  CallResult DecodeMapping(const YamlEvent& start) {
    if (!start.tag.empty() && start.tag != std::string(kTagPrefix) + "map") {
      return FailAt(start, "a mapping cannot have the tag " + text::GoQuote(start.tag));
    }
    Attributes attributes;
    for (;;) {
      KINU_TRY(const YamlEvent key_event, Next());
      if (key_event.kind == Kind::kMappingEnd) {
        return Value::Object(std::move(attributes));
      }
      if (IsMergeKey(key_event)) {
        KINU_TRY(const YamlEvent event, Next());
        KINU_TRY(const Value merged, DecodeValue(event));
        if (!Merge(merged, attributes)) {
          return FailAt(event,
                        "only mappings, and sequences of them, can be merged into a mapping");
        }
        continue;
      }
      if (key_event.kind != Kind::kScalar) {
        return FailAt(key_event, "the keys of a mapping must be strings");
      }
      const CallResult resolved = ResolveScalar(key_event);
      if (!resolved) {
        return FailAt(key_event, resolved.error().message);
      }
      const auto key = Convert(*resolved, Type::String());
      if (!key || key->IsNull()) {
        return FailAt(key_event, "the keys of a mapping must be strings");
      }
      KINU_TRY(const YamlEvent event, Next());
      KINU_TRY(Value value, DecodeValue(event));
      attributes.emplace_back(std::string(key->AsString()), std::move(value));
    }
  }

  static bool Merge(const Value& merged, Attributes& attributes) {
    if (merged.type().is_object() && !merged.IsNull()) {
      for (size_t i = 0; i < merged.size(); ++i) {
        attributes.emplace_back(std::string(merged.key(i)), merged.elements()[i]);
      }
      return true;
    }
    if (!merged.type().is_tuple()) {
      return false;
    }
    return std::all_of(merged.elements().begin(), merged.elements().end(), [&](const Value& each) {
      return each.type().is_object() && Merge(each, attributes);
    });
  }

  /// The value of an anchor and the number of values in it.
  struct Anchor {
    Value value;
    size_t parts = 1;
  };
  /// Limit of values from aliases: aliases of aliases grow exponentially.
  static constexpr size_t kMostAliased = size_t{1} << 20;

  YamlReader reader_;
  size_t parts_ = 0;    ///< values so far, with those from aliases
  size_t aliased_ = 0;  ///< values from aliases so far
  FlatMap<std::string, Anchor> anchors_;
  FlatSet<std::string> pending_;  // anchors whose values are being read
};

CallResult YamlDecode(Arguments args, const Type&, const CallContext&) {
  return YamlDecoder(args[0].AsString()).Decode();
}

// Writes a wholly known value. Recurses as deep as the value is nested.
std::expected<void, CallError> Encode(const Value& value, YamlWriter& out) {
  const Type type = value.type();
  if (value.IsNull()) {
    out.Scalar("null", YamlStyle::kPlain);
  } else if (type == Type::String()) {
    const bool has_lines = value.AsString().find('\n') != std::string_view::npos;
    out.Scalar(value.AsString(), has_lines ? YamlStyle::kBlock : YamlStyle::kQuoted);
  } else if (type == Type::Number()) {
    out.Scalar(value.AsNumber().ToText(), YamlStyle::kPlain);
  } else if (type == Type::Bool()) {
    out.Scalar(value.AsBool() ? "true" : "false", YamlStyle::kPlain);
  } else if (IsSequence(type)) {
    out.BeginSequence();
    for (const Value& element : value.elements()) {
      if (auto done = Encode(element, out); !done) {
        return std::unexpected(std::move(done).error());
      }
    }
    out.EndSequence();
  } else if (type.is_map() || type.is_object()) {
    out.BeginMapping();
    for (size_t i = 0; i < value.size(); ++i) {
      if (auto done = Encode(Value::NormalizedString(value.key(i)), out); !done) {
        return std::unexpected(std::move(done).error());
      }
      if (auto done = Encode(value.elements()[i], out); !done) {
        return std::unexpected(std::move(done).error());
      }
    }
    out.EndMapping();
  } else {
    return CallFail("YAML has no form for " + type.FriendlyName());
  }
  return {};
}

CallResult YamlEncode(Arguments args, const Type& type, const CallContext&) {
  if (!args[0].IsWhollyKnown()) {
    return Value::Unknown(type);
  }
  if (HasTooManyParts(args[0])) {
    return TooManyParts();
  }
  YamlWriter writer;
  if (auto done = Encode(args[0], writer); !done) {
    return std::unexpected(std::move(done).error());
  }
  return Value::String(writer.Finish());
}

constexpr FunctionSpec kRows[] = {
    {.name = "yamldecode",
     .params = {Parameter{.name = "src", .type = &Type::String}},
     .result_type = &Returns<&Type::Dynamic>,
     .impl = &YamlDecode,
     .doc = "The value that a YAML document describes. Anchors, aliases and merge keys are "
            "resolved; timestamps are strings.",
     .examples = {Example{R"(yamldecode("hello: world"))", R"({hello = "world"})"},
                  Example{R"(yamldecode("[1, yes, ~]"))", "[1, true, null]"},
                  Example{R"(yamldecode("{a: &x [1], b: *x}"))", "{a = [1], b = [1]}"}},
     .ref = "go-cty-yaml cty_funcs.go YAMLDecodeFunc"},
    {.name = "yamlencode",
     .params = {Parameter{.name = "value", .allow_null = true, .allow_dynamic = true}},
     .result_type = &Returns<&Type::String>,
     .impl = &YamlEncode,
     .doc = "The value as a YAML document in block style; strings and keys are quoted.",
     .examples = {Example{R"(yamlencode({a = "b", c = [1]}))", R"("\"a\": \"b\"\n\"c\":\n- 1\n")"},
                  Example{"yamlencode(null)", R"("null\n...\n")"}},
     .ref = "go-cty-yaml cty_funcs.go YAMLEncodeFunc"},
};

}  // namespace

std::span<const FunctionSpec> YamlFunctions() {
  return kRows;
}

}  // namespace kinu::functions
