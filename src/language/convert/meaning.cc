#include "convert/meaning.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/flat_map.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "lang/eval.h"
#include "lang/user_function.h"
#include "text/quote.h"

namespace kinu::convert {

using hcl::Expr;
using hcl::ExprKind;

namespace {

template <typename T>
const T& As(const Expr& expr) {
  return static_cast<const T&>(expr);
}

/// The expression without parentheses around it, and without a template that consists of it alone.
const Expr& Unwrap(const Expr& expr) {
  const Expr* at = &expr;
  while (at->kind == ExprKind::kTemplateWrap || at->kind == ExprKind::kParentheses) {
    at = As<hcl::WrapExpr>(*at).wrapped;
  }
  return *at;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void WriteExpression(const Expr& given) {
    const Expr& expr = Unwrap(given);
    switch (expr.kind) {
      case ExprKind::kLiteral:
        WriteConstant(*As<hcl::LiteralExpr>(expr).value);
        return;
      case ExprKind::kTraversal:
        out_ += As<hcl::TraversalExpr>(expr).root;
        WriteSteps(As<hcl::TraversalExpr>(expr).steps);
        return;
      case ExprKind::kRelative:
        WriteList("relative", {As<hcl::RelativeExpr>(expr).source});
        WriteSteps(As<hcl::RelativeExpr>(expr).steps);
        return;
      case ExprKind::kCall: {
        const auto& call = As<hcl::CallExpr>(expr);
        WriteList(call.name, call.arguments);
        out_ += call.expand_final ? "..." : "";
        return;
      }
      case ExprKind::kTuple:
        WriteList("tuple", As<hcl::TupleExpr>(expr).elements);
        return;
      case ExprKind::kObject:
      case ExprKind::kJsonObject:
        WriteObject(
            As<hcl::ObjectExpr>(expr), [this](const Expr& key) { WriteKey(key); },
            [this](const Expr& value) { WriteExpression(value); });
        return;
      case ExprKind::kFor:
        WriteFor(As<hcl::ForExpr>(expr));
        return;
      case ExprKind::kText:
        Quote(As<hcl::TextExpr>(expr).text());
        return;
      case ExprKind::kQuoted:
        Quote(As<hcl::QuotedExpr>(expr).part.text());
        return;
      case ExprKind::kTemplate:
        WriteTemplate(As<hcl::TemplateExpr>(expr));
        return;
      case ExprKind::kBinary:
        WriteOperator(static_cast<int>(As<hcl::BinaryExpr>(expr).op), 'b', expr);
        return;
      case ExprKind::kUnary:
        WriteOperator(static_cast<int>(As<hcl::UnaryExpr>(expr).op), 'u', expr);
        return;
      case ExprKind::kInvalid:
        out_ += "invalid";
        return;
      case ExprKind::kMissing:
        out_ += "missing";
        return;
      default:
        // Kinds that are fully described by the order of their children.
        WriteOperator(static_cast<int>(expr.kind), 'k', expr);
        return;
    }
  }

  void WriteLiteral(const Expr& expr) {
    if (expr.kind == ExprKind::kTuple) {
      out_ += "tuple(";
      for (const Expr* element : As<hcl::TupleExpr>(expr).elements) {
        WriteLiteral(*element);
        out_ += ',';
      }
      out_ += ')';
    } else if (expr.kind == ExprKind::kObject || expr.kind == ExprKind::kJsonObject) {
      const auto literal_key = [this](const Expr& key) {
        if (hcl::AsLiteralString(key)) {
          WriteLiteral(key);
        } else {
          WriteKey(key);
        }
      };
      WriteObject(As<hcl::ObjectExpr>(expr), literal_key,
                  [this](const Expr& value) { WriteLiteral(value); });
    } else if (const std::optional<std::string_view> text = hcl::AsLiteralString(expr)) {
      WriteConstant(Value::String(*text));
    } else if (const std::optional<Value> value = ConstantOf(expr)) {
      WriteConstant(*value);
    } else {
      WriteExpression(expr);
    }
  }

  /// Writes an expression, or the expression in a string (JSON, and old native files).
  void WriteStatic(const Expr& expr) {
    const std::optional<std::string_view> text = hcl::AsLiteralString(expr);
    if (!text) {
      WriteExpression(expr);
      return;
    }
    hcl::SyntaxTree tree;
    Diagnostics problems;
    const Expr* parsed = hcl::ParseExpression(
        tree.KeepSource(SourceFile::Make("", std::string(*text))), tree, problems);
    if (problems.has_errors()) {
      Quote(*text);
    } else {
      WriteExpression(*parsed);
    }
  }

  void WriteReferences(const Expr& expr) {
    if (expr.kind == ExprKind::kTuple) {
      out_ += "tuple(";
      for (const Expr* element : As<hcl::TupleExpr>(expr).elements) {
        WriteStatic(*element);
        out_ += ',';
      }
      out_ += ')';
    } else if (expr.kind == ExprKind::kObject || expr.kind == ExprKind::kJsonObject) {
      out_ += '{';
      for (const hcl::ObjectItem& item : As<hcl::ObjectExpr>(expr).items) {
        const std::optional<std::string_view> key = hcl::AsLiteralString(*item.key);
        out_ += key ? *key : item.key->range().text();
        out_ += '=';
        WriteStatic(*item.value);
        out_ += ',';
      }
      out_ += '}';
    } else {
      WriteStatic(expr);
    }
  }

  void WriteRequirement(const Expr& expr) {
    if (expr.kind != ExprKind::kObject && expr.kind != ExprKind::kJsonObject) {
      WriteLiteral(expr);
      return;
    }
    out_ += '{';
    for (const hcl::ObjectItem& item : As<hcl::ObjectExpr>(expr).items) {
      const size_t begin = out_.size();
      WriteKey(*item.key);
      const bool aliases = std::string_view(out_).substr(begin) == "\"configuration_aliases\"";
      out_ += '=';
      if (aliases) {
        WriteReferences(*item.value);
      } else {
        WriteLiteral(*item.value);
      }
      out_ += ',';
    }
    out_ += '}';
  }

 private:
  void Quote(std::string_view text) { text::AppendGoQuoted(out_, text); }

  void WriteConstant(const Value& value) {
    const Type type = value.type();
    if (!value.IsKnown()) {
      out_ += "unknown";
    } else if (value.IsNull()) {
      out_ += "null";
    } else if (type == Type::String()) {
      Quote(value.AsString());
    } else if (type == Type::Bool()) {
      out_ += value.AsBool() ? "true" : "false";
    } else if (type == Type::Number()) {
      out_ += value.AsNumber().ToText();
    } else if (type.is_object() || type.is_map()) {
      out_ += '{';
      for (size_t i = 0; i < value.size(); ++i) {
        Quote(value.key(i));
        out_ += '=';
        WriteConstant(value.elements()[i]);
        out_ += ',';
      }
      out_ += '}';
    } else {
      out_ += "tuple(";
      for (const Value& element : value.elements()) {
        WriteConstant(element);
        out_ += ',';
      }
      out_ += ')';
    }
  }

  void WriteSteps(std::span<const hcl::TraversalStep> steps) {
    for (const hcl::TraversalStep& step : steps) {
      if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
        out_ += '.';
        out_ += step.name();
      } else if (step.kind == hcl::TraversalStep::Kind::kIndex) {
        out_ += '[';
        WriteConstant(*step.key());
        out_ += ']';
      } else {
        out_ += "[*]";
      }
    }
  }

