// The public API (include/kinu/hcl.h) over the libraries: each public class holds a reference to
// what it shows, and nothing of the inside is visible outside.
#include <algorithm>

#include <kinu/hcl.h>

#include "api/diagnostics.h"
#include "cty/json.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "hcl/writer/editor.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
#include "hcldec/spec_file.h"
#include "lang/eval.h"
#include "lang/template.h"
#include "lang/user_function.h"
#include "text/unicode.h"

namespace kinu::v1 {

using InnerValue = ::kinu::Value;
using InnerDiagnostics = ::kinu::Diagnostics;
using api::AppendTo;
using api::ToPublic;

struct FileContent {
  hcl::SyntaxTree tree;
  const hcl::Body* body = nullptr;
};

struct Value::Content {
  InnerValue value;
};

namespace {

/// A function of the program's own.
class OwnFunction final : public functions::Callable {
 public:
  OwnFunction(std::string_view name, std::vector<std::string> parameters, Scope::Function function);

  std::string_view name() const override { return name_; }
  std::span<const functions::Parameter> params() const override { return params_; }
  const functions::Parameter* variadic() const override { return nullptr; }
  functions::CallResult Call(functions::Arguments args,
                             const functions::CallContext&) const override;

 private:
  std::string name_;
  std::vector<std::string> parameters_;
  std::vector<functions::Parameter> params_;
  Scope::Function function_;
};

std::string Valid(std::string_view text) {
  return text::IsUtf8(text) ? std::string(text) : text::ReplaceInvalidUtf8(text);
}

const hcl::Expr& NodeOf(const void* node) {
  return *static_cast<const hcl::Expr*>(node);
}

}  // namespace

struct Scope::Content {
  lang::ToolScope scope;
  std::vector<std::shared_ptr<const functions::Callable>> own;
};

/// Makes and opens public objects.
struct Access {
  static v1::Value Make(InnerValue value) {
    return v1::Value(std::make_shared<const v1::Value::Content>(std::move(value)));
  }
  static InnerValue Inner(const v1::Value& value) {
    return value.content_ == nullptr ? InnerValue() : value.content_->value;
  }
  static v1::Expression Make(std::shared_ptr<const FileContent> file, const hcl::Expr* node) {
    v1::Expression expression;
    expression.file_ = std::move(file);
    expression.node_ = node;
    return expression;
  }
  static v1::Body Make(std::shared_ptr<const FileContent> file, const hcl::Body* body) {
    v1::Body out;
    out.file_ = std::move(file);
    out.body_ = body;
    return out;
  }
  static v1::File Make(v1::Body body) { return v1::File(std::move(body)); }
  static v1::Attribute Make(const std::shared_ptr<const FileContent>& file,
                            const hcl::Attribute& attribute) {
    return {std::string(attribute.name), Make(file, attribute.expr), ToPublic(attribute.range),
            ToPublic(attribute.name_range)};
  }
  static v1::Block Make(const std::shared_ptr<const FileContent>& file, const hcl::Block& block) {
    v1::Block out(Make(file, block.body));
    out.type = block.type;
    out.labels.assign(block.labels.begin(), block.labels.end());
    out.range = ToPublic(block.def_range);
    return out;
  }
  static const hcl::Body& Inner(const v1::Body& body) {
    return *static_cast<const hcl::Body*>(body.body_);
  }
  static const lang::ToolScope& Inner(const v1::Scope& scope) { return scope.content_->scope; }
  static v1::BodyContent Make(const std::shared_ptr<const FileContent>& file,
                              const hcl::BodyContent& content) {
    v1::BodyContent out;
    for (const hcl::Attribute& attribute : content.attributes) {
      out.attributes.push_back(Make(file, attribute));
    }
    for (const hcl::Block& block : content.blocks) {
      out.blocks.push_back(Make(file, block));
    }
    return out;
  }
};

namespace {

OwnFunction::OwnFunction(std::string_view name, std::vector<std::string> parameters,
                         Scope::Function function)
    : name_(name), parameters_(std::move(parameters)), function_(std::move(function)) {
  for (const std::string& parameter : parameters_) {
    params_.push_back({.name = parameter});
  }
}

functions::CallResult OwnFunction::Call(functions::Arguments args,
                                        const functions::CallContext&) const {
  MarkSet marks;
  bool known = true;
  std::vector<v1::Value> values;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].IsNull()) {
      return functions::CallFail("argument must not be null", static_cast<int>(i));
    }
    known = known && args[i].IsWhollyKnown();
    MarkSet inside;
    values.push_back(Access::Make(args[i].UnmarkDeep(&inside)));
    marks = marks.Union(inside);
  }
  if (!known) {
    return InnerValue::DynamicUnknown().WithMarks(marks);
  }
  Scope::Result result = function_(values);
  if (!result.error.empty()) {
    return functions::CallFail(std::move(result.error));
  }
  return Access::Inner(result.value).WithMarks(marks);
}

}  // namespace

