// Attributes with which providers protect objects from deletion. Private to the library.
#pragma once

#include <string>

#include "check/objects.h"

namespace kinu::risks {

/// Whether the object has attributes that only types with data have, such as a protection from
/// deletion: so says its schema, whatever their values are. `attribute` receives its name.
bool HasSignOfData(const check::MaskedNode& object, std::string& attribute);

/// What attributes of an object mean for its deletion, as sentences; may be empty.
std::string DeletionTerms(const check::MaskedNode& before);

/// The attributes of which a change, or a new object, turns protection off; joined by ", ".
std::string TurnedOff(const check::MaskedNode& before, const check::MaskedNode& after);
std::string OffInNew(const check::MaskedNode& after);

}  // namespace kinu::risks
