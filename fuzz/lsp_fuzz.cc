// Fuzzes the language server without its threads: any bytes are read as frames, and any bodies as
// messages of a session that has begun. It must not crash, and it answers each request once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/invariant.h"
#include "json/reader.h"
#include "lsp/framing.h"
#include "lsp/session.h"
#include "tally.h"

namespace {

using namespace kinu;  // NOLINT(google-build-using-namespace): one file

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{}}})";
constexpr std::string_view kOpen =
    R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":)"
    R"({"uri":"file:///a.tf","languageId":"","version":1,"text":"a = \"x\"\nb {\n}\n"}}})";

/// Counts the answers, which must be JSON.
struct Counter {
  size_t answers = 0;

  void operator()(std::string_view frame) {
    lsp::FrameReader reader;
    reader.Add(frame);
    const auto item = reader.Next();
    KINU_INVARIANT(item && item->problem.empty(), "the frame is whole");
    const JsonDocument document = ParseJson(item->body);
    KINU_INVARIANT(document.ok(), "the message is JSON");
    answers += document.root().Find("method") == nullptr ? 1 : 0;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Counter counter;
  lsp::Outlet outlet([&](std::string_view frame) { counter(frame); });
  lsp::Session session(outlet, {.version = "", .readers = 0});
  lsp::FrameReader reader;
  reader.Add(lsp::Framed(kInitialize) + lsp::Framed(kOpen));
  reader.Add({reinterpret_cast<const char*>(data), size});
  size_t expected = 0;
  std::vector<lsp::Event> events;
  while (auto item = reader.Next()) {
    const bool is_body = item->problem.empty();
    if (is_body) {
      const auto message = lsp::ReadMessage(item->body);
      expected += !message || (*message)->kind == lsp::Message::Kind::kRequest ? 1 : 0;
    } else {
      ++expected;
    }
    events.push_back({.kind = is_body ? lsp::Event::Kind::kBody : lsp::Event::Kind::kNoFrame,
                      .text = is_body ? item->body : item->problem});
  }
  static Tally messages("messages");
  messages.Add(events.size());
  session.Handle(std::move(events));
  KINU_INVARIANT(session.exit_code() || counter.answers == expected,
                 "each request and each mistake has one answer");
  return 0;
}
