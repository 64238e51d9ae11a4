// Scopes, expressions, bodies, files and specifications of the public API (include/kinu/hcl.h). A
// public class holds a reference to the object of a library that it shows.
#include <algorithm>

#include "api/access.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
#include "hcldec/spec_file.h"
#include "lang/eval.h"
#include "lang/template.h"
#include "lang/user_function.h"

namespace kinu::v1 {
namespace {

/// A function that the embedding program defines.
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

const hcl::Expr& NodeOf(const void* node) {
  return *static_cast<const hcl::Expr*>(node);
}

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
  context.surroundings.base_dir = directory;
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
    case hcl::ExprKind::kText:
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
    case hcl::ExprKind::kQuoted:
    case hcl::ExprKind::kTemplate:
    case hcl::ExprKind::kTemplateWrap:
    case hcl::ExprKind::kTemplateJoin:
      return Kind::kTemplate;
    case hcl::ExprKind::kBinary:
    case hcl::ExprKind::kUnary:
      return Kind::kOperator;
    case hcl::ExprKind::kParentheses:
      return Kind::kParentheses;
    case hcl::ExprKind::kObjectWord:
    case hcl::ExprKind::kObjectKey:
    case hcl::ExprKind::kSplatItem:
    case hcl::ExprKind::kInvalid:
    case hcl::ExprKind::kMissing:
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
  // Blocks that are written in parts (overrides) have no order of the source.
  const auto* found_native = dynamic_cast<const hcl::NativeBody*>(&Access::Inner(*this));
  if (found_native == nullptr) {
    return {};
  }
  const hcl::NativeBody& native = *found_native;
  BodyContent out;
  for (const hcl::NativeAttribute& attribute : native.attributes) {
    out.attributes.push_back(
        {std::string(attribute.name), Access::Make(file_, attribute.expr),
         ToPublic(SourceRange{native.file, attribute.begin, attribute.end}),
         ToPublic(SourceRange{native.file, attribute.begin, attribute.name_end()})});
  }
  for (const hcl::NativeBlock& block : native.blocks) {
    hcl::Block found{.type = block.type, .labels = block.labels, .body = block.body};
    found.def_range = {native.file, block.type_begin, block.header_end()};
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

std::string Format(std::string_view text) {
  return hcl::writer::Format(text);
}

}  // namespace kinu::v1
