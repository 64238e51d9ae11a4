// The server's side of gRPC, called over sockets by the client of the plugin library.
#include "sdk/server.h"

#include <array>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugin/byte_stream.h"
#include "plugin/grpc_call.h"
#include "plugin/http2_connection.h"
#include "plugin/transport.h"
#include "sdk/listener.h"
#include "sdk/server_tls.h"
#include "sdk/stdio_relay.h"

namespace kinu::sdk {
namespace {

/// A server for one connection, and a client connected to it.
class Wire {
 public:
  explicit Wire(Handler handler, bool tls = false, bool tcp = false) : listener_(tcp) {
    plugin::Endpoint endpoint;
    endpoint.target = tcp ? listener_.address() : "unix:" + listener_.address();
    if (tls) {
      endpoint.tls = true;
      endpoint.identity = *crypto::MakeIdentity();
      context_ = MakeServerContext(endpoint.identity.certificate, endpoint.server_certificate);
      EXPECT_NE(context_, nullptr);
    }
    server_ = std::thread([this, shared = std::make_shared<const Handler>(std::move(handler))] {
      ServeConnection(accept(listener_.descriptor(), nullptr, nullptr), context_.get(), shared);
    });
    client_ = plugin::Connect(std::move(endpoint));
  }
  ~Wire() {
    client_.reset();
    server_.join();
    listener_.Remove();
    close(listener_.descriptor());
  }
  plugin::Channel& client() { return *client_; }
  /// The response, or the status.
  std::string Call(const char* method, std::string_view request) {
    std::string response;
    const plugin::CallStatus status = client_->Call(method, request, &response);
    return status.ok() ? response : std::to_string(status.code) + ' ' + status.message;
  }

 private:
  Listener listener_;
  crypto::SslContextPtr context_;
  std::thread server_;
  std::unique_ptr<plugin::Channel> client_;
};

Reply Echo(std::string_view method, std::string_view request, const Sender&) {
  return {.message = std::string(method) + ' ' + std::string(request), .error = {}};
}

TEST(ProviderServer, AnswersOverEachKindOfSocket) {
  for (const bool tls : {false, true}) {
    for (const bool tcp : {false, true}) {
      Wire wire(Echo, tls, tcp);
      EXPECT_EQ(wire.Call("/a.B/C", "text"), "/a.B/C text");
      EXPECT_EQ(wire.Call("/a.B/D", ""), "/a.B/D ");
    }
  }
}

TEST(ProviderServer, AnswersLargeMessages) {
  Wire wire(Echo, true);
  const std::string large(20'000'000, 'x');
  EXPECT_EQ(wire.Call("/a.B/C", large), "/a.B/C " + large);
}

/// A socket whose bytes are taken from it long before they are read, as TLS does with a record.
class TakingStream final : public plugin::ByteStream {
 public:
  /// Once more than the settings have arrived, waits for `expected` bytes in all.
  TakingStream(int descriptor, size_t expected) : ByteStream(descriptor), expected_(expected) {}

  ssize_t Read(std::span<char> buffer) override {
    constexpr size_t kSettings = 1000;
    std::array<char, 64 * 1024> part;
    while (true) {
      const bool wait = total_ > kSettings && total_ < expected_;
      const ssize_t size = recv(descriptor(), part.data(), part.size(), wait ? 0 : MSG_DONTWAIT);
      if (size <= 0) {
        break;
      }
      total_ += static_cast<size_t>(size);
      taken_.append(part.data(), static_cast<size_t>(size));
    }
    const size_t size = taken_.copy(buffer.data(), buffer.size(), read_);
    read_ += size;
    return static_cast<ssize_t>(size);
  }

