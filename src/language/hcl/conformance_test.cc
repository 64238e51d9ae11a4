// Runs recorded cases of parsing and static analysis (base/testing/recorded_cases.h).

#include <algorithm>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/testing/recorded_cases.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::hcl {
namespace {

std::string_view Text(const JsonNode& object, std::string_view name) {
  const JsonNode* found = object.Find(name);
  return found == nullptr ? std::string_view() : found->text();
}
bool Flag(const JsonNode& object, std::string_view name) {
  const JsonNode* found = object.Find(name);
  return found != nullptr && found->boolean();
}

std::string DecodeBase64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) {
      break;
    }
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return out;
}

/// The value with sorted keys, so that equal documents give equal texts.
std::string Canonical(const JsonNode& node) {
  std::string out;
  switch (node.kind()) {
    case JsonNode::Kind::kObject: {
      std::map<std::string, std::string> members;
      for (const JsonMember& member : node.members()) {
        members[std::string(member.name)] = Canonical(member.value);
      }
      for (const auto& [name, value] : members) {
        out += (out.empty() ? "" : ",") + name + ":" + value;
      }
      return "{" + out + "}";
    }
    case JsonNode::Kind::kArray:
      for (const JsonNode& element : node.elements()) {
        out += (out.empty() ? "" : ",") + Canonical(element);
      }
      return "[" + out + "]";
    case JsonNode::Kind::kString:
      return "'" + std::string(node.text()) + "'";
    case JsonNode::Kind::kNumber:
      return std::string(node.text());
    case JsonNode::Kind::kBool:
      return node.boolean() ? "true" : "false";
    default:
      return "null";
  }
}

void Write(JsonWriter& json, const Position& position) {
  json.BeginObject();
  json.Member("line", static_cast<int64_t>(position.line));
  json.Member("column", static_cast<int64_t>(position.column));
  json.Member("byte", static_cast<int64_t>(position.byte));
  json.EndObject();
}

void Write(JsonWriter& json, const SourceRange& range) {
  json.BeginObject();
  json.Key("start");
  Write(json, range.start_position());
  json.Key("end");
  Write(json, range.end_position());
  json.EndObject();
}

void WriteSteps(JsonWriter& json, const TraversalExpr& traversal) {
  json.BeginArray();
  json.BeginObject();
  json.Member("root", traversal.root.view());
  json.EndObject();
  for (const TraversalStep& step : traversal.steps) {
    json.BeginObject();
    if (step.kind == TraversalStep::Kind::kAttribute) {
      json.Member("attr", step.name());
    } else if (step.kind == TraversalStep::Kind::kSplat) {
      json.Member("splat", true);
    } else if (step.key()->type() == Type::String()) {
      json.Member("index", step.key()->AsString());
    } else if (step.key()->type() == Type::Number()) {
      json.Key("index");
      json.BeginObject();
      json.Member("number", step.key()->AsNumber().ToText());
      json.EndObject();
    } else if (step.key()->type() == Type::Bool()) {
      json.Member("index", step.key()->AsBool());
    }
    json.EndObject();
  }
  json.EndArray();
}

/// One case: runs it and compares.
class Case {
 public:
  explicit Case(const JsonNode& request) : request_(request) {
    std::string text(Text(request, "source"));
    if (const JsonNode* encoded = request.Find("source_base64")) {
      text = DecodeBase64(encoded->text());
    }
    source_ = SourceFile::Make("", std::move(text));
  }

