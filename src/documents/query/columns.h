// Columns: what a projection shows of each result of a query. A column is a path into the result,
// such as `change.actions` or `values.tags[0]`, or a function of it, such as `action()`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/functions.h"
#include "query/selector.h"
#include "query/stream.h"

namespace kinu::query {

struct Column {
  std::string name;                        ///< as it was given
  std::shared_ptr<const Query> path{};     ///< null if it is a function
  const FunctionSpec* function = nullptr;  ///< null: a path
};

/// Reads a list of columns that commas separate. A path may begin with `$.` or `@.`, or be `@` for
/// the whole result. Errors name the column.
Result<std::vector<Column>> ParseColumns(std::string_view list);

/// What a column shows of a result.
struct ColumnValue {
  json::Node node{};  ///< none: the result has no such value, or `text` is the value
  tfjson::MaskCursor masks{tfjson::MaskCursor::Sort::kSensitive};  ///< of `node`
  std::string json{};  ///< the result of a function as JSON; empty if there is none
};

/// Applies a column to a result, of which `masks` follows the sensitive parts.
ColumnValue ValueOf(const Column& column, const Found& found, const tfjson::MaskCursor& masks);

}  // namespace kinu::query
