// Patterns over the addresses in a state, such as `module.*.aws_instance.web[*]`:
//
//   *        in a name or in a string key: any characters, also none
//   [*]      any key, but not no key
//   **       at the place of modules: any number of modules with any keys, also none
//
// A pattern that ends with a resource without a key selects whole resources, one that ends with a
// module selects modules. Steps without a key match only what has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/state_edit.h"

namespace kinu::session {

/// A text with wildcards: what stands between them, so one more than wildcards.
struct Glob {
  std::vector<std::string> pieces;
  size_t wildcards() const { return pieces.size() - 1; }
};

/// One name of a pattern with its key.
struct PatternStep {
  enum class Key : uint8_t { kNone, kIndex, kString, kAny };
  bool any_modules = false;  ///< `**`; then nothing else is set
  Glob name;
  Key key = Key::kNone;
  int64_t index = 0;
  Glob text;  ///< of a string key
};

/// What a wildcard stands for in one address.
struct Capture {
  std::string text;  ///< the characters, the key without quotes, or modules as in addresses
  InstanceKey key;   ///< of `[*]`
  bool modules = false;
};

struct AddressPattern {
  std::vector<PatternStep> modules;
  bool is_module = false;  ///< there is no resource
  ResourceMode mode = ResourceMode::kManaged;
  Glob type;
  PatternStep resource;

  static Result<AddressPattern> Parse(std::string_view text);
  size_t wildcards() const;
};

/// A module, a resource or an instance in a state that a pattern selects.
struct PatternMatch {
  std::string text;  ///< its address
  StateAddress address;
  std::vector<Capture> captures;  ///< by wildcard
};

/// What a pattern selects, in the order of addresses. With `any_last_key`, a module without a key
/// at the end of the pattern stands for all its instances.
std::vector<PatternMatch> FindMatches(const state::State& state, const AddressPattern& pattern,
                                      bool any_last_key);

/// The address that a pattern becomes when captures take the places of its wildcards, one after the
/// other. Fails where a wildcard for modules meets another one. The number of both must be equal.
Result<std::string> Substitute(const Program& program, const AddressPattern& pattern,
                               const std::vector<Capture>& captures);

}  // namespace kinu::session
