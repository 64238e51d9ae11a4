#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/base64.h"
#include "remote/dial.h"
#include "remote/output_lines.h"
#include "remote/scp.h"
#include "remote/settings.h"
#include "remote/socket_guard.h"
#include "remote/ssh_agent.h"

namespace kinu::remote {
namespace {

using std::string_literals::operator""s;

Value Connection(std::vector<std::pair<std::string, Value>> values) {
  return Value::Object(std::move(values));
}

TEST(Settings, HaveTheDefaultsOfTheReference) {
  const Result<SshSettings> out =
      ReadSshSettings(Connection({{"host", Value::String("::1")}, {"agent", Value::Bool(false)}}));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->target.address(), "[::1]:22");
  EXPECT_EQ(out->target.user, "root");
  EXPECT_EQ(out->script_path, "/tmp/terraform_%RAND%.sh");
  EXPECT_EQ(out->timeout, std::chrono::minutes(5));
  EXPECT_EQ(out->proxy.scheme, "http");
  EXPECT_FALSE(out->agent);
  EXPECT_TRUE(out->bastion.host.empty());
}

TEST(Settings, ABastionHasTheArgumentsOfItsTarget) {
  const Result<SshSettings> out =
      ReadSshSettings(Connection({{"host", Value::String("a")},
                                  {"user", Value::String("u")},
                                  {"port", Value::Int(7)},
                                  {"host_key", Value::String("k")},
                                  {"timeout", Value::String("1m30s")},
                                  {"bastion_host", Value::String("b")}}));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->bastion.address(), "b:7");
  EXPECT_EQ(out->bastion.user, "u");
  EXPECT_EQ(out->bastion.host_key, "k");
  EXPECT_FALSE(out->bastion_key_given);
  EXPECT_EQ(out->timeout, std::chrono::seconds(90));
}

TEST(Settings, AMalformedTimeoutIsTheDefault) {
  EXPECT_EQ(TimeoutAttribute(Connection({{"timeout", Value::String("soon")}})),
            std::chrono::minutes(5));
}

TEST(Settings, ScriptPathsGetOneRandomNumber) {
  EXPECT_EQ(FillScriptPath("/a_%RAND%/%RAND%.sh", 42), "/a_42/42.sh");
  EXPECT_EQ(FillScriptPath("/plain", 42), "/plain");
  EXPECT_EQ(FillScriptPath("%RAND%", UINT32_MAX), "2147483647");
}

TEST(Quoting, ShellsAndWindowsReadTheSameWords) {
  EXPECT_EQ(QuoteForShell({"scp", "-vt", "/it's here"}), R"('scp' '-vt' '/it'\''s here')");
  EXPECT_EQ(QuoteForWindows({"scp", "-vt", "C:/plain"}), "scp -vt C:/plain");
  EXPECT_EQ(QuoteForWindows({"scp", R"(a b\)", R"(c\"d)", ""}), R"(scp "a b\\" "c\\\"d" "")");
}

/// Records what is sent and answers with a script.
class ScriptedStreams final : public SshStreams {
 public:
  explicit ScriptedStreams(std::string answers) : answers_(std::move(answers)) {}
  bool Write(std::string_view bytes) override {
    sent += bytes;
    return true;
  }
  int Read() override {
    return at_ < answers_.size() ? static_cast<unsigned char>(answers_[at_++]) : -1;
  }
  std::string sent;

 private:
  std::string answers_;
  size_t at_ = 0;
};

TEST(Scp, SendsATextAsAFile) {
  ScriptedStreams streams("\0\0"s);
  EXPECT_TRUE(ScpSender(streams).SendText("a b", "text"));
  EXPECT_EQ(streams.sent, "C0644 4 a b\ntext\0"s);
}

TEST(Scp, SendsDirectoriesSortedByName) {
  const std::string place = ::testing::TempDir() + "/kinu-scp-" + RandomUuid();
  ASSERT_TRUE(MakeDirectories(place + "/inner"));
  ASSERT_TRUE(ReplaceFile(place + "/b", "B"));
  ASSERT_TRUE(ReplaceFile(place + "/a", ""));
  ScriptedStreams streams(std::string(6, '\0'));
  EXPECT_TRUE(ScpSender(streams).SendDirectory("top", place));
  EXPECT_EQ(streams.sent, "D0755 0 top\nC0644 0 a\n\0C0644 1 b\nB\0D0755 0 inner\nE\nE\n"s);
}

