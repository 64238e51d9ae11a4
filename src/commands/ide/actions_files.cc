// Code actions that move a block to another file, or a file to the other syntax.
#include <algorithm>
#include <optional>

#include "base/files.h"
#include "convert/convert.h"
#include "ide/actions.h"

namespace kinu::ide {
namespace {

/// The file, without its ending, where people look for blocks of a type.
struct UsualFile {
  std::string_view block;
  std::string_view file;
};
constexpr UsualFile kUsualFiles[] = {
    {"variable", "variables"}, {"output", "outputs"}, {"provider", "providers"},
    {"terraform", "versions"}, {"locals", "locals"},  {"resource", "main"},
    {"data", "main"},          {"module", "main"},    {"check", "checks"},
    {"moved", "moved"},        {"import", "imports"},
};

std::string_view UsualFileOf(std::string_view block) {
  const auto found = std::ranges::find(kUsualFiles, block, &UsualFile::block);
  return found == std::end(kUsualFiles) ? std::string_view() : found->file;
}

void OfferMoveOf(ActionPlace& place, const hcl::NativeBlock& block) {
  const std::string_view kind = UsualFileOf(block.type);
  if (kind.empty()) {
    return;
  }
  const std::string path = FileFor(place.parts, place.directory, kind, place.file);
  const std::string_view text = place.file.text();
  auto lines = LinesOf(text, {block.type_begin, block.close_brace + 1});
  if (path.empty() || path == place.file.path || place.parts.IsReplaced(path) || !lines) {
    return;
  }
  std::string moved(text.substr(lines->begin, lines->end - lines->begin));
  if (!moved.ends_with('\n')) {
    moved += '\n';
  }
  if (lines->end < text.size() && text[lines->end] == '\n') {
    ++lines->end;  // the blank line that parted it from the next block
  }
  CodeAction action{.title = "Move the block to " + BaseName(path),
                    .kind = CodeAction::Kind::kRewrite};
  AppendBlock(place.parts, path, moved, action.edit);
  AddEdit(action.edit, place.file.path, {*lines, ""});
  place.Offer(std::move(action));
}

/// Whether programs find a file of variables under another ending as well.
bool IsConvertible(const ParsedFile& file) {
  if (file.kind == FileKind::kConfiguration) {
    return !IsOverrideFile(file.path);
  }
  const std::string name = BaseName(file.path);
  return file.kind == FileKind::kVariables &&
         (name.find(".auto.tfvars") != std::string::npos || name.starts_with("terraform.tfvars"));
}

/// No schemas: a body of a provider is then doubtful, since its blocks look like values.
class NoShapes final : public convert::SchemaShapes {
 public:
  const convert::BodyShape* Find(std::string_view, std::string_view) const override {
    return nullptr;
  }
};

/// The file in the other syntax; nothing if anything of it would be lost or is doubtful.
std::optional<std::string> Converted(const ParsedFile& file) {
  Diagnostics problems;
  hcl::SyntaxTree tree;
  const NoShapes none;
  const convert::BodyShape& shape = convert::ShapeForFile(BaseName(file.path));
  const auto text =
      IsJsonName(file.path)
          ? convert::JsonToNative(*file.source, shape, {.schemas = &none}, tree, problems)
          : convert::NativeToJson(*file.source, shape, problems);
  return problems.empty() ? text : std::nullopt;
}

}  // namespace

void OfferMove(ActionPlace& place) {
  const hcl::NativeBody* native = place.file.native();
  if (native == nullptr || place.file.kind != FileKind::kConfiguration ||
      IsOverrideFile(place.file.path) || place.parts.IsReplaced(place.file.path)) {
    return;
  }
  for (const hcl::NativeBlock& block : native->blocks) {
    if (place.Touches({block.type_begin, block.header_end()})) {
      return OfferMoveOf(place, block);
    }
  }
}

void OfferConversion(ActionPlace& place) {
  constexpr std::string_view kJson = ".json";
  const ParsedFile& file = place.file;
  // It reads the whole file, and so is offered at its begin alone.
  if (place.span.begin != 0 || file.syntax.has_errors() || !IsConvertible(file) ||
      place.parts.IsReplaced(file.path)) {
    return;
  }
  const bool is_json = IsJsonName(file.path);
  const std::string path =
      is_json ? file.path.substr(0, file.path.size() - kJson.size()) : file.path + ".json";
  if (place.parts.Find(path) != nullptr || place.parts.IsReplaced(path)) {
    return;
  }
  const auto text = Converted(file);
  if (!text) {
    return;
  }
  CodeAction action{.title = "Convert to " + BaseName(path) + ", and empty this file",
                    .kind = CodeAction::Kind::kRewrite};
  AddEdit(action.edit, path, {{0, 0}, *text});
  action.edit.back().creates = true;
  AddEdit(action.edit, file.path,
          {{0, static_cast<uint32_t>(file.text().size())}, is_json ? "{}\n" : ""});
  place.Offer(std::move(action));
}

}  // namespace kinu::ide