// --- Values ---

Value::Value() = default;

Value Value::Bool(bool value) {
  return Access::Make(InnerValue::Bool(value));
}
Value Value::Int(int64_t value) {
  return Access::Make(InnerValue::Int(value));
}
Value Value::Double(double value) {
  return Access::Make(InnerValue::Of(::kinu::Number::FromDouble(value)));
}
std::optional<Value> Value::Number(std::string_view text) {
  std::optional<::kinu::Number> number = ::kinu::Number::Parse(text);
  if (!number) {
    return std::nullopt;
  }
  return Access::Make(InnerValue::Of(*std::move(number)));
}
Value Value::String(std::string_view text) {
  return Access::Make(InnerValue::String(Valid(text)));
}
Value Value::Tuple(const std::vector<Value>& elements) {
  std::vector<InnerValue> inner;
  inner.reserve(elements.size());
  for (const Value& element : elements) {
    inner.push_back(Access::Inner(element));
  }
  return Access::Make(InnerValue::Tuple(std::move(inner)));
}
Value Value::Object(const std::vector<std::pair<std::string, Value>>& attributes) {
  std::vector<std::pair<std::string, InnerValue>> inner;
  inner.reserve(attributes.size());
  for (const auto& [name, value] : attributes) {
    inner.emplace_back(Valid(name), Access::Inner(value));
  }
  return Access::Make(InnerValue::Object(std::move(inner)));
}
Value Value::Unknown() {
  return Access::Make(InnerValue::DynamicUnknown());
}
std::optional<Value> Value::FromJson(std::string_view json, Diagnostics& problems) {
  ValueResult<InnerValue> value = ImpliedValueOfJson(json);
  if (!value) {
    problems.push_back({.summary = "Invalid JSON", .detail = value.error().ToText() + "."});
    return std::nullopt;
  }
  return Access::Make(*std::move(value));
}

Value::Kind Value::kind() const {
  switch (Access::Inner(*this).type().kind()) {
    case TypeKind::kDynamic:
      return Kind::kDynamic;
    case TypeKind::kBool:
      return Kind::kBool;
    case TypeKind::kNumber:
      return Kind::kNumber;
    case TypeKind::kString:
      return Kind::kString;
    case TypeKind::kList:
      return Kind::kList;
    case TypeKind::kSet:
      return Kind::kSet;
    case TypeKind::kMap:
      return Kind::kMap;
    case TypeKind::kTuple:
      return Kind::kTuple;
    case TypeKind::kObject:
      return Kind::kObject;
    case TypeKind::kCapsule:
      break;
  }
  return Kind::kOther;
}
bool Value::is_null() const {
  return Access::Inner(*this).IsNull();
}
bool Value::is_known() const {
  return Access::Inner(*this).IsKnown();
}
bool Value::is_wholly_known() const {
  return Access::Inner(*this).IsWhollyKnown();
}
bool Value::is_sensitive() const {
  return Access::Inner(*this).MarksDeep().sensitive();
}

namespace {

bool Has(const InnerValue& value, const Type& type) {
  return value.IsKnown() && !value.IsNull() && value.type() == type;
}
bool HasParts(const InnerValue& value) {
  return value.IsKnown() && !value.IsNull() &&
         (value.type().is_collection() || value.type().is_structural());
}

}  // namespace

