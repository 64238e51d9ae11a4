// Plans and states from their documents, so that people can read what another program planned,
// without its providers. A document has no schemas: they are inferred from all values of a type
// (shape.h). Strings that are sensitive somewhere in the document are sensitive everywhere.
//
// The result is for views only: it lacks what documents do not have, and cannot be applied.
#pragma once

#include <memory>

#include "base/result.h"
#include "json/tree.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"
#include "state/state.h"

namespace kinu::view {

struct RecordedPlan {
  std::unique_ptr<SchemaLookup> schemas;
  plan::Plan plan;
};

struct RecordedState {
  std::unique_ptr<SchemaLookup> schemas;
  state::State state;
};

/// Whether a document is that of a plan.
bool IsPlanDocument(const json::Node& document);
/// Whether it is that of a state. The one of an empty state has only versions.
bool IsStateDocument(const json::Node& document);

/// Reads the document of a plan, in any supported format. The error says which part cannot be read.
Result<RecordedPlan> ReadPlanDocument(const json::Node& document);
/// Reads the document of a state, in any supported format. The error names the part that cannot be
/// read.
Result<RecordedState> ReadStateDocument(const json::Node& document);
/// Reads a plan as services give it to be shown: changes without sensitive values, and the schemas
/// of their types. Ref: opentofu internal/command/jsonformat/plan.go.
Result<RecordedPlan> ReadServicePlan(const json::Node& document);

}  // namespace kinu::view
