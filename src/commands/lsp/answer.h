// An answer: what a request asks, and the JSON text of its result.
#pragma once

#include <string>

#include "json/reader.h"
#include "lsp/message.h"
#include "lsp/structures.h"
#include "lsp/token_store.h"

namespace kinu::lsp {

/// One request with what its answer may use.
class Question {
 public:
  Question(const View& the_view, const Message& the_message, TokenStore& the_tokens,
           JsonWriter& the_json)
      : view(the_view),
        message(the_message),
        params(*the_message.params),
        write(the_view, the_json),
        json(the_json),
        tokens(the_tokens) {}

  /// The cursor of a request, in bytes. `has_text` is false if nobody knows the document.
  struct At {
    ide::Cursor cursor;
    bool has_text = false;
  };
  Outcome<At> Cursor();

  const View& view;
  const Message& message;
  const JsonNode& params;
  StructureWriter write;
  JsonWriter& json;
  TokenStore& tokens;

  const ide::Snapshot& snapshot() const { return *view.snapshot; }
};

/// Writes a result. After a failure what it has written is dropped.
using Answer = Outcome<void> (*)(Question& question);

// --- Looking things up (answers_lookup.cc) ---
Outcome<void> AnswerHover(Question& question);
Outcome<void> AnswerDefinition(Question& question);
Outcome<void> AnswerReferences(Question& question);
Outcome<void> AnswerHighlights(Question& question);
Outcome<void> AnswerDocumentSymbols(Question& question);
Outcome<void> AnswerWorkspaceSymbols(Question& question);
Outcome<void> AnswerLinks(Question& question);
Outcome<void> AnswerCallItem(Question& question);
Outcome<void> AnswerIncomingCalls(Question& question);
Outcome<void> AnswerOutgoingCalls(Question& question);

// --- Writing (answers_edit.cc) ---
Outcome<void> AnswerCompletion(Question& question);
Outcome<void> AnswerSignature(Question& question);
Outcome<void> AnswerPrepareRename(Question& question);
Outcome<void> AnswerRename(Question& question);
Outcome<void> AnswerFormat(Question& question);
Outcome<void> AnswerFormatRange(Question& question);
Outcome<void> AnswerFormatOnType(Question& question);
Outcome<void> AnswerCodeActions(Question& question);

// --- Seeing more (answers_display.cc) ---
Outcome<void> AnswerTokens(Question& question);
Outcome<void> AnswerTokensDelta(Question& question);
Outcome<void> AnswerTokensOfRange(Question& question);
Outcome<void> AnswerFolds(Question& question);
Outcome<void> AnswerSelections(Question& question);
Outcome<void> AnswerLenses(Question& question);
Outcome<void> AnswerHints(Question& question);

}  // namespace kinu::lsp
