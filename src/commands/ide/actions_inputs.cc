// The code action that adds the required arguments of a module call.
#include <algorithm>
#include <map>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/actions.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// A value of a type constraint: empty texts and collections, objects with their attributes.
std::string ValueOfType(const Expr* type);

std::string ObjectOfType(const hcl::CallExpr& call) {
  std::string out;
  if (call.arguments.size() != 1 || call.arguments[0]->kind != ExprKind::kObject) {
    return "{}";
  }
  for (const hcl::ObjectItem& item :
       static_cast<const hcl::ObjectExpr&>(*call.arguments[0]).items) {
    const bool is_optional = item.value->kind == ExprKind::kCall &&
                             static_cast<const hcl::CallExpr&>(*item.value).name == "optional";
    const std::string_view name = hcl::KeyWord(*item.key);
    if (!is_optional && !name.empty()) {
      out.append(out.empty() ? " " : ", ").append(name).append(" = ");
      out.append(ValueOfType(item.value));
    }
  }
  return out.empty() ? "{}" : "{" + out + " }";
}

std::string TupleOfType(const hcl::CallExpr& call) {
  std::string out;
  if (call.arguments.size() == 1 && call.arguments[0]->kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const hcl::TupleExpr&>(*call.arguments[0]).elements) {
      out.append(out.empty() ? "" : ", ").append(ValueOfType(element));
    }
  }
  return "[" + out + "]";
}

std::string ValueOfType(const Expr* type) {
  if (type == nullptr) {
    return "null";
  }
  if (type->kind == ExprKind::kTraversal) {
    const std::string_view name = static_cast<const hcl::TraversalExpr&>(*type).root;
    if (name == "string") {
      return "\"\"";
    }
    if (name == "number") {
      return "0";
    }
    return name == "bool" ? "false" : "null";
  }
  if (type->kind != ExprKind::kCall) {
    return "null";
  }
  const auto& call = static_cast<const hcl::CallExpr&>(*type);
  if (call.name == "object") {
    return ObjectOfType(call);
  }
  if (call.name == "tuple") {
    return TupleOfType(call);
  }
  return call.name == "map" ? "{}" : "[]";
}

/// A variable of a module: no value if it has a default.
using InputValues = std::map<std::string, std::string>;

/// The values to give to the variables of a module that need one.
InputValues RequiredInputs(const Snapshot::Parts& parts, const std::string& directory) {
  InputValues values;
  std::vector<std::string> with_default;
  for (const auto& file : FilesOf(parts, directory)) {
    for (const Declaration& declaration : file->declarations) {
      if (file->kind != FileKind::kConfiguration || declaration.kind != SymbolKind::kVariable ||
          declaration.body == nullptr) {
        continue;
      }
      std::string name = declaration.key.substr(4);
      if (ArgumentOf(*declaration.body, "default") != nullptr) {
        with_default.push_back(std::move(name));
      } else {
        values.emplace(std::move(name), ValueOfType(ArgumentOf(*declaration.body, "type")));
      }
    }
  }
  for (const std::string& name : with_default) {
    values.erase(name);
  }
  return values;
}

void OfferInputsOf(ActionPlace& place, const hcl::NativeBlock& block) {
  const auto directories =
      place.parts.Follow(place.directory, std::string(block.labels[0].text.view()));
  if (directories.size() != 1) {
    return;
  }
  InputValues values = RequiredInputs(place.parts, *directories.begin());
  for (const hcl::NativeAttribute& attribute : block.body->attributes) {
    values.erase(std::string(attribute.name.view()));
  }
  if (values.empty()) {
    return;
  }
  size_t width = 0;
  for (const auto& [name, value] : values) {
    width = std::max(width, name.size());
  }
  std::string lines;
  for (const auto& [name, value] : values) {
    lines.append("  ").append(name).append(width - name.size(), ' ');
    lines.append(" = ").append(value).append("\n");
  }
  CodeAction action{.title = "Add the required arguments",
                    .fixes = "Missing required argument",
                    .is_preferred = true};
  AddEdit(action.edit, place.file.path, AddLines(place.file.text(), block, lines));
  place.Offer(std::move(action));
}

}  // namespace

void OfferMissingInputs(ActionPlace& place) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr || place.file.kind != FileKind::kConfiguration) {
    return;
  }
  for (const hcl::NativeBlock& block : native->blocks) {
    if (block.type.view() == "module" && block.labels.size() == 1 &&
        place.Touches({block.type_begin, block.close_brace + 1})) {
      OfferInputsOf(place, block);
    }
  }
}

}  // namespace kinu::ide
