#include "provider/schema_messages.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

#include "base/arena.h"
#include "base/flat_map.h"
#include "codec/protowire.h"
#include "cty/json.h"
#include "schema/sort_by_name.h"

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

/// What messages are decoded into: structures that own their texts.
struct Owned {
  using Attribute = schema::Attribute;
  using NestedAttributes = schema::NestedAttributes;
  using Block = schema::Block;
  using NestedBlock = schema::NestedBlock;
  using Resource = schema::ResourceSchema;

  template <typename T>
  static T& Add(std::vector<T>& list) {
    return list.emplace_back();
  }
  template <typename T>
  static void Reserve(std::vector<T>& list, size_t more) {
    list.reserve(list.size() + more);
  }
  template <typename T>
  static std::unique_ptr<T> New() {
    return std::make_unique<T>();
  }
  /// The type that a notation names; `decode` makes it.
  template <typename Decode>
  static Type TypeOf(std::string_view json, Decode&& decode) {
    return decode(json);
  }
};

/// The same: views of the messages, in an arena.
struct Viewed {
  using Attribute = schema::DeclaredAttribute;
  using NestedAttributes = schema::DeclaredNestedAttributes;
  using Block = schema::DeclaredBlock;
  using NestedBlock = schema::DeclaredNestedBlock;
  using Resource = schema::Declaration;

  template <typename T>
  T& Add(ArenaList<T>& list) {
    return list.Add(arena);
  }
  template <typename T>
  void Reserve(ArenaList<T>& list, size_t more) {
    list.Reserve(arena, list.size() + more);
  }
  template <typename T>
  T* New() {
    return arena.New<T>();
  }
  template <typename Decode>
  std::string_view TypeOf(std::string_view json, Decode&& decode) {
    if (IsPlainTypeJson(json)) {
      return json;
    }
    const auto known = types.find(json);
    return known != types.end()
               ? known->second
               : types.emplace(json, type_texts.CopyString(TypeToJson(decode(json)))).first->second;
  }

  Arena arena;       // for one declaration
  Arena type_texts;  // for all of them
  FlatMap<std::string_view, std::string_view> types;
};

template <typename Model>
class Decoder;

/// Reads one field of a message into `out`.
template <typename Model, typename T>
using ReadField = void (*)(Decoder<Model>& decoder, T& out, const ProtoField& field);

/// The fields of a message, indexed by their numbers; null: the field is ignored.
template <typename Model, typename T>
class Fields {
 public:
  struct Row {
    uint32_t number;
    ReadField<Model, T> read;
  };
  constexpr Fields(std::initializer_list<Row> rows) { Add(rows); }
  /// The fields of another message and more.
  constexpr Fields(const Fields& base, std::initializer_list<Row> rows) : Fields(base) {
    Add(rows);
  }
  ReadField<Model, T> Find(uint32_t number) const {
    return number < read_.size() ? read_[number] : nullptr;
  }

 private:
  constexpr void Add(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
      read_[row.number] = row.read;
    }
  }
  std::array<ReadField<Model, T>, 13> read_{};
};

/// A message whose nesting mode is checked when all its fields are read.
template <typename T>
struct WithNesting : T {
  uint64_t nesting_number = 0;
};

/// Reads the messages of one response. The first problem is kept; decoding goes on.
template <typename Model>
class Decoder {
 public:
  Decoder(int protocol, Model& model) : protocol_(protocol), model_(model) {}

  const std::string& problem() const { return problem_; }

  void Resource(std::string_view message, typename Model::Resource& out);
  void Identity(std::string_view message, typename Model::Resource& out);
  schema::FunctionSignature Function(std::string_view name, std::string_view message);

