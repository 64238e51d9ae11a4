#include "lsp/validator.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "lsp/structures.h"

namespace kinu::lsp {
namespace {

/// Checks that take longer wait for more edits.
constexpr auto kLongCheck = std::chrono::milliseconds(100);
constexpr auto kLongestWait = std::chrono::milliseconds(200);

std::set<std::string> RootsOf(const ide::Snapshot& snapshot, const std::string& path) {
  const auto roots = snapshot.RootsOf(path);
  return {roots.begin(), roots.end()};
}

std::string ItemsText(const View& view, const std::string& path, const ProblemList& problems) {
  std::string text;
  JsonWriter json(text, kCompactJson);
  StructureWriter(view, json).Problems(path, problems);
  return text;
}

/// A name for a list of problems that equal lists share.
std::string NameOf(std::string_view items) {
  return std::to_string(std::hash<std::string_view>()(items));
}

}  // namespace

Validator::Validator(Outlet& outlet, PendingRequests& pending, bool threaded, Rest rest)
    : outlet_(outlet), pending_(pending), rest_(std::move(rest)) {
  if (threaded) {
    thread_ = std::make_unique<BigThread>([this] { Run(); });
  }
}

Validator::~Validator() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    abandoned_ = true;
  }
  added_.notify_all();
  thread_.reset();
  std::vector<Pull> pulls = std::move(pulls_);
  if (next_) {
    std::ranges::move(next_->pulls, std::back_inserter(pulls));
  }
  for (const Pull& pull : pulls) {
    pending_.Answer(*pull.ticket, Refuse(ErrorCode::kServerCancelled, "The server ends."));
  }
}

void Validator::CheckSyntax(const View& view, const std::set<std::string>& edited) {
  if (thread_ != nullptr) {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    whole_comes_ = true;
  }
  const std::lock_guard lock(known_mutex_);
  for (const std::string& path : edited) {
    const Document* document = view.Open(path);
    if (document == nullptr || !document->is_file) {
      continue;
    }
    if (auto problems = edited_syntax_.Problems(path, document->text->text())) {
      problems_.SetText(path, document->text);
      SetSyntax(view, path, *std::move(problems));
    }
  }
}

void Validator::Add(Work work) {
  if (thread_ == nullptr) {
    Do(work);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = abandoned_ || work.changes();
    whole_comes_ = false;
    if (next_) {
      work.edited.merge(next_->edited);
      work.all_roots = work.all_roots || next_->all_roots;
      std::ranges::move(work.pulls, std::back_inserter(next_->pulls));
      work.pulls = std::move(next_->pulls);
    }
    next_ = std::move(work);
  }
  added_.notify_one();
}

void Validator::Run() {
  while (true) {
    Work work;
    {
      std::unique_lock lock(mutex_);
      WaitForWork(added_, lock, rest_,
                  [this] { return ends_ || (next_.has_value() && !whole_comes_); });
      if (ends_) {
        return;
      }
      work = *std::exchange(next_, std::nullopt);
      abandoned_ = false;
    }
    Do(work);
  }
}

void Validator::Do(Work& work) {
  std::ranges::move(work.pulls, std::back_inserter(pulls_));
  if (!Read(work)) {
    return;
  }
  if (!unchecked_roots_.empty()) {
    WaitForMoreEdits();
  }
  if (CheckRoots(work.view)) {
    Finish(work.view);
  }
}

bool Validator::Read(Work& work) {
  const std::lock_guard lock(known_mutex_);
  // What came before this work and was not read is a part of it.
  unread_.edited.merge(work.edited);
  unread_.all_roots = unread_.all_roots || work.all_roots;
  if (abandoned_) {
    return false;
  }
  AnswerOutdatedPulls();
  const Work read = std::exchange(unread_, {});
  stale_.insert(read.edited.begin(), read.edited.end());
  ReadEdited(work.view, read.edited);
  ChooseRoots(work.view, read);
  return true;
}

void Validator::ReadEdited(const View& view, const std::set<std::string>& edited) {
  for (const std::string& path : edited) {
    const Document* document = view.Open(path);
    problems_.SetText(path, document == nullptr ? nullptr : document->text);
    if (document != nullptr) {
      SetSyntax(view, path, view.snapshot->SyntaxProblems(path));
      continue;
    }
    edited_syntax_.Forget(path);
    unsent_syntax_.erase(path);
    problems_.SetSyntax(path, {});
    Publish(view, path);
  }
}

void Validator::SetSyntax(const View& view, const std::string& path, ProblemList problems) {
  const ProblemList moved = problems_.Of(path);
  problems_.SetSyntax(path, std::move(problems));
  // The client moves what it shows along with the text itself.
  if (problems_.Of(path) == moved && !unsent_syntax_.contains(path)) {
    return;
  }
  if (Publish(view, path)) {
    unsent_syntax_.erase(path);
  } else {
    unsent_syntax_.insert(path);
  }
}

void Validator::ChooseRoots(const View& view, const Work& changes) {
  std::map<std::string, std::set<std::string>> roots_of_open;
  std::set<std::string> live;
  for (const auto& [key, document] : *view.documents) {
    if (document->is_file) {
      const auto& roots = roots_of_open[key] = RootsOf(*view.snapshot, key);
      live.insert(roots.begin(), roots.end());
    }
  }
  for (const std::string& path : changes.edited) {
    for (const auto* all : {&roots_of_open_, &roots_of_open}) {
      if (const auto at = all->find(path); at != all->end()) {
        unchecked_roots_.insert(at->second.begin(), at->second.end());
      }
    }
    // Without configuration of its own, a directory is checked if another file of it is open.
    const std::string directory = DirName(path);
    unchecked_roots_.insert({directory, DirName(directory)});
  }
  for (const std::string& root : live) {
    if (changes.all_roots || !checked_roots_.contains(root)) {
      unchecked_roots_.insert(root);
    }
  }
  std::erase_if(unchecked_roots_, [&](const auto& root) { return !live.contains(root); });
  std::erase_if(checked_roots_, [&](const std::string& root) {
    if (live.contains(root)) {
      return false;
    }
    stale_.merge(problems_.SetRoot(root, {}));
    return true;
  });
  roots_of_open_ = std::move(roots_of_open);
}

