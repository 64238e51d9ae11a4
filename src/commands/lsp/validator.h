// Validator: looks for problems. Those of the syntax of an edited file are found at once, by the
// thread that edits; those of the roots that the file belongs to by a thread of its own, and an
// edit ends what that does.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/thread.h"
#include "ide/edited_syntax.h"
#include "lsp/outlet.h"
#include "lsp/pending.h"
#include "lsp/problem_store.h"
#include "lsp/rest.h"
#include "lsp/view.h"

namespace kinu::lsp {

class Validator {
 public:
  /// A request for the problems of a document.
  struct Pull {
    std::shared_ptr<Ticket> ticket;
    std::string known;  ///< name of the result that the client has; may be empty
  };
  struct Work {
    View view;
    std::set<std::string> edited;  ///< documents that were opened, changed or closed
    bool all_roots = false;        ///< files of the disk or settings have changed
    std::vector<Pull> pulls;

    bool changes() const { return all_roots || !edited.empty(); }
  };

  /// Without a thread, work is done where it is added.
  Validator(Outlet& outlet, PendingRequests& pending, bool threaded, Rest rest);
  Validator(const Validator&) = delete;
  Validator& operator=(const Validator&) = delete;
  /// Abandons what is being done.
  ~Validator();

  /// Publishes what is wrong with the syntax of the edited documents, if that can be said without a
  /// snapshot: `view` has none. Work with these edits must follow.
  void CheckSyntax(const View& view, const std::set<std::string>& edited);
  /// By the thread that has called CheckSyntax().
  void Add(Work work);

 private:
  void Run();
  void Do(Work& work);
  /// Takes over what has changed, and decides which roots have to be checked. False if newer work
  /// waits.
  bool Read(Work& work);
  /// Publishes what is wrong with the syntax of what was edited.
  void ReadEdited(const View& view, const std::set<std::string>& edited);
  void SetSyntax(const View& view, const std::string& path, ProblemList problems);
  void ChooseRoots(const View& view, const Work& changes);
  /// Whether all chosen roots were checked.
  bool CheckRoots(const View& view);
  /// Says what can be said once all roots are checked.
  void Finish(const View& view);
  void WaitForMoreEdits();
  void AnswerOutdatedPulls();
  void AnswerPulls(const View& view);
  /// Has the client ask again if its last answers do not hold any more.
  void AskForPulls(const View& view);
  void PublishStale(const View& view);
  /// Publishes the problems of a file if they, or what they are about, are others than those that
  /// were published last. Returns false if newer work waits.
  bool Publish(const View& view, const std::string& path);

  /// The problems of a file that were published last.
  struct Published {
    std::string items;  ///< problems with their positions, as JSON
    bool is_empty = true;
    std::optional<int32_t> version;  ///< none: of a file that is not open
    friend bool operator==(const Published&, const Published&) = default;
  };
  /// Sends nothing and returns false if newer work waits.
  bool Send(const View& view, const std::string& path, const Published& published);

  Outlet& outlet_;
  PendingRequests& pending_;
  const Rest rest_;

  std::mutex mutex_;
  std::condition_variable added_;
  std::optional<Work> next_;
  bool ends_ = false;
  std::atomic<bool> abandoned_ = false;  ///< newer work waits, or comes
  bool whole_comes_ = false;             ///< Add() follows: what waits is not the newest

  /// Held while what is known is looked at or changed; taken before `mutex_`.
  std::mutex known_mutex_;
  ProblemStore problems_;
  std::map<std::string, Published> published_;
  std::set<std::string> stale_;          ///< files whose problems have to be published
  std::set<std::string> unsent_syntax_;  ///< files with new problems that could not be sent
  ide::EditedSyntax edited_syntax_;

  // Of the thread alone.
  struct Pulled {
    std::string name;
    int32_t version = 0;
  };
  Work unread_;                           ///< changes of work that was abandoned before it was read
  std::map<std::string, Pulled> pulled_;  ///< last answers to pulls
  std::map<std::string, std::set<std::string>> roots_of_open_;  ///< by document
  std::set<std::string> checked_roots_;
  std::set<std::string> unchecked_roots_;
  std::vector<Pull> pulls_;
  uint64_t refreshes_ = 0;
  std::chrono::steady_clock::duration last_check_{};

  std::unique_ptr<BigThread> thread_;
};

}  // namespace kinu::lsp