  // For the rows of the tables below.
  template <typename T>
  void Read(std::string_view message, const Fields<Model, T>& fields, T& out) {
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (const ReadField<Model, T> read = fields.Find(field.number); read != nullptr) {
        read(*this, out, field);
      }
    }
    if (reader.failed()) {
      Fail("malformed schema message");
    }
  }
  auto TypeOf(std::string_view json) {
    return model_.TypeOf(json, [this](std::string_view text) { return DecodeType(text); });
  }
  template <typename List>
  auto& Add(List& list) {
    return model_.Add(list);
  }
  void Parameter(std::string_view message, schema::FunctionParameter& out);
  void IdentityAttribute(std::string_view message, typename Model::Attribute& out);
  void Attribute(std::string_view message, typename Model::Attribute& out);
  auto Nested(std::string_view message);
  void Block(std::string_view message, typename Model::Block& out);
  void NestedBlock(std::string_view message, typename Model::NestedBlock& out);

 private:
  void Fail(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
    }
  }
  schema::Nesting NestingOf(uint64_t number);
  Type DecodeType(std::string_view json);

  int protocol_;
  Model& model_;
  int depth_ = 0;  // of nested blocks and attributes around what is read
  std::string problem_;
};

// What a row of a table does with its field.

template <auto member>
constexpr auto kText = [](auto&, auto& out, const ProtoField& field) { out.*member = field.bytes; };
template <auto member>
constexpr auto kFlag =
    [](auto&, auto& out, const ProtoField& field) { out.*member = field.as_bool(); };
template <auto member>
constexpr auto kNumber =
    [](auto&, auto& out, const ProtoField& field) { out.*member = field.as_int(); };
template <auto member>
constexpr auto kTextKind =
    [](auto&, auto& out, const ProtoField& field) { out.*member = TextKindOf(field.scalar); };
template <auto member>
constexpr auto kType = [](auto& decoder, auto& out, const ProtoField& field) {
  out.*member = decoder.TypeOf(field.bytes);
};
template <auto member, auto read>
constexpr auto kEach = [](auto& decoder, auto& out, const ProtoField& field) {
  (decoder.*read)(field.bytes, decoder.Add(out.*member));
};
template <auto member>
constexpr auto kBlock = [](auto& decoder, auto& out, const ProtoField& field) {
  decoder.Block(field.bytes, out.*member);
};
constexpr auto kNestingNumber = [](auto&, auto& out, const ProtoField& field) {
  out.nesting_number = field.scalar;
};

// The messages. Ref: proto/tfplugin5.proto, proto/tfplugin6.proto.

template <typename Model, typename Resource = Model::Resource>
constexpr Fields<Model, Resource> kSchemaFields = {
    {1, kNumber<&Resource::version>},
    {2, kBlock<&Resource::block>},
};

template <typename Model, typename Block = Model::Block>
constexpr Fields<Model, Block> kBlockFields = {
    {2, kEach<&Block::attributes, &Decoder<Model>::Attribute>},
    {3, kEach<&Block::blocks, &Decoder<Model>::NestedBlock>},
    {4, kText<&Block::description>},
    {5, kTextKind<&Block::description_kind>},
    {6, kFlag<&Block::deprecated>},
    {7, kText<&Block::deprecation_message>},
};

template <typename Model, typename NestedBlock = Model::NestedBlock>
constexpr Fields<Model, WithNesting<NestedBlock>> kNestedBlockFields = {
    {1, kText<&NestedBlock::name>},
    {2, kBlock<&NestedBlock::block>},
    {3, kNestingNumber},
    {4, kNumber<&NestedBlock::min_items>},
    {5, kNumber<&NestedBlock::max_items>},
};

// Fields 1 to 9 are the same in both protocols.
template <typename Model, typename Attribute = Model::Attribute>
constexpr Fields<Model, Attribute> kAttributeFields = {
    {1, kText<&Attribute::name>},        {2, kType<&Attribute::type>},
    {3, kText<&Attribute::description>}, {4, kFlag<&Attribute::required>},
    {5, kFlag<&Attribute::optional>},    {6, kFlag<&Attribute::computed>},
    {7, kFlag<&Attribute::sensitive>},   {8, kTextKind<&Attribute::description_kind>},
    {9, kFlag<&Attribute::deprecated>},
};
template <typename Model, typename Attribute = Model::Attribute>
constexpr Fields<Model, Attribute> kAttributeFields5(
    kAttributeFields<Model>,
    {{10, kFlag<&Attribute::write_only>}, {11, kText<&Attribute::deprecation_message>}});