void Validator::WaitForMoreEdits() {
  if (thread_ != nullptr && last_check_ > kLongCheck) {
    std::unique_lock lock(mutex_);
    added_.wait_for(lock, kLongestWait, [this] { return ends_ || abandoned_; });
  }
}

bool Validator::CheckRoots(const View& view) {
  const auto begin = std::chrono::steady_clock::now();
  const bool had_roots = !unchecked_roots_.empty();
  while (!unchecked_roots_.empty()) {
    const std::string root = *unchecked_roots_.begin();
    const auto found = abandoned_ ? std::nullopt : view.snapshot->CheckRoot(root, abandoned_);
    const std::lock_guard lock(known_mutex_);
    if (!found || abandoned_) {
      return false;
    }
    unchecked_roots_.erase(root);
    checked_roots_.insert(root);
    auto touched = problems_.SetRoot(root, *found);
    stale_.insert(touched.begin(), touched.end());
    for (const std::string& path : touched) {
      Publish(view, path);
    }
  }
  if (had_roots) {
    last_check_ = std::chrono::steady_clock::now() - begin;
  }
  return true;
}

void Validator::Finish(const View& view) {
  const std::lock_guard lock(known_mutex_);
  if (abandoned_) {
    return;
  }
  PublishStale(view);
  AnswerPulls(view);
  AskForPulls(view);
}

void Validator::PublishStale(const View& view) {
  for (const std::string& path : std::set(stale_)) {
    Publish(view, path);
  }
}

bool Validator::Publish(const View& view, const std::string& path) {
  const Document* document = view.Open(path);
  const bool is_pulled = document != nullptr && view.client->pulls_diagnostics;
  ProblemList problems;
  if (!is_pulled) {  // else what was pushed while the file was closed goes
    problems = problems_.Of(path);
  }
  Published now{.items = ItemsText(view, path, problems), .is_empty = problems.empty()};
  if (document != nullptr && !is_pulled) {
    now.version = document->version;
  }
  const auto last = published_.find(path);
  const bool is_same = last != published_.end() && last->second == now;
  const bool was_empty = last == published_.end() || last->second.is_empty;
  const bool is_nothing = was_empty && now.is_empty && !now.version;
  if (!is_same && !is_nothing && !Send(view, path, now)) {
    return false;
  }
  stale_.erase(path);
  if (document == nullptr && now.is_empty) {
    published_.erase(path);
  } else {
    published_[path] = std::move(now);
  }
  return true;
}

bool Validator::Send(const View& view, const std::string& path, const Published& published) {
  const std::string text = CallText("textDocument/publishDiagnostics", "", [&](JsonWriter& json) {
    json.Member("uri", StructureWriter(view, json).UriOf(path));
    if (published.version) {
      json.Member("version", static_cast<int64_t>(*published.version));
    }
    json.Key("diagnostics");
    json.Raw(published.items);
  });
  const std::lock_guard lock(mutex_);               // no newer version arrives before it is sent
  const bool is_newest = view.snapshot == nullptr;  // of the thread that edits
  if (abandoned_ && !is_newest) {
    return false;
  }
  outlet_.Send(text);
  return true;
}

void Validator::AnswerOutdatedPulls() {
  std::erase_if(pulls_, [&](const Pull& pull) {
    const Ticket& ticket = *pull.ticket;
    if (!ticket.outdated && !ticket.cancelled) {
      return false;
    }
    pending_.Answer(ticket, std::unexpected(RpcError{.code = ErrorCode::kServerCancelled,
                                                     .message = "The document has changed.",
                                                     .data = R"({"retriggerRequest":true})"}));
    return true;
  });
}

void Validator::AnswerPulls(const View& view) {
  AnswerOutdatedPulls();
  for (const Pull& pull : std::exchange(pulls_, {})) {
    const std::string& path = pull.ticket->document;
    const std::string items = ItemsText(view, path, problems_.Of(path));
    const std::string name = NameOf(items);
    std::string text;
    JsonWriter json(text, kCompactJson);
    json.BeginObject();
    json.Member("kind", name == pull.known ? "unchanged" : "full");
    json.Member("resultId", name);
    if (name != pull.known) {
      json.Key("items");
      json.Raw(items);
    }
    json.EndObject();
    const Document* document = view.Open(path);
    pulled_[path] = {.name = name, .version = document == nullptr ? 0 : document->version};
    pending_.Answer(*pull.ticket, text);
  }
}

void Validator::AskForPulls(const View& view) {
  bool is_stale = false;
  std::erase_if(pulled_, [&](const auto& entry) {
    const auto& [path, pulled] = entry;
    const Document* document = view.Open(path);
    if (document == nullptr || document->version != pulled.version) {
      return true;  // the client asks again by itself
    }
    const bool has_changed = NameOf(ItemsText(view, path, problems_.Of(path))) != pulled.name;
    is_stale = is_stale || has_changed;
    return has_changed;
  });
  if (is_stale && view.client->pulls_diagnostics) {
    const std::string id = "\"diagnostics-" + std::to_string(++refreshes_) + "\"";
    outlet_.Send(CallText("workspace/diagnostic/refresh", id, nullptr));
  }
}

}  // namespace kinu::lsp
