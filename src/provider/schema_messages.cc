#include "provider/schema_messages.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

#include "codec/protowire.h"
#include "cty/json.h"

namespace kinu::provider {
namespace {

/// Nesting of blocks is bounded, so that a broken response cannot exhaust the stack.
constexpr int kMaxDepth = 100;

schema::TextKind TextKindOf(uint64_t number) {
  return number == 1 ? schema::TextKind::kMarkdown : schema::TextKind::kPlain;
}

/// Counts a level of nesting while it lives.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

class Decoder;

/// Reads one field of a message into `out`.
template <typename T>
using ReadField = void (*)(Decoder& decoder, T& out, const ProtoField& field);

/// The fields of a message, indexed by their numbers; null: the field is ignored.
template <typename T>
class Fields {
 public:
  struct Row {
    uint32_t number;
    ReadField<T> read;
  };
  constexpr Fields(std::initializer_list<Row> rows) { Add(rows); }
  /// The fields of another message and more.
  constexpr Fields(const Fields& base, std::initializer_list<Row> rows) : Fields(base) {
    Add(rows);
  }
  ReadField<T> Find(uint32_t number) const {
    return number < read_.size() ? read_[number] : nullptr;
  }

 private:
  constexpr void Add(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
      read_[row.number] = row.read;
    }
  }
  std::array<ReadField<T>, 13> read_{};
};

/// A message whose nesting mode is checked when all its fields are read.
template <typename T>
struct WithNesting : T {
  uint64_t nesting_number = 0;
};

/// Reads the messages of one response. The first problem is kept; decoding goes on.
class Decoder {
 public:
  explicit Decoder(int protocol) : protocol_(protocol) {}

  const std::string& problem() const { return problem_; }

  schema::ResourceSchema Resource(std::string_view message);
  void Identity(std::string_view message, schema::ResourceSchema& out);
  schema::FunctionSignature Function(std::string_view name, std::string_view message);

  // For the rows of the tables below.
  template <typename T>
  void Read(std::string_view message, const Fields<T>& fields, T& out) {
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (const ReadField<T> read = fields.Find(field.number); read != nullptr) {
        read(*this, out, field);
      }
    }
    if (reader.failed()) {
      Fail("malformed schema message");
    }
  }
  Type TypeOf(std::string_view json);
  void Parameter(std::string_view message, schema::FunctionParameter& out);
  void IdentityAttribute(std::string_view message, schema::Attribute& out);
  void Attribute(std::string_view message, schema::Attribute& out);
  std::unique_ptr<schema::NestedAttributes> Nested(std::string_view message);
  void Block(std::string_view message, schema::Block& out);
  void NestedBlock(std::string_view message, schema::NestedBlock& out);

 private:
  void Fail(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
    }
  }
  schema::Nesting NestingOf(uint64_t number);

  int protocol_;
  int depth_ = 0;  // of nested blocks and attributes around what is read
  std::string problem_;
};

// What a row of a table does with its field.

template <auto member>
constexpr auto kText =
    [](Decoder&, auto& out, const ProtoField& field) { out.*member = field.bytes; };
template <auto member>
constexpr auto kFlag =
    [](Decoder&, auto& out, const ProtoField& field) { out.*member = field.as_bool(); };
template <auto member>
constexpr auto kNumber =
    [](Decoder&, auto& out, const ProtoField& field) { out.*member = field.as_int(); };
template <auto member>
constexpr auto kTextKind =
    [](Decoder&, auto& out, const ProtoField& field) { out.*member = TextKindOf(field.scalar); };
template <auto member>
constexpr auto kType = [](Decoder& decoder, auto& out, const ProtoField& field) {
  out.*member = decoder.TypeOf(field.bytes);
};
template <auto member, auto read>
constexpr auto kEach = [](Decoder& decoder, auto& out, const ProtoField& field) {
  (decoder.*read)(field.bytes, (out.*member).emplace_back());
};
template <auto member>
constexpr auto kBlock = [](Decoder& decoder, auto& out, const ProtoField& field) {
  decoder.Block(field.bytes, out.*member);
};
constexpr auto kNestingNumber = [](Decoder&, auto& out, const ProtoField& field) {
  out.nesting_number = field.scalar;
};

// The messages. Ref: proto/tfplugin5.proto, proto/tfplugin6.proto.

