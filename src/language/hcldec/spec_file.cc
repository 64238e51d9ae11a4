#include "hcldec/spec_file.h"

#include <optional>

#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/walk.h"
#include "hcldec/spec_functions.h"
#include "lang/eval.h"

namespace kinu::hcldec {

using Kind = Spec::Kind;

namespace {

constexpr std::pair<std::string_view, Kind> kKinds[] = {
    {"object", Kind::kObject},
    {"array", Kind::kTuple},
    {"literal", Kind::kLiteral},
    {"attr", Kind::kAttribute},
    {"block", Kind::kBlock},
    {"block_list", Kind::kBlockList},
    {"block_map", Kind::kBlockMap},
    {"block_set", Kind::kBlockSet},
    {"block_attrs", Kind::kBlockAttributes},
    {"default", Kind::kDefault},
    {"transform", Kind::kTransform},
};
constexpr size_t kKindCount = std::size(kKinds);
constexpr std::string_view kKey[] = {"key"};

struct KindBlocks {
  hcl::BlockSchema blocks[kKindCount];
  explicit constexpr KindBlocks(std::span<const std::string_view> labels) : blocks() {
    for (size_t i = 0; i < kKindCount; ++i) {
      blocks[i] = {kKinds[i].first, labels};
    }
  }
};
constexpr KindBlocks kUnlabelled({});
constexpr KindBlocks kLabelled(kKey);

Spec NullSpec() {
  Spec spec;
  spec.kind = Kind::kLiteral;
  return spec;
}

}  // namespace

class SpecReader {
 public:
  SpecReader(SpecFile& file, Diagnostics& diags) : file_(file), diags_(diags) {}

  void ReadDeclarations(const hcl::Body& body) {
    file_.user_functions_ =
        lang::ReadUserFunctions(body, "function", file_.functions_, file_.tree_, diags_);
    static constexpr hcl::BlockSchema kBlocks[] = {{"variables"}};
    const hcl::BodyContent content =
        body.Content({.blocks = kBlocks}, hcl::Strictness::kPartial, diags_);
    for (const hcl::Block& block : content.blocks) {
      for (const hcl::Attribute& attribute : block.body->JustAttributes({}, diags_)) {
        file_.variables_.emplace_back(attribute.name,
                                      lang::Evaluate(*attribute.expr, file_.functions_, diags_));
      }
    }
  }

  Spec ReadRoot(const hcl::Body& body) {
    static constexpr std::string_view kDeclared[] = {"function", "variables"};
    return ReadSingleSpec(
        body, kDeclared,
        "A spec file has exactly one block at its top that says what value is made.");
  }

 private:
  /// Reads a body that must contain exactly one spec; `rule` is the detail of the error.
  Spec ReadSingleSpec(const hcl::Body& body, std::span<const std::string_view> hidden,
                      std::string_view rule) {
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content = body.Content({.blocks = kUnlabelled.blocks, .hidden = hidden},
                                                  hcl::Strictness::kExact, diags_);
    if (content.blocks.empty()) {
      // Earlier errors explain why there is no block.
      if (diags_.error_count() == errors) {
        diags_.Error("Missing spec block", std::string(rule), body.MissingItemRange());
      }
      return NullSpec();
    }
    if (content.blocks.size() > 1) {
      diags_.Error("Extraneous spec block", std::string(rule), content.blocks[1].def_range);
      return NullSpec();
    }
    return ReadBlock(content.blocks[0]);
  }

  Spec ReadBlock(const hcl::Block& block) {
    Spec spec;
    for (const auto& [name, kind] : kKinds) {
      if (name == block.type) {
        spec.kind = kind;
      }
    }
    if (!block.labels.empty()) {
      spec.name = block.labels[0];
    }
    switch (spec.kind) {
      case Kind::kObject:
        return ReadObject(*block.body);
      case Kind::kTuple:
        return ReadTuple(*block.body);
      case Kind::kAttribute:
        return ReadAttribute(std::move(spec), *block.body);
      case Kind::kLiteral:
        return ReadLiteral(std::move(spec), *block.body);
      case Kind::kDefault:
        return ReadDefault(*block.body);
      case Kind::kTransform:
        return ReadTransform(std::move(spec), *block.body);
      default:
        return ReadBlocks(std::move(spec), *block.body, block.type);
    }
  }