template <typename Model, typename Attribute = Model::Attribute>
constexpr Fields<Model, Attribute> kAttributeFields6(
    kAttributeFields<Model>,
    {{10, [](Decoder<Model>& decoder, Attribute& out,
             const ProtoField& field) { out.nested = decoder.Nested(field.bytes); }},
     {11, kFlag<&Attribute::write_only>},
     {12, kText<&Attribute::deprecation_message>}});

template <typename Model, typename NestedAttributes = Model::NestedAttributes>
constexpr Fields<Model, WithNesting<NestedAttributes>> kNestedAttributeFields = {
    {1, kEach<&NestedAttributes::attributes, &Decoder<Model>::Attribute>},
    {3, kNestingNumber},
};

template <typename Model, typename Attribute = Model::Attribute>
constexpr Fields<Model, Attribute> kIdentityAttributeFields = {
    {1, kText<&Attribute::name>},        {2, kType<&Attribute::type>},
    {3, kFlag<&Attribute::required>},    {4, kFlag<&Attribute::optional>},
    {5, kText<&Attribute::description>},
};

/// A resource's schema seen as that of its identity.
template <typename Model, typename Resource = Model::Resource>
constexpr Fields<Model, Resource> kIdentityFields = {
    {1, kNumber<&Resource::identity_version>},
    {2,
     [](Decoder<Model>& decoder, Resource& out, const ProtoField& field) {
       decoder.IdentityAttribute(field.bytes, decoder.Add(out.identity->attributes));
     }},
};

using schema::FunctionParameter;
constexpr Fields<Owned, FunctionParameter> kParameterFields = {
    {1, kText<&FunctionParameter::name>},
    {2, kType<&FunctionParameter::type>},
    {3, kFlag<&FunctionParameter::allow_null>},
    {4, kFlag<&FunctionParameter::allow_unknown>},
    {5, kText<&FunctionParameter::description>},
    {6, kTextKind<&FunctionParameter::description_kind>},
};

using schema::FunctionSignature;
/// The return type is a message of its own with one field.
constexpr Fields<Owned, FunctionSignature> kReturnFields = {
    {1, kType<&FunctionSignature::return_type>}};
constexpr Fields<Owned, FunctionSignature> kFunctionFields = {
    {1, kEach<&FunctionSignature::parameters, &Decoder<Owned>::Parameter>},
    {2,
     [](Decoder<Owned>& decoder, FunctionSignature& out, const ProtoField& field) {
       out.variadic = std::make_unique<FunctionParameter>();
       decoder.Parameter(field.bytes, *out.variadic);
     }},
    {3, [](Decoder<Owned>& decoder, FunctionSignature& out,
           const ProtoField& field) { decoder.Read(field.bytes, kReturnFields, out); }},
    {4, kText<&FunctionSignature::summary>},
    {5, kText<&FunctionSignature::description>},
    {6, kTextKind<&FunctionSignature::description_kind>},
    {7, kText<&FunctionSignature::deprecation_message>},
};

template <typename Model>
void Decoder<Model>::Resource(std::string_view message, typename Model::Resource& out) {
  Read(message, kSchemaFields<Model>, out);
}

template <typename Model>
void Decoder<Model>::Identity(std::string_view message, typename Model::Resource& out) {
  out.identity = model_.template New<typename Model::Block>();
  Read(message, kIdentityFields<Model>, out);
}

template <typename Model>
FunctionSignature Decoder<Model>::Function(std::string_view name, std::string_view message) {
  FunctionSignature out;
  out.name = name;
  Read(message, kFunctionFields, out);
  return out;
}

