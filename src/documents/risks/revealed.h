// Values that a change makes visible. Private to the library.
#pragma once

#include <string>
#include <vector>

#include "check/objects.h"

namespace kinu::risks {

/// The attributes that were sensitive, have a value or will have one, and are no longer sensitive.
/// Names of members that were sensitive are not among the text: `tags`, `rule[0].token`.
std::vector<std::string> Revealed(const check::MaskedNode& before, const check::MaskedNode& after);

/// The attributes whose value the state will have because the change no longer uses the write-only
/// attribute of that name: `password` where `password_wo_version` goes away.
std::vector<std::string> NoLongerWriteOnly(const check::MaskedNode& before,
                                           const check::MaskedNode& after);

/// The outputs that are sensitive in the changes of a document and not in its configuration.
/// Changes have one mask for before and after: it is set where either is sensitive.
std::vector<std::string> RevealedOutputs(const json::Node& plan);

}  // namespace kinu::risks
