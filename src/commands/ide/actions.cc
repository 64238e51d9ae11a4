#include "ide/actions.h"

#include <algorithm>

#include "base/files.h"
#include "hcl/parse.h"

namespace kinu::ide {
namespace {

std::string Applied(std::string_view text, const std::vector<TextEdit>& edits) {
  std::string out;
  uint32_t at = 0;
  for (const TextEdit& edit : edits) {
    out.append(text.substr(at, edit.span.begin - at)).append(edit.text);
    at = edit.span.end;
  }
  return out.append(text.substr(at));
}

/// The begin of the line of an offset.
uint32_t LineBeginOf(std::string_view text, uint32_t at) {
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : static_cast<uint32_t>(newline) + 1;
}

/// Behind the newline of the line of an offset.
uint32_t NextLineOf(std::string_view text, uint32_t at) {
  return static_cast<uint32_t>(std::min(text.find('\n', at), text.size() - 1) + 1);
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool IsLineComment(std::string_view text) {
  return text.starts_with('#') || text.starts_with("//");
}

/// Whether texts may be added to the file as they are.
bool IsWellFormed(const ParsedFile& file) {
  return !IsJsonName(file.path) && !file.syntax.has_errors();
}

}  // namespace

bool ActionPlace::Parses(const FileEdits& edits) const {
  const ParsedFile* before = parts.Find(edits.path);
  if (before != nullptr && before->syntax.has_errors()) {
    return true;  // as before
  }
  const Ref<const SourceFile> source = SourceFile::Make(
      edits.path, Applied(before == nullptr ? std::string_view() : before->text(), edits.edits));
  hcl::SyntaxTree tree;
  Diagnostics problems;
  if (IsJsonName(edits.path)) {
    (void)hcl::ParseJson(source.get(), tree, problems);
  } else {
    (void)hcl::ParseNative(source.get(), tree, problems);
  }
  return !problems.has_errors();
}

void ActionPlace::Offer(CodeAction action) {
  for (FileEdits& edits : action.edit) {
    std::ranges::stable_sort(edits.edits, {}, &TextEdit::span);
  }
  if (std::ranges::all_of(action.edit, [&](const FileEdits& edits) { return Parses(edits); })) {
    actions_.push_back(std::move(action));
  }
}

const std::vector<std::shared_ptr<const ParsedFile>>& FilesOf(const Snapshot::Parts& parts,
                                                              const std::string& directory) {
  static const std::vector<std::shared_ptr<const ParsedFile>> kNone;
  const auto module = parts.modules.find(directory);
  return module == parts.modules.end() ? kNone : module->second.files;
}

std::vector<const Declaration*> DeclarationsOf(const Snapshot::Parts& parts,
                                               const std::string& directory, const Key& key) {
  std::vector<const Declaration*> found;
  for (const auto& file : FilesOf(parts, directory)) {
    for (const Declaration& declaration : file->declarations) {
      if (file->kind == FileKind::kConfiguration && declaration.key == key &&
          !parts.IsReplaced(file->path)) {
        found.push_back(&declaration);
      }
    }
  }
  return found;
}

std::string FreeName(const ActionPlace& place, std::string_view prefix, std::string_view base) {
  std::string name(base);
  for (int number = 2;
       !DeclarationsOf(place.parts, place.directory, std::string(prefix) + name).empty();
       ++number) {
    name = std::string(base) + "_" + std::to_string(number);
  }
  return name;
}

bool IsOwnDirectory(const Snapshot::Parts& parts, const std::string& directory) {
  return directory.find("/.terraform/") == std::string::npos &&
         std::ranges::any_of(parts.folders, [&](const std::string& folder) {
           return directory == folder || directory.starts_with(folder + "/");
         });
}

bool IsOverrideFile(const std::string& path) {
  const std::string name = BaseName(path);
  const std::string_view stem = std::string_view(name).substr(0, name.find('.'));
  return stem == "override" || stem.ends_with("_override");
}

std::string FileFor(const Snapshot::Parts& parts, const std::string& directory,
                    std::string_view kind, const ParsedFile& beside) {
  const std::string stem = JoinPath(directory, kind);
  for (const std::string_view ending : {".tofu", ".tf"}) {
    if (const ParsedFile* file = parts.Find(stem + std::string(ending))) {
      return IsWellFormed(*file) ? file->path : "";
    }
  }
  const std::string_view name = beside.path;
  const bool is_tofu = name.ends_with(".tofu") || name.ends_with(".tofu.json") ||
                       name.ends_with(".tofutest.hcl") || name.ends_with(".tofutest.json");
  return stem + (is_tofu ? ".tofu" : ".tf");
}

void AddEdit(WorkspaceEdit& edits, const std::string& path, TextEdit edit) {
  const auto found = std::ranges::find(edits, path, &FileEdits::path);
  FileEdits& file = found == edits.end() ? edits.emplace_back() : *found;
  file.path = path;
  file.edits.push_back(std::move(edit));
}

void AppendBlock(const Snapshot::Parts& parts, const std::string& path, std::string_view block,
                 WorkspaceEdit& edits) {
  const ParsedFile* file = parts.Find(path);
  std::string text;
  uint32_t end = 0;
  if (file != nullptr) {
    end = static_cast<uint32_t>(file->text().size());
    text = file->text().empty() || file->text().ends_with('\n') ? "" : "\n";
    text += Trimmed(file->text()).empty() ? "" : "\n";
  }
  text += block;
  AddEdit(edits, path, {{end, end}, std::move(text)});
  std::ranges::find(edits, path, &FileEdits::path)->creates = file == nullptr;
}

std::optional<Span> LinesOf(std::string_view text, Span item) {
  if (item.end > text.size()) {
    return std::nullopt;  // a block whose closing brace is missing
  }
  Span lines{LineBeginOf(text, item.begin), NextLineOf(text, item.end)};
  const std::string_view rest = Trimmed(text.substr(item.end, lines.end - item.end));
  if (!Trimmed(text.substr(lines.begin, item.begin - lines.begin)).empty() ||
      (!rest.empty() && !IsLineComment(rest))) {
    return std::nullopt;
  }
  while (lines.begin > 0) {
    const uint32_t above = LineBeginOf(text, lines.begin - 1);
    const std::string_view line = Trimmed(text.substr(above, lines.begin - above));
    if (!IsLineComment(line) || line.find("*/") != std::string_view::npos) {
      break;
    }
    lines.begin = above;
  }
  return lines;
}

TextEdit AddLines(std::string_view text, const hcl::NativeBlock& block, std::string_view lines) {
  const uint32_t line = LineBeginOf(text, block.close_brace);
  if (line > block.open_brace && Trimmed(text.substr(line, block.close_brace - line)).empty()) {
    return {{line, line}, std::string(lines)};
  }
  const Span body{block.open_brace + 1, block.close_brace};
  const std::string_view before = Trimmed(text.substr(body.begin, body.end - body.begin));
  std::string content = "\n";
  if (!before.empty()) {
    content.append("  ").append(before).append("\n");
  }
  return {body, content.append(lines)};
}

}  // namespace kinu::ide
