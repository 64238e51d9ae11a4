#include "query/columns.h"

#include "json/writer.h"
#include "query/evaluate.h"

namespace kinu::query {
namespace {

using json::Node;

/// The text up to the next comma outside brackets, parentheses and quotes; removes it from `list`.
std::string_view NextColumn(std::string_view& list) {
  int depth = 0;
  char quote = 0;
  size_t i = 0;
  for (; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      break;
    }
  }
  const std::string_view column = list.substr(0, i);
  list.remove_prefix(i < list.size() ? i + 1 : i);
  return column;
}

/// The selector of a column, which may leave out where it begins.
std::string FromRoot(std::string_view column) {
  if (column.starts_with('@') || column.starts_with('$')) {
    return "$" + std::string(column.substr(1));
  }
  return (column.starts_with('[') ? "$" : "$.") + std::string(column);
}

Result<Column> ParseColumn(std::string_view text) {
  Column column{.name = std::string(text)};
  if (text.ends_with("()")) {
    column.function = FindFunction(text.substr(0, text.size() - 2));
    if (column.function == nullptr || column.function->parameter_count != 1) {
      return Fail(ErrorCode::kInvalid, "there is no function " + column.name + " for columns");
    }
    return column;
  }
  auto parsed = ParseSelector(FromRoot(text));
  if (!parsed) {
    return Fail(ErrorCode::kInvalid,
                "the column \"" + column.name + "\" is malformed: " + parsed.error().message);
  }
  if (!parsed->IsSingular()) {
    return Fail(ErrorCode::kInvalid, "the column \"" + column.name +
                                         "\" can have several values; a column has only names and "
                                         "indexes");
  }
  column.path = std::make_shared<const Query>(*std::move(parsed));
  return column;
}

/// The result of a function as JSON; empty for nothing.
std::string JsonOf(const CallResult& result, const FunctionSpec& function) {
  if (function.result == ValueKind::kLogical) {
    return result.logical ? "true" : "false";
  }
  const Operand& value = result.value;
  switch (value.tag) {
    case Operand::Tag::kNothing:
    case Operand::Tag::kNode:
      return {};
    case Operand::Tag::kNull:
      return "null";
    case Operand::Tag::kTrue:
      return "true";
    case Operand::Tag::kFalse:
      return "false";
    case Operand::Tag::kNumber:
      return std::string(value.text());
    case Operand::Tag::kString: {
      std::string json;
      JsonWriter::AppendQuoted(json, value.text(), JsonEscape::kPlain);
      return json;
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Column>> ParseColumns(std::string_view list) {
  std::vector<Column> columns;
  do {
    KINU_TRY(Column column, ParseColumn(NextColumn(list)));
    columns.push_back(std::move(column));
  } while (!list.empty());
  return columns;
}

ColumnValue ValueOf(const Column& column, const Found& found, const tfjson::MaskCursor& masks) {
  ColumnValue value{.masks = masks};
  if (column.function != nullptr) {
    Argument argument{.value = {.tag = Operand::Tag::kNode, .node = found.node},
                      .nodes = {found.node},
                      .trail = {found.trail.begin(), found.trail.end()}};
    const CallResult result = column.function->run({&argument, 1});
    if (result.value.tag == Operand::Tag::kNode) {
      value.node = result.value.node;
    } else {
      value.json = JsonOf(result, *column.function);
    }
    return value;
  }
  Evaluator evaluator(found.node);
  evaluator.Run(column.path->segments, found.node,
                [&](Node node, std::span<const tfjson::TrailStep> trail) {
                  value.node = node;
                  for (const tfjson::TrailStep& step : trail) {
                    value.masks = value.masks.Into(step);
                  }
                  return false;
                });
  return value;
}

}  // namespace kinu::query
