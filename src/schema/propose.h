// What a provider is asked for and what it may answer: the proposed new state, and the checks of a
// planned and of an applied object. Ref: opentofu internal/plans/objchange.
#pragma once

#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The object that configuration and prior state together propose: configured values, and prior
/// ones where a computed attribute is not configured. Values must be unmarked. Ref:
/// objchange.ProposedNew.
Value ProposeNew(const Block& schema, const Value& prior, const Value& config);
/// As ProposeNew for an object of which nothing is known but its configuration: computed attributes
/// are unknown. Ref: objchange.PlannedUnknownObject.
Value ProposeUnknown(const Block& schema, const Value& config);

/// Whether a planned object is one that the configuration allows; one error for each place where it
/// is not. Ref: objchange.AssertPlanValid.
std::vector<ValueError> CheckPlanned(const Block& schema, const Value& prior, const Value& config,
                                     const Value& planned);
/// Whether an object after apply is one that the plan promised. Ref:
/// objchange.AssertObjectCompatible.
std::vector<ValueError> CheckCompatible(const Block& schema, const Value& planned,
                                        const Value& actual);

/// Puts an object of a provider of old into the form that blocks demand: no null and no unknown
/// collections of blocks. Ref: objchange.NormalizeObjectFromLegacySDK.
Value NormalizeLegacyObject(const Value& value, const Block& schema);

}  // namespace kinu::schema
