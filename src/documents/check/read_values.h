// ReadValues: the values that conditions have read from the objects of a document. Many conditions
// read the same few attributes, so that most of what they read is converted already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "cty/value.h"
#include "hcl/ast.h"

namespace kinu::check {

class ReadValues {
 public:
  /// What equal traversals have read, by object.
  class Column {
   public:
    explicit Column(size_t objects) : objects_(objects) {}
    /// The value that was kept for an object; null if there is none.
    const Value* Find(size_t object) const {
      return object < kept_.size() && kept_[object] ? &values_[object] : nullptr;
    }
    void Keep(size_t object, const Value& value);

   private:
    size_t objects_;
    std::vector<Value> values_;
    std::vector<bool> kept_;
  };

  explicit ReadValues(size_t objects) : objects_(objects) {}
  ReadValues(const ReadValues&) = delete;
  ReadValues& operator=(const ReadValues&) = delete;

  /// The column of a traversal that has the root and steps of an earlier one; null for the first,
  /// and when too many values are kept. Traversals must stay where they are.
  Column* ColumnOf(const hcl::TraversalExpr& traversal);

 private:
  size_t objects_;
  FlatMap<std::string, Column*> by_text_;  ///< null: one traversal has had the text
  FlatMap<uintptr_t, Column*> by_traversal_;
  std::deque<Column> columns_;
};

}  // namespace kinu::check
