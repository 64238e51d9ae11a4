#include "ide/word_meanings.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/json_dynamic.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;
using hcl::TraversalStep;

constexpr std::string_view kParameters[] = {"each", "count", "self"};
constexpr std::string_view kNamedRoots[] = {"var", "local", "path", "terraform", "tofu", "run"};

template <typename Names>
bool IsOneOf(std::string_view name, const Names& names) {
  return std::ranges::find(names, name) != std::end(names);
}

/// Blocks whose labels are names that they declare; of the others, labels are types.
bool LabelIsName(std::string_view type, size_t label) {
  if (type == "resource" || type == "data" || type == "ephemeral") {
    return label == 1;
  }
  constexpr std::string_view kNamed[] = {"variable", "output", "module", "check", "run"};
  return IsOneOf(type, kNamed);
}

/// The labels of the blocks that may stand in a file.
size_t LabelCount(std::string_view type) {
  constexpr std::string_view kTwoLabels[] = {"resource", "data", "ephemeral"};
  constexpr std::string_view kOneLabel[] = {"variable", "output",   "module",       "check",
                                            "run",      "provider", "mock_provider"};
  if (IsOneOf(type, kTwoLabels)) {
    return 2;
  }
  return IsOneOf(type, kOneLabel) ? 1 : 0;
}

/// Finds the words.
class Finder {
 public:
  explicit Finder(const ParsedFile& file) : file_(file), source_(file.source.get()) {}
  WordMeanings Run();

 private:
  void Native(const hcl::NativeBody& body, std::string_view block);
  void Block(const hcl::NativeBlock& block);
  void Json(const hcl::Body& body);
  void JsonLabels(std::string_view block, size_t label, const Expr& value);
  void Expression(const Expr& expr);
  void JsonString(const Expr& expr);
  void Traversal(const hcl::TraversalExpr& traversal);
  void Steps(const SourceFile* file, std::span<const TraversalStep> steps, size_t type_step);
  void Call(const hcl::CallExpr& call);
  void Key(const Expr& key, TokenType type, uint8_t modifiers = 0);
  void Add(const SourceFile* file, Span span, TokenType type, uint8_t modifiers = 0) {
    if (span.begin < span.end) {
      found_.words.push_back({file, span, type, modifiers});
    }
  }

  const ParsedFile& file_;
  const SourceFile* source_;
  WordMeanings found_;
  std::vector<std::string_view> bound_;  // names of loops and iterators around
  bool in_type_ = false;                 // in a type constraint
};

WordMeanings Finder::Run() {
  if (const hcl::NativeBody* native = file_.native()) {
    Native(*native, "");
  } else if (file_.body != nullptr) {
    Json(*file_.body);
  }
  std::ranges::stable_sort(found_.words, [](const WordMeaning& a, const WordMeaning& b) {
    return a.file == b.file ? a.span < b.span : std::less<>()(a.file, b.file);
  });
  std::ranges::sort(found_.templates, {}, &JsonTemplate::begin);
  return std::move(found_);
}

void Finder::Native(const hcl::NativeBody& body, std::string_view block) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    Add(source_, {attribute.begin, attribute.name_end()}, TokenType::kProperty,
        block == "locals" ? kDeclaration : 0);
    if (attribute.expr.get() != nullptr) {
      in_type_ = block == "variable" && attribute.name.view() == "type";
      Expression(*attribute.expr.get());
      in_type_ = false;
    }
  }
  for (const hcl::NativeBlock& nested : body.blocks) {
    Block(nested);
  }
}

void Finder::Block(const hcl::NativeBlock& block) {
  const std::string_view type = block.type;
  Add(source_, {block.type_begin, block.type_end()}, TokenType::kKeyword);
  for (size_t i = 0; i < block.labels.size(); ++i) {
    const hcl::Label& label = block.labels[i];
    const bool is_name = LabelIsName(type, i);
    Add(source_, {label.begin, label.end}, is_name ? TokenType::kClass : TokenType::kType,
        is_name ? kDeclaration : 0);
  }
  const size_t names = bound_.size();
  if (type == "dynamic" && !block.labels.empty()) {
    bound_.push_back(block.labels[0].text.view());
    for (const hcl::NativeAttribute& attribute : block.body->attributes) {
      if (attribute.name.view() == "iterator" && attribute.expr.get() != nullptr) {
        bound_.back() = hcl::AsKeyword(*attribute.expr.get(), *file_.tree);
      }
    }
  }
  Native(*block.body, type);
  bound_.resize(names);
}

void Finder::Json(const hcl::Body& body) {
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    const bool is_block = file_.kind != FileKind::kVariables;
    Add(source_, SpanOf(attribute.name_range),
        is_block ? TokenType::kKeyword : TokenType::kProperty);
    if (attribute.expr != nullptr) {
      JsonLabels(is_block ? attribute.name : std::string_view(), 0, *attribute.expr);
    }
  }
}

/// Property names of blocks that are labels; below them are bodies.
void Finder::JsonLabels(std::string_view block, size_t label, const Expr& value) {
  if (label == LabelCount(block)) {
    return Expression(value);
  }
  if (value.kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const hcl::TupleExpr&>(value).elements) {
      JsonLabels(block, label, *element);
    }
  } else if (value.kind == ExprKind::kJsonObject) {
    for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(value).items) {
      const bool is_name = LabelIsName(block, label);
      Key(*item.key, is_name ? TokenType::kClass : TokenType::kType, is_name ? kDeclaration : 0);
      JsonLabels(block, label + 1, *item.value);
    }
  }
}

