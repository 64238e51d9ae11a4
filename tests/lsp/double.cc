// A language server whose answers are made up and have every part that an answer can have: with it,
// tests see all structures that the server writes. It takes the place of the library `ide`.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <unistd.h>

#include "ide/answers.h"
#include "ide/edited_syntax.h"
#include "ide/workspace.h"
#include "lsp/server.h"

namespace kinu::ide {

struct Snapshot::Parts {
  std::map<std::string, Ref<const SourceFile>> texts;
};
struct Workspace::Content {
  std::map<std::string, Ref<const SourceFile>> texts;
};

Snapshot::Snapshot(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Snapshot::~Snapshot() = default;
Ref<const SourceFile> Snapshot::Text(const std::string& path) const {
  const auto at = parts_->texts.find(path);
  return at == parts_->texts.end() ? Ref<const SourceFile>() : at->second;
}

namespace {

constexpr Span kSpan{.begin = 0, .end = 3};

Place Here(const std::string& path) {
  return {.path = path, .span = kSpan};
}
Place Elsewhere() {
  return {.path = "/elsewhere/b.tf", .span = {}};
}

}  // namespace

/// Each "bad" in a text is a mistake of syntax.
static std::vector<Problem> BadWords(std::string_view text) {
  std::vector<Problem> problems;
  for (size_t at = text.find("bad"); at < text.size(); at = text.find("bad", at + 1)) {
    const auto begin = static_cast<uint32_t>(at);
    problems.push_back({.severity = Severity::kError,
                        .summary = "Bad",
                        .detail = "It is bad.",
                        .span = {.begin = begin, .end = begin + 3}});
  }
  return problems;
}
std::vector<Problem> Snapshot::SyntaxProblems(const std::string& path) const {
  const auto source = Text(path);
  return BadWords(source ? source->text() : std::string_view());
}
std::optional<std::vector<Problem>> EditedSyntax::Problems(const std::string&,
                                                           const std::string& text) {
  return BadWords(text);
}
std::vector<std::string> Snapshot::RootsOf(const std::string&) const {
  return {"/root", "/other"};
}
/// Each "old" in a text is deprecated, in every root; each "far" is a problem of a file elsewhere.
std::optional<Problems> Snapshot::CheckRoot(const std::string& directory,
                                            const std::atomic<bool>& abandoned) const {
  if (abandoned) {
    return std::nullopt;
  }
  Problems problems;
  for (const auto& [path, source] : parts_->texts) {
    const auto at = static_cast<uint32_t>(source->text().find("old"));
    if (at < source->text().size()) {
      problems[path] = {{.severity = Severity::kWarning,
                         .summary = "Old",
                         .detail = "",
                         .span = {.begin = at, .end = at + 3},
                         .is_deprecation = true}};
    }
    if (source->text().contains("far")) {
      problems[Elsewhere().path] = {{.summary = "Far", .detail = directory, .span = {}}};
    }
  }
  return problems;
}

Workspace::Workspace(const Settings&) : content_(std::make_unique<Content>()) {}
Workspace::~Workspace() = default;
void Workspace::SetFolders(std::vector<std::string>) {}
void Workspace::SetSettings(const Settings&) {}
void Workspace::SetText(const std::string& path, std::string text) {
  content_->texts[path] = SourceFile::Make(path, std::move(text));
}
void Workspace::Close(const std::string& path) {
  content_->texts.erase(path);
}
/// A change on the disk is a file of that name that is "old".
void Workspace::Changed(const std::string& path) {
  content_->texts[path] = SourceFile::Make(path, "old");
}
std::vector<std::string> Workspace::Watched() const {
  const char* directory = getenv("KINU_TEST_WATCHED");
  return directory == nullptr ? std::vector<std::string>() : std::vector<std::string>{directory};
}
std::shared_ptr<const Snapshot> Workspace::Take() {
  auto parts = std::make_unique<Snapshot::Parts>();
  parts->texts = content_->texts;
  return std::make_shared<Snapshot>(std::move(parts));
}

std::optional<Hover> HoverAt(const Snapshot&, const Cursor&) {
  return Hover{.span = kSpan, .markdown = "**bold** `code`"};
}
std::vector<Target> DefinitionsAt(const Snapshot&, const Cursor& cursor) {
  return {{.name = Here(cursor.path), .whole = Here(cursor.path), .origin = kSpan},
          {.name = Elsewhere(), .whole = Elsewhere(), .origin = kSpan}};
}
std::vector<Place> ReferencesAt(const Snapshot&, const Cursor& cursor, bool with_declaration) {
  return with_declaration ? std::vector{Here(cursor.path), Elsewhere()} : std::vector{Elsewhere()};
}
std::vector<Highlight> HighlightsAt(const Snapshot&, const Cursor&) {
  return {{.span = kSpan, .kind = Highlight::Kind::kRead},
          {.span = kSpan, .kind = Highlight::Kind::kWrite}};
}
std::vector<Symbol> DocumentSymbols(const Snapshot&, const std::string&) {
  std::vector<Symbol> all;
  for (auto kind = 0; kind <= static_cast<int>(SymbolKind::kArgument); ++kind) {
    all.push_back({.name = "s" + std::to_string(kind),
                   .detail = "block",
                   .kind = static_cast<SymbolKind>(kind),
                   .whole = kSpan,
                   .name_span = kSpan,
                   .children = {}});
  }
  all[0].children = {{.name = "c", .whole = kSpan, .name_span = kSpan, .children = {}}};
  return all;
}
std::vector<FoundSymbol> WorkspaceSymbols(const Snapshot&, std::string_view query) {
  return {{.name = std::string(query), .container = "modules/a", .place = Elsewhere()}};
}
std::vector<Link> DocumentLinks(const Snapshot&, const std::string& path) {
  return {{.span = kSpan, .target = path, .tooltip = "a file"},
          {.span = kSpan, .target = "https://example.com/a", .tooltip = ""}};
}
Completions CompletionsAt(const Snapshot&, const Cursor&) {
  Completions all{.replaced = kSpan, .is_complete = false, .items = {}};
  for (auto kind = 0; kind <= static_cast<int>(CompletionKind::kPath); ++kind) {
    all.items.push_back({.label = "c" + std::to_string(kind),
                         .kind = static_cast<CompletionKind>(kind),
                         .detail = "detail",
                         .markdown = "**text**",
                         .insert = "c${1:x}$0",
                         .is_snippet = kind % 2 == 0,
                         .is_deprecated = kind % 3 == 0,
                         .sort_key = "0"});
  }
  return all;
}
std::optional<SignatureHelp> SignatureAt(const Snapshot&, const Cursor&) {
  return SignatureHelp{.label = "f(a, b)",
                       .markdown = "It is `f`.",
                       .parameters = {{.begin = 2, .end = 3}, {.begin = 5, .end = 6}},
                       .parameter_docs = {"first", ""},
                       .active = 1};
}
Result<RenameTarget> PrepareRename(const Snapshot&, const Cursor& cursor) {
  if (cursor.offset > 3) {
    return Fail(ErrorCode::kInvalid, "this is no name");
  }
  return RenameTarget{.span = kSpan, .name = "old"};
}
Result<WorkspaceEdit> Rename(const Snapshot& snapshot, const Cursor& cursor,
                             std::string_view new_name) {
  if (auto target = PrepareRename(snapshot, cursor); !target) {
    return std::unexpected(target.error());
  }
  return WorkspaceEdit{
      {.path = cursor.path, .edits = {{.span = kSpan, .text = std::string(new_name)}}},
      {.path = "/elsewhere/new.tf", .creates = true, .edits = {{.span = {}, .text = "a"}}}};
}
/// Every text gets a line end more; a text with "bad" does not parse.
std::optional<std::vector<TextEdit>> FormatText(std::string_view text, bool is_json) {
  if (text.contains("bad")) {
    return std::nullopt;
  }
  const auto end = static_cast<uint32_t>(text.size());
  return std::vector<TextEdit>{{.span = {.begin = end, .end = end}, .text = is_json ? " " : "\n"}};
}
/// Replaces the span by its bounds.
std::optional<std::vector<TextEdit>> FormatRange(std::string_view, bool, Span span) {
  return std::vector<TextEdit>{
      {.span = span, .text = std::to_string(span.begin) + "-" + std::to_string(span.end)}};
}
std::vector<CodeAction> CodeActionsAt(const Snapshot&, const std::string& path, Span) {
  std::vector<CodeAction> all;
  for (auto kind = 0; kind <= static_cast<int>(CodeAction::Kind::kOrganize); ++kind) {
    all.push_back({.title = "a" + std::to_string(kind),
                   .kind = static_cast<CodeAction::Kind>(kind),
                   .fixes = kind == 0 ? "Bad" : "",
                   .is_preferred = kind == 0,
                   .edit = {{.path = path, .edits = {{.span = kSpan, .text = "x"}}}}});
  }
  return all;
}
/// A token for each word.
std::vector<SemanticToken> SemanticTokens(const Snapshot& snapshot, const std::string& path,
                                          Span span) {
  std::vector<SemanticToken> tokens;
  const auto source = snapshot.Text(path);
  const std::string_view text = source ? source->text() : std::string_view();
  for (size_t at = text.find_first_not_of(" \n"); at < text.size();) {
    const size_t end = std::min(text.size(), text.find_first_of(" \n", at));
    const Span word{.begin = static_cast<uint32_t>(at), .end = static_cast<uint32_t>(end)};
    if (word.begin <= span.end && span.begin <= word.end) {
      tokens.push_back({.span = word, .type = TokenType::kVariable, .modifiers = kReadonly});
    }
    at = text.find_first_not_of(" \n", end);
  }
  return tokens;
}
/// Of a text `a {\n  b\n}`: from the bracket to the end of b's line.
std::vector<Fold> Folds(const Snapshot& snapshot, const std::string& path) {
  const auto source = snapshot.Text(path);
  const auto size = static_cast<uint32_t>(source ? source->text().size() : 0);
  return {{.span = {.begin = 3, .end = size - 1}, .kind = Fold::Kind::kBlock},
          {.span = {.begin = 0, .end = size}, .kind = Fold::Kind::kComment}};
}
std::vector<Span> SelectionsAt(const Snapshot&, const Cursor& cursor) {
  return {{.begin = cursor.offset, .end = cursor.offset + 1}, {.begin = 0, .end = 4}};
}
std::vector<Lens> Lenses(const Snapshot&, const std::string& path) {
  return {{.span = kSpan, .title = "2 references", .places = {Here(path), Elsewhere()}}};
}
std::vector<InlayHint> InlayHints(const Snapshot&, const std::string&, Span span) {
  return {{.offset = span.begin, .label = "= 1"}};
}
std::optional<CallItem> CallItemAt(const Snapshot&, const Cursor& cursor) {
  return CallItem{.name = "root", .directory = "/root", .place = Here(cursor.path)};
}
std::vector<Call> CallersOf(const Snapshot&, const std::string& directory) {
  return {{.item = {.name = directory, .directory = "/caller", .place = Elsewhere()},
           .from = {Elsewhere(), {.path = "/elsewhere/c.tf", .span = {}}}}};
}
std::vector<Call> CalleesOf(const Snapshot&, const std::string& directory) {
  return {{.item = {.name = directory, .directory = "/callee", .place = Elsewhere()},
           .from = {Elsewhere()}}};
}

}  // namespace kinu::ide

int main() {
  return kinu::lsp::Serve(STDIN_FILENO, STDOUT_FILENO, {.version = "test"});
}
