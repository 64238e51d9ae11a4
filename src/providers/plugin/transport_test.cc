// The transport against grpc-go servers and frames of every shape (tests/providers/grpcpeer): it
// must answer as grpc-go's own client does. Skipped on machines that cannot build the servers.
#include "plugin/transport.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <map>
#include <random>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/hash.h"
#include "text/quote.h"

namespace kinu::plugin {
namespace {

constexpr const char* kPeer = KINU_TEST_MIRROR "/grpcpeer";

struct Case {
  std::string server, method;
  size_t request = 0;
  CallLimits limits;
  int code = 0;
  size_t size = 0;
  std::string hash;
  std::string message;  ///< quoted
};

std::vector<std::string> Split(std::string_view line) {
  std::vector<std::string> out;
  while (true) {
    const size_t tab = line.find('\t');
    out.emplace_back(line.substr(0, tab));
    if (tab == line.npos) {
      return out;
    }
    line.remove_prefix(tab + 1);
  }
}

int64_t Number(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The servers, which run until the tests end.
class Peer {
 public:
  Peer() {
    directory_ = ::testing::TempDir() + "/kinu-peer-XXXXXX";
    if (!FileExists(kPeer) || mkdtemp(directory_.data()) == nullptr) {
      return;
    }
    // The servers end with their standard input: when this process does.
    std::array<int, 2> input = {};
    if (pipe(input.data()) != 0 || fcntl(input[1], F_SETFD, FD_CLOEXEC) != 0) {
      return;
    }
    input_ = input[1];
    output_ =
        popen(("exec " + std::string(kPeer) + ' ' + directory_ + " <&" + std::to_string(input[0]))
                  .c_str(),
              "r");
    close(input[0]);
    for (std::string line = Line(); !line.empty() && line != "ready"; line = Line()) {
      Take(Split(line));
    }
  }
  ~Peer() {
    if (output_ != nullptr) {
      close(input_);
      pclose(output_);
    }
  }

  bool there() const { return !cases.empty(); }
  std::unique_ptr<Channel> Open(const std::string& server) {
    return Connect({.target = targets.at(server)});
  }

  std::map<std::string, std::string> targets;
  std::vector<Case> cases;

 private:
  std::string Line() {
    std::string line;
    for (int c = std::getc(output_); c != EOF && c != '\n'; c = std::getc(output_)) {
      line.push_back(static_cast<char>(c));
    }
    return line;
  }
  void Take(const std::vector<std::string>& parts) {
    if (parts[0] == "server") {
      targets[parts[1]] = parts[2];
    } else if (parts[0] == "case" && parts.size() == 10) {
      cases.push_back({parts[1],
                       parts[2],
                       static_cast<size_t>(Number(parts[3])),
                       {.time = std::chrono::milliseconds(Number(parts[4])),
                        .response = static_cast<size_t>(Number(parts[5]))},
                       static_cast<int>(Number(parts[6])),
                       static_cast<size_t>(Number(parts[7])),
                       parts[8],
                       parts[9]});
    }
  }

  std::string directory_;
  FILE* output_ = nullptr;
  int input_ = -1;
};

Peer& ThePeer() {
  static Peer peer;
  return peer;
}

#define PEER_OR_SKIP(peer)                                                       \
  Peer& peer = ThePeer();                                                        \
  if (!peer.there()) {                                                           \
    GTEST_SKIP() << "the test servers are not built (tests/providers/build.sh)"; \
  }

TEST(Transport, AnswersAsGrpcGo) {
  PEER_OR_SKIP(peer);
  std::map<std::string, std::unique_ptr<Channel>> channels;
  for (const auto& [name, target] : peer.targets) {
    channels[name] = peer.Open(name);
  }
  for (const Case& c : peer.cases) {
    const std::string request(c.request, '\0');
    std::string response;
    const CallStatus status =
        channels.at(c.server)->Call(c.method.c_str(), request, &response, c.limits);
    EXPECT_EQ(status.code, c.code) << c.method << ": " << status.message;
    if (status.ok()) {
      EXPECT_EQ(response.size(), c.size) << c.method;
      EXPECT_EQ(HexDigest(HashKind::kSha256, response).substr(0, c.hash.size()), c.hash)
          << c.method;
    } else if (c.server != "absent" && c.method != "/t/Garbage" &&
               !c.method.starts_with("/t/Close")) {
      // These quote the system and the library. A connection that the server closes before it has
      // read all is reset or at its end.
      EXPECT_EQ(text::GoQuote(status.message), c.message) << c.method;
    }
  }
}

/// Calls with responses of random sizes, one after the other. Returns what went wrong.
std::string CallAtRandom(Channel& channel, unsigned seed, int count) {
  std::mt19937 random(seed);
  for (int i = 0; i < count; ++i) {
    std::string request(random() % (i % 10 == 0 ? 300'000 : 3'000), 'x');
    for (char& c : request) {
      c = static_cast<char>(random());
    }
    std::string response;
    const bool fail = random() % 8 == 0;
    const CallStatus status = channel.Call(fail ? "/t/Fail.9" : "/t/Echo", request, &response);
    if (fail ? status.code != 9 : !status.ok() || response != request) {
      return std::to_string(status.code) + ' ' + status.message;
    }
  }
  return {};
}

TEST(Transport, ConcurrentCalls) {
  PEER_OR_SKIP(peer);
  for (const char* server : {"grpc", "tcp"}) {
    auto channel = peer.Open(server);
    std::atomic<int> heard = 0;
    std::atomic<bool> ordered = true;
    channel->Listen("/t/Many.1000", [&](std::string_view message) {
      ordered = ordered && message == "message " + std::to_string(heard.load());
      ++heard;
    });
    std::array<std::string, 12> failures;
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < failures.size(); ++i) {
        threads.emplace_back([&, i] { failures[i] = CallAtRandom(*channel, i, 60); });
      }
    }
    for (const std::string& failure : failures) {
      EXPECT_EQ(failure, "");
    }
    std::string response;
    EXPECT_TRUE(channel->Call("/t/Sleep.200", "", &response).ok());
    EXPECT_EQ(heard, 1000);
    EXPECT_TRUE(ordered);
  }
}

TEST(Transport, CallsThatTakeLongAreNotInTheWay) {
  PEER_OR_SKIP(peer);
  auto channel = peer.Open("grpc");
  std::atomic<bool> slow_is_over = false;
  std::jthread slow([&] {
    std::string response;
    EXPECT_TRUE(channel->Call("/t/Sleep.1000", "", &response).ok());
    slow_is_over = true;
  });
  std::string response;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(channel->Call("/t/Sleep.1", "", &response).ok());
  }
  EXPECT_FALSE(slow_is_over);
}

TEST(Transport, CancelEndsCalls) {
  PEER_OR_SKIP(peer);
  auto channel = peer.Open("grpc");
  std::array<CallStatus, 3> statuses;
  {
    std::vector<std::jthread> threads;
    for (CallStatus& status : statuses) {
      threads.emplace_back([&] {
        std::string response;
        status = channel->Call("/t/Sleep.60000", "", &response);
      });
    }
    std::string response;
    EXPECT_TRUE(channel->Call("/t/Sleep.50", "", &response).ok());
    channel->Cancel();
  }
  for (const CallStatus& status : statuses) {
    EXPECT_EQ(status.code, kStatusCancelled) << status.message;
  }
  std::string response;
  EXPECT_EQ(channel->Call("/t/Echo", "", &response).code, kStatusCancelled);
}

}  // namespace
}  // namespace kinu::plugin
