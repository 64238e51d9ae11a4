#include "hcldec/decode_files.h"

#include <algorithm>

#include "base/files.h"
#include "cty/json.h"
#include "diag/range_json.h"
#include "hcl/merged_body.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "json/reader.h"
#include "lang/eval.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::hcldec {
namespace {

void WriteRange(JsonWriter& json, std::string_view key, const SourceRange& range) {
  json.Key(key);
  json.BeginObject();
  WriteRangeMembers(json, range);
  json.EndObject();
}

/// Writes a parsed JSON value without members that are null and with members in order.
void WriteWithoutNulls(JsonWriter& json, const JsonNode& node, std::string_view source) {
  if (node.is_object()) {
    std::vector<const JsonMember*> members;
    for (const JsonMember& member : node.members()) {
      if (!member.value.is_null()) {
        members.push_back(&member);
      }
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const JsonMember* a, const JsonMember* b) { return a->name < b->name; });
    json.BeginObject();
    for (const JsonMember* member : members) {
      json.Key(member->name);
      WriteWithoutNulls(json, member->value, source);
    }
    json.EndObject();
  } else if (node.is_array()) {
    json.BeginArray();
    for (const JsonNode& element : node.elements()) {
      WriteWithoutNulls(json, element, source);
    }
    json.EndArray();
  } else if (node.is_string()) {
    json.String(node.text());
  } else {
    json.Raw(source.substr(node.begin(), node.end() - node.begin()));
  }
}

}  // namespace

Result<std::string> FileDecoder::Run() {
  LoadSpec();
  if (diags_.has_errors()) {
    return std::string();
  }
  LoadVariables();
  if (auto loaded = LoadInput(); !loaded) {
    return std::unexpected(loaded.error());
  }
  if (diags_.has_errors()) {
    return std::string();
  }
  const hcl::MergedBody merged(bodies_);
  const hcl::Body& body = bodies_.size() == 1 ? *bodies_[0] : merged;
  if (request_.list_references) {
    return References(body);
  }
  const Value value = DecodeSpec(spec_->spec(), body, scope_,
                                 {.expand_dynamic = false, .literal = scope_.empty()}, diags_);
  if (diags_.has_errors()) {
    return std::string();
  }
  const ValueResult<std::string> encoded =
      ValueToJson(value, request_.with_type ? Type::Dynamic() : value.type());
  if (!encoded) {
    return Fail(ErrorCode::kInvalid, encoded.error().ToText());
  }
  if (request_.keep_nulls) {
    return *encoded;
  }
  std::string text;
  JsonWriter json(text);
  WriteWithoutNulls(json, ParseJson(*encoded).root(), *encoded);
  return text;
}

const SourceFile* FileDecoder::Load(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) {
    diags_.Error("Failed to read file",
                 "The configuration file " + text::GoQuote(path) + " could not be read.");
    return nullptr;
  }
  return tree_.KeepSource(SourceFile::Make(path, *std::move(text)));
}
const hcl::Body* FileDecoder::Parse(const SourceFile* source) {
  if (source == nullptr) {
    return nullptr;
  }
  const size_t errors = diags_.error_count();
  const hcl::Body* body = source->name().ends_with(".json")
                              ? hcl::ParseJson(source, tree_, diags_)
                              : hcl::ParseNative(source, tree_, diags_);
  return diags_.error_count() == errors ? body : nullptr;
}

void FileDecoder::LoadSpec() {
  Result<std::string> text = ReadFile(request_.spec_path);
  if (!text) {
    diags_.Error(
        "Failed to read file",
        "The configuration file " + text::GoQuote(request_.spec_path) + " could not be read.");
    return;
  }
  spec_ = SpecFile::Read(SourceFile::Make(request_.spec_path, *std::move(text)), diags_);
  spec_->AddTo(scope_);
}

void FileDecoder::LoadVariables() {
  const lang::ToolScope no_scope;
  for (size_t i = 0; i < request_.variables.size(); ++i) {
    const std::string& given = request_.variables[i];
    const hcl::Body* body = nullptr;
    if (text::TrimSpace(given).starts_with('{')) {
      body = hcl::ParseJson(
          tree_.KeepSource(SourceFile::Make("<vars argument " + std::to_string(i) + ">", given)),
          tree_, diags_);
    } else {
      body = Parse(Load(given));
    }
    if (body == nullptr) {
      continue;
    }
    for (const hcl::Attribute& attribute : body->JustAttributes({}, diags_)) {
      scope_.SetVariable(attribute.name, lang::EvaluateLiteral(*attribute.expr, no_scope, diags_));
    }
  }
}

Result<void> FileDecoder::LoadInput() {
  for (const std::string& path : request_.files) {
    if (const hcl::Body* body = Parse(Load(path))) {
      bodies_.push_back(body);
    }
  }
  if (!request_.files.empty()) {
    return {};
  }
  KINU_TRY(std::string text, request_.read_input());
  if (const hcl::Body* body =
          Parse(tree_.KeepSource(SourceFile::Make("<stdin>", std::move(text))))) {
    bodies_.push_back(body);
  }
  return {};
}

std::string FileDecoder::References(const hcl::Body& body) {
  std::string out;
  JsonWriter json(out, {.indent = "  "});
  json.BeginArray();
  for (const hcl::TraversalExpr* traversal : CollectVariables(spec_->spec(), body)) {
    WriteReference(json, *traversal);
  }
  json.EndArray();
  return out;
}

void FileDecoder::WriteReference(JsonWriter& json, const hcl::TraversalExpr& traversal) {
  json.BeginObject();
  json.Member("root_name", traversal.root);
  Diagnostics ignored;
  if (!scope_.empty()) {
    const Value value = scope_.Resolve(traversal, ignored);
    const ValueResult<std::string> encoded = ValueToJson(value, value.type());
    if (!ignored.has_errors() && encoded) {
      json.Key("value");
      json.Embed(*encoded);
    }
  }
  json.Key("steps");
  json.BeginArray();
  json.BeginObject();
  json.Member("kind", "root");
  json.Member("name", traversal.root);
  WriteRange(json, "range", traversal.root_range());
  json.EndObject();
  SourceRange whole = traversal.root_range();
  for (const hcl::TraversalStep& step : traversal.steps) {
    json.BeginObject();
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      json.Member("kind", "attr");
      json.Member("name", step.name());
    } else {
      json.Member("kind", "index");
      if (const auto key = ValueToJson(*step.key(), step.key()->type())) {
        json.Key("key");
        json.Raw(*key);
      }
    }
    WriteRange(json, "range", traversal.step_range(step));
    whole.end = step.end;
    json.EndObject();
  }
  json.EndArray();
  WriteRange(json, "range", whole);
  json.EndObject();
}

std::string DiagnosticsToJson(const Diagnostics& diags) {
  std::string out;
  JsonWriter json(out, {.indent = "  "});
  json.BeginObject();
  json.Key("diagnostics");
  json.BeginArray();
  for (const Diagnostic& problem : diags) {
    json.BeginObject();
    json.Member("severity", problem.is_error() ? "error" : "warning");
    json.Member("summary", std::string_view(problem.summary));
    if (!problem.detail.empty()) {
      json.Member("detail", std::string_view(problem.detail));
    }
    if (problem.subject.valid()) {
      WriteRange(json, "subject", problem.subject);
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += '\n';
  return out;
}

}  // namespace kinu::hcldec
