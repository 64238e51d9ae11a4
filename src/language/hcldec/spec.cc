#include "hcldec/spec.h"

#include "hcl/static.h"
#include "hcldec/spec_schema.h"
#include "lang/eval.h"

namespace kinu::hcldec {

using Kind = Spec::Kind;

namespace {

Type Nest(Type type, size_t depth) {
  for (size_t i = 0; i < depth; ++i) {
    type = Type::Map(type);
  }
  return type;
}

// Collects the names of the labels that the spec of a body reads.
void FindLabels(const Spec& spec, std::vector<std::string>& names) {
  if (spec.kind == Kind::kBlockLabel) {
    if (names.size() <= spec.label_index) {
      names.resize(spec.label_index + 1);
    }
    names[spec.label_index] = spec.name;
  } else if (!spec.is_block()) {
    for (const Spec& child : spec.children) {
      FindLabels(child, names);
    }
  }
}

void CollectFrom(const Spec& spec, const hcl::BodyContent& content,
                 std::vector<const hcl::TraversalExpr*>& out);

void CollectFromBody(const Spec& spec, const hcl::Body& body,
                     std::vector<const hcl::TraversalExpr*>& out) {
  Diagnostics ignored;
  const SpecSchema schema(spec);
  CollectFrom(spec, body.Content(schema.schema(), hcl::Strictness::kPartial, ignored), out);
}

void CollectFrom(const Spec& spec, const hcl::BodyContent& content,
                 std::vector<const hcl::TraversalExpr*>& out) {
  if (spec.kind == Kind::kAttribute) {
    if (const hcl::Attribute* attribute = content.Find(spec.name)) {
      hcl::CollectTraversals(*attribute->expr, out);
    }
    return;
  }
  if (!spec.is_block()) {
    for (const Spec& child : spec.children) {
      CollectFrom(child, content, out);
    }
    return;
  }
  for (const hcl::Block& block : content.blocks) {
    if (block.type != spec.name) {
      continue;
    }
    if (spec.kind == Kind::kBlockAttributes) {
      Diagnostics problems;
      const std::vector<hcl::Attribute> attributes = block.body->JustAttributes({}, problems);
      for (const hcl::Attribute& attribute : attributes) {
        if (!problems.has_errors()) {
          hcl::CollectTraversals(*attribute.expr, out);
        }
      }
    } else {
      CollectFromBody(spec.children.front(), *block.body, out);
    }
    if (spec.kind == Kind::kBlock || spec.kind == Kind::kBlockAttributes) {
      return;  // such a spec decodes only the first block
    }
  }
}

}  // namespace

Type ImpliedType(const Spec& spec) {
  switch (spec.kind) {
    case Kind::kObject: {
      std::vector<Type::Attribute> attributes;
      for (size_t i = 0; i < spec.children.size(); ++i) {
        attributes.push_back({spec.member_names[i], ImpliedType(spec.children[i]), false});
      }
      return Type::Object(attributes);
    }
    case Kind::kTuple: {
      std::vector<Type> types;
      for (const Spec& child : spec.children) {
        types.push_back(ImpliedType(child));
      }
      return Type::Tuple(types);
    }
    case Kind::kAttribute:
      return spec.type;
    case Kind::kLiteral:
      return spec.literal.type();
    case Kind::kTransform: {
      Diagnostics ignored;
      return EvaluateTransform(spec, Value::Unknown(ImpliedType(spec.children.front())), ignored)
          .type();
    }
    case Kind::kDefault:
    case Kind::kBlock:
      return ImpliedType(spec.children.front());
    case Kind::kBlockList:
      return Type::List(ImpliedType(spec.children.front()));
    case Kind::kBlockSet:
      return Type::Set(ImpliedType(spec.children.front()));
    case Kind::kBlockMap:
      return Nest(ImpliedType(spec.children.front()), spec.label_names.size());
    case Kind::kBlockTuple:
    case Kind::kBlockObject:
      return Type::Dynamic();
    case Kind::kBlockAttributes:
      return Type::Map(spec.type);
    case Kind::kBlockLabel:
      return Type::String();
  }
  return Type::Dynamic();
}

void SpecSchema::Visit(const Spec& spec) {
  if (spec.kind == Kind::kAttribute) {
    attributes_.push_back({spec.name, spec.required});
    return;
  }
  if (spec.is_block()) {
    std::vector<std::string>& names = names_.emplace_back(spec.label_names);
    if (!spec.children.empty()) {
      std::vector<std::string> inner;
      FindLabels(spec.children.front(), inner);
      names.insert(names.end(), inner.begin(), inner.end());
    }
    const std::vector<std::string_view>& views =
        views_.emplace_back(std::vector<std::string_view>(names.begin(), names.end()));
    blocks_.push_back({spec.name, views});
    return;
  }
  // The reference adds the attributes of a default twice, so that a missing required one is
  // reported twice.
  if (spec.kind == Kind::kDefault) {
    for (const Spec& child : spec.children) {
      if (child.kind == Kind::kAttribute) {
        attributes_.push_back({child.name, child.required});
      }
    }
  }
  for (const Spec& child : spec.children) {
    Visit(child);
  }
}

Value EvaluateTransform(const Spec& spec, const Value& nested, Diagnostics& diags) {
  const lang::Binding binding{"nested", &nested, nullptr};
  return lang::Evaluate(*spec.transform, *spec.transform_scope, diags, &binding);
}

std::vector<const hcl::TraversalExpr*> CollectVariables(const Spec& spec, const hcl::Body& body) {
  std::vector<const hcl::TraversalExpr*> out;
  CollectFromBody(spec, body, out);
  return out;
}

}  // namespace kinu::hcldec
