// The proposed new state that a provider receives, and the checks of the planned and of the applied
// object that it returns. Ref: opentofu internal/plans/objchange.
#pragma once

#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The object that configuration and prior state propose: the configured value of each attribute,
/// and the prior value of a computed attribute that is not configured. Values must be unmarked.
/// Ref: objchange.ProposedNew.
Value ProposeNew(const Block& schema, const Value& prior, const Value& config);
/// As ProposeNew() for an object without a prior state: computed attributes that are not configured
/// are unknown. Ref: objchange.PlannedUnknownObject.
Value ProposeUnknown(const Block& schema, const Value& config);

/// Checks that the configuration allows a planned object. Returns one error for each attribute or
/// block that it does not allow. Ref: objchange.AssertPlanValid.
std::vector<ValueError> CheckPlanned(const Block& schema, const Value& prior, const Value& config,
                                     const Value& planned);
/// Checks that an object after apply agrees with its plan: known values are unchanged, and unknown
/// ones have become values of their type. Ref: objchange.AssertObjectCompatible.
std::vector<ValueError> CheckCompatible(const Block& schema, const Value& planned,
                                        const Value& actual);

/// Replaces null and unknown collections of blocks, which providers of the legacy SDK return and
/// which a schema does not allow. Ref: objchange.NormalizeObjectFromLegacySDK.
Value NormalizeLegacyObject(const Value& value, const Block& schema);

}  // namespace kinu::schema
