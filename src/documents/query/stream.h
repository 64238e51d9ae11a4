// Streaming queries: evaluates a query while the document is read. The leading segments that are
// single names, `*`, indexes and slices from the front, or one filter need no memory for the values
// that they skip; only the values that they select are in memory, one at a time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "json/token_stream.h"
#include "query/evaluate.h"
#include "query/selector.h"
#include "tfjson/masks.h"
#include "tfjson/path.h"

namespace kinu::query {

/// A found node, valid during the call of the sink.
struct Found {
  json::Node node;
  /// The path to the node: first these steps, outside the tree in memory, …
  std::span<const tfjson::PathStep> passed;
  /// … then these, inside it.
  std::span<const tfjson::TrailStep> trail;
};
/// Returns false to end the query.
using FoundSink = std::function<bool(const Found&)>;

/// Options of RunQuery().
struct RunOptions {
  /// Hold the masks beside values in memory, so that sensitive values can be recognised.
  bool keep_masks = true;
  /// The text is a sequence of documents.
  bool many = false;
};

/// Number of leading segments that are evaluated without holding values.
size_t StreamedSegments(const Query& query, const RunOptions& options);

/// Runs a query over the text of a stream, and checks the syntax of all of it. False, with the
/// stream's problem set, if it is malformed or has a selected name twice in one object.
bool RunQuery(json::TokenStream& stream, const Query& query, const RunOptions& options,
              const FoundSink& sink);

}  // namespace kinu::query
