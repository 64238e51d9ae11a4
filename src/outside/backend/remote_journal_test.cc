// Journals of states that are stored elsewhere.
#include "backend/remote_journal.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "backend/remote_store.h"
#include "backend/test_sealer.h"
#include "base/files.h"

namespace kinu::backend {
namespace {

/// A service that stores one state, for all stores of a test.
struct Service {
  std::optional<std::string> bytes;
  bool refuses = false;
  int puts = 0;
};

class ServiceClient final : public RemoteClient {
 public:
  explicit ServiceClient(Service& service) : service_(service) {}
  Result<std::optional<std::string>> Get() override { return service_.bytes; }
  Result<void> Put(std::string_view bytes) override {
    if (service_.refuses) {
      return Fail(ErrorCode::kUnavailable, "refused");
    }
    service_.bytes = std::string(bytes);
    ++service_.puts;
    return {};
  }
  Result<void> Delete() override { return {}; }
  Result<std::string> Lock(const state::LockInfo& info) override { return info.id; }
  Result<void> Unlock(std::string_view) override { return {}; }

 private:
  Service& service_;
};

class RemoteJournalTest : public ::testing::Test {
 protected:
  RemoteJournalTest()
      : dir_(::testing::TempDir() + "/kinu_journal_" + RandomUuid()), path_(dir_ + "/w.journal") {
    std::filesystem::create_directories(dir_);
  }
  ~RemoteJournalTest() override { std::filesystem::remove_all(dir_); }

  std::unique_ptr<RemoteStore> Open(state::SealerRef sealer = state::NoSealing()) {
    return std::make_unique<RemoteStore>(std::make_unique<ServiceClient>(service_),
                                         Storing{sealer, path_});
  }
  state::ObjectRecord Made(std::string_view name) {
    state::ObjectRecord record;
    record.address.resource.resource = {.mode = ResourceMode::kManaged,
                                        .type = program_->Intern("t"),
                                        .name = program_->Intern(name)};
    record.object.attributes = "{}";
    record.provider.provider = program_->Intern("h/n/t");
    return record;
  }
  /// A run that makes an object and ends before it stores the state.
  void RunAndDie(std::string_view name, state::SealerRef sealer = state::NoSealing()) {
    auto store = Open(sealer);
    ASSERT_TRUE(store->Lock(request_));
    ASSERT_TRUE(store->Read(program_));
    ASSERT_TRUE(store->StartRecording());
    ASSERT_TRUE(store->Record(Made(name)));
    ASSERT_TRUE(store->Flush());
  }
  size_t Objects(state::Store& store) {
    auto state = store.Read(program_);
    EXPECT_TRUE(state) << state.error().message;
    return state ? state->resources.size() : 0;
  }
  size_t StoredObjects() {
    return state::ReadState(program_, service_.bytes.value_or("")).value().resources.size();
  }