template <typename Model>
Type Decoder<Model>::DecodeType(std::string_view json) {
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

template <typename Model>
void Decoder<Model>::Parameter(std::string_view message, FunctionParameter& out) {
  Read(message, kParameterFields, out);
}

template <typename Model>
void Decoder<Model>::IdentityAttribute(std::string_view message, typename Model::Attribute& out) {
  Read(message, kIdentityAttributeFields<Model>, out);
}

template <typename Model>
void Decoder<Model>::Attribute(std::string_view message, typename Model::Attribute& out) {
  Read(message, protocol_ == 5 ? kAttributeFields5<Model> : kAttributeFields6<Model>, out);
}

template <typename Model>
auto Decoder<Model>::Nested(std::string_view message) {
  auto out = model_.template New<typename Model::NestedAttributes>();
  const Deeper deeper(depth_);
  if (depth_ > kMaxDepth) {
    Fail("nested attributes are nested too deeply");
    return out;
  }
  WithNesting<typename Model::NestedAttributes> read;
  Read(message, kNestedAttributeFields<Model>, read);
  out->attributes = std::move(read.attributes);
  out->nesting = NestingOf(read.nesting_number);
  if (out->nesting == schema::Nesting::kGroup) {
    Fail("a nested attribute cannot have nesting mode GROUP");
  }
  schema::SortByName(out->attributes);
  return out;
}

template <typename Model>
schema::Nesting Decoder<Model>::NestingOf(uint64_t number) {
  constexpr schema::Nesting kNestings[] = {schema::Nesting::kSingle, schema::Nesting::kList,
                                           schema::Nesting::kSet, schema::Nesting::kMap,
                                           schema::Nesting::kGroup};
  if (number == 0 || number > std::size(kNestings)) {
    Fail("invalid nesting mode " + std::to_string(number));
    return schema::Nesting::kSingle;
  }
  return kNestings[number - 1];
}

template <typename Model>
void Decoder<Model>::Block(std::string_view message, typename Model::Block& out) {
  if (depth_ > kMaxDepth) {
    Fail("blocks are nested too deeply");
    return;
  }
  // Counted first, because blocks are many and most have few members.
  size_t attributes = 0;
  size_t blocks = 0;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    attributes += field.number == 2 ? 1 : 0;
    blocks += field.number == 3 ? 1 : 0;
  }
  model_.Reserve(out.attributes, attributes);
  model_.Reserve(out.blocks, blocks);
  Read(message, kBlockFields<Model>, out);
}

template <typename Model>
void Decoder<Model>::NestedBlock(std::string_view message, typename Model::NestedBlock& out) {
  const Deeper deeper(depth_);
  WithNesting<typename Model::NestedBlock> read;
  Read(message, kNestedBlockFields<Model>, read);
  read.nesting = NestingOf(read.nesting_number);
  out = std::move(read);
}

}  // namespace

schema::ResourceSchema DecodeResourceSchema(int protocol, std::string_view message,
                                            std::optional<std::string_view> identity,
                                            std::string* problem) {
  Owned model;
  Decoder<Owned> decoder(protocol, model);
  schema::ResourceSchema schema;
  decoder.Resource(message, schema);
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

struct DeclarationReader::State {
  explicit State(int number) : protocol(number) {}
  int protocol;
  Viewed model;
  schema::Declaration declaration;
};

DeclarationReader::DeclarationReader(int protocol) : state_(std::make_unique<State>(protocol)) {
}

DeclarationReader::~DeclarationReader() = default;

schema::Declaration& DeclarationReader::Read(std::optional<std::string_view> message,
                                             std::optional<std::string_view> identity) {
  schema::Declaration& out = state_->declaration;
  out = {};
  state_->model.arena.Clear();
  Decoder<Viewed> decoder(state_->protocol, state_->model);
  if (message) {
    decoder.Resource(*message, out);
    out.block.Sort();
  }
  if (identity) {
    decoder.Identity(*identity, out);
    out.identity->Sort();
  }
  return out;
}

schema::FunctionSignature DecodeFunction(std::string_view name, std::string_view message,
                                         std::string* problem) {
  Owned model;
  Decoder<Owned> decoder(/*protocol=*/6, model);  // the same in both
  schema::FunctionSignature signature = decoder.Function(name, message);
  if (problem != nullptr) {
    *problem = decoder.problem();
  }
  return signature;
}

}  // namespace kinu::provider
