#include "provider/wire_schema.h"

#include <algorithm>
#include <mutex>

#include "codec/protowire.h"
#include "cty/json.h"

namespace kinu::provider {
namespace {

/// Nesting of blocks is bounded, so that a broken response cannot exhaust the stack.
constexpr int kMaxDepth = 100;

schema::TextKind TextKindOf(uint64_t number) {
  return number == 1 ? schema::TextKind::kMarkdown : schema::TextKind::kPlain;
}

/// Reads the messages of one response. The first problem is kept; decoding goes on.
class Decoder {
 public:
  explicit Decoder(int protocol) : protocol_(protocol) {}

  bool failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }

  schema::ResourceSchema Resource(std::string_view message) {
    schema::ResourceSchema out;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 1) {
        out.version = field.as_int();
      } else if (field.number == 2) {
        Block(field.bytes, out.block, 0);
      }
    }
    End(reader);
    out.block.Finish();
    return out;
  }

  void Identity(std::string_view message, schema::ResourceSchema& out) {
    out.identity = std::make_unique<schema::Block>();
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 1) {
        out.identity_version = field.as_int();
      } else if (field.number == 2) {
        out.identity->attributes.push_back(IdentityAttribute(field.bytes));
      }
    }
    End(reader);
    out.identity->Finish();
    out.identity_type = out.identity->implied_type();
  }

  schema::FunctionSignature Function(std::string_view name, std::string_view message) {
    schema::FunctionSignature out;
    out.name = name;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 1:
          out.parameters.push_back(Parameter(field.bytes));
          break;
        case 2:
          out.variadic = std::make_unique<schema::FunctionParameter>(Parameter(field.bytes));
          break;
        case 3: {
          ProtoReader result(field.bytes);
          for (ProtoField inner; result.Next(inner);) {
            if (inner.number == 1) {
              out.return_type = TypeOf(inner.bytes);
            }
          }
          End(result);
          break;
        }
        case 4:
          out.summary = field.bytes;
          break;
        case 5:
          out.description = field.bytes;
          break;
        case 6:
          out.description_kind = TextKindOf(field.scalar);
          break;
        case 7:
          out.deprecation_message = field.bytes;
          break;
        default:
          break;
      }
    }
    End(reader);
    return out;
  }

 private:
  void Fail(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
    }
  }
  void End(const ProtoReader& reader) {
    if (reader.failed()) {
      Fail("malformed schema message");
    }
  }

  Type TypeOf(std::string_view json) {
    if (json == "\"string\"") {
      return Type::String();
    }
    if (json == "\"bool\"") {
      return Type::Bool();
    }
    if (json == "\"number\"") {
      return Type::Number();
    }
    auto type = TypeFromJson(json);
    if (!type) {
      Fail("invalid type " + std::string(json) + ": " + type.error().ToText());
      return Type::Dynamic();
    }
    return type->has_optional_attributes() ? type->WithoutOptionalAttributes() : *type;
  }

  schema::FunctionParameter Parameter(std::string_view message) {
    schema::FunctionParameter out;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 1:
          out.name = field.bytes;
          break;
        case 2:
          out.type = TypeOf(field.bytes);
          break;
        case 3:
          out.allow_null = field.as_bool();
          break;
        case 4:
          out.allow_unknown = field.as_bool();
          break;
        case 5:
          out.description = field.bytes;
          break;
        case 6:
          out.description_kind = TextKindOf(field.scalar);
          break;
        default:
          break;
      }
    }
    End(reader);
    return out;
  }

  schema::Attribute IdentityAttribute(std::string_view message) {
    schema::Attribute out;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 1:
          out.name = field.bytes;
          break;
        case 2:
          out.type = TypeOf(field.bytes);
          break;
        case 3:
          out.required = field.as_bool();
          break;
        case 4:
          out.optional = field.as_bool();
          break;
        case 5:
          out.description = field.bytes;
          break;
        default:
          break;
      }
    }
    End(reader);
    return out;
  }

  schema::Attribute Attribute(std::string_view message, int depth) {
    schema::Attribute out;
    // From field 10 on the two protocols number differently.
    const uint32_t write_only = protocol_ == 5 ? 10 : 11;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 10 && protocol_ != 5) {
        out.nested = Nested(field.bytes, depth + 1);
        out.type = NestedType(*out.nested);
        continue;
      }
      if (field.number == write_only) {
        out.write_only = field.as_bool();
        continue;
      }
      if (field.number == write_only + 1) {
        out.deprecation_message = field.bytes;
        continue;
      }
      switch (field.number) {
        case 1:
          out.name = field.bytes;
          break;
        case 2:
          out.type = TypeOf(field.bytes);
          break;
        case 3:
          out.description = field.bytes;
          break;
        case 4:
          out.required = field.as_bool();
          break;
        case 5:
          out.optional = field.as_bool();
          break;
        case 6:
          out.computed = field.as_bool();
          break;
        case 7:
          out.sensitive = field.as_bool();
          break;
        case 8:
          out.description_kind = TextKindOf(field.scalar);
          break;
        case 9:
          out.deprecated = field.as_bool();
          break;
        default:
          break;
      }
    }
    End(reader);
    return out;
  }

  std::unique_ptr<schema::NestedAttributes> Nested(std::string_view message, int depth) {
    auto out = std::make_unique<schema::NestedAttributes>();
    if (depth > kMaxDepth) {
      Fail("nested attributes are nested too deeply");
      return out;
    }
    uint64_t nesting = 0;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 1) {
        out->attributes.push_back(Attribute(field.bytes, depth));
      } else if (field.number == 3) {
        nesting = field.scalar;
      }
    }
    End(reader);
    out->nesting = NestingOf(nesting);
    if (out->nesting == schema::Nesting::kGroup) {
      Fail("a nested attribute cannot have nesting mode GROUP");
    }
    std::sort(out->attributes.begin(), out->attributes.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
  }

  static Type NestedType(const schema::NestedAttributes& nested) {
    std::vector<Type::Attribute> members;
    for (const schema::Attribute& attribute : nested.attributes) {
      members.push_back({attribute.name, attribute.type});
    }
    Type object = Type::Object(members);
    switch (nested.nesting) {
      case schema::Nesting::kList:
        return Type::List(object);
      case schema::Nesting::kSet:
        return Type::Set(object);
      case schema::Nesting::kMap:
        return Type::Map(object);
      case schema::Nesting::kSingle:
      case schema::Nesting::kGroup:
        break;
    }
    return object;
  }

  schema::Nesting NestingOf(uint64_t number) {
    switch (number) {
      case 1:
        return schema::Nesting::kSingle;
      case 2:
        return schema::Nesting::kList;
      case 3:
        return schema::Nesting::kSet;
      case 4:
        return schema::Nesting::kMap;
      case 5:
        return schema::Nesting::kGroup;
      default:
        Fail("invalid nesting mode " + std::to_string(number));
        return schema::Nesting::kSingle;
    }
  }

  void Block(std::string_view message, schema::Block& out, int depth) {
    if (depth > kMaxDepth) {
      Fail("blocks are nested too deeply");
      return;
    }
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 2:
          out.attributes.push_back(Attribute(field.bytes, depth));
          break;
        case 3:
          NestedBlock(field.bytes, out.blocks.emplace_back(), depth + 1);
          break;
        case 4:
          out.description = field.bytes;
          break;
        case 5:
          out.description_kind = TextKindOf(field.scalar);
          break;
        case 6:
          out.deprecated = field.as_bool();
          break;
        case 7:
          out.deprecation_message = field.bytes;
          break;
        default:
          break;
      }
    }
    End(reader);
  }

  void NestedBlock(std::string_view message, schema::NestedBlock& out, int depth) {
    uint64_t nesting = 0;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      switch (field.number) {
        case 1:
          out.name = field.bytes;
          break;
        case 2:
          Block(field.bytes, out.block, depth);
          break;
        case 3:
          nesting = field.scalar;
          break;
        case 4:
          out.min_items = field.as_int();
          break;
        case 5:
          out.max_items = field.as_int();
          break;
        default:
          break;
      }
    }
    End(reader);
    out.nesting = NestingOf(nesting);
  }

  int protocol_;
  std::string problem_;
};

