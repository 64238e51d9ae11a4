#include "ide/answers.h"
#include "ide/workspace.h"

namespace kinu::ide {

struct Snapshot::Parts {};
struct Workspace::Content {
  std::map<std::string, Ref<const SourceFile>> texts;
};

Snapshot::Snapshot(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {
}
Snapshot::~Snapshot() = default;
Ref<const SourceFile> Snapshot::Text(const std::string&) const {
  return {};
}
std::vector<Problem> Snapshot::SyntaxProblems(const std::string&) const {
  return {};
}
std::vector<std::string> Snapshot::RootsOf(const std::string&) const {
  return {};
}
std::optional<Problems> Snapshot::CheckRoot(const std::string&, const std::atomic<bool>&) const {
  return Problems();
}

Workspace::Workspace(const Settings&) : content_(std::make_unique<Content>()) {
}
Workspace::~Workspace() = default;
void Workspace::SetFolders(std::vector<std::string>) {
}
void Workspace::SetSettings(const Settings&) {
}
void Workspace::SetText(const std::string&, std::string) {
}
void Workspace::Close(const std::string&) {
}
void Workspace::Changed(const std::string&) {
}
std::vector<std::string> Workspace::Watched() const {
  return {};
}
std::shared_ptr<const Snapshot> Workspace::Take() {
  return std::make_shared<Snapshot>(std::make_unique<Snapshot::Parts>());
}

std::optional<Hover> HoverAt(const Snapshot&, const Cursor&) {
  return {};
}
std::vector<Target> DefinitionsAt(const Snapshot&, const Cursor&) {
  return {};
}
std::vector<Place> ReferencesAt(const Snapshot&, const Cursor&, bool) {
  return {};
}
std::vector<Highlight> HighlightsAt(const Snapshot&, const Cursor&) {
  return {};
}
std::vector<Symbol> DocumentSymbols(const Snapshot&, const std::string&) {
  return {};
}
std::vector<FoundSymbol> WorkspaceSymbols(const Snapshot&, std::string_view) {
  return {};
}
std::vector<Link> DocumentLinks(const Snapshot&, const std::string&) {
  return {};
}
Completions CompletionsAt(const Snapshot&, const Cursor&) {
  return {};
}
std::optional<SignatureHelp> SignatureAt(const Snapshot&, const Cursor&) {
  return {};
}
Result<RenameTarget> PrepareRename(const Snapshot&, const Cursor&) {
  return Fail(ErrorCode::kInvalid, "");
}
Result<WorkspaceEdit> Rename(const Snapshot&, const Cursor&, std::string_view) {
  return Fail(ErrorCode::kInvalid, "");
}
std::optional<std::vector<TextEdit>> FormatText(std::string_view, bool) {
  return {};
}
std::optional<std::vector<TextEdit>> FormatRange(std::string_view, bool, Span) {
  return {};
}
std::vector<CodeAction> CodeActionsAt(const Snapshot&, const std::string&, Span) {
  return {};
}
std::vector<SemanticToken> SemanticTokens(const Snapshot&, const std::string&, Span) {
  return {};
}
std::vector<Fold> Folds(const Snapshot&, const std::string&) {
  return {};
}
std::vector<Span> SelectionsAt(const Snapshot&, const Cursor&) {
  return {};
}
std::vector<Lens> Lenses(const Snapshot&, const std::string&) {
  return {};
}
std::vector<InlayHint> InlayHints(const Snapshot&, const std::string&, Span) {
  return {};
}
std::optional<CallItem> CallItemAt(const Snapshot&, const Cursor&) {
  return {};
}
std::vector<Call> CallersOf(const Snapshot&, const std::string&) {
  return {};
}
std::vector<Call> CalleesOf(const Snapshot&, const std::string&) {
  return {};
}

}  // namespace kinu::ide