  Spec ReadObject(const hcl::Body& body) {
    Spec spec;
    FlatMap<std::string_view, size_t> index;
    const hcl::BodyContent content =
        body.Content({.blocks = kLabelled.blocks}, hcl::Strictness::kExact, diags_);
    for (const hcl::Block& block : content.blocks) {
      Spec member = ReadBlock(block);
      const auto [found, is_new] = index.emplace(block.labels[0], spec.children.size());
      if (is_new) {
        spec.member_names.emplace_back(block.labels[0]);
        spec.children.push_back(std::move(member));
      } else {
        spec.children[found->second] = std::move(member);
      }
    }
    return spec;
  }

  Spec ReadTuple(const hcl::Body& body) {
    Spec spec;
    spec.kind = Kind::kTuple;
    const hcl::BodyContent content =
        body.Content({.blocks = kUnlabelled.blocks}, hcl::Strictness::kExact, diags_);
    for (const hcl::Block& block : content.blocks) {
      spec.children.push_back(ReadBlock(block));
    }
    return spec;
  }

  Spec ReadAttribute(Spec spec, const hcl::Body& body) {
    static constexpr hcl::AttributeSchema kArguments[] = {{"name"}, {"required"}, {"type"}};
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content =
        body.Content({.attributes = kArguments}, hcl::Strictness::kExact, diags_);
    ReadText(content, "name", spec.name);
    ReadFlag(content, "required", spec.required);
    if (diags_.error_count() != errors) {
      return NullSpec();
    }
    ReadType(content, "type", spec.type);
    if (spec.name.empty()) {
      diags_.Error("Missing name in attribute spec",
                   "The argument \"name\" must say which attribute is decoded.",
                   body.MissingItemRange());
      return NullSpec();
    }
    return spec;
  }

  Spec ReadLiteral(Spec spec, const hcl::Body& body) {
    static constexpr hcl::AttributeSchema kArguments[] = {{"value", true}};
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content =
        body.Content({.attributes = kArguments}, hcl::Strictness::kExact, diags_);
    if (const hcl::Attribute* value = content.Find("value")) {
      spec.literal = lang::Evaluate(*value->expr, file_.functions_, diags_);
    }
    return diags_.error_count() == errors ? spec : NullSpec();
  }

  Spec ReadDefault(const hcl::Body& body) {
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content =
        body.Content({.blocks = kUnlabelled.blocks}, hcl::Strictness::kExact, diags_);
    if (content.blocks.empty()) {
      if (diags_.error_count() == errors) {
        diags_.Error("Missing spec block",
                     "A default block holds specs; the first one that gives a value counts.",
                     body.MissingItemRange());
      }
      return NullSpec();
    }
    if (content.blocks.size() == 1 && diags_.error_count() == errors) {
      diags_.Warning("Useless default block",
                     "A default block with one spec means the same as that spec alone.",
                     content.blocks[0].def_range);
    }
    std::optional<Spec> chain;
    for (const hcl::Block& block : content.blocks) {
      const size_t before = diags_.error_count();
      Spec candidate = ReadBlock(block);
      if (diags_.error_count() != before) {
        continue;
      }
      if (!chain) {
        chain = std::move(candidate);
        continue;
      }
      Spec pair;
      pair.kind = Kind::kDefault;
      pair.children.push_back(*std::move(chain));
      pair.children.push_back(std::move(candidate));
      chain = std::move(pair);
    }
    return chain ? *std::move(chain) : NullSpec();
  }

