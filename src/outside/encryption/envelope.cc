#include "encryption/envelope.h"

#include "codec/base64.h"
#include "cty/number.h"
#include "json/reader.h"
#include "json/syntax_problem.h"
#include "json/tree.h"
#include "json/writer.h"

namespace kinu::encryption {
namespace {

constexpr std::string_view kVersion = "v0";

std::optional<uint64_t> SerialOf(std::string_view digits) {
  const auto number = Number::Parse(digits);
  const auto serial = number ? number->ToInt64() : std::nullopt;
  return serial && *serial >= 0 ? std::optional(static_cast<uint64_t>(*serial)) : std::nullopt;
}

std::optional<uint64_t> SerialIn(const JsonNode& object) {
  const JsonNode* node = object.Find("serial");
  return node != nullptr && node->is_number() ? SerialOf(node->text()) : std::nullopt;
}

std::string_view KindName(const JsonNode& node) {
  if (node.is_string()) {
    return "string";
  }
  if (node.is_number()) {
    return "number";
  }
  return node.is_array() ? "array" : "bool";
}

/// What the reference says of a text that is not the JSON of an object of a Go type.
std::string ProblemOf(std::string_view bytes, const JsonDocument& document, std::string_view type) {
  if (!document.ok()) {
    std::string problem = json::SyntaxProblem(bytes);
    return problem.empty() ? document.problems()[0].message : problem;
  }
  const JsonNode& root = document.root();
  if (root.is_object() || root.is_null()) {
    return "";
  }
  return "json: cannot unmarshal " + std::string(KindName(root)) + " into Go value of type " +
         std::string(type);
}

}  // namespace

std::string ProblemOfJson(std::string_view bytes, std::string_view type) {
  return ProblemOf(bytes, ParseJson(bytes), type);
}

std::string Envelope::ToJson(bool with_snapshot) const {
  std::string out;
  out.reserve(data.size() * 4 / 3 + 512);
  JsonWriter json(out);
  json.BeginObject();
  if (with_snapshot) {
    json.Key("serial");
    if (serial) {
      json.Uint(*serial);
    } else {
      json.Null();
    }
    json.Member("lineage", lineage);
  }
  json.Key("meta");
  json.BeginObject();
  for (const auto& [name, text] : metadata) {
    json.Member(name, EncodeBase64(text));
  }
  json.EndObject();
  json.Member("encrypted_data", EncodeBase64(data));
  json.Member("encryption_version", kVersion);
  json.EndObject();
  return out;
}

Result<std::optional<Envelope>> ReadEnvelope(std::string_view bytes, std::string& problem) {
  problem.clear();
  if (bytes.find("\"encryption_version\"") == std::string_view::npos && bytes.starts_with('{')) {
    return std::nullopt;  // a state in the clear need not be parsed for this
  }
  const JsonDocument document = ParseJson(bytes);
  const JsonNode& root = document.root();
  problem = ProblemOf(bytes, document, "encryption.basedata");
  if (!problem.empty()) {
    return std::nullopt;
  }
  const std::string version = root.TextOf("encryption_version");
  if (version.empty()) {
    return std::nullopt;
  }
  if (version != kVersion) {
    return Fail(ErrorCode::kInvalid,
                "invalid encrypted payload version: " + version + " != " + std::string(kVersion));
  }
  Envelope out;
  out.serial = SerialIn(root);
  out.lineage = root.TextOf("lineage");
  auto decode = [](const JsonNode& node) -> Result<std::string> {
    return node.is_string() ? DecodeBase64(node.text()) : Result<std::string>("");
  };
  if (const JsonNode* data = root.Find("encrypted_data")) {
    KINU_TRY(out.data, decode(*data));
  }
  if (const JsonNode* meta = root.Find("meta"); meta != nullptr && meta->is_object()) {
    for (const JsonMember& member : meta->members()) {
      KINU_TRY(out.metadata[std::string(member.name)], decode(member.value));
    }
  }
  return std::optional(std::move(out));
}

StateNumber ReadStateNumber(const std::string& state) {
  static constexpr json::Shape kWhole;
  static constexpr json::Shape::Part kParts[] = {
      {"serial", &kWhole}, {"lineage", &kWhole}, {"terraform_version", &kWhole}};
  static constexpr json::Shape kShape{.keep = json::Shape::Keep::kMembers, .parts = kParts};
  json::TokenStream stream(state);
  json::Tree tree;
  if (!tree.Read(stream, kShape) || !stream.TakeEnd() || !tree.root().is_object()) {
    return {};
  }
  const auto text = [&](std::string_view name) {
    const json::Node node = tree.root().Find(name);
    return node && node.is_string() ? node.String() : std::string();
  };
  StateNumber out;
  if (const json::Node serial = tree.root().Find("serial"); serial && serial.is_number()) {
    out.serial = SerialOf(serial.text());
  }
  out.lineage = text("lineage");
  out.is_state = !text("terraform_version").empty();
  return out;
}

}  // namespace kinu::encryption
