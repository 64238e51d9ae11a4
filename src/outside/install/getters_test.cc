#include <cstdlib>

#include <gtest/gtest.h>

#include "base/files.h"
#include "install/git_index.h"
#include "install/module_address.h"
#include "install/module_getters.h"
#include "install/netrc.h"
#include "net/testing/scripted_transport.h"

namespace kinu::install {
namespace {

using net::ScriptedTransport;

/// An entry of an index of git: its mode and its name.
std::string IndexEntry(uint32_t mode, const std::string& name) {
  std::string entry(24, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    entry += static_cast<char>(mode >> shift);
  }
  entry.append(60 - entry.size(), '\0');
  entry += '\0';
  entry += static_cast<char>(name.size());
  entry += name;
  entry.append(8 - entry.size() % 8, '\0');
  return entry;
}
std::string Index(const std::vector<std::string>& entries, const std::string& extensions = "",
                  char version = 2) {
  std::string index = "DIRC";
  index += {'\0', '\0', '\0', version, '\0', '\0', '\0', static_cast<char>(entries.size())};
  for (const std::string& entry : entries) {
    index += entry;
  }
  return index + extensions + std::string(20, 'x');
}

TEST(GitIndex, ListsSubmodules) {
  using namespace std::string_literals;
  const std::string file = IndexEntry(0100644, "main.tf");
  const std::string part = IndexEntry(0160000, "modules/part");
  EXPECT_EQ(ListsSubmodules(Index({})), false);
  EXPECT_EQ(ListsSubmodules(Index({file, IndexEntry(0120000, "l")})), false);
  EXPECT_EQ(ListsSubmodules(Index({file, part})), true);
  EXPECT_EQ(ListsSubmodules(Index({part, file}, "TREE\0\0\0\3abc"s)), true);
  // What is of another form: cut off, version 4, in several pieces, longer digests.
  EXPECT_EQ(ListsSubmodules(Index({file}).substr(0, 90)), std::nullopt);
  EXPECT_EQ(ListsSubmodules(Index({file}, "", 4)), std::nullopt);
  EXPECT_EQ(ListsSubmodules(Index({file}, "link\0\0\0\0"s)), std::nullopt);
  EXPECT_EQ(ListsSubmodules(Index({file}, std::string(12, 'y'))), std::nullopt);
  EXPECT_EQ(ListsSubmodules("x"), std::nullopt);
}

TEST(ModuleAddresses, Passwords) {
  EXPECT_EQ(PasswordOf("https://u:p@h/"), "p");
  EXPECT_EQ(PasswordOf("https://h/"), "");
}

TEST(Netrc, Entries) {
  constexpr const char* kText =
      "# comment\nmachine a.test login u password p\nmacdef init\nls\n\nmachine b.test:80\n"
      "login v\naccount x\npassword q\nmachine a.test login late password late\n"
      "default login d password e";
  const auto find = [&](const char* host) {
    const auto entry = FindNetrcEntry(kText, host);
    return entry && *entry ? (*entry)->login + ':' + (*entry)->password : "none";
  };
  EXPECT_EQ(find("a.test"), "u:p");
  EXPECT_EQ(find("b.test:80"), "v:q");
  EXPECT_EQ(find("other"), "d:e");
  EXPECT_FALSE(*FindNetrcEntry("machine a login b", "c"));
  EXPECT_FALSE(FindNetrcEntry("login x", "c"));
  EXPECT_FALSE(FindNetrcEntry("machine a nonsense", "a"));
}

class Buckets : public testing::Test {
 protected:
  Buckets() : target_(testing::TempDir() + "/buckets-" + RandomUuid()) {
    setenv("GOOGLE_OAUTH_ACCESS_TOKEN", "given", 1);
  }
  ~Buckets() override { unsetenv("GOOGLE_OAUTH_ACCESS_TOKEN"); }
  Result<void> Get(const std::string& address) {
    Network network(CliConfig(), {.transport = &transport_,
                                  .version = "1.2.3",
                                  .stop = nullptr,
                                  .wait = [](std::chrono::milliseconds) { return true; }});
    PackageCache cache("");
    return GetPackage(address, target_, network, cache);
  }
  void On(const std::string& url, int status, const std::string& body) {
    transport_.On("GET " + url, ScriptedTransport::Make(status, body));
  }
  std::string target_;
  ScriptedTransport transport_;
};

TEST_F(Buckets, GoogleDirectory) {
  const std::string base = "https://storage.googleapis.com/";
  On(base + "storage/v1/b/b/o?prefix=dir", 200,
     R"({"items":[{"name":"dir/main.tf"},{"name":"dir2/x"},{"name":"dir/../x"},{"name":"dir/a/"}],)"
     R"("nextPageToken":"2"})");
  On(base + "storage/v1/b/b/o?prefix=dir&pageToken=2", 200,
     R"({"items":[{"name":"dir/sub/x.tf"}]})");
  On(base + "b/dir/main.tf", 200, "one");
  On(base + "b/dir/sub/x.tf", 200, "two");
  ASSERT_TRUE(Get("gcs::https://www.googleapis.com/storage/v1/b/dir"));
  EXPECT_EQ(ReadFile(target_ + "/main.tf").value_or(""), "one");
  EXPECT_EQ(ReadFile(target_ + "/sub/x.tf").value_or(""), "two");
  EXPECT_EQ(transport_.Lines().size(), 4U);
  for (const auto& request : transport_.requests()) {
    EXPECT_EQ(request.headers.Get("Authorization"), "Bearer given");
  }
}

TEST_F(Buckets, GoogleFailures) {
  for (const char* address :
       {"gcs::https://www.googleapis.com/storage/v1/b", "gcs::https://x.test/storage/v1/b/o",
        "gcs::https://a.b.googleapis.com/storage/v1/b/o", "gcs::https://www.googleapis.com/",
        "gcs::https://www.googleapis.com/storage/v1/b/o.zip#x",
        "gcs::https://www.googleapis.com/storage/v1/b/none",
        "gcs::https://www.googleapis.com/storage/v1/b/o.zip"}) {
    EXPECT_FALSE(Get(address)) << address;
  }
  On("https://storage.googleapis.com/storage/v1/b/b/o?prefix=empty", 200, "{}");
  EXPECT_FALSE(Get("gcs::https://www.googleapis.com/storage/v1/b/empty"));
  On("https://storage.googleapis.com/storage/v1/b/b/o?prefix=odd", 200, "[]");
  EXPECT_FALSE(Get("gcs::https://www.googleapis.com/storage/v1/b/odd"));
}

TEST_F(Buckets, S3Places) {
  const std::string keys = "?aws_access_key_id=I&aws_access_key_secret=S";
  const std::pair<const char*, const char*> cases[] = {
      {"https://s3.amazonaws.com/b/k.zip", "https://s3.us-east-1.amazonaws.com/b/k.zip"},
      {"https://s3-eu-west-1.amazonaws.com/b/k.zip", "https://s3.eu-west-1.amazonaws.com/b/k.zip"},
      {"https://s3.eu-west-1.amazonaws.com/b/k.zip", "https://s3.eu-west-1.amazonaws.com/b/k.zip"},
      {"https://b.s3-eu-west-1.amazonaws.com/k.zip", "https://s3.eu-west-1.amazonaws.com/b/k.zip"},
      {"https://b.s3.eu-west-1.amazonaws.com/d/k.zip",
       "https://s3.eu-west-1.amazonaws.com/b/d/k.zip"},
      {"https://s3.cn-north-1.amazonaws.com.cn/b/k.zip",
       "https://s3.cn-north-1.amazonaws.com.cn/b/k.zip"},
      {"http://h.test:9000/b/two%20words.zip", "http://h.test:9000/b/two%20words.zip"},
  };
  for (const auto& [given, asked] : cases) {
    EXPECT_FALSE(Get("s3::" + std::string(given) + keys));
    EXPECT_EQ(transport_.Lines().back(), "GET " + std::string(asked)) << given;
  }
  const size_t sent = transport_.Lines().size();
  for (const char* address :
       {"https://a.b.c.d.amazonaws.com/b/k", "https://ec2.amazonaws.com/b/k", "http://h.test/b",
        "https://s3.amazonaws.com/b", "https://x.y.amazonaws.com/k"}) {
    EXPECT_FALSE(Get("s3::" + std::string(address) + keys)) << address;
  }
  EXPECT_EQ(transport_.Lines().size(), sent);
}

}  // namespace
}  // namespace kinu::install