std::optional<bool> Value::AsBool() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Bool()) ? std::optional(value.AsBool()) : std::nullopt;
}
std::optional<int64_t> Value::AsInt() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? value.AsInt64() : std::nullopt;
}
std::optional<double> Value::AsDouble() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? std::optional(value.AsNumber().ToDouble()) : std::nullopt;
}
std::optional<std::string> Value::AsString() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::String()) ? std::optional(std::string(value.AsString())) : std::nullopt;
}
std::optional<std::string> Value::AsNumberText() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? std::optional(value.AsNumber().ToText()) : std::nullopt;
}
size_t Value::size() const {
  const InnerValue value = Access::Inner(*this);
  return HasParts(value) ? value.size() : 0;
}
std::vector<Value> Value::elements() const {
  const InnerValue value = Access::Inner(*this);
  std::vector<Value> out;
  if (HasParts(value)) {
    for (const InnerValue& element : value.elements()) {
      out.push_back(Access::Make(element));
    }
  }
  return out;
}
std::vector<std::string> Value::keys() const {
  const InnerValue value = Access::Inner(*this);
  std::vector<std::string> out;
  if (HasParts(value) && (value.type().is_map() || value.type().is_object())) {
    for (size_t i = 0; i < value.size(); ++i) {
      out.emplace_back(value.key(i));
    }
  }
  return out;
}
std::optional<Value> Value::Find(std::string_view key) const {
  const InnerValue value = Access::Inner(*this);
  if (!HasParts(value) || !(value.type().is_map() || value.type().is_object())) {
    return std::nullopt;
  }
  const InnerValue* found = value.Find(key);
  return found == nullptr ? std::nullopt : std::optional(Access::Make(*found));
}
std::optional<std::string> Value::ToJson() const {
  const InnerValue value = Access::Inner(*this).UnmarkDeep();
  if (!value.IsWhollyKnown()) {
    return std::nullopt;
  }
  ValueResult<std::string> json = ValueToJson(value, value.type());
  return json ? std::optional(*std::move(json)) : std::nullopt;
}
std::optional<std::string> Value::ToSource() const {
  ::kinu::Result<std::string> text = hcl::writer::ValueText(Access::Inner(*this));
  return text ? std::optional(*std::move(text)) : std::nullopt;
}
std::string Value::TypeName() const {
  return Access::Inner(*this).type().FriendlyName();
}
bool operator==(const Value& a, const Value& b) {
  return InnerValue::RawEquals(Access::Inner(a), Access::Inner(b));
}

// --- Scopes ---

Scope::Scope() : content_(std::make_unique<Content>()) {
}
Scope::Scope(const Scope& other) : content_(std::make_unique<Content>(*other.content_)) {
}
Scope& Scope::operator=(const Scope& other) {
  *content_ = Content(*other.content_);
  return *this;
}
Scope::~Scope() = default;

void Scope::SetVariable(std::string_view name, const Value& value) {
  content_->scope.SetVariable(name, Access::Inner(value));
}
void Scope::UseStandardFunctions(std::string_view directory) {
  const functions::Table& table = functions::Table::Standard();
  for (const functions::FunctionSpec* spec : table.specs()) {
    content_->scope.AddFunction(spec->name, table.Find(spec->name));
  }
  functions::CallContext context;
  context.base_dir = directory;
  content_->scope.SetContext(lang::WithTemplates(std::move(context), table));
}
void Scope::UseExtensionFunctions() {
  for (const std::string_view name : {"try", "can"}) {
    content_->scope.AddFunction(name, functions::Table::Standard().Find(name));
  }
  content_->scope.AddFunction("convert", &lang::ConvertFunction());
}
void Scope::SetFunction(std::string_view name, std::vector<std::string> parameters,
                        Function function) {
  auto own = std::make_shared<const OwnFunction>(name, std::move(parameters), std::move(function));
  content_->scope.AddFunction(name, own.get());
  content_->own.push_back(std::move(own));
}

// --- Expressions ---