TEST(Scp, ReportsTheMessageOfTheOtherSide) {
  ScriptedStreams refused("\1scp: /x: Permission denied\n");
  const Result<void> done = ScpSender(refused).SendText("x", "");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "scp: /x: Permission denied");
  ScriptedStreams ended("");
  const Result<void> gone = ScpSender(ended).SendText("x", "");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kCancelled);
}

TEST(OutputLines, PassLinesOnWhenTheyAreComplete) {
  std::vector<std::string> lines;
  const OutputSink sink = [&](std::string_view line) { lines.emplace_back(line); };
  OutputLines out(sink);
  out.Add("one\r\ntw");
  out.Add("o\n\nhalf");
  out.Flush();
  out.Flush();
  EXPECT_EQ(lines, (std::vector<std::string>{"one\r", "two", "", "half"}));
}

std::string Text(const std::string& text) {
  return std::string{0, 0, 0, static_cast<char>(text.size())} + text;
}

TEST(Agent, ThePreferredKeyComesFirst) {
  const std::string head = "\0\0\0\x40\x0c\0\0\0\3"s;
  const std::string one = Text("k1") + Text("work");
  const std::string two = Text("k2") + Text("/home/me/mine");
  const std::string three = Text("k3") + Text("mine");
  EXPECT_EQ(PreferIdentity(head + one + two + three, "mine"), head + three + two + one);
  EXPECT_EQ(PreferIdentity(head + one + two, ""), head + one + two);
  EXPECT_EQ(PreferIdentity(head + one + "cut", "work"), head + one + "cut");
  EXPECT_EQ(PreferIdentity("\0\0\0\1\5"s, "work"), "\0\0\0\1\5"s);
}

TEST(Agent, AFileNamesAKey) {
  const std::string path = ::testing::TempDir() + "/kinu-key-" + RandomUuid();
  ASSERT_TRUE(ReplaceFile(path + ".pub", "ssh-ed25519 " + EncodeBase64("k2") + " me\n"));
  const std::string head = "\0\0\0\x40\x0c\0\0\0\2"s;
  const std::string one = Text("k1") + Text("a");
  const std::string two = Text("k2") + Text("b");
  EXPECT_EQ(PreferIdentity(head + one + two, path), head + two + one);
}

TEST(Dial, ErrorsReadLikeThoseOfGo) {
  const Result<int> closed = Dial("127.0.0.1", 1, std::chrono::seconds(5), {});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().message, "dial tcp 127.0.0.1:1: connect: connection refused");
  const Result<int> unknown =
      DialThroughProxy({.scheme = "gopher", .host = "h", .port = 1}, "h", 1, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "proxy: unknown scheme: gopher");
}

TEST(Dial, AProxyIsAskedWithCredentials) {
  EXPECT_EQ(ConnectRequest({.user = "ada", .password = "love"}, "h:22"),
            "CONNECT h:22 HTTP/1.1\r\nHost: h:22\r\nUser-Agent: Go-http-client/1.1\r\n"
            "Authorization: Basic YWRhOmxvdmU=\r\nProxy-Authorization: Basic YWRhOmxvdmU=\r\n\r\n");
}

TEST(Dial, AProxyThatDoesNotAnswerIsAnError) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  // NOLINTBEGIN(*-reinterpret-cast): the sockets interface wants it
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  // NOLINTEND(*-reinterpret-cast)
  std::thread proxy([listener] { ::close(::accept(listener, nullptr, nullptr)); });
  const Result<int> connected = DialThroughProxy(
      {.scheme = "http", .host = "127.0.0.1", .port = ntohs(address.sin_port)}, "h", 22, {});
  proxy.join();
  ::close(listener);
  ASSERT_FALSE(connected);
  EXPECT_FALSE(connected.error().message.empty());
}

TEST(SocketGuard, EndsReadsWhenTheRunIsInterrupted) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::atomic<bool> stop = false;
  SocketGuard guard;
  guard.SetLimits({.stop = &stop});
  guard.Add(pair[0]);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  char byte = 0;
  EXPECT_EQ(::read(pair[0], &byte, 1), 0);
  later.join();
  guard.Clear();
  ::close(pair[0]);
  ::close(pair[1]);
}

}  // namespace
}  // namespace kinu::remote