  bool Passes(const JsonNode& response) {
    Run();
    std::multiset<std::string> wanted;
    if (const JsonNode* diagnostics = response.Find("diagnostics")) {
      for (const JsonNode& diagnostic : diagnostics->elements()) {
        const JsonNode* subject = diagnostic.Find("subject");
        wanted.insert(std::string(Text(diagnostic, "severity")) + "|" +
                      std::string(Text(diagnostic, "summary")) + "|" +
                      (subject == nullptr ? "" : Canonical(*subject)));
      }
    }
    std::multiset<std::string> got;
    for (const Diagnostic& diagnostic : diags_) {
      std::string subject;
      if (diagnostic.subject.valid()) {
        JsonWriter json(subject);
        Write(json, diagnostic.subject);
        subject = Canonical(ParseDocument(subject).root());
      }
      got.insert((diagnostic.is_error() ? "error|" : "warning|") + diagnostic.summary + "|" +
                 subject);
    }
    const JsonNode* content = response.Find("content");
    if (content == nullptr) {
      content = response.Find("traversal");
    }
    const bool with_content = content != nullptr && !diags_.has_errors();
    const std::string wanted_content = content == nullptr ? "" : Canonical(*content);
    const std::string got_content =
        with_content ? Canonical(ParseDocument(content_).root()) : std::string();
    if (wanted == got && wanted_content == got_content) {
      return true;
    }
    for (const std::string& line : wanted) {
      difference_ += "  want " + line + "\n";
    }
    for (const std::string& line : got) {
      difference_ += "  got  " + line + "\n";
    }
    difference_ += "  want " + wanted_content + "\n  got  " + got_content + "\n";
    return false;
  }
  const std::string& difference() const { return difference_; }

 private:
  static JsonDocument ParseDocument(const std::string& text) { return kinu::ParseJson(text); }

  void Run() {
    const std::string_view kind = Text(request_, "kind");
    if (kind == "structure") {
      JsonWriter json(content_);
      WriteBody(json, *ParseNative(source_.get(), tree_, diags_));
    } else if (kind == "config") {
      ReadBody(*ParseNative(source_.get(), tree_, diags_));
    } else if (kind == "json-config") {
      ReadBody(*ParseJson(source_.get(), tree_, diags_));
    } else if (kind == "traversal") {
      const TraversalExpr* traversal =
          ParseTraversal(source_.get(), tree_, Flag(request_, "partial"), diags_);
      if (traversal != nullptr) {
        JsonWriter json(content_);
        WriteSteps(json, *traversal);
      }
    } else {
      Variables();
    }
  }

  void WriteBody(JsonWriter& json, const NativeBody& body) {
    const SourceFile* file = body.file;
    json.BeginObject();
    json.Key("attributes");
    json.BeginObject();
    for (const NativeAttribute& attribute : body.attributes) {
      json.Key(attribute.name.view());
      json.BeginObject();
      json.Key("range");
      Write(json, {file, attribute.begin, attribute.end});
      json.Key("name_range");
      Write(json, {file, attribute.begin, attribute.name_end()});
      json.Key("expr_range");
      Write(json, attribute.expr->range());
      json.EndObject();
    }
    json.EndObject();
    json.Key("blocks");
    json.BeginArray();
    for (const NativeBlock& block : body.blocks) {
      json.BeginObject();
      json.Member("type", block.type.view());
      json.Key("labels");
      json.BeginArray();
      for (const std::string_view label : block.labels) {
        json.String(label);
      }
      json.EndArray();
      json.Key("type_range");
      Write(json, {file, block.type_begin, block.type_end()});
      json.Key("label_ranges");
      json.BeginArray();
      for (const Label& label : block.labels) {
        Write(json, {file, label.begin, label.end});
      }
      json.EndArray();
      json.Key("open_brace_range");
      Write(json, {file, block.open_brace, block.open_brace + 1});
      json.Key("close_brace_range");
      Write(json, {file, block.close_brace, block.close_brace + 1});
      json.Key("def_range");
      Write(json, {file, block.type_begin, block.header_end()});
      json.Key("body");
      WriteBody(json, *block.body);
      json.EndObject();
    }
    json.EndArray();
    json.Key("end_range");
    Write(json, {file, body.end, body.end});
    json.EndObject();
  }