  Spec ReadTransform(Spec spec, const hcl::Body& body) {
    static constexpr hcl::AttributeSchema kArguments[] = {{"result"}};
    static constexpr std::string_view kHidden[] = {"result"};
    size_t errors = diags_.error_count();
    const hcl::BodyContent arguments =
        body.Content({.attributes = kArguments}, hcl::Strictness::kPartial, diags_);
    const hcl::Attribute* result = arguments.Find("result");
    errors = diags_.error_count();
    const hcl::BodyContent content = body.Content({.blocks = kUnlabelled.blocks, .hidden = kHidden},
                                                  hcl::Strictness::kExact, diags_);
    if (content.blocks.size() != 1) {
      if (diags_.error_count() == errors) {
        diags_.Error("Invalid transform spec",
                     "A transform block holds exactly one spec, whose value it transforms.",
                     body.MissingItemRange());
      }
      return NullSpec();
    }
    spec.children.push_back(ReadBlock(content.blocks[0]));
    if (result == nullptr) {
      return NullSpec();  // without a result the value is null
    }
    spec.transform = result->expr;
    spec.transform_scope = &file_.functions_;
    return spec;
  }

  /// The arguments of a spec of blocks.
  static std::span<const hcl::AttributeSchema> BlockArguments(Kind kind) {
    static constexpr hcl::AttributeSchema kOne[] = {{"block_type"}, {"required"}};
    static constexpr hcl::AttributeSchema kMany[] = {{"block_type"}, {"max_items"}, {"min_items"}};
    static constexpr hcl::AttributeSchema kMap[] = {{"block_type"}, {"labels", true}};
    static constexpr hcl::AttributeSchema kAttributes[] = {
        {"block_type"}, {"element_type"}, {"required"}};
    switch (kind) {
      case Kind::kBlockAttributes:
        return kAttributes;
      case Kind::kBlockMap:
        return kMap;
      case Kind::kBlock:
        return kOne;
      default:
        return kMany;
    }
  }

  Spec ReadBlocks(Spec spec, const hcl::Body& body, std::string_view kind_name) {
    const bool is_attributes = spec.kind == Kind::kBlockAttributes;
    const bool is_map = spec.kind == Kind::kBlockMap;
    const std::span<const hcl::AttributeSchema> arguments = BlockArguments(spec.kind);
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content =
        body.Content({.attributes = arguments},
                     is_attributes ? hcl::Strictness::kExact : hcl::Strictness::kPartial, diags_);
    ReadText(content, "block_type", spec.name);
    ReadFlag(content, "required", spec.required);
    ReadCount(content, "min_items", spec.min_items);
    ReadCount(content, "max_items", spec.max_items);
    ReadLabels(content, spec.label_names);
    if (diags_.error_count() != errors) {
      return NullSpec();
    }
    if (is_attributes) {
      ReadType(content, "element_type", spec.type);
    } else {
      std::vector<std::string_view> hidden;
      for (const hcl::AttributeSchema& argument : arguments) {
        hidden.push_back(argument.name);
      }
      spec.children.push_back(ReadSingleSpec(
          body, hidden, "A block spec holds exactly one spec, for the block's content."));
    }
    if (spec.name.empty() && spec.kind != Kind::kBlock) {
      diags_.Error("Missing block_type in " + std::string(kind_name) + " spec",
                   "The argument \"block_type\" must say which blocks are decoded.",
                   body.MissingItemRange());
      return NullSpec();
    }
    if (is_map && spec.label_names.empty()) {
      diags_.Error("Invalid block label name list",
                   "A block_map needs at least one label for the keys of the map.",
                   body.MissingItemRange());
      return NullSpec();
    }
    if (is_map && ImpliedType(spec).has_dynamic()) {
      diags_.Error("Invalid block_map spec",
                   "Attributes of type \"any\" cannot be inside a block_map: the elements of a map "
                   "have one type.",
                   body.MissingItemRange());
    }
    return spec;
  }

