// The methods that the owner of a session handles itself, and the table of all methods.
#include <algorithm>
#include <span>

#include "base/files.h"
#include "base/result.h"
#include "lsp/capabilities.h"
#include "lsp/method.h"
#include "lsp/params.h"
#include "lsp/settings.h"
#include "lsp/uri.h"

namespace kinu::lsp {
namespace {

/// Files whose changes on the disk matter. Emacs knows no other patterns inside of braces than
/// names.
constexpr std::string_view kWatchedFiles[] = {
    "**/*.{tf,tofu,tf.json,tofu.json,tfvars,tfvars.json,tftest.hcl,tofutest.hcl,tftest.json,"
    "tofutest.json}",
    "**/{.terraform.lock.hcl,modules.json,terraform.tfstate}", "**/*plan"};

Outcome<const JsonNode*> ParamsOf(const Message& message) {
  if (message.params == nullptr || !message.params->is_object()) {
    return Refuse(ErrorCode::kInvalidParams, "The params are missing or no object.");
  }
  return message.params;
}

/// The paths of workspace folders ({uri, name}).
std::vector<std::string> PathsOf(const JsonNode* folders) {
  std::vector<std::string> paths;
  if (folders != nullptr) {
    for (const JsonNode& folder : folders->elements()) {
      if (auto path = PathOfUri(folder.TextOf("uri"))) {
        paths.push_back(*std::move(path));
      }
    }
  }
  return paths;
}

}  // namespace

Outcome<void> Session::Initialize(const Request& message) {
  if (state_ != State::kNew) {
    return Refuse(ErrorCode::kInvalidRequest, "The server is initialized already.");
  }
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  client_ = std::make_shared<const Client>(ReadClient(*params));
  if (const auto process = IntegerOf(params->Find("processId")); process && *process > 0) {
    options_.watch_parent(*process);
  }
  SetFolders(*params);
  std::string result;
  JsonWriter json(result, kCompactJson);
  WriteInitializeResult(json, *client_, options_.version);
  outlet_.Send(ResponseText(message->id, result));
  state_ = State::kRunning;
  if (const JsonNode* options = params->Find("initializationOptions")) {
    UseSettings(*options);
  }
  return {};
}

void Session::SetFolders(const JsonNode& params) {
  folders_ = PathsOf(params.Find("workspaceFolders"));
  if (folders_.empty()) {
    if (auto path = PathOfUri(params.TextOf("rootUri"))) {
      folders_.push_back(*std::move(path));
    } else if (const std::string root = params.TextOf("rootPath"); root.starts_with('/')) {
      folders_.push_back(CleanPath(root));
    }
  }
  workspace_.SetFolders(folders_);
  snapshot_ = nullptr;
}

Outcome<void> Session::Initialized(const Request&) {
  if (client_->registers_watchers) {
    RegisterWatchers();
  }
  AskForSettings();
  return {};
}

void Session::RegisterWatchers() {
  Ask("client/registerCapability", [](JsonWriter& json) {
    json.Key("registrations");
    json.BeginArray();
    json.BeginObject();
    json.Member("id", "files");
    json.Member("method", "workspace/didChangeWatchedFiles");
    json.Key("registerOptions");
    json.BeginObject();
    json.Key("watchers");
    json.BeginArray();
    for (const std::string_view pattern : kWatchedFiles) {
      json.BeginObject();
      json.Member("globPattern", pattern);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    json.EndObject();
    json.EndArray();
  });
}

void Session::AskForSettings() {
  if (!client_->configuration) {
    return;
  }
  const auto write = [](JsonWriter& json) {
    json.Key("items");
    json.BeginArray();
    json.BeginObject();
    json.Member("section", "kinu");
    json.EndObject();
    json.EndArray();
  };
  Ask("workspace/configuration", write, [this](const JsonNode& result) {
    if (!result.elements().empty()) {
      UseSettings(result.elements()[0]);
    }
  });
}

void Session::UseSettings(const JsonNode& node) {
  std::vector<std::string> problems;
  settings_ = ReadSettings(node, settings_, problems);
  for (const std::string& problem : problems) {
    Warn(problem);
  }
  if (!node.is_object() || node.members().empty()) {
    return;
  }
  workspace_.SetSettings(settings_);
  snapshot_ = nullptr;
  work_.all_roots = true;
  shows_stale_ = true;
}

/// Has the client ask again for what it shows of texts that have not changed.
void Session::RefreshClient() {
  if (client_->refreshes_lenses) {
    Ask("workspace/codeLens/refresh", nullptr);
  }
  if (client_->refreshes_hints) {
    Ask("workspace/inlayHint/refresh", nullptr);
  }
  if (client_->refreshes_tokens) {
    Ask("workspace/semanticTokens/refresh", nullptr);
  }
}

Outcome<void> Session::Shutdown(const Request& message) {
  state_ = State::kShutDown;
  outlet_.Send(ResponseText(message->id, "null"));
  return {};
}

Outcome<void> Session::Exit(const Request&) {
  exit_code_ = state_ == State::kShutDown ? 0 : 1;
  return {};
}

Outcome<void> Session::Cancel(const Request& message) {
  pending_.Cancel(message->IdParam());
  return {};
}

Outcome<void> Session::Ignore(const Request&) {
  return {};
}

void Session::SetDocument(const std::string& key, std::shared_ptr<const Document> document) {
  auto documents = std::make_shared<OpenDocuments>(*documents_);
  if (document == nullptr) {
    documents->erase(key);
  } else {
    (*documents)[key] = document;
  }
  documents_ = std::move(documents);
  pending_.Edited(key);
  if (!key.starts_with('/')) {
    return;  // no file: no module has it
  }
  if (document == nullptr) {
    workspace_.Close(key);
  } else {
    workspace_.SetText(key, document->text->text());
  }
  snapshot_ = nullptr;
  work_.edited.insert(key);
}

Outcome<void> Session::Open(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  KINU_TRY(Document document, OpenedDocument(*params));
  const std::string key = KeyOfUri(document.uri);
  SetDocument(key, std::make_shared<const Document>(std::move(document)));
  return {};
}

Outcome<void> Session::Change(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  KINU_TRY(const std::string key, DocumentOf(*params));
  if (const auto coming = coming_edits_.find(key);
      coming != coming_edits_.end() && --coming->second == 0) {
    coming_edits_.erase(coming);
  }
  const auto at = documents_->find(key);
  if (at == documents_->end()) {
    return Refuse(ErrorCode::kInvalidParams, "The document is not open.");
  }
  KINU_TRY(Document document, ChangedDocument(*at->second, *params, client_->encoding));
  SetDocument(key, std::make_shared<const Document>(std::move(document)));
  return {};
}

Outcome<void> Session::Close(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  KINU_TRY(const std::string key, DocumentOf(*params));
  if (documents_->contains(key)) {
    tokens_.Forget(key);
    SetDocument(key, nullptr);
  }
  return {};
}

Outcome<void> Session::ChangeConfiguration(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  const JsonNode* settings = params->Find("settings");
  if (settings != nullptr && settings->is_object()) {
    UseSettings(*settings);
  } else {
    AskForSettings();
  }
  return {};
}

Outcome<void> Session::ChangeFolders(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  for (const std::string& path : PathsOf(FindIn(params, "event.removed"))) {
    std::erase(folders_, path);
  }
  for (std::string& path : PathsOf(FindIn(params, "event.added"))) {
    if (std::ranges::count(folders_, path) == 0) {
      folders_.push_back(std::move(path));
    }
  }
  workspace_.SetFolders(folders_);
  snapshot_ = nullptr;
  work_.all_roots = true;
  shows_stale_ = true;
  return {};
}

Outcome<void> Session::ChangeFiles(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  const JsonNode* changes = params->Find("changes");
  if (changes != nullptr) {
    for (const JsonNode& change : changes->elements()) {
      if (const auto path = PathOfUri(change.TextOf("uri"))) {
        ChangedOnDisk(*path);
      }
    }
  }
  return {};
}

void Session::ChangedOnDisk(const std::string& path) {
  workspace_.Changed(path);
  snapshot_ = nullptr;
  work_.all_roots = true;
  shows_stale_ = true;
}

Outcome<void> Session::PullProblems(const Request& message) {
  KINU_TRY(const JsonNode* const params, ParamsOf(*message));
  KINU_TRY(std::string document, DocumentOf(*params));
  auto ticket = pending_.Add(message->id, std::move(document));
  if (ticket == nullptr) {
    return Refuse(ErrorCode::kInvalidRequest, "A request with this id waits already.");
  }
  work_.pulls.push_back({.ticket = std::move(ticket), .known = params->TextOf("previousResultId")});
  return {};
}

/// Builds the rows; its functions are members of Session.
struct MethodTable {
  using Method = Session::Method;
  using Handler = decltype(Method::handle);

  static constexpr Method Notification(std::string_view name, Handler handle) {
    return {.name = name, .kind = Message::Kind::kNotification, .handle = handle};
  }
  static constexpr Method Request(std::string_view name, Handler handle) {
    return {.name = name, .handle = handle};
  }
  /// Answered from a snapshot.
  static constexpr Method Asks(std::string_view name, Answer answer) {
    return {.name = name, .answer = answer};
  }
  /// The same; clients ask again after an edit.
  static constexpr Method Repeats(std::string_view name, Answer answer) {
    return {.name = name, .answer = answer, .repeats = true};
  }
  /// Answered from the text of the document alone.
  static constexpr Method FromText(std::string_view name, Answer answer) {
    return {.name = name, .answer = answer, .from_text = true};
  }

  static std::span<const Method> Rows();
};

std::span<const Session::Method> MethodTable::Rows() {
  static constexpr Method kRows[] = {
      Request("initialize", &Session::Initialize),
      Notification("initialized", &Session::Initialized),
      Request("shutdown", &Session::Shutdown),
      Notification("exit", &Session::Exit),
      Notification("$/cancelRequest", &Session::Cancel),
      Notification("$/setTrace", &Session::Ignore),

      Notification("textDocument/didOpen", &Session::Open),
      Notification("textDocument/didChange", &Session::Change),
      Notification("textDocument/didClose", &Session::Close),
      Notification("textDocument/didSave", &Session::Ignore),
      Notification("textDocument/willSave", &Session::Ignore),
      Notification("workspace/didChangeConfiguration", &Session::ChangeConfiguration),
      Notification("workspace/didChangeWorkspaceFolders", &Session::ChangeFolders),
      Notification("workspace/didChangeWatchedFiles", &Session::ChangeFiles),

      Asks("textDocument/completion", AnswerCompletion),
      Asks("textDocument/hover", AnswerHover),
      Asks("textDocument/signatureHelp", AnswerSignature),
      Asks("textDocument/definition", AnswerDefinition),
      Asks("textDocument/declaration", AnswerDefinition),
      Asks("textDocument/references", AnswerReferences),
      Asks("textDocument/documentHighlight", AnswerHighlights),
      Asks("textDocument/documentSymbol", AnswerDocumentSymbols),
      Asks("workspace/symbol", AnswerWorkspaceSymbols),
      Asks("textDocument/codeAction", AnswerCodeActions),
      Repeats("textDocument/codeLens", AnswerLenses),
      Asks("textDocument/documentLink", AnswerLinks),
      FromText("textDocument/formatting", AnswerFormat),
      FromText("textDocument/rangeFormatting", AnswerFormatRange),
      FromText("textDocument/onTypeFormatting", AnswerFormatOnType),
      Asks("textDocument/prepareRename", AnswerPrepareRename),
      Asks("textDocument/rename", AnswerRename),
      Asks("textDocument/foldingRange", AnswerFolds),
      Asks("textDocument/selectionRange", AnswerSelections),
      Repeats("textDocument/semanticTokens/full", AnswerTokens),
      Repeats("textDocument/semanticTokens/full/delta", AnswerTokensDelta),
      Repeats("textDocument/semanticTokens/range", AnswerTokensOfRange),
      Repeats("textDocument/inlayHint", AnswerHints),
      Asks("textDocument/prepareCallHierarchy", AnswerCallItem),
      Asks("callHierarchy/incomingCalls", AnswerIncomingCalls),
      Asks("callHierarchy/outgoingCalls", AnswerOutgoingCalls),
      Request("textDocument/diagnostic", &Session::PullProblems),
  };
  return kRows;
}

const Session::Method* FindMethod(std::string_view name) {
  const auto rows = MethodTable::Rows();
  const auto at = std::ranges::find(rows, name, &Session::Method::name);
  return at == rows.end() ? nullptr : &*at;
}

}  // namespace kinu::lsp
