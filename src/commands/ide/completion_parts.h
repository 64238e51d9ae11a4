// The parts of completion. Private to ide.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ide/answers.h"
#include "ide/body_members.h"
#include "ide/cursor_context.h"
#include "ide/known_types.h"
#include "ide/likely_words.h"
#include "ide/module_names.h"

namespace kinu::ide {

/// What a completion is asked for, and its answer.
struct CompletionRequest {
  const ParsedFile& file;
  std::string_view text;  ///< that the spans of the context belong to
  CursorContext context;
  ModuleNames& names;
  KnownTypes& types;
  const LikelyWords& likely;
  Completions& out;
  /// What the value at the cursor is for: names of the argument and of keys, the innermost first,
  /// then the labels of the block. Names that are like them come first.
  std::vector<std::string_view> purposes;

  /// `rank`: 0 is best, and what is likely at the cursor comes before its rank.
  void Add(Completion item, double rank);
  /// What stands between the begin of the word and the cursor.
  std::string_view typed(uint32_t offset) const {
    return text.substr(context.word.begin, offset - context.word.begin);
  }
};

/// Arguments and blocks.
void CompleteItem(CompletionRequest& request);
/// Labels of blocks.
void CompleteLabel(CompletionRequest& request, uint32_t offset);
/// Operands, and names behind dots.
void CompleteExpression(CompletionRequest& request);
/// Takes out what does not have the names that follow the cursor: `module.|.id` has the calls of
/// modules with that output.
void LeaveOutWithoutRest(CompletionRequest& request);
/// What stands behind `output.` and `run.NAME.` in a test.
void CompleteOutputOfRun(CompletionRequest& request);
/// The keys of variables that a test gives values to which an assertion at the cursor has.
std::set<std::string> VariablesOfTest(const CompletionRequest& request);
/// Keys of objects.
void CompleteKey(CompletionRequest& request);
/// Sources of modules.
void CompleteText(CompletionRequest& request);
/// Arguments whose values are no expressions: types, providers, addresses and the like. False if
/// the argument has an expression.
bool CompleteSpecialValue(CompletionRequest& request, const Member& member);

/// The argument that the cursor is in the value of.
std::optional<Member> ArgumentAtCursor(CompletionRequest& request);
/// The type that a value at the cursor would have; dynamic if any would do.
Type WantedType(const CursorContext& context, const std::optional<Member>& argument,
                ModuleNames& names);
/// The text with what is special in snippets escaped.
std::string SnippetText(std::string_view text);

}  // namespace kinu::ide
