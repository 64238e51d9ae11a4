// Objects of a schema: what functions return is completed, what a configuration asks for is
// planned.
#pragma once

#include <vector>

#include <kinu/provider.h>

#include "cty/value.h"
#include "sdk/level.h"

namespace kinu::sdk {

/// An object of the level's type from what a function of the provider returned: attributes that it
/// leaves out are null, write-only ones too, missing blocks are empty. Null and unknown objects
/// stay so. Reports values that do not fit and names that the schema does not have.
Value Complete(const Value& returned, const Level& level, v1::ProviderProblems& problems);

/// The object that results if `config` is applied to `prior` (null: the object is created).
/// `proposed` is the client's merge of both. Defaults are filled in; if something changes, computed
/// attributes that the configuration leaves open are unknown. Write-only attributes are null.
Value PlanObject(const Level& level, const Value& prior, const Value& proposed,
                 const Value& config);

/// Appends the places whose change replaces the object: those that the schema says, and with `all`
/// each that the configuration can set.
void FindReplaced(const Level& level, const Value& prior, const Value& planned, bool all,
                  std::vector<v1::AttributePath>& places);

}  // namespace kinu::sdk