/// One type of a response: its bytes, and what they decode to once somebody asked.
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

template <typename T>
std::vector<std::string> NamesOf(const Entries<T>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const Entry<T>& entry : entries) {
    names.emplace_back(entry.name);
  }
  return names;
}

class WireSchema final : public schema::ProviderSchema {
 public:
  explicit WireSchema(RawSchema raw) : raw_(std::move(raw)) {}

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

  /// Decodes everything once; the name of the first thing that is wrong.
  Result<void> DecodeAll() {
    if (!has_provider_) {
      return Fail(ErrorCode::kInvalid, "missing provider schema");
    }
    auto check = [&](const std::string& what, std::string_view bytes, std::string_view identity) {
      Decoder decoder(raw_.protocol);
      schema::ResourceSchema schema = decoder.Resource(bytes);
      if (!identity.empty()) {
        decoder.Identity(identity, schema);
      }
      std::string problem = decoder.problem();
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
      Decoder decoder(raw_.protocol);
      decoder.Function(entry.name, entry.bytes);
      if (problem.empty() && decoder.failed()) {
        problem = "function \"" + std::string(entry.name) + "\": " + decoder.problem();
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
      provider_ = std::make_unique<schema::ResourceSchema>(
          Decoder(raw_.protocol).Resource(provider_bytes_));
    }
    return *provider_;
  }
  const schema::ResourceSchema* provider_meta() const override {
    if (!has_meta_) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    if (meta_ == nullptr) {
      meta_ =
          std::make_unique<schema::ResourceSchema>(Decoder(raw_.protocol).Resource(meta_bytes_));
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
          Decoder(raw_.protocol).Function(entry->name, entry->bytes));
    }
    return entry->decoded.get();
  }
  std::vector<std::string> ResourceTypes() const override { return NamesOf(resources_); }
  std::vector<std::string> DataTypes() const override { return NamesOf(data_); }
  std::vector<std::string> EphemeralTypes() const override { return NamesOf(ephemeral_); }
  std::vector<std::string> FunctionNames() const override { return NamesOf(functions_); }
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

  const schema::ResourceSchema* Find(const Entries<schema::ResourceSchema>& entries,
                                     std::string_view type, bool managed) const {
    const auto* entry = FindEntry(entries, type);
    if (entry == nullptr) {
      return nullptr;
    }
    std::lock_guard lock(mutex_);
    if (entry->decoded == nullptr) {
      Decoder decoder(raw_.protocol);
      entry->decoded = std::make_unique<schema::ResourceSchema>(decoder.Resource(entry->bytes));
      if (!managed) {
        entry->decoded->version = 0;
      } else if (const auto* identity = FindEntry(identities_, type); identity != nullptr) {
        decoder.Identity(identity->bytes, *entry->decoded);
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
