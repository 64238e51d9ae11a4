// Runs the recorded answers of the reference that lie beside the source tree: conversion,
// unification, set order, and values as JSON and msgpack.

#include <algorithm>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/recorded_cases.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "cty/ops.h"
#include "cty/tagged.h"

namespace kinu {
namespace {

struct Outcome {
  std::string key;   // "value", "type", "text" or "error"
  std::string json;  // its JSON; the summary when it is an error
};

Outcome Failed(const ValueError& error) {
  return {"error", error.ToText()};
}

Outcome Tagged(const Value& value) {
  std::string text;
  JsonWriter out(text);
  WriteTagged(out, value);
  return {"value", text};
}

Outcome Text(std::string_view content) {
  std::string text;
  JsonWriter::AppendQuoted(text, content, JsonEscape::kPlain);
  return {"text", text};
}

std::string Hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string FromHex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

Type TypeIn(const JsonNode& request, std::string_view key) {
  return TypeFromTagged(*request.Find(key)).value();
}

Outcome Answer(const JsonNode& request) {
  std::string_view kind = request.Find("kind")->text();
  const JsonNode* given = request.Find("value");
  Value value;
  if (given != nullptr) {
    Result<Value> read = ValueFromTagged(*given);
    if (!read) {
      return {"error", read.error().message};
    }
    value = *std::move(read);
  }
  if (kind == "convert") {
    auto result = Convert(value, TypeIn(request, "to"));
    return result ? Tagged(*result) : Failed(result.error());
  }
  if (kind == "unify") {
    std::vector<Type> types;
    for (const JsonNode& part : request.Find("values")->elements()) {
      types.push_back(TypeFromTagged(part).value());
    }
    std::optional<Type> type = Unify(types);
    return type ? Outcome{"type", TypeToJson(*type)} : Outcome{"error", "no common type"};
  }
  if (kind == "set-order") {
    std::vector<Value> values;
    for (const JsonNode& part : request.Find("values")->elements()) {
      values.push_back(ValueFromTagged(part).value());
    }
    return Tagged(Value::Set(TypeIn(request, "of"), std::move(values)));
  }
  if (kind == "json-encode") {
    auto text = ValueToJson(value, TypeIn(request, "type"));
    return text ? Text(*text) : Failed(text.error());
  }
  if (kind == "msgpack-encode") {
    auto bytes = ValueToMsgpack(value, TypeIn(request, "type"));
    return bytes ? Text(Hex(*bytes)) : Failed(bytes.error());
  }
  if (kind == "msgpack-decode") {
    auto result = ValueFromMsgpack(FromHex(request.Find("hex")->text()), TypeIn(request, "type"));
    return result ? Tagged(*result) : Outcome{"error", "Invalid msgpack value"};
  }
  std::string_view source = request.Find("source")->text();
  auto result = request.Find("type") != nullptr ? ValueFromJson(source, TypeIn(request, "type"))
                                                : ImpliedValueOfJson(source);
  return result ? Tagged(*result) : Outcome{"error", "Invalid JSON value"};
}

// An operation that an expression of two operands stands for, where it needs no conversions: what
// cty itself answers. Nothing for other expressions.
std::optional<Outcome> AnswerExpression(const JsonNode& request) {
  std::string source(request.Find("source")->text());
  size_t first = source.find(' ');
  size_t second = first == std::string::npos ? first : source.find(' ', first + 1);
  if (second == std::string::npos || source.find(' ', second + 1) != std::string::npos) {
    return std::nullopt;
  }
  auto operand = [&](const std::string& name) -> std::optional<Value> {
    const JsonNode* variables = request.Find("variables");
    if (const JsonNode* variable = variables == nullptr ? nullptr : variables->Find(name)) {
      auto value = ValueFromTagged(*variable);
      return value ? std::optional<Value>(*value) : std::nullopt;
    }
    bool literal = name.find_first_not_of("0123456789.") == std::string::npos;
    std::optional<Number> number = literal ? Number::Parse(name) : std::nullopt;
    return number ? std::optional<Value>(Value::Of(*number)) : std::nullopt;
  };
  std::optional<Value> a = operand(source.substr(0, first));
  std::optional<Value> b = operand(source.substr(second + 1));
  std::string op = source.substr(first + 1, second - first - 1);
  if (!a || !b) {
    return std::nullopt;
  }
  if (op == "==") {
    return Tagged(Equals(*a, *b));
  }
  if (op == "!=") {
    return Tagged(NotEquals(*a, *b));
  }
  if (a->IsNull() || b->IsNull()) {
    return std::nullopt;
  }
  if (!a->IsKnown() || !b->IsKnown()) {
    return std::nullopt;  // the language answers these itself, without looking at bounds
  }
  bool numbers = a->type() == Type::Number() && b->type() == Type::Number();
  bool bools = a->type() == Type::Bool() && b->type() == Type::Bool();
  static const std::map<std::string, Value (*)(const Value&, const Value&)> kOfNumbers = {
      {"+", Add},         {"-", Subtract},         {"*", Multiply},           {"<", LessThan},
      {">", GreaterThan}, {"<=", LessThanOrEqual}, {">=", GreaterThanOrEqual}};
  if (auto found = kOfNumbers.find(op); found != kOfNumbers.end() && numbers) {
    return Tagged(found->second(*a, *b));
  }
  if (numbers && (op == "/" || op == "%") && b->IsKnown() && b->AsNumber().Sign() != 0) {
    return Tagged(*(op == "/" ? Divide(*a, *b) : Modulo(*a, *b)));
  }
  if (bools && (op == "&&" || op == "||")) {
    return Tagged(op == "&&" ? LogicalAnd(*a, *b) : LogicalOr(*a, *b));
  }
  return std::nullopt;
}

// The JSON text of a node with sorted keys and no white space.
void Normalize(JsonWriter& out, const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::kObject: {
      std::map<std::string_view, const JsonNode*> members;
      for (const JsonMember& member : node.members()) {
        members[member.name] = &member.value;
      }
      out.BeginObject();
      for (const auto& [name, value] : members) {
        out.Key(name);
        Normalize(out, *value);
      }
      out.EndObject();
      break;
    }
    case JsonNode::Kind::kArray:
      out.BeginArray();
      for (const JsonNode& part : node.elements()) {
        Normalize(out, part);
      }
      out.EndArray();
      break;
    case JsonNode::Kind::kString:
      out.String(node.text());
      break;
    case JsonNode::Kind::kNumber:
      out.Raw(node.text());
      break;
    case JsonNode::Kind::kBool:
      out.Bool(node.boolean());
      break;
    default:
      out.Null();
  }
}

std::string Normalized(std::string_view json) {
  JsonDocument document = ParseJson(json);
  std::string text;
  JsonWriter out(text);
  Normalize(out, document.root());
  return text;
}

std::string Expected(const JsonNode& response, Outcome& outcome) {
  std::string text;
  JsonWriter out(text);
  const JsonNode* diagnostics = response.Find("diagnostics");
  if (diagnostics != nullptr && !diagnostics->elements().empty()) {
    return "error " + std::string(diagnostics->elements()[0].Find("summary")->text());
  }
  const JsonNode* found = response.Find(outcome.key);
  if (found == nullptr) {
    return "another kind of answer";
  }
  Normalize(out, *found);
  return outcome.key + " " + text;
}

class Recorded : public ::testing::TestWithParam<const char*> {};

TEST_P(Recorded, AnswersAreEqual) {
  const auto suites = recorded::Suites();
  const auto suite = suites.find(GetParam());
  if (suite == suites.end()) {
    const bool packed = std::string_view(GetParam()).starts_with("gen-");
    ASSERT_FALSE(packed && recorded::AreUnpacked()) << "ctest has not unpacked " << GetParam();
    GTEST_SKIP() << "no recorded cases of " << GetParam()
                 << ": ctest unpacks them, KINU_CASES names their folder";
  }
  const auto content = ReadFile(suite->second);
  ASSERT_TRUE(content);
  std::string_view rest = *content;
  size_t passed = 0;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    JsonDocument document = ParseJson(line);
    ASSERT_TRUE(document.ok()) << line;
    SCOPED_TRACE(std::string(line));
    const JsonNode& request = *document.root().Find("request");
    static constexpr std::string_view kKinds[] = {"convert",       "unify",       "set-order",
                                                  "json-encode",   "json-decode", "msgpack-encode",
                                                  "msgpack-decode"};
    std::string_view kind = request.Find("kind")->text();
    std::optional<Outcome> answer;
    if (kind == "expression") {
      answer = AnswerExpression(request);
    } else if (std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds)) {
      answer = Answer(request);
    }
    if (!answer) {
      continue;
    }
    Outcome outcome = *std::move(answer);
    std::string want = Expected(*document.root().Find("response"), outcome);
    std::string got =
        outcome.key + " " + (outcome.key == "error" ? outcome.json : Normalized(outcome.json));
    EXPECT_EQ(got, want) << line;
    passed += got == want ? 1 : 0;
  }
  RecordProperty("passed", static_cast<int>(passed));
  std::printf("%s: %zu answers equal\n", GetParam(), passed);
}

INSTANTIATE_TEST_SUITE_P(All, Recorded,
                         ::testing::Values("cty-convert", "cty-json", "cty-msgpack", "cty-unify",
                                           "gen-convert", "gen-unify", "gen-set-order",
                                           "gen-msgpack", "gen-json-value", "tofu-funcs-to",
                                           "cty-ops", "gen-equality", "gen-arith"));

}  // namespace
}  // namespace kinu