Expression::Kind Expression::kind() const {
  switch (NodeOf(node_).kind) {
    case hcl::ExprKind::kLiteral:
      return Kind::kLiteral;
    case hcl::ExprKind::kTraversal:
    case hcl::ExprKind::kRelative:
      return Kind::kReference;
    case hcl::ExprKind::kCall:
      return Kind::kCall;
    case hcl::ExprKind::kConditional:
      return Kind::kConditional;
    case hcl::ExprKind::kIndex:
      return Kind::kIndex;
    case hcl::ExprKind::kTuple:
      return Kind::kTuple;
    case hcl::ExprKind::kObject:
    case hcl::ExprKind::kJsonObject:
      return Kind::kObject;
    case hcl::ExprKind::kFor:
      return Kind::kFor;
    case hcl::ExprKind::kSplat:
      return Kind::kSplat;
    case hcl::ExprKind::kTemplate:
    case hcl::ExprKind::kTemplateWrap:
    case hcl::ExprKind::kTemplateJoin:
      return Kind::kTemplate;
    case hcl::ExprKind::kBinary:
    case hcl::ExprKind::kUnary:
      return Kind::kOperator;
    case hcl::ExprKind::kParentheses:
      return Kind::kParentheses;
    case hcl::ExprKind::kObjectKey:
    case hcl::ExprKind::kSplatItem:
    case hcl::ExprKind::kInvalid:
      break;
  }
  return Kind::kOther;
}
Range Expression::range() const {
  return ToPublic(NodeOf(node_).range());
}
std::string Expression::text() const {
  return std::string(NodeOf(node_).range().text());
}
std::vector<Expression> Expression::children() const {
  std::vector<Expression> out;
  hcl::ForEachChild(NodeOf(node_),
                    [&](const hcl::Expr& child) { out.push_back(Access::Make(file_, &child)); });
  return out;
}
std::string Expression::name() const {
  const hcl::Expr& node = NodeOf(node_);
  if (node.kind == hcl::ExprKind::kCall) {
    return std::string(static_cast<const hcl::CallExpr&>(node).name);
  }
  if (node.kind == hcl::ExprKind::kTraversal) {
    const auto& traversal = static_cast<const hcl::TraversalExpr&>(node);
    return hcl::writer::TraversalText(traversal.root, traversal.steps).value_or(std::string());
  }
  return {};
}
std::vector<std::string> Expression::References() const {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(NodeOf(node_), traversals);
  std::vector<std::string> out;
  for (const hcl::TraversalExpr* traversal : traversals) {
    out.push_back(hcl::writer::TraversalText(traversal->root, traversal->steps)
                      .value_or(std::string(traversal->root)));
  }
  return out;
}
Value Expression::Evaluate(const Scope& scope, Diagnostics& problems) const {
  const lang::ToolScope& inner = Access::Inner(scope);
  const hcl::Expr& node = NodeOf(node_);
  InnerDiagnostics diags;
  InnerValue value = inner.empty() ? lang::EvaluateLiteral(node, inner, diags)
                                   : lang::Evaluate(node, inner, diags);
  AppendTo(problems, diags);
  return Access::Make(std::move(value));
}
std::optional<std::string> Expression::AsKeyword() const {
  hcl::SyntaxTree tree;
  const std::string_view word = hcl::AsKeyword(NodeOf(node_), tree);
  return word.empty() ? std::nullopt : std::optional(std::string(word));
}
std::optional<std::vector<Expression>> Expression::AsList() const {
  const auto elements = hcl::AsList(NodeOf(node_));
  if (!elements) {
    return std::nullopt;
  }
  std::vector<Expression> out;
  for (const hcl::Expr* element : *elements) {
    out.push_back(Access::Make(file_, element));
  }
  return out;
}

// --- Bodies and files ---

