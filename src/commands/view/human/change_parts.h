// What a change consists of: its sides, its members and elements, and the action that follows from
// them. Private to the computation of diffs.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "view/human/diff.h"

namespace kinu::view {

/// Whether the value after is unknown as a whole.
bool IsUnknown(const Change& change);

// The change with one side replaced.
Change AsDelete(Change change);
Change AsCreate(Change change);

bool NothingBefore(const Change& change);
bool NothingAfter(const Change& change);
bool NothingAtAll(const Change& change);

/// The value if it is shown as an object, else null.
const Value* ObjectOf(const Value* value);
/// The elements of a value that is shown as an array, else none.
std::span<const Value> ElementsOf(const Value* value);
bool IsArray(const Value* value);

/// The change of a member; without a difference where nothing of it is relevant.
Change MemberOf(const Change& parent, std::string_view name);
/// The change of an attribute, with its own sensitivity in an object that exists.
Change MemberOf(const Change& parent, const schema::Attribute& attribute);
/// The change of an element; an index beyond a side's elements: absent there.
Change ElementOf(const Change& parent, size_t before_index, size_t after_index);
/// The change of the elements at an index; without a difference where nothing of it is relevant.
Change RelevantElementOf(const Change& parent, size_t index);
/// Keys on either side, sorted. Members that are not known yet count only with `unknown_too`.
std::vector<std::string_view> KeysOf(const Change& change, bool unknown_too);

plan::Action Combine(plan::Action current, plan::Action next);
/// The action between a side that exists or not and another.
plan::Action ActionOf(bool before, bool after);
/// The action of a composite before its parts are compared.
plan::Action StartAction(const Change& change);
/// The action of a value without parts.
plan::Action SimpleAction(const Change& change);

}  // namespace kinu::view