constexpr Fields<schema::ResourceSchema> kSchemaFields = {
    {1, kNumber<&schema::ResourceSchema::version>},
    {2, kBlock<&schema::ResourceSchema::block>},
};

constexpr Fields<schema::Block> kBlockFields = {
    {2, kEach<&schema::Block::attributes, &Decoder::Attribute>},
    {3, kEach<&schema::Block::blocks, &Decoder::NestedBlock>},
    {4, kText<&schema::Block::description>},
    {5, kTextKind<&schema::Block::description_kind>},
    {6, kFlag<&schema::Block::deprecated>},
    {7, kText<&schema::Block::deprecation_message>},
};

constexpr Fields<WithNesting<schema::NestedBlock>> kNestedBlockFields = {
    {1, kText<&schema::NestedBlock::name>},
    {2, kBlock<&schema::NestedBlock::block>},
    {3, kNestingNumber},
    {4, kNumber<&schema::NestedBlock::min_items>},
    {5, kNumber<&schema::NestedBlock::max_items>},
};

using schema::Attribute;

// Fields 1 to 9 are the same in both protocols.
constexpr Fields<Attribute> kAttributeFields = {
    {1, kText<&Attribute::name>},        {2, kType<&Attribute::type>},
    {3, kText<&Attribute::description>}, {4, kFlag<&Attribute::required>},
    {5, kFlag<&Attribute::optional>},    {6, kFlag<&Attribute::computed>},
    {7, kFlag<&Attribute::sensitive>},   {8, kTextKind<&Attribute::description_kind>},
    {9, kFlag<&Attribute::deprecated>},
};
constexpr Fields<Attribute> kAttributeFields5(kAttributeFields,
                                              {{10, kFlag<&Attribute::write_only>},
                                               {11, kText<&Attribute::deprecation_message>}});
constexpr Fields<Attribute> kAttributeFields6(
    kAttributeFields,
    {{10, [](Decoder& decoder, Attribute& out,
             const ProtoField& field) { out.nested = decoder.Nested(field.bytes); }},
     {11, kFlag<&Attribute::write_only>},
     {12, kText<&Attribute::deprecation_message>}});

constexpr Fields<WithNesting<schema::NestedAttributes>> kNestedAttributeFields = {
    {1, kEach<&schema::NestedAttributes::attributes, &Decoder::Attribute>},
    {3, kNestingNumber},
};

constexpr Fields<Attribute> kIdentityAttributeFields = {
    {1, kText<&Attribute::name>},        {2, kType<&Attribute::type>},
    {3, kFlag<&Attribute::required>},    {4, kFlag<&Attribute::optional>},
    {5, kText<&Attribute::description>},
};

/// A resource's schema seen as that of its identity.
constexpr Fields<schema::ResourceSchema> kIdentityFields = {
    {1, kNumber<&schema::ResourceSchema::identity_version>},
    {2,
     [](Decoder& decoder, schema::ResourceSchema& out, const ProtoField& field) {
       decoder.IdentityAttribute(field.bytes, out.identity->attributes.emplace_back());
     }},
};

using schema::FunctionParameter;
constexpr Fields<FunctionParameter> kParameterFields = {
    {1, kText<&FunctionParameter::name>},
    {2, kType<&FunctionParameter::type>},
    {3, kFlag<&FunctionParameter::allow_null>},
    {4, kFlag<&FunctionParameter::allow_unknown>},
    {5, kText<&FunctionParameter::description>},
    {6, kTextKind<&FunctionParameter::description_kind>},
};

using schema::FunctionSignature;
/// The return type is a message of its own with one field.
constexpr Fields<FunctionSignature> kReturnFields = {{1, kType<&FunctionSignature::return_type>}};
constexpr Fields<FunctionSignature> kFunctionFields = {
    {1, kEach<&FunctionSignature::parameters, &Decoder::Parameter>},
    {2,
     [](Decoder& decoder, FunctionSignature& out, const ProtoField& field) {
       out.variadic = std::make_unique<FunctionParameter>();
       decoder.Parameter(field.bytes, *out.variadic);
     }},
    {3, [](Decoder& decoder, FunctionSignature& out,
           const ProtoField& field) { decoder.Read(field.bytes, kReturnFields, out); }},
    {4, kText<&FunctionSignature::summary>},
    {5, kText<&FunctionSignature::description>},
    {6, kTextKind<&FunctionSignature::description_kind>},
    {7, kText<&FunctionSignature::deprecation_message>},
};

