// The code action that adds what a block must have, by the language or by the schema of a provider.
#include <algorithm>

#include "ide/actions.h"
#include "ide/body_members.h"

namespace kinu::ide {
namespace {

/// A value of the right type that says nothing.
std::string_view ValueOf(const Member& member) {
  switch (ShapeOf(member)) {
    case ValueShape::kBool:
      return "false";
    case ValueShape::kNumber:
      return "0";
    case ValueShape::kText:
      return "\"\"";
    case ValueShape::kList:
      return "[]";
    case ValueShape::kMap:
      return "{}";
    case ValueShape::kUnknown:
      break;
  }
  return "null";
}

/// Whether a body has an argument or block of that name, also by a `dynamic` block.
bool Has(const hcl::NativeBody& body, std::string_view name) {
  return std::ranges::any_of(
             body.attributes,
             [&](const hcl::NativeAttribute& argument) { return argument.name.view() == name; }) ||
         std::ranges::any_of(body.blocks, [&](const hcl::NativeBlock& block) {
           return block.type.view() == name ||
                  (block.type.view() == "dynamic" && block.labels.size() == 1 &&
                   block.labels[0].text.view() == name);
         });
}

/// The lines of required members, arguments first, with their values in a column.
std::string RequiredLines(std::vector<Member> members, const std::string& indent) {
  std::ranges::stable_partition(members, [](const Member& member) { return !member.is_block; });
  size_t width = 0;
  for (const Member& member : members) {
    width = std::max(width, member.is_block ? 0 : member.name.size());
  }
  std::string out;
  for (const Member& member : members) {
    out.append(indent).append(member.name);
    if (!member.is_block) {
      out.append(width - member.name.size(), ' ')
          .append(" = ")
          .append(ValueOf(member))
          .append("\n");
      continue;
    }
    std::vector<Member> inside;
    if (member.block != nullptr) {
      inside = MembersOfSchema(*member.block);
      std::erase_if(inside, [](const Member& part) { return !part.required; });
    }
    out.append(" {\n").append(RequiredLines(std::move(inside), indent + "  "));
    out.append(indent).append("}\n");
  }
  return out;
}

/// The blocks that the place touches, outermost first, with their first lines.
std::vector<const hcl::NativeBlock*> BlocksAround(const ActionPlace& place,
                                                  const hcl::NativeBody& file) {
  std::vector<const hcl::NativeBlock*> path;
  const hcl::NativeBody* body = &file;
  while (body != nullptr) {
    const auto found = std::ranges::find_if(body->blocks, [&](const hcl::NativeBlock& block) {
      return place.Touches({block.type_begin, block.close_brace + 1});
    });
    if (found == body->blocks.end()) {
      break;
    }
    path.push_back(&*found);
    body = found->body;
  }
  return path;
}

/// What the body must have and has not. Blocks with labels are left out: nobody knows those.
std::vector<Member> MissingMembers(ActionPlace& place,
                                   const std::vector<const hcl::NativeBlock*>& path) {
  std::vector<OpenBlock> open;
  for (const hcl::NativeBlock* block : path) {
    OpenBlock& entry = open.emplace_back();
    entry.type = block->type.view();
    for (const auto& label : block->labels) {
      entry.labels.push_back(label.text.view());
    }
  }
  ModuleNames names(place.snapshot, place.directory, &place.file);
  const BodyPlace body = PlaceOfBody(names, place.file.kind, open);
  if (!body.known) {
    return {};
  }
  std::vector<Member> members = MembersOf(names, body);
  std::erase_if(members, [&](const Member& member) {
    return !member.required || !member.labels.empty() || Has(*path.back()->body, member.name);
  });
  return members;
}

}  // namespace

void OfferMissingArguments(ActionPlace& place) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr) {
    return;
  }
  const std::vector<const hcl::NativeBlock*> path = BlocksAround(place, *native);
  // Calls of modules: OfferMissingInputs(), which knows the types of variables.
  if (path.empty() || path.back()->body == nullptr ||
      (path.size() == 1 && path[0]->type.view() == "module")) {
    return;
  }
  const std::vector<Member> missing = MissingMembers(place, path);
  if (missing.empty()) {
    return;
  }
  CodeAction action{.title = "Add the required arguments",
                    .fixes = "Missing required argument",
                    .is_preferred = true};
  const std::string lines = RequiredLines(missing, std::string(2 * path.size(), ' '));
  AddEdit(action.edit, place.file.path, AddLines(place.file.text(), *path.back(), lines));
  place.Offer(std::move(action));
}

}  // namespace kinu::ide
