#include "lsp/client.h"

#include <algorithm>

#include "lsp/params.h"

namespace kinu::lsp {
namespace {

struct Flag {
  std::string_view path;  // below `capabilities`
  bool Client::* field;
};
constexpr Flag kFlags[] = {
    {"textDocument.completion.completionItem.snippetSupport", &Client::snippets},
    {"textDocument.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport",
     &Client::label_offsets},
    {"workspace.workspaceEdit.documentChanges", &Client::document_changes},
    {"textDocument.definition.linkSupport", &Client::definition_links},
    {"textDocument.documentSymbol.hierarchicalDocumentSymbolSupport", &Client::symbol_tree},
    {"textDocument.foldingRange.lineFoldingOnly", &Client::line_folding_only},
    {"textDocument.rename.prepareSupport", &Client::prepares_rename},
    {"workspace.configuration", &Client::configuration},
    {"workspace.didChangeWatchedFiles.dynamicRegistration", &Client::registers_watchers},
    {"workspace.semanticTokens.refreshSupport", &Client::refreshes_tokens},
    {"workspace.codeLens.refreshSupport", &Client::refreshes_lenses},
    {"workspace.inlayHint.refreshSupport", &Client::refreshes_hints},
};

struct Format {
  std::string_view path;  // a list of kinds of markup, the preferred one first
  bool Client::* field;
};
constexpr Format kFormats[] = {
    {"textDocument.hover.contentFormat", &Client::markdown_in_hover},
    {"textDocument.completion.completionItem.documentationFormat", &Client::markdown_in_completion},
    {"textDocument.signatureHelp.signatureInformation.documentationFormat",
     &Client::markdown_in_signature},
};

constexpr int kDeprecatedTag = 1;

bool HasTag(const JsonNode* capabilities, std::string_view path, int tag) {
  const JsonNode* set = FindIn(capabilities, path);
  return set != nullptr && std::ranges::any_of(set->elements(), [&](const JsonNode& element) {
           return IntegerOf(&element) == tag;
         });
}

}  // namespace

Client ReadClient(const JsonNode& params) {
  Client client;
  const JsonNode* capabilities = params.Find("capabilities");
  for (const Flag& flag : kFlags) {
    client.*flag.field = IsTrue(capabilities, flag.path);
  }
  for (const Format& format : kFormats) {
    const auto kinds = StringsIn(capabilities, format.path);
    client.*format.field = !kinds.empty() && kinds[0] == "markdown";
  }
  if (Lists(capabilities, "general.positionEncodings", "utf-8")) {
    client.encoding = Encoding::kUtf8;
  }
  client.creates_files =
      client.document_changes &&
      Lists(capabilities, "workspace.workspaceEdit.resourceOperations", "create");
  client.code_action_literals =
      FindIn(capabilities, "textDocument.codeAction.codeActionLiteralSupport") != nullptr;
  client.pulls_diagnostics = FindIn(capabilities, "textDocument.diagnostic") != nullptr &&
                             IsTrue(capabilities, "workspace.diagnostics.refreshSupport");
  client.problem_tags =
      HasTag(capabilities, "textDocument.publishDiagnostics.tagSupport.valueSet", 2);
  client.deprecated_tag = HasTag(
      capabilities, "textDocument.completion.completionItem.tagSupport.valueSet", kDeprecatedTag);
  const JsonNode* command = FindIn(capabilities, "experimental.showReferencesCommandId");
  if (command != nullptr && command->is_string()) {
    client.show_references = std::string(command->text());
  }
  return client;
}

}  // namespace kinu::lsp
