// Addresses of modules, resources, instances and provider configurations. Their names are interned
// in a Program: a module path is a 32-bit id, a resource address a few ids that compare as
// integers. Text is made on demand.
//
// Ids have no order. KeyLess(), Compare() and Less() of Program are the reference's orders.
// Ref: opentofu internal/addrs.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/symbol.h"

namespace kinu {

/// Instance key of a resource or module: none, an index (count) or a string (for_each).
class InstanceKey {
 public:
  enum class Kind : uint8_t { kNone, kInt, kString };
  InstanceKey() = default;
  static InstanceKey Int(int64_t index) {
    return InstanceKey(Kind::kInt, static_cast<uint64_t>(index));
  }
  static InstanceKey String(Symbol key) { return InstanceKey(Kind::kString, key.id); }

  Kind kind() const { return kind_; }
  bool none() const { return kind_ == Kind::kNone; }
  int64_t index() const { return static_cast<int64_t>(payload_); }
  Symbol symbol() const { return Symbol{static_cast<uint32_t>(payload_)}; }
  uint64_t Hash() const { return HashCombine(static_cast<uint64_t>(kind_), payload_); }
  friend bool operator==(const InstanceKey&, const InstanceKey&) = default;

 private:
  InstanceKey(Kind kind, uint64_t payload) : kind_(kind), payload_(payload) {}
  Kind kind_ = Kind::kNone;
  uint64_t payload_ = 0;
};

/// A module of the configuration: a path of call names. 0 is the root module.
struct ModuleId {
  uint32_t id = 0;
  bool is_root() const { return id == 0; }
  uint64_t Hash() const { return HashCombine(1, id); }
  friend bool operator==(ModuleId, ModuleId) = default;
};
/// An instance of a module: a path of call names with instance keys. 0 is the root module.
struct ModuleInstId {
  uint32_t id = 0;
  bool is_root() const { return id == 0; }
  uint64_t Hash() const { return HashCombine(2, id); }
  friend bool operator==(ModuleInstId, ModuleInstId) = default;
};

enum class ResourceMode : uint8_t { kManaged, kData, kEphemeral };

/// The address of a resource within its module: `aws_instance.web`, `data.x.y`.
struct ResourceName {
  ResourceMode mode = ResourceMode::kManaged;
  Symbol type;
  Symbol name;
  uint64_t Hash() const {
    return HashCombine(static_cast<uint64_t>(mode) << 32 | type.id, name.id);
  }
  friend bool operator==(const ResourceName&, const ResourceName&) = default;
};
/// A resource block of the configuration: its module and its address there.
struct ConfigResource {
  ModuleId module;
  ResourceName resource;
  uint64_t Hash() const { return HashCombine(module.id, resource.Hash()); }
  friend bool operator==(const ConfigResource&, const ConfigResource&) = default;
};
/// A resource of a module instance, without instance key.
struct AbsResource {
  ModuleInstId module;
  ResourceName resource;
  uint64_t Hash() const { return HashCombine(module.id, resource.Hash()); }
  friend bool operator==(const AbsResource&, const AbsResource&) = default;
};
/// One instance of a resource: `module.m["k"].aws_instance.web[0]`.
struct ResourceInstance {
  AbsResource resource;
  InstanceKey key;
  uint64_t Hash() const { return HashCombine(resource.Hash(), key.Hash()); }
  friend bool operator==(const ResourceInstance&, const ResourceInstance&) = default;
};

/// A provider configuration: module, full source address ("registry.opentofu.org/hashicorp/aws")
/// and alias.
struct ProviderConfig {
  ModuleId module;
  Symbol provider;
  Symbol alias;
  uint64_t Hash() const { return HashCombine(module.id, uint64_t{provider.id} << 32 | alias.id); }
  friend bool operator==(const ProviderConfig&, const ProviderConfig&) = default;
};

/// Owns the interned names and module paths of one run. Thread-safe. Ids are valid in the Program
/// that returned them.
class Program {
 public:
  Program();
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Symbol Intern(std::string_view text) { return symbols_.Intern(text); }
  Symbol Find(std::string_view text) const { return symbols_.Find(text); }
  std::string_view Text(Symbol symbol) const { return symbols_.Text(symbol); }

  /// The module that the module call `call` in `parent` refers to.
  ModuleId Module(ModuleId parent, Symbol call);
  ModuleId Parent(ModuleId module) const;
  Symbol CallName(ModuleId module) const;
  /// The instance with `key` of the module call `call` in `parent`.
  ModuleInstId ModuleInstance(ModuleInstId parent, Symbol call, InstanceKey key);
  ModuleInstId Parent(ModuleInstId instance) const;
  Symbol CallName(ModuleInstId instance) const;
  InstanceKey Key(ModuleInstId instance) const;
  /// The module of the configuration, without instance keys.
  ModuleId ModuleOf(ModuleInstId instance) const;
  /// Whether any step of the path has an instance key.
  bool HasKeys(ModuleInstId instance) const;

  // Text forms, equal to the reference's.
  std::string ToText(ModuleId module) const;           ///< "module.a.module.b", "" for the root
  std::string ToText(ModuleInstId instance) const;     ///< "module.a[0]", "" for the root
  std::string ToText(const ResourceName& name) const;  ///< "data.t.n"
  std::string ToText(const ConfigResource& r) const;
  std::string ToText(const AbsResource& r) const;
  std::string ToText(const ResourceInstance& r) const;
  std::string ToText(const InstanceKey& key) const;   ///< `[0]`, `["k"]`, ""
  std::string ToText(const ProviderConfig& p) const;  ///< `module.a.provider["host/ns/t"].alias`
  void Append(std::string& out, ModuleInstId instance) const;
  void Append(std::string& out, const ResourceInstance& r) const;
  void Append(std::string& out, const AbsResource& r) const;
  void Append(std::string& out, const InstanceKey& key) const;

  // Parsers for addresses in state and plan files. False if the text is malformed; then `out` is
  // unspecified.
  bool ParseModuleInstance(std::string_view text, ModuleInstId* out);
  bool ParseResourceInstance(std::string_view text, ResourceInstance* out);
  bool ParseConfigResource(std::string_view text, ConfigResource* out);
  /// Parses `module.m.provider["host/ns/type"].alias["key"]` and the legacy `provider.aws`.
  bool ParseProviderConfig(std::string_view text, ProviderConfig* out, InstanceKey* key);

  // The reference's orders.
  /// No key first, then indexes by value, then strings by bytes.
  bool KeyLess(const InstanceKey& a, const InstanceKey& b) const;
  /// Shorter paths first, then step by step from the root: by call name, then by key.
  /// Ref: addrs ModuleInstance.Less.
  std::strong_ordering Compare(ModuleInstId a, ModuleInstId b) const;
  /// By module, data before other modes, type, name, key. Ref: addrs AbsResourceInstance.Less.
  bool Less(const ResourceInstance& a, const ResourceInstance& b) const;
  bool Less(const AbsResource& a, const AbsResource& b) const;

 private:
  struct Paths;
  SymbolTable symbols_;
  std::unique_ptr<Paths> paths_;
};

/// A string instance key in its form in addresses: quoted like an HCL string, with `${` and `%{`
/// escaped as `$${` and `%%{`, so that the address can be parsed. Ref: addrs StringKey.String.
std::string QuoteKey(std::string_view text);

/// The first word of a resource address: "" (managed), "data", "ephemeral".
std::string_view ModePrefix(ResourceMode mode);
/// The mode's name in JSON documents: "managed", "data", "ephemeral".
std::string_view ModeName(ResourceMode mode);

}  // namespace kinu
