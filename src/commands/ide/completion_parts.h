// The parts of completion. Private to ide.
#pragma once

#include <string>
#include <string_view>

#include "ide/answers.h"
#include "ide/body_members.h"
#include "ide/cursor_context.h"
#include "ide/known_types.h"
#include "ide/module_names.h"

namespace kinu::ide {

/// What a completion is asked for, and its answer.
struct CompletionRequest {
  const ParsedFile& file;
  std::string_view text;  ///< that the spans of the context belong to
  CursorContext context;
  ModuleNames& names;
  KnownTypes& types;
  Completions& out;

  /// `rank`: 0 is best. The sort key begins with it.
  void Add(Completion item, int rank) {
    item.sort_key = std::to_string(rank) + item.label;
    if (item.insert.empty()) {
      item.insert = item.label;
    }
    out.items.push_back(std::move(item));
  }
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