  std::string dir_;
  std::string path_;
  Service service_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  state::LockRequest request_{.operation = "test"};
};

TEST_F(RemoteJournalTest, TheNextLockStoresWhatAKilledRunLeft) {
  RunAndDie("a");
  EXPECT_TRUE(FileExists(path_));
  EXPECT_EQ(service_.puts, 0);
  {
    auto store = Open();
    ASSERT_TRUE(store->Lock(request_));
    EXPECT_EQ(Objects(*store), 1U);
    EXPECT_NE(store->recovery_note().find("1 completed steps were recovered"), std::string::npos);
  }
  EXPECT_EQ(StoredObjects(), 1U);
  EXPECT_FALSE(FileExists(path_));
  RunAndDie("b");
  auto store = Open();
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_EQ(Objects(*store), 2U);
  EXPECT_EQ(StoredObjects(), 2U);
}

TEST_F(RemoteJournalTest, ThatOfAnEncryptedStateIsEncrypted) {
  const auto sealer = std::make_shared<TestSealer>("a");
  RunAndDie("secret", sealer);
  EXPECT_EQ(ReadFile(path_)->find("secret"), std::string::npos);
  auto store = Open(sealer);
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_EQ(Objects(*store), 1U);
  EXPECT_TRUE(service_.bytes->starts_with("a:"));
  EXPECT_FALSE(FileExists(path_));
}

TEST_F(RemoteJournalTest, WhatCannotBeDecryptedIsKept) {
  RunAndDie("a", std::make_shared<TestSealer>("a"));
  auto store = Open();
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_EQ(Objects(*store), 0U);
  EXPECT_NE(store->recovery_note().find("cannot be decrypted"), std::string::npos);
  EXPECT_NE(store->recovery_note().find("renamed to"), std::string::npos);
  EXPECT_EQ(ListDirectory(dir_)->size(), 1U);
}

TEST_F(RemoteJournalTest, WhoOnlyLooksStoresNothing) {
  RunAndDie("a");
  for (const bool looks_only : {false, true}) {
    auto store = Open();
    if (looks_only) {
      ASSERT_TRUE(store->Lock(request_));
      store->LookOnly();
    }
    EXPECT_EQ(Objects(*store), 1U);
    EXPECT_EQ(service_.puts, 0);
    EXPECT_TRUE(FileExists(path_));
  }
}

TEST_F(RemoteJournalTest, ARunWithoutALockStoresItBeforeItRecords) {
  RunAndDie("a");
  auto store = Open();
  EXPECT_EQ(Objects(*store), 1U);
  ASSERT_TRUE(store->StartRecording());
  EXPECT_EQ(StoredObjects(), 1U);
  ASSERT_TRUE(store->Record(Made("b")));
  ASSERT_TRUE(store->Flush());
  store.reset();
  auto next = Open();
  ASSERT_TRUE(next->Lock(request_));
  EXPECT_EQ(Objects(*next), 2U);
}

TEST_F(RemoteJournalTest, WhatBelongsToAnotherStateIsKept) {
  RunAndDie("a");
  service_.bytes = R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"other",)"
                   R"("outputs":{},"resources":[],"check_results":null})";
  auto store = Open();
  ASSERT_TRUE(store->Lock(request_));
  EXPECT_EQ(Objects(*store), 0U);
  EXPECT_NE(store->recovery_note().find("not the one that they continue"), std::string::npos);
  EXPECT_NE(store->recovery_note().find("renamed to"), std::string::npos);
  EXPECT_FALSE(FileExists(path_));
  EXPECT_EQ(ListDirectory(dir_)->size(), 1U);
}

TEST_F(RemoteJournalTest, ARunWithoutALockKeepsWhatBelongsToAnotherState) {
  RunAndDie("a");
  service_.bytes = R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"other",)"
                   R"("outputs":{},"resources":[],"check_results":null})";
  auto store = Open();
  EXPECT_EQ(Objects(*store), 0U);
  ASSERT_TRUE(store->StartRecording());
  EXPECT_EQ(ListDirectory(dir_)->size(), 2U);
}

TEST_F(RemoteJournalTest, AStoredStateEndsIt) {
  auto store = Open();
  ASSERT_TRUE(store->Lock(request_));
  auto state = store->Read(program_);
  ASSERT_TRUE(state);
  ASSERT_TRUE(store->Record(Made("a")));
  ASSERT_TRUE(store->Flush());
  EXPECT_TRUE(FileExists(path_));
  state::Apply(Made("a"), *state);
  ASSERT_TRUE(store->Write(*state));
  EXPECT_FALSE(FileExists(path_));
  // The run goes on.
  ASSERT_TRUE(store->Record(Made("b")));
  ASSERT_TRUE(store->Flush());
  EXPECT_TRUE(FileExists(path_));
  store->DropRecords();
  EXPECT_FALSE(FileExists(path_));
}

TEST_F(RemoteJournalTest, AFailedUploadKeepsIt) {
  auto store = Open();
  ASSERT_TRUE(store->Lock(request_));
  auto state = store->Read(program_);
  ASSERT_TRUE(store->Record(Made("a")));
  ASSERT_TRUE(store->Flush());
  state::Apply(Made("a"), *state);
  service_.refuses = true;
  EXPECT_FALSE(store->Write(*state));
  store.reset();
  service_.refuses = false;
  auto next = Open();
  ASSERT_TRUE(next->Lock(request_));
  EXPECT_EQ(Objects(*next), 1U);
  EXPECT_EQ(StoredObjects(), 1U);
}

TEST_F(RemoteJournalTest, ARunAtWorkKeepsOthersOut) {
  auto store = Open();
  ASSERT_TRUE(store->Read(program_));
  ASSERT_TRUE(store->Record(Made("a")));
  ASSERT_TRUE(store->Flush());
  auto other = Open();
  EXPECT_EQ(Objects(*other), 0U);
  EXPECT_EQ(other->StartRecording().error().code, ErrorCode::kExists);
}

}  // namespace
}  // namespace kinu::backend