schema::ResourceSchema Decoder::Resource(std::string_view message) {
  schema::ResourceSchema out;
  Read(message, kSchemaFields, out);
  return out;
}

void Decoder::Identity(std::string_view message, schema::ResourceSchema& out) {
  out.identity = std::make_unique<schema::Block>();
  Read(message, kIdentityFields, out);
}

FunctionSignature Decoder::Function(std::string_view name, std::string_view message) {
  FunctionSignature out;
  out.name = name;
  Read(message, kFunctionFields, out);
  return out;
}

Type Decoder::TypeOf(std::string_view json) {
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

void Decoder::Parameter(std::string_view message, FunctionParameter& out) {
  Read(message, kParameterFields, out);
}

void Decoder::IdentityAttribute(std::string_view message, schema::Attribute& out) {
  Read(message, kIdentityAttributeFields, out);
}

void Decoder::Attribute(std::string_view message, schema::Attribute& out) {
  Read(message, protocol_ == 5 ? kAttributeFields5 : kAttributeFields6, out);
}

std::unique_ptr<schema::NestedAttributes> Decoder::Nested(std::string_view message) {
  auto out = std::make_unique<schema::NestedAttributes>();
  const Deeper deeper(depth_);
  if (depth_ > kMaxDepth) {
    Fail("nested attributes are nested too deeply");
    return out;
  }
  WithNesting<schema::NestedAttributes> read;
  Read(message, kNestedAttributeFields, read);
  out->attributes = std::move(read.attributes);
  out->nesting = NestingOf(read.nesting_number);
  if (out->nesting == schema::Nesting::kGroup) {
    Fail("a nested attribute cannot have nesting mode GROUP");
  }
  std::sort(out->attributes.begin(), out->attributes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

schema::Nesting Decoder::NestingOf(uint64_t number) {
  constexpr schema::Nesting kNestings[] = {schema::Nesting::kSingle, schema::Nesting::kList,
                                           schema::Nesting::kSet, schema::Nesting::kMap,
                                           schema::Nesting::kGroup};
  if (number == 0 || number > std::size(kNestings)) {
    Fail("invalid nesting mode " + std::to_string(number));
    return schema::Nesting::kSingle;
  }
  return kNestings[number - 1];
}

void Decoder::Block(std::string_view message, schema::Block& out) {
  if (depth_ > kMaxDepth) {
    Fail("blocks are nested too deeply");
    return;
  }
  Read(message, kBlockFields, out);
}

void Decoder::NestedBlock(std::string_view message, schema::NestedBlock& out) {
  const Deeper deeper(depth_);
  WithNesting<schema::NestedBlock> read;
  Read(message, kNestedBlockFields, read);
  read.nesting = NestingOf(read.nesting_number);
  out = std::move(read);
}

}  // namespace

schema::ResourceSchema DecodeResourceSchema(int protocol, std::string_view message,
                                            std::optional<std::string_view> identity,
                                            std::string* problem) {
  Decoder decoder(protocol);
  schema::ResourceSchema schema = decoder.Resource(message);
  schema.block.Finish();
  if (identity) {
    decoder.Identity(*identity, schema);
    schema.identity->Finish();
    schema.identity_type = schema.identity->implied_type();
  }
  if (problem != nullptr) {
    *problem = decoder.problem();
  }
  return schema;
}

schema::ResourceSchema DecodeDeclarations(int protocol, std::optional<std::string_view> message,
                                          std::optional<std::string_view> identity) {
  Decoder decoder(protocol);
  schema::ResourceSchema schema;
  if (message) {
    schema = decoder.Resource(*message);
    schema.block.Sort();
  }
  if (identity) {
    decoder.Identity(*identity, schema);
    schema.identity->Sort();
  }
  return schema;
}

schema::FunctionSignature DecodeFunction(std::string_view name, std::string_view message,
                                         std::string* problem) {
  Decoder decoder(/*protocol=*/6);  // the same in both
  schema::FunctionSignature signature = decoder.Function(name, message);
  if (problem != nullptr) {
    *problem = decoder.problem();
  }
  return signature;
}

}  // namespace kinu::provider
