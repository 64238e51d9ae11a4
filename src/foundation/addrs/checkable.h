// Addresses of what may have conditions: resources, outputs, variables and check blocks; and the
// status of such conditions. Ref: opentofu internal/addrs/checkable.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "addrs/address.h"

namespace kinu {

enum class CheckableKind : uint8_t { kResource, kOutput, kCheck, kVariable };
/// "resource", "output", "check", "var": as states name kinds and as addresses begin.
std::string_view CheckableKindName(CheckableKind kind);
std::optional<CheckableKind> FindCheckableKind(std::string_view name);

/// A block with conditions. The ResourceName of what is no resource has a name only.
struct ConfigCheckable {
  CheckableKind kind = CheckableKind::kResource;
  ConfigResource block;
  uint64_t Hash() const { return HashCombine(static_cast<uint64_t>(kind), block.Hash()); }
  friend bool operator==(const ConfigCheckable&, const ConfigCheckable&) = default;
};
/// One object of such a block. Only a resource instance has a key.
struct Checkable {
  CheckableKind kind = CheckableKind::kResource;
  ResourceInstance object;
  uint64_t Hash() const { return HashCombine(static_cast<uint64_t>(kind), object.Hash()); }
  friend bool operator==(const Checkable&, const Checkable&) = default;
};

/// "module.m.terraform_data.a", "module.m.output.o"
std::string ToText(const Program& program, const ConfigCheckable& address);
/// "module.m[0].terraform_data.a["k"]", "module.m[0].output.o"
std::string ToText(const Program& program, const Checkable& address);
/// Parsers for addresses in state and plan files. False if the text is malformed; then `out` is
/// unspecified.
bool ParseConfigCheckable(Program& program, CheckableKind kind, std::string_view text,
                          ConfigCheckable* out);
bool ParseCheckable(Program& program, CheckableKind kind, std::string_view text, Checkable* out);

/// The result of conditions.
enum class CheckStatus : uint8_t { kUnknown, kPass, kFail, kError };
/// "unknown", "pass", "fail", "error"
std::string_view CheckStatusName(CheckStatus status);
std::optional<CheckStatus> FindCheckStatus(std::string_view name);

}  // namespace kinu