  void WriteList(std::string_view name, std::span<const Expr* const> items) {
    out_ += name;
    out_ += '(';
    for (const Expr* item : items) {
      WriteExpression(*item);
      out_ += ',';
    }
    out_ += ')';
  }
  void WriteList(std::string_view name, std::initializer_list<const Expr*> items) {
    WriteList(name, std::span<const Expr* const>(items.begin(), items.size()));
  }

  void WriteOperator(int number, char family, const Expr& expr) {
    if (family == 'u' && WriteNegativeNumber(As<hcl::UnaryExpr>(expr))) {
      return;
    }
    out_ += family;
    out_ += std::to_string(number);
    out_ += '(';
    hcl::ForEachChild(expr, [this](const Expr& child) {
      WriteExpression(child);
      out_ += ',';
    });
    out_ += ')';
  }

  /// Writes `-1` like the JSON number -1. False if the operand is not a number.
  bool WriteNegativeNumber(const hcl::UnaryExpr& expr) {
    const Expr& operand = Unwrap(*expr.operand);
    if (expr.op != hcl::UnaryOperator::kNegate || operand.kind != ExprKind::kLiteral) {
      return false;
    }
    const Value& value = *As<hcl::LiteralExpr>(operand).value;
    if (value.IsNull() || !value.IsKnown() || value.type() != Type::Number()) {
      return false;
    }
    out_ += Number::Negate(value.AsNumber()).ToText();
    return true;
  }

  void WriteFor(const hcl::ForExpr& loop) {
    out_ += "for(";
    out_ += loop.key_name;
    out_ += ' ';
    out_ += loop.value_name;
    out_ += loop.grouping ? "... " : " ";
    out_ += loop.key_result != nullptr ? "k" : "";
    out_ += loop.condition != nullptr ? "c" : "";
    out_ += ':';
    hcl::ForEachChild(loop, [this](const Expr& child) {
      WriteExpression(child);
      out_ += ',';
    });
    out_ += ')';
  }

  void WriteTemplate(const hcl::TemplateExpr& expr) {
    // Merges adjacent texts; a template of text alone equals a string.
    std::string text;
    bool is_text = true;
    const size_t begin = out_.size();
    out_ += "template(";
    for (const Expr* part : expr.parts) {
      if (const auto more = hcl::TextOfPart(*part)) {
        text += *more;
        continue;
      }
      is_text = false;
      if (!text.empty()) {
        Quote(text);
        out_ += ',';
        text.clear();
      }
      WriteExpression(*part);
      out_ += ',';
    }
    if (is_text) {
      out_.resize(begin);
      Quote(text);
      return;
    }
    if (!text.empty()) {
      Quote(text);
    }
    out_ += ')';
  }

