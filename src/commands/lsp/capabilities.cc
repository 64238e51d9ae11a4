#include "lsp/capabilities.h"

#include "json/texts.h"

namespace kinu::lsp {
namespace {

constexpr std::string_view kCompletionTriggers[] = {".", "\"", "/", "[", "{", " ", "=", "(", ":"};
constexpr std::string_view kSignatureTriggers[] = {"(", ","};
constexpr std::string_view kActionKinds[] = {"quickfix", "refactor.extract", "refactor.inline",
                                             "refactor.rewrite", "source.organizeImports"};
/// The order of ide::TokenType.
constexpr std::string_view kTokenTypes[] = {"keyword",  "type",      "class",     "property",
                                            "variable", "parameter", "namespace", "function",
                                            "string",   "number",    "operator",  "comment"};
/// The order of the bits of ide::TokenModifier.
constexpr std::string_view kTokenModifiers[] = {"declaration", "readonly", "deprecated",
                                                "defaultLibrary"};
/// Providers without options.
constexpr std::string_view kPlainProviders[] = {
    "hoverProvider",           "declarationProvider",        "definitionProvider",
    "referencesProvider",      "documentHighlightProvider",  "documentSymbolProvider",
    "workspaceSymbolProvider", "documentFormattingProvider", "documentRangeFormattingProvider",
    "foldingRangeProvider",    "selectionRangeProvider",     "callHierarchyProvider",
    "inlayHintProvider"};

void WriteSync(JsonWriter& json) {
  constexpr int kIncremental = 2;
  json.Key("textDocumentSync");
  json.BeginObject();
  json.Member("openClose", true);
  json.Member("change", kIncremental);
  json.EndObject();
}

void WriteTokens(JsonWriter& json) {
  json.Key("semanticTokensProvider");
  json.BeginObject();
  json.Key("legend");
  json.BeginObject();
  WriteTexts(json, "tokenTypes", kTokenTypes);
  WriteTexts(json, "tokenModifiers", kTokenModifiers);
  json.EndObject();
  json.Member("range", true);
  json.Key("full");
  json.BeginObject();
  json.Member("delta", true);
  json.EndObject();
  json.EndObject();
}

void WriteEditing(JsonWriter& json, const Client& client) {
  json.Key("completionProvider");
  json.BeginObject();
  WriteTexts(json, "triggerCharacters", kCompletionTriggers);
  json.Member("resolveProvider", false);
  json.EndObject();
  json.Key("signatureHelpProvider");
  json.BeginObject();
  WriteTexts(json, "triggerCharacters", kSignatureTriggers);
  json.EndObject();
  json.Key("codeActionProvider");
  if (client.code_action_literals) {
    json.BeginObject();
    WriteTexts(json, "codeActionKinds", kActionKinds);
    json.EndObject();
  } else {
    json.Bool(false);
  }
  json.Key("documentOnTypeFormattingProvider");
  json.BeginObject();
  json.Member("firstTriggerCharacter", "}");
  json.Key("moreTriggerCharacter");
  json.BeginArray();
  json.String("\n");
  json.EndArray();
  json.EndObject();
  json.Key("renameProvider");
  if (client.prepares_rename) {
    json.BeginObject();
    json.Member("prepareProvider", true);
    json.EndObject();
  } else {
    json.Bool(true);
  }
}

void WriteWorkspace(JsonWriter& json) {
  json.Key("workspace");
  json.BeginObject();
  json.Key("workspaceFolders");
  json.BeginObject();
  json.Member("supported", true);
  json.Member("changeNotifications", true);
  json.EndObject();
  json.EndObject();
}

}  // namespace

void WriteInitializeResult(JsonWriter& json, const Client& client, std::string_view version) {
  json.BeginObject();
  json.Key("capabilities");
  json.BeginObject();
  json.Member("positionEncoding", client.encoding == Encoding::kUtf8 ? "utf-8" : "utf-16");
  WriteSync(json);
  for (const std::string_view provider : kPlainProviders) {
    json.Member(provider, true);
  }
  WriteEditing(json, client);
  json.Key("codeLensProvider");
  json.BeginObject();
  json.Member("resolveProvider", false);
  json.EndObject();
  json.Key("documentLinkProvider");
  json.BeginObject();
  json.Member("resolveProvider", false);
  json.EndObject();
  WriteTokens(json);
  if (client.pulls_diagnostics) {
    json.Key("diagnosticProvider");
    json.BeginObject();
    json.Member("interFileDependencies", true);
    json.Member("workspaceDiagnostics", false);
    json.EndObject();
  }
  WriteWorkspace(json);
  json.EndObject();
  json.Key("serverInfo");
  json.BeginObject();
  json.Member("name", "kinu");
  if (!version.empty()) {
    json.Member("version", version);
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace kinu::lsp
