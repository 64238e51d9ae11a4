#include "encryption/envelope.h"

#include "codec/base64.h"
#include "cty/number.h"
#include "json/expected.h"
#include "json/reader.h"
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

using json::Expected;

constexpr Expected kBytes{.type = Expected::Type::kText, .name = "[]uint8"};
constexpr Expected kMetadata{
    .type = Expected::Type::kMap, .name = "encryption.keyProviderMetamap", .element = &kBytes};
constexpr Expected::Member kMembers[] = {{"meta", &kMetadata},
                                         {"encrypted_data", &kBytes},
                                         {"encryption_version", &json::kExpectedText}};
constexpr Expected kEnvelope{
    .type = Expected::Type::kObject, .name = "encryption.basedata", .members = kMembers};

constexpr Expected::Member kNumberedMembers[] = {{"serial", &json::kExpectedInt},
                                                 {"lineage", &json::kExpectedText}};
constexpr Expected kNumbered{
    .type = Expected::Type::kObject, .name = "encryption.statedata", .members = kNumberedMembers};

}  // namespace

std::string WhyNoEnvelope(std::string_view bytes) {
  return json::ProblemOf(bytes, ParseJson(bytes), kEnvelope);
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
  problem = json::ProblemOf(bytes, document, kEnvelope);
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
  out.number_problem = json::Mismatch(root, kNumbered);
  const auto decode = [&problem](const JsonNode& node, std::string& to) {
    Result<std::string> bytes_of =
        node.is_null() ? Result<std::string>("") : DecodeBase64(node.text());
    if (!bytes_of && problem.empty()) {
      problem = bytes_of.error().message;
    }
    to = std::move(bytes_of).value_or("");
  };
  if (const JsonNode* meta = root.Find("meta")) {
    for (const JsonMember& member : meta->members()) {
      decode(member.value, out.metadata[std::string(member.name)]);
    }
  }
  if (const JsonNode* data = root.Find("encrypted_data")) {
    decode(*data, out.data);
  }
  if (!problem.empty()) {
    return std::nullopt;
  }
  return std::optional(std::move(out));
}

std::string ProblemOfNumber(std::string_view state) {
  return json::ProblemOf(state, ParseJson(state), kNumbered);
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
  if (const json::Node serial = tree.root().Find("serial"); serial && !serial.is_null()) {
    out.serial = serial.is_number() ? SerialOf(serial.text()) : std::nullopt;
    out.fits = out.serial.has_value();
  }
  const json::Node lineage = tree.root().Find("lineage");
  out.fits = out.fits && (!lineage || lineage.is_null() || lineage.is_string());
  out.lineage = text("lineage");
  out.is_state = !text("terraform_version").empty();
  return out;
}

}  // namespace kinu::encryption