  /// The constant value of an argument, converted to `type`; nothing if it is absent or null.
  std::optional<Value> Constant(const hcl::BodyContent& content, std::string_view name,
                                const Type& type) {
    const hcl::Attribute* attribute = content.Find(name);
    if (attribute == nullptr) {
      return std::nullopt;
    }
    const size_t errors = diags_.error_count();
    const Value value = lang::Evaluate(*attribute->expr, no_scope_, diags_);
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    ValueResult<Value> converted = Convert(value, type);
    if (!converted) {
      ReportUnsuitable(*attribute, converted.error().ToText());
      return std::nullopt;
    }
    return converted->IsNull() ? std::nullopt : std::optional<Value>(*converted);
  }
  void ReportUnsuitable(const hcl::Attribute& attribute, const std::string& why) {
    diags_.Error("Unsuitable value type", "Unsuitable value: " + why + ".",
                 hcl::StartRange(*attribute.expr), attribute.expr->range());
  }

  void ReadText(const hcl::BodyContent& content, std::string_view name, std::string& out) {
    if (const auto value = Constant(content, name, Type::String())) {
      out = value->AsString();
    }
  }
  void ReadFlag(const hcl::BodyContent& content, std::string_view name, bool& out) {
    if (const auto value = Constant(content, name, Type::Bool())) {
      out = value->AsBool();
    }
  }
  void ReadCount(const hcl::BodyContent& content, std::string_view name, int64_t& out) {
    const auto value = Constant(content, name, Type::Number());
    if (!value) {
      return;
    }
    if (const std::optional<int64_t> count = value->AsInt64()) {
      out = *count;
    } else {
      ReportUnsuitable(*content.Find(name), "a whole number is required");
    }
  }
  void ReadLabels(const hcl::BodyContent& content, std::vector<std::string>& out) {
    const auto value = Constant(content, "labels", Type::List(Type::String()));
    for (const Value& label : value ? value->elements() : std::span<const Value>()) {
      if (label.IsNull()) {
        ReportUnsuitable(*content.Find("labels"), "a label must not be null");
        return;
      }
      out.emplace_back(label.AsString());
    }
  }
  void ReadType(const hcl::BodyContent& content, std::string_view name, Type& out) {
    const hcl::Attribute* attribute = content.Find(name);
    if (attribute == nullptr) {
      return;
    }
    const Value value = lang::Evaluate(*attribute->expr, types_.scope(), diags_);
    if (value.IsNull() || !value.IsKnown()) {
      return;
    }
    if (value.type() != TypeScope::SpecType()) {
      diags_.Error("Invalid type expression",
                   "A type is required, not " + value.type().FriendlyName() + ".");
      return;
    }
    out = TypeScope::TypeOf(value);
  }

  SpecFile& file_;
  Diagnostics& diags_;
  TypeScope types_;
  lang::ToolScope no_scope_;
};

std::unique_ptr<SpecFile> SpecFile::Read(Ref<const SourceFile> source, Diagnostics& diags) {
  std::unique_ptr<SpecFile> file(new SpecFile());
  file->spec_ = NullSpec();
  AddSpecFunctions(file->functions_);
  const size_t errors = diags.error_count();
  const hcl::Body* body =
      hcl::ParseNative(file->tree_.KeepSource(std::move(source)), file->tree_, diags);
  if (diags.error_count() != errors) {
    return file;
  }
  SpecReader reader(*file, diags);
  reader.ReadDeclarations(*body);
  file->spec_ = reader.ReadRoot(*body);
  return file;
}

void SpecFile::AddTo(lang::ToolScope& scope) const {
  for (const auto& [name, value] : variables_) {
    scope.SetVariable(name, value);
  }
  for (const auto& function : user_functions_) {
    scope.AddFunction(function->name(), function.get());
  }
}

}  // namespace kinu::hcldec
