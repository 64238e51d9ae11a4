#include "ide/parsed_file.h"

#include "base/files.h"
#include "diag/json_offsets.h"
#include "hcl/parse_in_pieces.h"
#include "ide/file_index.h"

namespace kinu::ide {

bool IsJsonName(std::string_view path) {
  return path.ends_with(".json");
}

FileKind KindOfFile(std::string_view path) {
  constexpr std::pair<std::string_view, FileKind> kEndings[] = {
      {".tf", FileKind::kConfiguration},      {".tofu", FileKind::kConfiguration},
      {".tf.json", FileKind::kConfiguration}, {".tofu.json", FileKind::kConfiguration},
      {".tfvars", FileKind::kVariables},      {".tfvars.json", FileKind::kVariables},
      {".tftest.hcl", FileKind::kTest},       {".tofutest.hcl", FileKind::kTest},
      {".tftest.json", FileKind::kTest},      {".tofutest.json", FileKind::kTest},
  };
  for (const auto& [ending, kind] : kEndings) {
    if (path.ends_with(ending)) {
      return kind;
    }
  }
  return FileKind::kOther;
}

const hcl::NativeBody* ParsedFile::native() const {
  return body == nullptr || body->is_json() ? nullptr : static_cast<const hcl::NativeBody*>(body);
}

std::shared_ptr<const ParsedFile> ParseFile(const std::string& path, std::string text,
                                            unsigned threads) {
  auto file = std::make_shared<ParsedFile>();
  file->path = path;
  file->kind = KindOfFile(path);
  file->source = SourceFile::Make(BaseName(path), std::move(text));
  file->tree = std::make_unique<hcl::SyntaxTree>();
  if (IsJsonName(path)) {
    file->body =
        hcl::ParseJson(file->source.get(), *file->tree, file->syntax, hcl::ParseMode::kIncomplete);
  } else {
    file->body = hcl::ParseNativeInPieces(file->source.get(), *file->tree, threads, file->syntax,
                                          hcl::ParseMode::kIncomplete);
  }
  IndexFile(*file);
  return file;
}

std::vector<Problem> SyntaxProblemsOf(const Diagnostics& diagnostics) {
  std::vector<Problem> out;
  for (const Diagnostic& diagnostic : diagnostics) {
    out.push_back({.severity = diagnostic.severity,
                   .summary = diagnostic.summary,
                   .detail = diagnostic.detail,
                   .span = SpanOf(diagnostic.subject)});
  }
  return out;
}

Span SpanOf(const SourceRange& range) {
  if (!range.valid()) {
    return {};
  }
  return {OffsetInRoot(*range.file, range.begin), OffsetInRoot(*range.file, range.end)};
}

Span InsideQuotes(std::string_view text, Span span) {
  if (span.begin >= span.end || span.end > text.size() || text[span.begin] != '"') {
    return span;
  }
  const bool is_closed = span.end - span.begin >= 2 && text[span.end - 1] == '"';
  return {span.begin + 1, span.end - (is_closed ? 1 : 0)};
}

}  // namespace kinu::ide
