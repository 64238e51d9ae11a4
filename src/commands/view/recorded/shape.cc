#include "view/recorded/shape.h"

#include <algorithm>
#include <set>
#include <vector>

namespace kinu::view {

using json::Member;
using json::Node;

json::Node MemberOf(const Node& object, std::string_view name) {
  return object && object.is_object() ? object.Find(name) : Node();
}

std::string TextOf(const Node& object, std::string_view name) {
  const Node text = MemberOf(object, name);
  return text && text.is_string() ? text.String() : std::string();
}

bool IsTrue(const Node& node) {
  return node && node.is_true();
}

/// The members of an object by name, for repeated lookups.
class NodeIndex {
 public:
  explicit NodeIndex(const Node& object) {
    if (object && object.is_object()) {
      for (const Member member : object.members()) {
        nodes_[member.name.String()] = member.value;
      }
    }
  }
  Node Find(std::string_view name) const {
    const auto it = nodes_.find(name);
    return it == nodes_.end() ? Node() : it->second;
  }
  const std::map<std::string, Node, std::less<>>& all() const { return nodes_; }

 private:
  std::map<std::string, Node, std::less<>> nodes_;
};

namespace {

std::vector<Node> ElementsOf(const Node& array) {
  std::vector<Node> out;
  if (array && array.is_array()) {
    for (const Node element : array.elements()) {
      out.push_back(element);
    }
  }
  return out;
}

Node At(const std::vector<Node>& nodes, size_t index) {
  return index < nodes.size() ? nodes[index] : Node();
}

/// Whether a member of `expressions` is an expression, not a block.
bool IsExpression(const Node& node) {
  const Node references = MemberOf(node, "references");
  return node.size() == 0 || MemberOf(node, "constant_value") ||
         (references && references.is_array() &&
          (references.size() == 0 || references.At(0).is_string()));
}

}  // namespace

Shape::Kind Shape::KindOf(const Node& value) {
  if (value.is_bool()) {
    return Kind::kBool;
  }
  if (value.is_number()) {
    return Kind::kNumber;
  }
  if (value.is_string()) {
    return Kind::kString;
  }
  return value.is_array() ? Kind::kArray : Kind::kObject;
}

void Shape::Observe(const Node& value, const Node& unknown) {
  if (!value || value.is_null() || IsTrue(unknown)) {
    return;
  }
  const Kind seen = KindOf(value);
  if (kind_ == Kind::kMixed || (kind_ != Kind::kNothing && kind_ != seen)) {
    kind_ = Kind::kMixed;
    return;
  }
  kind_ = seen;
  if (seen == Kind::kArray) {
    if (element_ == nullptr) {
      element_ = std::make_unique<Shape>();
    }
    const std::vector<Node> masks = ElementsOf(unknown);
    size_t i = 0;
    for (const Node element : value.elements()) {
      element_->Observe(element, At(masks, i++));
    }
  } else if (seen == Kind::kObject) {
    ObserveMembers(NodeIndex(value), NodeIndex(unknown));
  }
}

void Shape::ObserveMembers(const NodeIndex& nodes, const NodeIndex& masks) {
  const size_t known = members_.size();
  const bool first = !seen_object_;
  seen_object_ = true;
  size_t present = 0;
  const auto member = [&](const std::string& name, const Node& node, const Node& mask) {
    ++present;
    members_[name].Observe(node, mask);
  };
  for (const auto& [name, node] : nodes.all()) {
    member(name, node, masks.Find(name));
  }
  for (const auto& [name, mask] : masks.all()) {
    if (!nodes.Find(name)) {
      member(name, Node(), mask);
    }
  }
  keys_vary_ = keys_vary_ || (!first && (present != known || members_.size() != known));
}

void Shape::Merge(const Shape& other) {
  if (other.kind_ == Kind::kNothing) {
    return;
  }
  if (kind_ != Kind::kNothing && kind_ != other.kind_) {
    kind_ = Kind::kMixed;
    return;
  }
  const size_t known = members_.size();
  const bool first = kind_ == Kind::kNothing;
  kind_ = other.kind_;
  if (other.element_ != nullptr) {
    if (element_ == nullptr) {
      element_ = std::make_unique<Shape>();
    }
    element_->Merge(*other.element_);
  }
  for (const auto& [name, shape] : other.members_) {
    members_[name].Merge(shape);
  }
  keys_vary_ = keys_vary_ || other.keys_vary_ ||
               (!first && (other.members_.size() != known || members_.size() != known));
}

Type Shape::TypeOf(bool in_list) const {
  switch (kind_) {
    case Kind::kNothing:
    case Kind::kString:
      return Type::String();
    case Kind::kBool:
      return Type::Bool();
    case Kind::kNumber:
      return Type::Number();
    case Kind::kArray: {
      const Type element = element_->TypeOf(/*in_list=*/true);
      return element.has_dynamic() ? Type::Dynamic() : Type::List(element);
    }
    case Kind::kObject: {
      const bool strings = std::ranges::all_of(members_, [](const auto& member) {
        return member.second.kind_ == Kind::kString || member.second.kind_ == Kind::kNothing;
      });
      if (strings && !in_list) {
        return Type::Map(Type::String());
      }
      if (keys_vary_) {
        Shape any;
        for (const auto& [name, shape] : members_) {
          any.Merge(shape);
        }
        const Type element = any.TypeOf(/*in_list=*/true);
        return element.has_dynamic() ? Type::Dynamic() : Type::Map(element);
      }
      std::vector<Type::Attribute> attributes;
      for (const auto& [name, shape] : members_) {
        attributes.push_back({name, shape.TypeOf()});
        if (attributes.back().type.has_dynamic()) {
          return Type::Dynamic();
        }
      }
      return Type::Object(attributes);
    }
    case Kind::kMixed:
      break;
  }
  return Type::Dynamic();
}

void WrittenBlocks::Observe(const Node& expressions) {
  if (!expressions || !expressions.is_object()) {
    return;
  }
  for (const Member member : expressions.members()) {
    if (member.value.is_array()) {
      WrittenBlocks& nested = blocks[member.name.String()];
      for (const Node element : member.value.elements()) {
        nested.Observe(element);
      }
    } else if (member.value.is_object() && !IsExpression(member.value)) {
      blocks[member.name.String()].Observe(member.value);
    }
  }
}

schema::Block InferBlock(const Shape& shape, const WrittenBlocks& written) {
  schema::Block block;
  for (const auto& [name, member] : shape.members()) {
    const auto it = written.blocks.find(name);
    const Shape* object = member.is_object() ? &member : member.element();
    if (it == written.blocks.end() || object == nullptr ||
        (!object->is_object() && object->TypeOf() != Type::String())) {
      schema::Attribute attribute;
      attribute.name = name;
      attribute.type = member.TypeOf();
      attribute.optional = true;
      block.attributes.push_back(std::move(attribute));
      continue;
    }
    schema::NestedBlock nested;
    nested.name = name;
    nested.nesting = member.is_object() ? schema::Nesting::kSingle : schema::Nesting::kList;
    nested.block = InferBlock(*object, it->second);
    block.blocks.push_back(std::move(nested));
  }
  return block;
}

/// A string that is sensitive somewhere in the document. Not one that becomes or was sensitive in
/// this change: its diff hides it, and says so.
bool ValueReader::IsCopy(const Node& value, const Masks& masks) const {
  return value && value.is_string() && !IsTrue(masks.other) && secrets_.AreIn(value);
}

Value ValueReader::Read(const Node& value, const Masks& masks, const Type& type) const {
  Value out = Value::Null(type);
  if (IsTrue(masks.unknown)) {
    out = Value::Unknown(type);
  } else if (value && !value.is_null()) {
    out = Known(value, masks, type);
  }
  // An unknown value of dynamic type is shown by the kind of its mask.
  const Node& sensitive = masks.sensitive;
  if (!out.IsKnown() && type.is_dynamic() && sensitive && sensitive.is_container()) {
    out = Value::Unknown(sensitive.is_array() ? Type::List(Type::Dynamic())
                                              : Type::Map(Type::Dynamic()));
  }
  return IsTrue(sensitive) || IsCopy(value, masks) ? out.WithMarks(MarkSet::Sensitive()) : out;
}

namespace {

/// The type of a value without elements; of others, nothing is known.
Type ImpliedType(const Node& value) {
  if (value.is_bool()) {
    return Type::Bool();
  }
  if (value.is_number()) {
    return Type::Number();
  }
  return value.is_string() ? Type::String() : Type::Dynamic();
}

/// The type of an element of a value of a type.
Type KnownElementType(const Type& type, size_t i) {
  if (type.is_collection()) {
    return type.element();
  }
  return type.is_tuple() && i < type.elements().size() ? type.elements()[i] : Type::Dynamic();
}

}  // namespace

Value ValueReader::Known(const Node& value, const Masks& masks, const Type& type) const {
  const Type wanted = type.is_dynamic() ? ImpliedType(value) : type;
  switch (wanted.kind()) {
    case TypeKind::kBool:
      return value.is_bool() ? Value::Bool(value.is_true()) : Value::Null(wanted);
    case TypeKind::kNumber: {
      auto number = value.is_number() ? Number::Parse(value.text()) : std::nullopt;
      return number ? Value::Of(*std::move(number)) : Value::Null(wanted);
    }
    case TypeKind::kString:
      return value.is_string() ? Value::String(value.String()) : Value::Null(wanted);
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kTuple:
      return value.is_array() ? Elements(value, masks, wanted) : Value::Null(wanted);
    case TypeKind::kMap:
    case TypeKind::kObject:
      return value.is_object() ? Members(value, masks, wanted) : Value::Null(wanted);
    case TypeKind::kDynamic:
      return value.is_array() ? Elements(value, masks, wanted) : Members(value, masks, wanted);
    case TypeKind::kCapsule:
      break;
  }
  return Value::Null(wanted);
}

Value ValueReader::Elements(const Node& value, const Masks& masks, const Type& type) const {
  const std::vector<Node> unknown = ElementsOf(masks.unknown);
  const std::vector<Node> sensitive = ElementsOf(masks.sensitive);
  const std::vector<Node> other = ElementsOf(masks.other);
  std::vector<Value> elements;
  size_t i = 0;
  for (const Node element : value.elements()) {
    const Masks of_element{At(unknown, i), At(sensitive, i), At(other, i)};
    elements.push_back(Read(element, of_element, KnownElementType(type, i)));
    ++i;
  }
  if (type.is_list()) {
    return Value::List(type.element(), std::move(elements));
  }
  if (type.is_set()) {
    return Value::Set(type.element(), std::move(elements));
  }
  return Value::Tuple(std::move(elements));
}

Value ValueReader::Members(const Node& value, const Masks& masks, const Type& type) const {
  const NodeIndex nodes(value);
  const NodeIndex unknown(masks.unknown);
  const NodeIndex sensitive(masks.sensitive);
  const NodeIndex other(masks.other);
  const auto one = [&](std::string_view name, const Type& of) {
    return Read(nodes.Find(name), {unknown.Find(name), sensitive.Find(name), other.Find(name)}, of);
  };
  if (type.is_object()) {
    std::vector<Value> values;
    for (const ObjectAttribute& attribute : type.attributes()) {
      values.push_back(one(attribute.name, attribute.type));
    }
    return Value::ObjectOf(type, std::move(values));
  }
  std::set<std::string_view> names;
  for (const NodeIndex* index : {&nodes, &unknown}) {
    for (const auto& [name, node] : index->all()) {
      names.insert(name);
    }
  }
  std::vector<std::pair<std::string, Value>> members;
  for (const std::string_view name : names) {
    members.emplace_back(std::string(name),
                         one(name, type.is_map() ? type.element() : Type::Dynamic()));
  }
  return type.is_map() ? Value::Map(type.element(), std::move(members))
                       : Value::Object(std::move(members));
}

}  // namespace kinu::view
