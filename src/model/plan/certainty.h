// How sure a plan is whose providers were not asked (`plan -offline`).
//
// The measure is the plan that real providers give with -refresh=false, from the same
// configuration, variables, files and state, with the same schemas. It may fail; if it does not,
// then:
//
// - kCertain: it has this action for the object. Holds for what the engine decides without a
// provider:
//   * create: the state has no object. A provider may only refuse.
//   * delete and forget: the configuration has no place for the object. A provider has no say.
//   * replace, if the object is tainted or -replace names it. A provider has no say.
//   * every action for objects of the built-in provider, which has planned them itself.
// - kAtLeast: it updates or replaces the object. An argument is added or removed: neither the prior
//   object nor anything equal to it is a valid plan (schema::CheckPlanned), so the provider cannot
//   keep the object; whether the change needs a new object is its decision. Providers of the legacy
//   SDK are not bound by that, and no schema says which they are: such a provider may keep an
//   object whose empty text became null.
// - kOpen: a provider decides. No-op is never more than that: a provider may plan new values of
//   computed attributes of an unchanged block. Nor is an update whose arguments have other values:
//   a provider may call old and new value equal, and keep the old one.
//
// Values that depend on objects of other providers, on data sources, on ephemeral objects or on
// functions of providers may be others in the real plan, even where this one knows them. Actions
// that follow from such values are open: those of blocks whose arguments (or, for create and
// delete, whose count, for_each or enabled, or those of a module around them) can depend on them,
// by the edges of the graph.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinu::plan {

enum class Certainty : uint8_t { kCertain, kAtLeast, kOpen };
/// The name in documents: "certain", "at_least", "open".
std::string_view CertaintyName(Certainty certainty);

/// What the private data of a planned change is, if its provider was not asked and no provider may
/// keep the prior object.
inline constexpr std::string_view kMustChange = "must change";

}  // namespace kinu::plan
