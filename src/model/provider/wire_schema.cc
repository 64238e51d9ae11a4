#include "provider/wire_schema.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "codec/protowire.h"
#include "provider/schema_messages.h"

namespace kinu::provider {
namespace {

/// One type of a response: its bytes, and what they decode to, once that is needed.
template <typename T>
struct Entry {
  std::string_view name;
  std::string_view bytes;
  mutable std::unique_ptr<T> decoded;
};

template <typename T>
using Entries = std::vector<Entry<T>>;

template <typename T>
const Entry<T>* FindEntry(const Entries<T>& entries, std::string_view name) {
  auto it =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const Entry<T>& entry, std::string_view n) { return entry.name < n; });
  return it == entries.end() || it->name != name ? nullptr : &*it;
}

class WireSchema final : public schema::ProviderSchema {
 public:
  explicit WireSchema(RawSchema raw) : raw_(std::move(raw)) {}
  const RawSchema& raw() const { return raw_; }

  Result<void> Index() {
    ProtoReader reader(raw_.schema);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 1:
          provider_bytes_ = field.bytes;
          has_provider_ = true;
          break;
        case 2:
          AddEntry(resources_, field.bytes);
          break;
        case 3:
          AddEntry(data_, field.bytes);
          break;
        case 5:
          meta_bytes_ = field.bytes;
          has_meta_ = true;
          break;
        case 6:
          ReadCapabilities(field.bytes);
          break;
        case 7:
          AddEntry(functions_, field.bytes);
          break;
        case 8:
          AddEntry(ephemeral_, field.bytes);
          break;
        default:
          break;
      }
    }
    ProtoReader identities(raw_.identities);
    for (ProtoField field; identities.Next(field);) {
      if (field.number == 1) {
        AddEntry(identities_, field.bytes);
      }
    }
    if (reader.failed() || identities.failed() || malformed_) {
      return Fail(ErrorCode::kInvalid, "malformed schema response");
    }
    SortAll(resources_, data_, ephemeral_, functions_, identities_);
    return {};
  }

  /// Decodes everything once and reports the first problem.
  Result<void> DecodeAll() {
    if (!has_provider_) {
      return Fail(ErrorCode::kInvalid, "missing provider schema");
    }
    auto check = [&](const std::string& what, std::string_view bytes, std::string_view identity) {
      std::string problem;
      const schema::ResourceSchema schema =
          DecodeResourceSchema(raw_.protocol, bytes,
                               identity.empty() ? std::nullopt : std::optional(identity), &problem);
      if (problem.empty() && schema.version < 0) {
        problem = "negative schema version";
      }
      if (problem.empty()) {
        problem = CheckBlock(schema.block, "");
      }
      return problem.empty() ? std::string() : what + ": " + problem;
    };
    std::string problem = check("provider", provider_bytes_, {});
    if (problem.empty() && has_meta_) {
      problem = check("provider_meta", meta_bytes_, {});
    }
    for (const auto& entry : resources_) {
      if (!problem.empty()) {
        break;
      }
      const auto* identity = FindEntry(identities_, entry.name);
      problem = check("resource \"" + std::string(entry.name) + '"', entry.bytes,
                      identity == nullptr ? std::string_view() : identity->bytes);
    }
    for (const auto* entries : {&data_, &ephemeral_}) {
      for (const auto& entry : *entries) {
        if (problem.empty()) {
          problem = check("data \"" + std::string(entry.name) + '"', entry.bytes, {});
        }
      }
    }
    for (const auto& entry : functions_) {
      std::string wrong;
      DecodeFunction(entry.name, entry.bytes, &wrong);
      if (problem.empty() && !wrong.empty()) {
        problem = "function \"" + std::string(entry.name) + "\": " + wrong;
      }
    }
    if (!problem.empty()) {
      return Fail(ErrorCode::kInvalid, std::move(problem));
    }
    return {};
  }

  const schema::ResourceSchema& provider_config() const override {
    std::lock_guard lock(mutex_);
    if (provider_ == nullptr) {
      provider_ = Decode(provider_bytes_, std::nullopt);
    }
    return *provider_;
  }
  const schema::ResourceSchema* provider_meta() const override {
    if (!has_meta_) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    if (meta_ == nullptr) {
      meta_ = Decode(meta_bytes_, std::nullopt);
    }
    return meta_.get();
  }
  const schema::ResourceSchema* FindResource(std::string_view type) const override {
    return Find(resources_, type, true);
  }
  const schema::ResourceSchema* FindData(std::string_view type) const override {
    return Find(data_, type, false);
  }
  const schema::ResourceSchema* FindEphemeral(std::string_view type) const override {
    return Find(ephemeral_, type, false);
  }
  const schema::FunctionSignature* FindFunction(std::string_view name) const override {
    const auto* entry = FindEntry(functions_, name);
    if (entry == nullptr) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    if (entry->decoded == nullptr) {
      entry->decoded = std::make_unique<schema::FunctionSignature>(
          DecodeFunction(entry->name, entry->bytes, nullptr));
    }
    return entry->decoded.get();
  }
  void Visit(schema::TypeSet set, const schema::TypeVisitor& visit) const override {
    using schema::TypeSet;
    const bool identities = set == TypeSet::kIdentities;
    DeclarationReader reader(raw_.protocol);
    for (const auto& entry : EntriesOf(set)) {
      if (identities && FindEntry(resources_, entry.name) == nullptr) {
        continue;
      }
      const std::optional<std::string_view> bytes = entry.bytes;
      schema::Declaration& declaration =
          reader.Read(identities ? std::nullopt : bytes, identities ? bytes : std::nullopt);
      if (set != TypeSet::kResources) {
        declaration.version = 0;
      }
      visit(entry.name, declaration);
    }
  }
  std::vector<std::string> FunctionNames() const override {
    std::vector<std::string> names;
    for (const auto& entry : functions_) {
      names.emplace_back(entry.name);
    }
    return names;
  }
  schema::Capabilities capabilities() const override { return capabilities_; }

 private:
  template <typename T>
  void AddEntry(Entries<T>& entries, std::string_view message) {
    ProtoMapEntry entry;
    malformed_ = !ReadProtoMapEntry(message, entry) || malformed_;
    entries.push_back({.name = entry.key, .bytes = entry.value, .decoded = nullptr});
  }

  template <typename... T>
  void SortAll(Entries<T>&... entries) {
    auto sort = [](auto& list) {
      auto less = [](const auto& a, const auto& b) { return a.name < b.name; };
      if (!std::is_sorted(list.begin(), list.end(), less)) {
        std::sort(list.begin(), list.end(), less);
      }
    };
    (sort(entries), ...);
  }

  void ReadCapabilities(std::string_view message) {
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 1) {
        capabilities_.plan_destroy = field.as_bool();
      } else if (field.number == 2) {
        capabilities_.get_provider_schema_optional = field.as_bool();
      } else if (field.number == 3) {
        capabilities_.move_resource_state = field.as_bool();
      }
    }
    malformed_ = malformed_ || reader.failed();
  }

  std::unique_ptr<schema::ResourceSchema> Decode(std::string_view message,
                                                 std::optional<std::string_view> identity) const {
    return std::make_unique<schema::ResourceSchema>(
        DecodeResourceSchema(raw_.protocol, message, identity, nullptr));
  }

  const schema::ResourceSchema* Find(const Entries<schema::ResourceSchema>& entries,
                                     std::string_view type, bool managed) const {
    const auto* entry = FindEntry(entries, type);
    if (entry == nullptr) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    if (entry->decoded == nullptr) {
      const auto* identity = managed ? FindEntry(identities_, type) : nullptr;
      entry->decoded =
          Decode(entry->bytes, identity == nullptr ? std::nullopt : std::optional(identity->bytes));
      if (!managed) {
        entry->decoded->version = 0;
      }
    }
    return entry->decoded.get();
  }

  static bool IsBlockName(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  static std::string CheckAttributes(const std::vector<schema::Attribute>& attributes,
                                     const std::string& prefix) {
    for (const schema::Attribute& a : attributes) {
      std::string where = prefix + a.name + ": ";
      if (!a.optional && !a.required && !a.computed) {
        return where + "must set Optional, Required or Computed";
      }
      if (a.optional && a.required) {
        return where + "cannot set both Optional and Required";
      }
      if (a.computed && a.required) {
        return where + "cannot set both Computed and Required";
      }
      if (a.nested != nullptr) {
        if (a.nested->nesting == schema::Nesting::kSet && a.type.has_dynamic()) {
          return where + "a set of nested attributes may not contain attributes of dynamic type";
        }
        std::string problem = CheckAttributes(a.nested->attributes, prefix + a.name + '.');
        if (!problem.empty()) {
          return problem;
        }
      }
    }
    return {};
  }

  static std::string CheckBlock(const schema::Block& block, const std::string& prefix) {
    std::string problem = CheckAttributes(block.attributes, prefix);
    for (const schema::NestedBlock& nested : block.blocks) {
      if (!problem.empty()) {
        return problem;
      }
      std::string where = prefix + nested.name + ": ";
      if (!IsBlockName(nested.name)) {
        return where + "name may contain only lowercase letters, digits and underscores";
      }
      if (block.FindAttribute(nested.name) != nullptr) {
        return where + "name defined as both attribute and child block type";
      }
      if (nested.min_items < 0 || nested.max_items < 0) {
        return where + "MinItems and MaxItems must both be greater than zero";
      }
      switch (nested.nesting) {
        case schema::Nesting::kSingle:
          if (nested.min_items != nested.max_items || nested.min_items > 1) {
            return where + "MinItems and MaxItems must be either both set to 0 or both set to 1";
          }
          break;
        case schema::Nesting::kGroup:
        case schema::Nesting::kMap:
          if (nested.min_items != 0 || nested.max_items != 0) {
            return where + "MinItems and MaxItems must be 0 in this nesting mode";
          }
          break;
        case schema::Nesting::kList:
        case schema::Nesting::kSet:
          if (nested.min_items > nested.max_items && nested.max_items != 0) {
            return where + "MinItems must be less than or equal to MaxItems";
          }
          if (nested.nesting == schema::Nesting::kSet &&
              nested.block.implied_type().has_dynamic()) {
            return where + "NestingSet blocks may not contain attributes of dynamic type";
          }
          break;
      }
      problem = CheckBlock(nested.block, prefix + nested.name + '.');
    }
    return problem;
  }

  const Entries<schema::ResourceSchema>& EntriesOf(schema::TypeSet set) const {
    switch (set) {
      case schema::TypeSet::kResources:
        return resources_;
      case schema::TypeSet::kData:
        return data_;
      case schema::TypeSet::kEphemeral:
        return ephemeral_;
      case schema::TypeSet::kIdentities:
        break;
    }
    return identities_;
  }

  RawSchema raw_;
  std::string_view provider_bytes_;
  std::string_view meta_bytes_;
  bool has_provider_ = false;
  bool has_meta_ = false;
  bool malformed_ = false;
  schema::Capabilities capabilities_;
  Entries<schema::ResourceSchema> resources_, data_, ephemeral_, identities_;
  Entries<schema::FunctionSignature> functions_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<schema::ResourceSchema> provider_, meta_;
};

}  // namespace

const RawSchema* RawSchemaOf(const schema::ProviderSchema& schema) {
  const auto* wire = dynamic_cast<const WireSchema*>(&schema);
  return wire == nullptr ? nullptr : &wire->raw();
}

Result<std::shared_ptr<const schema::ProviderSchema>> OpenWireSchema(RawSchema raw) {
  auto schema = std::make_shared<WireSchema>(std::move(raw));
  if (auto indexed = schema->Index(); !indexed) {
    return std::unexpected(indexed.error());
  }
  return schema;
}

Result<void> CheckWireSchema(const RawSchema& raw) {
  WireSchema schema(raw);
  if (auto indexed = schema.Index(); !indexed) {
    return indexed;
  }
  return schema.DecodeAll();
}

}  // namespace kinu::provider