const Attribute* BodyContent::Find(std::string_view name) const& {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& one) { return one.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

BodyContent Body::Read(const BodySchema& schema, Diagnostics& problems) const {
  std::vector<hcl::AttributeSchema> attributes;
  std::vector<hcl::BlockSchema> blocks;
  std::vector<std::vector<std::string_view>> labels;
  labels.reserve(schema.blocks.size());
  for (const AttributeSchema& attribute : schema.attributes) {
    attributes.push_back({attribute.name, attribute.required});
  }
  for (const BlockSchema& block : schema.blocks) {
    labels.emplace_back(block.label_names.begin(), block.label_names.end());
    blocks.push_back({block.type, labels.back()});
  }
  InnerDiagnostics diags;
  const hcl::BodyContent content = Access::Inner(*this).Content(
      {.attributes = attributes, .blocks = blocks},
      schema.partial ? hcl::Strictness::kPartial : hcl::Strictness::kExact, diags);
  AppendTo(problems, diags);
  BodyContent out = Access::Make(file_, content);
  return out;
}
std::vector<Attribute> Body::JustAttributes(Diagnostics& problems) const {
  InnerDiagnostics diags;
  std::vector<Attribute> out;
  for (const hcl::Attribute& attribute : Access::Inner(*this).JustAttributes({}, diags)) {
    out.push_back(Access::Make(file_, attribute));
  }
  AppendTo(problems, diags);
  return out;
}
bool Body::is_json() const {
  return Access::Inner(*this).is_json();
}
BodyContent Body::All() const {
  if (is_json()) {
    return {};
  }
  const auto& native = static_cast<const hcl::NativeBody&>(Access::Inner(*this));
  BodyContent out;
  for (const hcl::NativeAttribute& attribute : native.attributes) {
    out.attributes.push_back(
        {std::string(attribute.name), Access::Make(file_, attribute.expr),
         ToPublic(SourceRange{native.file, attribute.begin, attribute.end}),
         ToPublic(SourceRange{native.file, attribute.begin, attribute.name_end})});
  }
  for (const hcl::NativeBlock& block : native.blocks) {
    const uint32_t end =
        block.label_ranges.empty() ? block.type_end : block.label_ranges.back().end;
    hcl::Block found{.type = block.type, .labels = block.labels, .body = block.body};
    found.def_range = {native.file, block.type_begin, end};
    out.blocks.push_back(Access::Make(file_, found));
  }
  return out;
}

File File::Parse(std::string_view name, std::string_view text, Diagnostics& problems,
                 Syntax syntax) {
  auto content = std::make_shared<FileContent>();
  const SourceFile* source =
      content->tree.KeepSource(SourceFile::Make(std::string(name), std::string(text)));
  const bool json =
      syntax == Syntax::kJson || (syntax == Syntax::kByName && name.ends_with(".json"));
  InnerDiagnostics diags;
  if (json) {
    content->body = hcl::ParseJson(source, content->tree, diags);
  } else {
    content->body = hcl::ParseNative(source, content->tree, diags);
  }
  AppendTo(problems, diags);
  const hcl::Body* body = content->body;
  return Access::Make(Access::Make(std::shared_ptr<const FileContent>(std::move(content)), body));
}

namespace {

using Parser = const hcl::Expr* (*)(const SourceFile*, hcl::SyntaxTree&, InnerDiagnostics&);

Expression ParseWhole(Parser parse, std::string_view text, Diagnostics& problems,
                      std::string_view name) {
  auto content = std::make_shared<FileContent>();
  InnerDiagnostics diags;
  const hcl::Expr* node =
      parse(content->tree.KeepSource(SourceFile::Make(std::string(name), std::string(text))),
            content->tree, diags);
  AppendTo(problems, diags);
  return Access::Make(std::move(content), node);
}

}  // namespace

Expression ParseExpression(std::string_view text, Diagnostics& problems, std::string_view name) {
  return ParseWhole(&hcl::ParseExpression, text, problems, name);
}
Expression ParseTemplate(std::string_view text, Diagnostics& problems, std::string_view name) {
  return ParseWhole(&hcl::ParseTemplate, text, problems, name);
}

// --- Specifications ---

struct DecoderSpec::Content {
  std::unique_ptr<hcldec::SpecFile> file;
};

std::optional<DecoderSpec> DecoderSpec::Parse(std::string_view name, std::string_view text,
                                              Diagnostics& problems) {
  InnerDiagnostics diags;
  auto content = std::make_shared<Content>();
  content->file =
      hcldec::SpecFile::Read(SourceFile::Make(std::string(name), std::string(text)), diags);
  AppendTo(problems, diags);
  return diags.has_errors() ? std::nullopt : std::optional(DecoderSpec(std::move(content)));
}
Value DecoderSpec::Decode(const Body& body, const Scope& scope, Diagnostics& problems) const {
  lang::ToolScope inner = Access::Inner(scope);
  content_->file->AddTo(inner);
  InnerDiagnostics diags;
  InnerValue value = hcldec::DecodeSpec(content_->file->spec(), Access::Inner(body), inner,
                                        {.literal = inner.empty()}, diags);
  AppendTo(problems, diags);
  return Access::Make(std::move(value));
}

// --- Editing ---

struct Editor::Content {
  std::unique_ptr<hcl::writer::Document> document;

  /// The body at a path, or null.
  hcl::writer::EditableBody* BodyAt(std::span<const std::vector<std::string>> path) {
    hcl::writer::EditableBody* body = &document->body();
    for (const std::vector<std::string>& step : path) {
      hcl::writer::EditableBlock* block = BlockIn(*body, step);
      if (block == nullptr) {
        return nullptr;
      }
      body = &block->body();
    }
    return body;
  }
  static hcl::writer::EditableBlock* BlockIn(hcl::writer::EditableBody& body,
                                             const std::vector<std::string>& step) {
    if (step.empty()) {
      return nullptr;
    }
    return body.FindBlock(step.front(), std::span<const std::string>(step).subspan(1));
  }
};

Editor::Editor() : content_(std::make_unique<Content>()) {
  content_->document = std::make_unique<hcl::writer::Document>();
}
Editor::Editor(const Editor& other) : content_(std::make_unique<Content>()) {
  const Ref<const SourceFile> source = SourceFile::Make("", other.Text());
  InnerDiagnostics diags;
  content_->document = hcl::writer::Document::Parse(source.get(), diags);
}
Editor::Editor(Editor&&) noexcept = default;
Editor& Editor::operator=(Editor other) {
  std::swap(content_, other.content_);
  return *this;
}
Editor::~Editor() = default;

std::optional<Editor> Editor::Parse(std::string_view name, std::string_view text,
                                    Diagnostics& problems) {
  const Ref<const SourceFile> source = SourceFile::Make(std::string(name), std::string(text));
  InnerDiagnostics diags;
  Editor editor;
  editor.content_->document = hcl::writer::Document::Parse(source.get(), diags);
  AppendTo(problems, diags);
  return editor.content_->document == nullptr ? std::nullopt : std::optional(std::move(editor));
}

bool Editor::HasBlock(const Path& path) const {
  return content_->BodyAt(path) != nullptr;
}
std::optional<std::string> Editor::AttributeText(const Path& path, std::string_view name) const {
  const hcl::writer::EditableBody* body = content_->BodyAt(path);
  const std::optional<std::string_view> text =
      body == nullptr ? std::nullopt : body->AttributeText(name);
  return text ? std::optional(std::string(*text)) : std::nullopt;
}
bool Editor::SetAttribute(const Path& path, std::string_view name, const Value& value) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  return body != nullptr && hcl::IsIdentifier(name) &&
         body->SetAttributeValue(name, Access::Inner(value)).has_value();
}
bool Editor::SetAttributeExpression(const Path& path, std::string_view name,
                                    std::string_view expression, Diagnostics& problems) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  Diagnostics found;
  ParseExpression(expression, found);
  const bool parses = !HasErrors(found);
  problems.insert(problems.end(), found.begin(), found.end());
  if (body == nullptr || !hcl::IsIdentifier(name) || !parses) {
    return false;
  }
  body->SetAttribute(name, expression);
  return true;
}
bool Editor::RemoveAttribute(const Path& path, std::string_view name) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  return body != nullptr && body->RemoveAttribute(name);
}
bool Editor::AppendBlock(const Path& path, const std::vector<std::string>& block) {
  hcl::writer::EditableBody* body = content_->BodyAt(path);
  if (body == nullptr || block.empty() || !hcl::IsIdentifier(block.front())) {
    return false;
  }
  body->AppendBlock(block.front(), std::span<const std::string>(block).subspan(1));
  return true;
}
bool Editor::RemoveBlock(const Path& path) {
  if (path.empty()) {
    return false;
  }
  hcl::writer::EditableBody* parent =
      content_->BodyAt(std::span<const std::vector<std::string>>(path).first(path.size() - 1));
  hcl::writer::EditableBlock* block =
      parent == nullptr ? nullptr : Content::BlockIn(*parent, path.back());
  return block != nullptr && parent->RemoveBlock(block);
}
std::string Editor::Text() const {
  return content_->document->Text();
}

std::string Format(std::string_view text) {
  return hcl::writer::Format(text);
}

}  // namespace kinu::v1
