// What code actions share: where they are asked for, edits of declarations and arguments, and the
// syntax around a place. Private to ide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ide/snapshot_parts.h"

namespace kinu::ide {

/// Where actions are asked for, and those that are offered.
class ActionPlace {
 public:
  ActionPlace(const Snapshot& all, const ParsedFile& of_file, Span at)
      : snapshot(all),
        parts(all.parts()),
        file(of_file),
        directory(parts.ModuleOf(of_file.path)),
        span(at) {}

  const Snapshot& snapshot;
  const Snapshot::Parts& parts;
  const ParsedFile& file;
  const std::string directory;  ///< of the module
  const Span span;

  bool Touches(Span other) const { return other.begin <= span.end && span.begin <= other.end; }
  /// Offers an action, unless a text that parses would not do so after it.
  void Offer(CodeAction action);
  std::vector<CodeAction> Take() { return std::move(actions_); }

 private:
  bool Parses(const FileEdits& edits) const;
  std::vector<CodeAction> actions_;
};

// --- Modules (actions.cc) ---

/// The files of a module.
const std::vector<std::shared_ptr<const ParsedFile>>& FilesOf(const Snapshot::Parts& parts,
                                                              const std::string& directory);
/// The declarations of a key in the module of a directory.
std::vector<const Declaration*> DeclarationsOf(const Snapshot::Parts& parts,
                                               const std::string& directory, const Key& key);
/// `base`, or with a number behind it, so that `prefix` + name is declared nowhere in the module.
std::string FreeName(const ActionPlace& place, std::string_view prefix, std::string_view base);
/// Whether a directory is below the folders, and not one that `init` has filled.
bool IsOwnDirectory(const Snapshot::Parts& parts, const std::string& directory);
/// Whether the name is that of a file that overrides others.
bool IsOverrideFile(const std::string& path);
/// The file of a module for a kind of blocks, such as "variables": the one that is there, or a new
/// one beside `beside`, with its ending. Empty if its text cannot be added to.
std::string FileFor(const Snapshot::Parts& parts, const std::string& directory,
                    std::string_view kind, const ParsedFile& beside);

// --- Edits (actions.cc) ---

/// Adds an edit of a file to those of others.
void AddEdit(WorkspaceEdit& edits, const std::string& path, TextEdit edit);
/// Adds a block at the end of a file, which may be a new one.
void AppendBlock(const Snapshot::Parts& parts, const std::string& path, std::string_view block,
                 WorkspaceEdit& edits);
/// The whole lines of a block or argument, with the comments above; nothing if it shares a line.
std::optional<Span> LinesOf(std::string_view text, Span item);
/// The edit that adds lines, which end with newlines, to the end of a block's body.
TextEdit AddLines(std::string_view text, const hcl::NativeBlock& block, std::string_view lines);

// --- Syntax (actions_syntax.cc) ---

/// The syntax around a place of a native file, outermost first.
struct SyntaxPath {
  std::vector<const hcl::NativeBlock*> blocks;
  const hcl::NativeAttribute* attribute = nullptr;
  std::vector<const hcl::Expr*> exprs;  ///< each contains the place
  std::vector<std::string_view> bound;  ///< names of loops and iterators that hold there
  bool in_splat = false;                ///< behind `[*]`
  bool is_key = false;                  ///< in the key of an object
};
SyntaxPath PathTo(const hcl::NativeBody& body, Span span);

/// The block of a file that begins at the offset; null if there is none.
const hcl::NativeBlock* BlockAt(const hcl::NativeBody& body, uint32_t begin);
/// The expression of an argument of a body; null if there is none.
const hcl::Expr* ArgumentOf(const hcl::Body& body, std::string_view name);
/// The text of an expression in its file.
std::string_view TextOf(const ParsedFile& file, const hcl::Expr& expr);
/// The type of a constant, as a type constraint: "any" for all but texts, numbers and truth values.
std::string_view TypeOfConstant(const hcl::Expr& expr);
/// Names of loops and iterators anywhere in a body.
std::vector<std::string_view> BoundNames(const hcl::NativeBody& body);

// --- Families of actions, each in a file of its own ---

void OfferMissingInputs(ActionPlace& place);
void OfferMissingArguments(ActionPlace& place);
void OfferSimilarNames(ActionPlace& place);
void OfferDeclarations(ActionPlace& place);
void OfferValueRemoval(ActionPlace& place);
void OfferExtraction(ActionPlace& place);
void OfferInlining(ActionPlace& place);
void OfferRemoval(ActionPlace& place);
void OfferMove(ActionPlace& place);
void OfferConversion(ActionPlace& place);

}  // namespace kinu::ide