  void WriteKey(const Expr& given) {
    const Expr& key = Unwrap(given);
    if (const std::string_view name = hcl::KeyWord(key); !name.empty()) {
      Quote(name);
      return;
    }
    if (key.kind == ExprKind::kObjectKey) {
      WriteKey(*As<hcl::ObjectKeyExpr>(key).wrapped);
      return;
    }
    if (key.kind == ExprKind::kLiteral) {
      const Value& value = *As<hcl::LiteralExpr>(key).value;
      if (value.IsKnown() && !value.IsNull() && value.type() == Type::Number()) {
        Quote(value.AsNumber().ToText());  // evaluation converts keys to strings
        return;
      }
    }
    WriteExpression(key);
  }

  template <typename VisitKey, typename VisitValue>
  void WriteObject(const hcl::ObjectExpr& object, VisitKey&& visit_key, VisitValue&& visit_value) {
    out_ += '{';
    for (const hcl::ObjectItem& item : object.items) {
      visit_key(*item.key);
      out_ += '=';
      visit_value(*item.value);
      out_ += ',';
    }
    out_ += '}';
  }

  std::string& out_;
};

}  // namespace

std::optional<Value> ConstantOf(const Expr& expr) {
  static const lang::ToolScope kNoNames;
  Diagnostics problems;
  Value value = lang::Evaluate(expr, kNoNames, problems);
  return problems.has_errors() ? std::nullopt : std::optional<Value>(std::move(value));
}

std::string JsonNumber(std::string_view text) {
  const bool padded = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  const std::optional<Number> number = padded ? Number::Parse(text) : std::nullopt;
  return number ? number->ToText() : std::string(text);
}

std::string MeaningOf(const Expr& expr, Reading reading) {
  std::string out;
  Writer writer(out);
  switch (reading) {
    case Reading::kExpression:
      writer.WriteExpression(expr);
      break;
    case Reading::kLiteral:
      writer.WriteLiteral(expr);
      break;
    case Reading::kStatic:
      writer.WriteStatic(expr);
      break;
    case Reading::kReferences:
      writer.WriteReferences(expr);
      break;
    case Reading::kRequirement:
      writer.WriteRequirement(expr);
      break;
  }
  return out;
}

bool SameMeaning(const hcl::NativeBody& native, const hcl::Body& json, const BodyShape& shape,
                 SourceRange& where) {
  static constexpr std::string_view kLabelNames[] = {"label", "label", "label", "label",
                                                     "label", "label", "label", "label"};
  // The schema: everything in the native body, and the blocks of the shape, which JSON may contain
  // as empty arrays.
  std::vector<hcl::AttributeSchema> attributes;
  std::vector<hcl::BlockSchema> blocks;
  FlatMap<std::string_view, std::vector<const hcl::NativeBlock*>> by_type;
  for (const hcl::NativeAttribute& attribute : native.attributes) {
    attributes.push_back({attribute.name});
  }
  for (const BlockShape& block : shape.blocks) {
    blocks.push_back({block.type, std::span(kLabelNames).first(block.labels)});
  }
  for (const hcl::NativeBlock& block : native.blocks) {
    auto& same = by_type[block.type];
    if (same.empty() && block.labels.size() <= std::size(kLabelNames)) {
      blocks.push_back({block.type, std::span(kLabelNames).first(block.labels.size())});
    }
    same.push_back(&block);
  }
  where = native.MissingItemRange();
  Diagnostics problems;
  const hcl::BodyContent content =
      json.Content({.attributes = attributes, .blocks = blocks}, hcl::Strictness::kExact, problems);
  if (problems.has_errors() || content.attributes.size() != native.attributes.size() ||
      content.blocks.size() != native.blocks.size()) {
    return false;
  }
  FlatMap<std::string_view, const Expr*> in_json;
  for (const hcl::Attribute& attribute : content.attributes) {
    in_json[attribute.name] = attribute.expr;
  }
  for (const hcl::NativeAttribute& attribute : native.attributes) {
    const Reading reading = shape.ReadingOf(attribute.name);
    if (MeaningOf(*attribute.expr, reading) != MeaningOf(*in_json[attribute.name], reading)) {
      where = {native.file, attribute.begin, attribute.end};
      return false;
    }
  }
  FlatMap<std::string_view, size_t> next;
  for (const hcl::Block& block : content.blocks) {
    const auto& same = by_type[block.type];
    const size_t index = next[block.type]++;
    if (index >= same.size()) {
      return false;
    }
    const hcl::NativeBlock& original = *same[index];
    const BlockShape* known = shape.FindBlock(block.type);
    where = {native.file, original.type_begin, original.type_end()};
    if (!std::ranges::equal(original.labels, block.labels) ||
        !SameMeaning(*original.body, *block.body, known != nullptr ? *known->body : ForeignShape(),
                     where)) {
      return false;
    }
  }
  return true;
}

}  // namespace kinu::convert
