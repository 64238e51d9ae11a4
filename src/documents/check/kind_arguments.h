// The arguments and selectors that kinds of assertions about plans and about states share.
#pragma once

#include "check/assertion.h"

namespace kinu::check {

inline constexpr ArgumentSpec kAddressPath[] = {{"address"}, {"path", ArgumentType::kPath}};
inline constexpr ArgumentSpec kAddressPathValue[] = {
    {"address"}, {"path", ArgumentType::kPath}, {"value", ArgumentType::kKnown}};
inline constexpr ArgumentSpec kNameValue[] = {{"name"}, {"value", ArgumentType::kKnown}};
inline constexpr ArgumentSpec kNamePathValue[] = {
    {"name"}, {"path", ArgumentType::kPath}, {"value", ArgumentType::kKnown}};

// A selector of resources or outputs; with a path it may select values as well.
inline constexpr SelectorSpec kByAddress[] = {{"selector", "address"}};
inline constexpr SelectorSpec kByAddressPath[] = {{"selector", "address", "path", true}};
inline constexpr SelectorSpec kByName[] = {{"selector", "name"}};
inline constexpr SelectorSpec kByNamePath[] = {{"selector", "name", "path", true}};

}  // namespace kinu::check
