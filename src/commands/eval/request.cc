#include "eval/request.h"

#include <utility>

#include "codec/base64.h"
#include "cty/tagged.h"
#include "diag/range_json.h"
#include "json/writer.h"
#include "lang/template.h"
#include "text/unicode.h"

namespace kinu::eval {
namespace {

constexpr const char* kPlanTime = "2024-01-02T03:04:05Z";

std::string Missing(std::string_view key) {
  return "the request has no \"" + std::string(key) + "\"";
}

}  // namespace

Result<std::unique_ptr<Request>> Request::Read(const JsonNode& json) {
  auto request = std::make_unique<Request>();
  request->json_ = &json;
  std::string source;
  if (const JsonNode* text = json.Find("source")) {
    source = text->text();
  } else if (const JsonNode* encoded = json.Find("source_base64")) {
    KINU_TRY(source, DecodeBase64(encoded->text()));
  }
  request->source_ = request->tree_.KeepSource(SourceFile::Make("", std::move(source)));

  const JsonNode* variables = json.Find("variables");
  if (variables != nullptr) {
    for (const JsonMember& member : variables->members()) {
      KINU_TRY(Value value, ValueFromTagged(member.value));
      request->variables_.insert_or_assign(std::string(member.name), std::move(value));
    }
  }
  const bool console = request->Text("kind") == "console";
  const bool functions = console || request->Flag("functions");
  functions::CallContext context;
  if (const std::string_view directory = request->Text("base_dir"); !directory.empty()) {
    context.surroundings.base_dir = directory;
  }
  if (!console) {
    context.timestamp = kPlanTime;
  }
  request->context_ = lang::WithTemplates(std::move(context), functions::Table::Standard());
  request->scope_ = std::make_unique<lang::VariableScope>(
      variables != nullptr ? &request->variables_ : nullptr,
      functions ? &functions::Table::Standard() : nullptr, request->context_);
  request->has_scope_ = variables != nullptr || functions;
  return request;
}

std::string_view Request::Text(std::string_view key) const {
  const JsonNode* node = json_->Find(key);
  return node != nullptr && node->is_string() ? node->text() : std::string_view();
}

bool Request::Flag(std::string_view key) const {
  const JsonNode* node = json_->Find(key);
  return node != nullptr && node->is_bool() && node->boolean();
}

Result<Value> Request::ReadValue(std::string_view key) const {
  const JsonNode* node = json_->Find(key);
  if (node == nullptr) {
    return kinu::Fail(ErrorCode::kInvalid, Missing(key));
  }
  return ValueFromTagged(*node);
}

Result<Type> Request::ReadType(std::string_view key) const {
  const JsonNode* node = json_->Find(key);
  if (node == nullptr) {
    return kinu::Fail(ErrorCode::kInvalid, Missing(key));
  }
  return TypeFromTagged(*node);
}

void WriteRange(JsonWriter& out, const SourceRange& range) {
  out.BeginObject();
  WriteSpan(out, range.start_position(), range.end_position());
  out.EndObject();
}

void WriteResponse(std::string& out, std::string_view id, const Response& response) {
  JsonWriter json(out);
  json.BeginObject();
  json.Key("id");
  json.Raw(id.empty() ? "null" : id);
  if (!response.diags.has_errors() || response.keep_parts) {
    if (response.value) {
      json.Key("value");
      WriteTagged(json, *response.value);
    }
    if (response.type) {
      json.Key("type");
      WriteTaggedType(json, *response.type);
    }
    if (response.text) {
      if (text::IsUtf8(*response.text)) {
        json.Member("text", std::string_view(*response.text));
      } else {
        json.Member("text_base64", std::string_view(EncodeBase64(*response.text)));
      }
    }
    if (!response.traversal.empty()) {
      json.Key("traversal");
      json.Raw(response.traversal);
    }
    if (!response.content.empty()) {
      json.Key("content");
      json.Raw(response.content);
    }
  }
  if (!response.diags.empty()) {
    json.Key("diagnostics");
    json.BeginArray();
    for (const Diagnostic& problem : response.diags) {
      json.BeginObject();
      json.Member("severity", problem.is_error() ? "error" : "warning");
      json.Member("summary", std::string_view(problem.summary));
      if (!problem.detail.empty()) {
        json.Member("detail", std::string_view(problem.detail));
      }
      if (problem.subject.valid() && problem.subject != SourceRange::Nowhere()) {
        json.Key("subject");
        WriteRange(json, problem.subject);
      }
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace kinu::eval