  void ReadBody(const Body& body) {
    const JsonNode* schema_node = request_.Find("schema");
    const bool just_attributes = Flag(request_, "just_attributes");
    if (diags_.has_errors() || (schema_node == nullptr && !just_attributes)) {
      return;
    }
    std::vector<Attribute> attributes;
    std::vector<Block> blocks;
    if (just_attributes) {
      attributes = body.JustAttributes({}, diags_);
    } else {
      std::vector<AttributeSchema> attribute_schemas;
      std::vector<BlockSchema> block_schemas;
      std::list<std::vector<std::string_view>> labels;
      if (const JsonNode* list = schema_node->Find("attributes")) {
        for (const JsonNode& item : list->elements()) {
          attribute_schemas.push_back({Text(item, "name"), Flag(item, "required")});
        }
      }
      if (const JsonNode* list = schema_node->Find("blocks")) {
        for (const JsonNode& item : list->elements()) {
          std::vector<std::string_view>& names = labels.emplace_back();
          if (const JsonNode* label_list = item.Find("labels")) {
            for (const JsonNode& label : label_list->elements()) {
              names.push_back(label.text());
            }
          }
          block_schemas.push_back({Text(item, "type"), names});
        }
      }
      BodyContent content = body.Content(
          {attribute_schemas, block_schemas, {}},
          Flag(request_, "partial") ? Strictness::kPartial : Strictness::kExact, diags_);
      attributes = std::move(content.attributes);
      blocks = std::move(content.blocks);
    }
    std::sort(attributes.begin(), attributes.end(),
              [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    JsonWriter json(content_);
    json.BeginObject();
    json.Key("attributes");
    json.BeginArray();
    for (const Attribute& attribute : attributes) {
      json.String(attribute.name);
    }
    json.EndArray();
    if (!just_attributes) {
      json.Key("blocks");
      json.BeginArray();
      for (const Block& block : blocks) {
        json.BeginObject();
        json.Member("type", block.type);
        json.Key("labels");
        json.BeginArray();
        for (const std::string_view label : block.labels) {
          json.String(label);
        }
        json.EndArray();
        json.EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
  }

  const Expr* Parse(std::string_view syntax) {
    if (syntax == "json") {
      return ParseJsonExpression(source_.get(), tree_, diags_);
    }
    if (syntax == "template") {
      return ParseTemplate(source_.get(), tree_, diags_);
    }
    return ParseExpression(source_.get(), tree_, diags_);
  }

  void Variables() {
    const Expr* expr = Parse(Text(request_, "syntax"));
    if (diags_.has_errors()) {
      return;
    }
    std::vector<const TraversalExpr*> found;
    CollectTraversals(*expr, found, TypeArgument::kKeep);
    const auto key = [](const TraversalExpr* traversal) {
      return std::pair(traversal->range().start_position().byte,
                       traversal->range().end_position().byte);
    };
    std::stable_sort(
        found.begin(), found.end(),
        [&](const TraversalExpr* a, const TraversalExpr* b) { return key(a) < key(b); });
    JsonWriter json(content_);
    json.BeginArray();
    for (const TraversalExpr* traversal : found) {
      json.BeginObject();
      json.Key("traversal");
      WriteSteps(json, *traversal);
      json.Key("range");
      Write(json, traversal->range());
      json.EndObject();
    }
    json.EndArray();
  }

  const JsonNode& request_;
  Ref<const SourceFile> source_;
  SyntaxTree tree_;
  Diagnostics diags_;
  std::string content_;
  std::string difference_;
};

TEST(Conformance, ParsingAndStaticAnalysis) {
  constexpr size_t kPacked = 2271;  // of the suites in tests/conformance
  const auto suites = recorded::Suites();
  if (suites.empty()) {
    ASSERT_FALSE(recorded::AreUnpacked()) << "ctest has unpacked no cases";
    GTEST_SKIP() << "no recorded cases: ctest unpacks them, KINU_CASES names their folder";
  }
  const std::set<std::string_view> kinds = {"structure", "config", "json-config", "traversal",
                                            "variables"};
  size_t passed = 0;
  size_t failed = 0;
  for (const auto& [name, path] : suites) {
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
      const JsonDocument document = kinu::ParseJson(line);
      const JsonNode* request = document.root().Find("request");
      const JsonNode* response = document.root().Find("response");
      if (request == nullptr || response == nullptr || !kinds.contains(Text(*request, "kind"))) {
        continue;
      }
      Case test(*request);
      if (test.Passes(*response)) {
        ++passed;
        continue;
      }
      constexpr size_t kShown = 20;
      if (++failed <= kShown) {
        std::cout << Text(*request, "id") << " " << Text(*request, "kind") << "\n"
                  << Text(*request, "source") << "\n"
                  << test.difference();
      }
    }
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  EXPECT_GE(passed, kPacked);
  EXPECT_EQ(failed, 0U);
}

}  // namespace
}  // namespace kinu::hcl
