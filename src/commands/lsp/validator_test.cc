// The validator with its thread, while it has no time for what comes.
#include "lsp/validator.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "ide/workspace.h"

namespace kinu::lsp {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);
/// Its root has a problem, but its syntax has none.
constexpr const char* kMissing = "output \"o\" {\n  value = local.none\n}\n";

/// A validator whose thread waits where it has nothing to do, and two documents of two roots.
class BusyValidator : public ::testing::Test {
 protected:
  BusyValidator() { client_->pulls_diagnostics = false; }

  /// Keeps the thread from what is added from now on.
  void Hold() {
    std::unique_lock lock(mutex_);
    held_ = true;
    changed_.wait_for(lock, kPatience, [&] { return waits_; });
  }
  void Release() {
    const std::scoped_lock lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  bool Sends(const std::string& word) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return sent_.contains(word); });
  }

  void Edit(const std::string& path, int32_t version, const std::string& text) {
    auto documents = std::make_shared<OpenDocuments>(*documents_);
    (*documents)[path] =
        std::make_shared<const Document>(Document{.uri = "file://" + path,
                                                  .version = version,
                                                  .text = std::make_shared<const Text>(text),
                                                  .is_file = true});
    documents_ = std::move(documents);
    workspace_.SetText(path, text);
  }
  View TextOnly() const {
    return {.snapshot = nullptr, .documents = documents_, .client = client_};
  }
  View Whole() {
    View view = TextOnly();
    view.snapshot = workspace_.Take();
    return view;
  }

  const std::string a_ = "/nowhere/a/main.tf";
  const std::string b_ = "/nowhere/b/main.tf";
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool waits_ = false;
  std::string sent_;
  ide::Workspace workspace_{ide::Settings()};
  std::shared_ptr<const OpenDocuments> documents_ = std::make_shared<OpenDocuments>();
  std::shared_ptr<Client> client_ = std::make_shared<Client>();
  Outlet outlet_{[this](std::string_view frame) {
    const std::scoped_lock lock(mutex_);
    sent_ += frame;
    changed_.notify_all();
  }};
  PendingRequests pending_{outlet_};
  Validator validator_{outlet_, pending_, true, [this] {
                         std::unique_lock lock(mutex_);
                         waits_ = true;
                         changed_.notify_all();
                         changed_.wait(lock, [&] { return !held_; });
                         waits_ = false;
                       }};
};

TEST_F(BusyValidator, ForgetsNothingForTheSyntaxOfAnEdit) {
  Hold();
  Edit(a_, 1, kMissing);
  Edit(b_, 1, "");
  validator_.Add({.view = Whole(),
                  .edited = {a_, b_},
                  .pulls = {{.ticket = pending_.Add("\"pull\"", a_), .known = ""}}});
  Edit(b_, 2, "output {");
  validator_.CheckSyntax(TextOnly(), {b_});  // before the workspace is parsed
  ASSERT_TRUE(Sends("\"version\":2")) << "the syntax of b";
  Release();
  validator_.Add({.view = Whole(), .edited = {b_}});
  EXPECT_TRUE(Sends("\"id\":\"pull\"")) << sent_;
}

TEST_F(BusyValidator, PublishesTheVersionOfEachEdit) {
  Edit(a_, 1, kMissing);
  Edit(b_, 1, "");
  validator_.Add({.view = Whole(), .edited = {a_, b_}});
  ASSERT_TRUE(Sends("undeclared local value")) << sent_;
  Hold();
  Edit(a_, 7, std::string(kMissing) + "# the same problem\n");
  validator_.Add({.view = Whole(), .edited = {a_}});
  Edit(b_, 8, "output {");
  validator_.CheckSyntax(TextOnly(), {b_});
  ASSERT_TRUE(Sends("\"version\":8"));
  Release();
  validator_.Add({.view = Whole(), .edited = {b_}});
  EXPECT_TRUE(Sends("\"version\":7")) << sent_;
}

}  // namespace
}  // namespace kinu::lsp
