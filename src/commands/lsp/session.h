// Session: what one client has said so far. One thread owns it; it hands snapshots to the threads
// that answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ide/workspace.h"
#include "lsp/answer.h"
#include "lsp/documents.h"
#include "lsp/outlet.h"
#include "lsp/pending.h"
#include "lsp/readers.h"
#include "lsp/rest.h"
#include "lsp/validator.h"
#include "lsp/view.h"

namespace kinu::lsp {

/// Something that the session is told.
struct Event {
  enum class Kind : uint8_t {
    kBody,     ///< of a message
    kNoFrame,  ///< bytes that are no frame: why
    kOnDisk,   ///< a path has changed
    kEnd,      ///< the input has ended, or the parent process
  };
  Kind kind = Kind::kBody;
  std::string text;
};

class Session {
 public:
  struct Options {
    std::string version;  ///< of the program
    size_t readers = 2;   ///< 0: everything happens in Handle()
    /// The process of the client is this one.
    std::function<void(int32_t process)> watch_parent = [](int32_t) {};
    /// These directories are to be watched, because the client does not do it.
    std::function<void(const std::vector<std::string>&)> watch = [](const auto&) {};
    Rest rest = [] {};
  };
  Session(Outlet& outlet, Options options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Handles what has happened, in this order; then has the present state checked.
  void Handle(std::vector<Event> events);
  /// What the process ends with, as soon as it has to end.
  std::optional<int> exit_code() const { return exit_code_; }

  /// A row of the table of methods.
  struct Method;

 private:
  enum class State : uint8_t { kNew, kRunning, kShutDown };
  using Request = std::shared_ptr<const Message>;

  // Messages (session.cc).
  void Read(std::vector<Event>& events);
  void Dispatch(const Request& message);
  void DispatchRequest(const Request& message, const Method* method);
  void DispatchNotification(const Request& message, const Method* method);
  void AnswerLater(const Request& message, const Method& method);
  void TakeResponse(const Message& message);
  void Finish();
  View TextView() const;
  View SnapshotView();
  /// Sends a request; `take` gets the result unless there was an error.
  void Ask(std::string_view method, const WriteJson& params,
           std::function<void(const JsonNode&)> take = nullptr);
  void Notify(std::string_view method, const WriteJson& params);
  void Warn(std::string_view text);

  // Methods (session_methods.cc).
  friend struct MethodTable;
  Outcome<void> Initialize(const Request& message);
  Outcome<void> Initialized(const Request& message);
  Outcome<void> Shutdown(const Request& message);
  Outcome<void> Exit(const Request& message);
  Outcome<void> Cancel(const Request& message);
  Outcome<void> Ignore(const Request& message);
  Outcome<void> Open(const Request& message);
  Outcome<void> Change(const Request& message);
  Outcome<void> Close(const Request& message);
  Outcome<void> ChangeConfiguration(const Request& message);
  Outcome<void> ChangeFolders(const Request& message);
  Outcome<void> ChangeFiles(const Request& message);
  Outcome<void> PullProblems(const Request& message);
  void SetDocument(const std::string& key, std::shared_ptr<const Document> document);
  void SetFolders(const JsonNode& params);
  void UseSettings(const JsonNode& node);
  void AskForSettings();
  void RegisterWatchers();
  void ChangedOnDisk(const std::string& path);
  void RefreshClient();

  Outlet& outlet_;
  const Options options_;
  State state_ = State::kNew;
  std::optional<int> exit_code_;

  std::shared_ptr<const Client> client_ = std::make_shared<const Client>();
  ide::Settings settings_;
  ide::Workspace workspace_;
  std::vector<std::string> folders_;
  std::shared_ptr<const OpenDocuments> documents_ = std::make_shared<const OpenDocuments>();
  std::shared_ptr<const ide::Snapshot> snapshot_;  // null: something has changed
  std::vector<std::string> watched_;
  bool shows_stale_ = false;  ///< what the client shows of other texts may not hold any more
  Validator::Work work_;      // for the validator, since the last Handle()
  std::map<std::string, size_t, std::less<>> coming_edits_;  // of documents, in this Handle()
  std::set<std::string, std::less<>> coming_cancels_;        // ids, in this Handle()
  std::map<std::string, std::function<void(const JsonNode&)>, std::less<>> asked_;  // by id
  uint64_t last_id_ = 0;

  TokenStore tokens_;
  PendingRequests pending_;
  Validator validator_;
  Readers readers_;
};

}  // namespace kinu::lsp
