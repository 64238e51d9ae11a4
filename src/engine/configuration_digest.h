// Digests of what an object is configured with, for -refresh=changed. An object whose digest is the
// one in the state, and that needs no change as it is there, is not read again.
//
// A digest is no secret, so it has no values of the block: planning compares those anyway. It has
// the references of the block, and the source, version and configuration of its provider, without
// sensitive and ephemeral values. See docs/decisions/0066-refresh-changed.md.
#pragma once

#include <cstdint>

#include "engine/rows/rows.h"

namespace kinu::engine {

/// The digest of a provider's evaluated configuration, which may have marks; 0: it is not wholly
/// known, or the command keeps no digests.
uint64_t DigestOfProvider(const Walk& walk, const ProviderInfo& info, const Value& config);

/// The digest of all that configures a managed row, whose provider is configured; 0 as above, and
/// for objects that no block configures.
uint64_t DigestOfConfiguration(const RowContext& row);

}  // namespace kinu::engine
