// The answers for editors: pure functions of a snapshot and a cursor. They keep nothing, start no
// process, use no network, and may run in several threads on one snapshot.
//
// An answer about a file that the snapshot does not know is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ide/place.h"
#include "ide/snapshot.h"

namespace kinu::ide {

// --- Looking things up ---

/// Text about what the cursor touches, as Markdown.
struct Hover {
  Span span;  ///< of what the text is about
  std::string markdown;
};
std::optional<Hover> HoverAt(const Snapshot& snapshot, const Cursor& cursor);

/// Where what the cursor touches is declared: the names of its declarations (several after
/// overrides). Of a module call: the called module; of `module.m.o`: the output in it; of an
/// argument of a call: the variable in the called module.
struct Target {
  Place name;   ///< what an editor selects
  Place whole;  ///< the whole declaration
  Span origin;  ///< in the file of the cursor
};
std::vector<Target> DefinitionsAt(const Snapshot& snapshot, const Cursor& cursor);

/// All places that name what the cursor touches, sorted; in the calling modules and the called
/// ones, in variable files and test files too.
std::vector<Place> ReferencesAt(const Snapshot& snapshot, const Cursor& cursor,
                                bool with_declaration);

/// How a place in a file uses what the cursor touches.
struct Highlight {
  enum class Kind : uint8_t { kRead, kWrite };
  Span span;
  Kind kind = Kind::kRead;
};
std::vector<Highlight> HighlightsAt(const Snapshot& snapshot, const Cursor& cursor);

/// What a symbol is; clients show it as an icon.
enum class SymbolKind : uint8_t {
  kTerraform,
  kProvider,
  kVariable,
  kLocal,
  kOutput,
  kResource,
  kData,
  kEphemeral,
  kModule,
  kCheck,
  kRun,
  kMoved,
  kOtherBlock,
  kArgument,
};
/// A block or argument of a file.
struct Symbol {
  std::string name;    ///< "aws_instance.web", "var.x", "count"
  std::string detail;  ///< the type of the block
  SymbolKind kind = SymbolKind::kOtherBlock;
  Span whole;
  Span name_span;  ///< inside `whole`
  std::vector<Symbol> children;
};
std::vector<Symbol> DocumentSymbols(const Snapshot& snapshot, const std::string& path);

/// A declaration of any module of the workspace.
struct FoundSymbol {
  std::string name;
  std::string container;  ///< the directory, relative to its folder
  SymbolKind kind = SymbolKind::kOtherBlock;
  Place place;
};
/// Declarations whose names have the letters of `query` in this order, best first. Empty: all.
std::vector<FoundSymbol> WorkspaceSymbols(const Snapshot& snapshot, std::string_view query);

/// A link to what a text names: a directory, a file, or a page.
struct Link {
  Span span;
  std::string target;  ///< an absolute path or an https address
  std::string tooltip;
};
std::vector<Link> DocumentLinks(const Snapshot& snapshot, const std::string& path);

// --- Writing ---

enum class CompletionKind : uint8_t {
  kKeyword,
  kBlock,
  kArgument,
  kVariable,
  kLocal,
  kOutput,
  kResource,
  kModule,
  kFunction,
  kAttribute,
  kValue,
  kType,
  kProvider,
  kPath,
};
/// What could stand at the cursor. `insert` is text of an editor's snippet if `is_snippet`.
struct Completion {
  std::string label;
  CompletionKind kind = CompletionKind::kKeyword;
  std::string detail;
  std::string markdown;  ///< documentation; may be empty
  std::string insert;
  bool is_snippet = false;
  bool is_deprecated = false;
  std::string sort_key;  ///< items ascend by it
};
struct Completions {
  Span replaced;            ///< what an accepted item replaces
  bool is_complete = true;  ///< false: more items come with more letters
  std::vector<Completion> items;
};
Completions CompletionsAt(const Snapshot& snapshot, const Cursor& cursor);

/// The function whose arguments the cursor is in.
struct SignatureHelp {
  std::string label;  ///< "substr(str, offset, length)"
  std::string markdown;
  std::vector<Span> parameters;  ///< in the label
  std::vector<std::string> parameter_docs;
  uint32_t active = 0;  ///< parameter of the cursor
};
std::optional<SignatureHelp> SignatureAt(const Snapshot& snapshot, const Cursor& cursor);

/// What renaming at the cursor would rename.
struct RenameTarget {
  Span span;
  std::string name;
};
/// Says why nothing can be renamed there.
Result<RenameTarget> PrepareRename(const Snapshot& snapshot, const Cursor& cursor);
/// The edits that give a new name to what the cursor touches, everywhere. Resources and calls get
/// `moved` blocks. Says why it cannot be done.
Result<WorkspaceEdit> Rename(const Snapshot& snapshot, const Cursor& cursor,
                             std::string_view new_name);

/// The edits that bring a text into the canonical layout; nothing if it does not parse.
std::optional<std::vector<TextEdit>> FormatText(std::string_view text, bool is_json);
/// The same edits, those alone that touch the span.
std::optional<std::vector<TextEdit>> FormatRange(std::string_view text, bool is_json, Span span);

/// A change that an editor offers at a place.
struct CodeAction {
  enum class Kind : uint8_t { kQuickFix, kExtract, kInline, kRewrite, kOrganize };
  std::string title;
  Kind kind = Kind::kQuickFix;
  std::string fixes;  ///< summary of the diagnostic that it mends; empty: none
  bool is_preferred = false;
  WorkspaceEdit edit;
};
std::vector<CodeAction> CodeActionsAt(const Snapshot& snapshot, const std::string& path, Span span);

// --- Seeing more ---

/// What a token means. Part of the legend of the protocol, in this order.
enum class TokenType : uint8_t {
  kKeyword,    ///< type of a block
  kType,       ///< type of a resource, type of a variable
  kClass,      ///< label of a block that is a name
  kProperty,   ///< argument, attribute, key of an object
  kVariable,   ///< root of a reference, name of a loop
  kParameter,  ///< each, count, self, loop variables
  kNamespace,  ///< module, namespace of a function
  kFunction,
  kString,
  kNumber,
  kOperator,
  kComment,
};
/// Bits.
enum TokenModifier : uint8_t {
  kDeclaration = 1,
  kReadonly = 2,
  kDeprecated = 4,
  kDefaultLibrary = 8
};
struct SemanticToken {
  Span span;
  TokenType type = TokenType::kKeyword;
  uint8_t modifiers = 0;
};
/// The tokens of a file that touch the span, ascending; none spans lines.
std::vector<SemanticToken> SemanticTokens(const Snapshot& snapshot, const std::string& path,
                                          Span span);

struct Fold {
  enum class Kind : uint8_t { kBlock, kComment };
  Span span;  ///< from the end of the line that stays to the end of what is hidden
  Kind kind = Kind::kBlock;
};
std::vector<Fold> Folds(const Snapshot& snapshot, const std::string& path);

/// The ranges around the cursor, innermost first: name, expression, argument, block, file.
std::vector<Span> SelectionsAt(const Snapshot& snapshot, const Cursor& cursor);

/// A line of text above a declaration.
struct Lens {
  Span span;
  std::string title;
  std::vector<Place> places;  ///< what a click shows
};
std::vector<Lens> Lenses(const Snapshot& snapshot, const std::string& path);

/// Text between the letters of a line.
struct InlayHint {
  uint32_t offset = 0;
  std::string label;
};
std::vector<InlayHint> InlayHints(const Snapshot& snapshot, const std::string& path, Span span);

/// A module, for the hierarchy of calls.
struct CallItem {
  std::string name;  ///< of the call; of a root: its directory
  std::string directory;
  Place place;  ///< of the call's block; of a module: its first file
};
struct Call {
  CallItem item;
  std::vector<Place> from;  ///< the names of the calls
};
std::optional<CallItem> CallItemAt(const Snapshot& snapshot, const Cursor& cursor);
/// The modules that call the directory.
std::vector<Call> CallersOf(const Snapshot& snapshot, const std::string& directory);
/// The modules that the directory calls.
std::vector<Call> CalleesOf(const Snapshot& snapshot, const std::string& directory);

}  // namespace kinu::ide