void Finder::Key(const Expr& key, TokenType type, uint8_t modifiers) {
  const Expr* word = &key;
  if (key.kind == ExprKind::kObjectKey) {
    const auto& wrapper = static_cast<const hcl::ObjectKeyExpr&>(key);
    if (wrapper.force_non_literal || wrapper.wrapped->kind != ExprKind::kQuoted) {
      return Expression(*wrapper.wrapped);
    }
    word = wrapper.wrapped;
  }
  Add(source_, SpanOf(word->range()), type, modifiers);
}

void Finder::Expression(const Expr& expr) {
  if (expr.kind == ExprKind::kTemplateWrap && hcl::IsJsonExpr(expr) && expr.file() == source_) {
    return JsonString(expr);
  }
  switch (expr.kind) {
    case ExprKind::kTraversal:
      return Traversal(static_cast<const hcl::TraversalExpr&>(expr));
    case ExprKind::kCall:
      Call(static_cast<const hcl::CallExpr&>(expr));
      break;
    case ExprKind::kRelative:
      Steps(expr.file(), static_cast<const hcl::RelativeExpr&>(expr).steps, SIZE_MAX);
      break;
    case ExprKind::kObject:
    case ExprKind::kJsonObject:
      for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(expr).items) {
        Key(*item.key, TokenType::kProperty);
        const size_t names = bound_.size();
        const std::string_view name = hcl::AsLiteralString(*item.key).value_or("");
        for (const JsonDynamic& block : JsonDynamicsOf(name, *item.value)) {
          bound_.push_back(block.iterator);
        }
        Expression(*item.value);
        bound_.resize(names);
      }
      return;
    case ExprKind::kFor: {
      const auto& loop = static_cast<const hcl::ForExpr&>(expr);
      Expression(*loop.collection);
      const size_t names = bound_.size();
      bound_.push_back(loop.key_name);
      bound_.push_back(loop.value_name);
      for (const Expr* part : {loop.key_result, loop.value_result, loop.condition}) {
        if (part != nullptr) {
          Expression(*part);
        }
      }
      bound_.resize(names);
      return;
    }
    default:
      break;
  }
  hcl::ForEachChild(expr, [&](const Expr& child) { Expression(child); });
}

void Finder::JsonString(const Expr& expr) {
  const Expr& content = *static_cast<const hcl::WrapExpr&>(expr).wrapped;
  const SourceFile* inner = content.file();
  if (inner == source_ || content.kind == ExprKind::kInvalid) {
    return;  // a text
  }
  const std::string_view text = file_.text().substr(expr.begin + 1, expr.end - expr.begin - 2);
  if (text == inner->text()) {
    found_.templates.push_back({inner, expr.begin + 1});
    Expression(content);
  }
}

void Finder::Traversal(const hcl::TraversalExpr& traversal) {
  const std::string_view root = traversal.root;
  const Span span{traversal.begin, traversal.root_end};
  const SourceFile* file = traversal.file();
  size_t type_step = SIZE_MAX;  // the step that is the type of a resource
  if (in_type_) {
    Add(file, span, TokenType::kType, kDefaultLibrary);
  } else if (IsOneOf(root, bound_) || IsOneOf(root, kParameters)) {
    Add(file, span, TokenType::kParameter);
  } else if (root == "module") {
    Add(file, span, TokenType::kNamespace);
  } else if (root == "data" || root == "ephemeral" || root == "resource") {
    Add(file, span, TokenType::kVariable);
    type_step = 0;
  } else if (IsOneOf(root, kNamedRoots) || traversal.steps.empty()) {
    Add(file, span, TokenType::kVariable);
  } else {
    Add(file, span, TokenType::kType);
  }
  Steps(file, traversal.steps, type_step);
}

void Finder::Steps(const SourceFile* file, std::span<const TraversalStep> steps, size_t type_step) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == TraversalStep::Kind::kAttribute) {
      const auto size = static_cast<uint32_t>(steps[i].name().size());
      Add(file, {steps[i].end - size, steps[i].end},
          i == type_step ? TokenType::kType : TokenType::kProperty);
    }
  }
}

void Finder::Call(const hcl::CallExpr& call) {
  const std::string_view text = call.file()->text().substr(call.begin, call.name_end - call.begin);
  const bool is_built_in = !call.name.starts_with("provider::");
  if (in_type_) {
    return Add(call.file(), {call.begin, call.name_end}, TokenType::kType, kDefaultLibrary);
  }
  size_t begin = 0;
  for (size_t end = text.find("::"); end != std::string_view::npos; end = text.find("::", begin)) {
    Add(call.file(),
        {call.begin + static_cast<uint32_t>(begin), call.begin + static_cast<uint32_t>(end)},
        TokenType::kNamespace);
    begin = end + 2;
  }
  Add(call.file(), {call.begin + static_cast<uint32_t>(begin), call.name_end}, TokenType::kFunction,
      is_built_in ? kDefaultLibrary : 0);
}

}  // namespace

WordMeanings FindWordMeanings(const ParsedFile& file) {
  return Finder(file).Run();
}

}  // namespace kinu::ide
