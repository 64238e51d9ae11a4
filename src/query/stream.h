// Queries over a document while it is read. What a selector's first segments say to pass by is
// never held: as long as they are single names, `*`, indexes and slices counted from the front, or
// one filter, only the values that reach the end of them are in memory, one at a time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "query/evaluate.h"
#include "query/selector.h"
#include "tfjson/masks.h"
#include "tfjson/path.h"
#include "tfjson/token_stream.h"

namespace kinu::query {

/// A node that was found, valid during the call of the sink.
struct Found {
  tfjson::Node node;
  /// The way to the node: first these steps, …
  std::span<const tfjson::PathStep> passed;
  /// … then these, which lie in memory.
  std::span<const tfjson::TrailStep> trail;
};
/// Returns false to end the query.
using FoundSink = std::function<bool(const Found&)>;

struct RunOptions {
  /// Hold whatever is needed to tell which values are sensitive.
  bool keep_masks = true;
  /// The text is a stream of values, each a document of its own.
  bool many = false;
};

/// How many of a query's segments are passed by without holding anything.
size_t StreamedSegments(const Query& query, const RunOptions& options);

/// Runs a query over the text of a stream, which is checked to its end. False when it is malformed,
/// or has a name twice where a selector names it: the stream's problem says it.
bool RunQuery(tfjson::TokenStream& stream, const Query& query, const RunOptions& options,
              const FoundSink& sink);

}  // namespace kinu::query