 private:
  size_t expected_;
  size_t total_ = 0;
  std::string taken_;
  size_t read_ = 0;
};

TEST(ProviderServer, ResponsesThatTheSocketNoLongerHoldsAreRead) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  std::thread server(
      [&] { ServeConnection(ends[0], nullptr, std::make_shared<const Handler>(Echo)); });
  const std::string large(3'000'000, 'x');
  std::string response;
  {
    plugin::Http2Connection client(std::make_unique<TakingStream>(ends[1], large.size()));
    const std::array<char, 5> prefix = plugin::MessagePrefix(large.size());
    plugin::GrpcCall call({prefix.data(), prefix.size()}, large, false, 1 << 30,
                          [&](std::string& message) { response = std::move(message); });
    ASSERT_TRUE(client.Start(call, {{":method", "POST"},
                                    {":scheme", "http"},
                                    {":path", "/a"},
                                    {":authority", "localhost"},
                                    {"content-type", "application/grpc"},
                                    {"te", "trailers"}}));
    EXPECT_TRUE(
        client.Await(call, plugin::Http2Connection::Clock::now() + std::chrono::seconds(30)));
    client.Release(call);
  }
  server.join();
  EXPECT_EQ(response.size(), large.size() + 3);
}

TEST(ProviderServer, CallsRunAtTheSameTime) {
  std::promise<void> second;
  Wire wire([&](std::string_view method, std::string_view, const Sender&) {
    if (method == "/first") {
      second.get_future().wait();
    } else {
      second.set_value();
    }
    return Reply{.message = "ok", .error = {}};
  });
  auto first = std::async(std::launch::async, [&] { return wire.Call("/first", ""); });
  EXPECT_EQ(wire.Call("/second", ""), "ok");
  EXPECT_EQ(first.get(), "ok");
}

TEST(ProviderServer, ErrorsAreEncoded) {
  Wire wire([](std::string_view, std::string_view request, const Sender&) {
    return Reply{.message = {}, .status = 3, .error = std::string(request)};
  });
  EXPECT_EQ(wire.Call("/x", "100% übel\n"), "3 100% übel\n");
  EXPECT_EQ(PercentEncode("100% \xc3\xbc\n"), "100%25 %C3%BC%0A");
}

TEST(ProviderServer, Faults) {
  for (const Reply::End end : {Reply::End::kReset, Reply::End::kGoAway, Reply::End::kDrop}) {
    Wire wire([=](std::string_view method, std::string_view request, const Sender& send) {
      Reply reply = Echo(method, request, send);
      reply.end = end;
      return reply;
    });
    std::string response;
    EXPECT_FALSE(wire.client().Call("/x", "", &response).ok());
  }
}

TEST(ProviderServer, SendsAStreamOfMessages) {
  std::mutex mutex;
  std::vector<std::string> got;
  std::promise<void> sent;
  Wire wire([&](std::string_view method, std::string_view request, const Sender& send) {
    if (method == "/stream") {
      send("one");
      send("two");
      sent.set_value();
      return Reply{.message = {}, .error = {}, .streamed = true};
    }
    return Echo(method, request, send);
  });
  wire.client().Listen("/stream", [&](std::string_view message) {
    const std::lock_guard lock(mutex);
    got.emplace_back(message);
  });
  sent.get_future().wait();
  const auto complete = [&] {
    const std::lock_guard lock(mutex);
    return got.size() == 2;
  };
  for (int i = 0; i < 100 && !complete(); ++i) {
    wire.Call("/x", "");
  }
  EXPECT_EQ(got, (std::vector<std::string>{"one", "two"}));
}

TEST(ProviderListener, PortsOfTheEnvironment) {
  setenv("PLUGIN_MIN_PORT", "41000", 1);
  setenv("PLUGIN_MAX_PORT", "41100", 1);
  const Listener first(true);
  const Listener second(true);
  unsetenv("PLUGIN_MIN_PORT");
  unsetenv("PLUGIN_MAX_PORT");
  EXPECT_TRUE(first.address().starts_with("127.0.0.1:41")) << first.address();
  EXPECT_NE(first.address(), second.address());
  EXPECT_STREQ(first.network(), "tcp");
  close(first.descriptor());
  close(second.descriptor());
}

/// A relay of what is written to `output`, a descriptor that stands for the standard output. It
/// lives as long as the process; the list of all of them is what a leak check finds it by.
StdioRelay& Relay(int output) {
  static auto& relays = *new std::vector<std::unique_ptr<StdioRelay>>;
  return *relays.emplace_back(std::make_unique<StdioRelay>(output));
}

TEST(ProviderOutput, GoesToTheClient) {
  const int output = dup(STDERR_FILENO);
  StdioRelay& relay = Relay(output);
  ASSERT_EQ(write(output, "printed\n", 8), 8);
  std::string got;
  const Reply reply = relay.Stream([&](std::string message) {
    got = std::move(message);
    return false;
  });
  EXPECT_TRUE(reply.streamed);
  EXPECT_EQ(got, "\x08\x01\x12\x08printed\n");
  relay.Finish();  // nobody reads
  close(output);
}

TEST(ProviderOutput, IsWholeBeforeTheEnd) {
  const int output = dup(STDERR_FILENO);
  StdioRelay& relay = Relay(output);
  std::promise<void> first;
  std::string got;
  std::thread([&] {
    relay.Stream([&](std::string message) {
      if (got.empty()) {
        first.set_value();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      got += message.substr(4);
      return true;
    });
  }).detach();
  ASSERT_EQ(write(output, "one", 3), 3);
  first.get_future().wait();
  ASSERT_EQ(write(output, "two", 3), 3);
  relay.Finish();
  EXPECT_EQ(got, "onetwo");
  close(output);
}

TEST(ProviderServer, RunsWhatFollowsAResponse) {
  std::promise<void> written;
  Wire wire([&](std::string_view method, std::string_view request, const Sender& send) {
    Reply reply = Echo(method, request, send);
    reply.after = [&] { written.set_value(); };
    return reply;
  });
  EXPECT_EQ(wire.Call("/x", ""), "/x ");
  written.get_future().wait();
}

}  // namespace
}  // namespace kinu::sdk
