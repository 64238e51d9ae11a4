// Fuzzes what the language server answers while people write: bytes become edits and requests over
// five documents. Each request has one answer, and a server that begins with the last texts
// answers as the one that saw them grow.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/invariant.h"
#include "diag/text_positions.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lsp/framing.h"
#include "lsp/session.h"
#include "tally.h"

namespace {

using namespace kinu;  // NOLINT(google-build-using-namespace): one file

/// Files of a directory that does not exist, so that nothing but the open texts is seen.
struct Name {
  std::string_view uri;
  std::string_view text;  ///< at first
};

constexpr std::array kNames = {
    Name{"file:///nowhere/a.tf",
         "variable \"a\" {\n  type = object({ b = optional(string, \"x\") })\n}\n\n"
         "module \"m\" {\n  source = \"./child\"\n  c      = var.a.b\n}\n\n"
         "output \"o\" {\n  value = module.m.d\n}\n"},
    Name{"file:///nowhere/child/main.tf",
         "variable \"c\" {}\n\nresource \"terraform_data\" \"r\" {\n  for_each = toset([var.c])\n"
         "  input    = \"${each.key}-é\"\n}\n\noutput \"d\" {\n"
         "  value = terraform_data.r[var.c].id\n}\n"},
    Name{"file:///nowhere/b.tf.json", "{\"locals\": {\"e\": \"${var.a.b}\"},\n \"output\": {}}\n"},
    Name{"file:///nowhere/c.auto.tfvars", "a = {\n  b = \"y\"\n}\n"},
    Name{"file:///nowhere/tests/t.tftest.hcl",
         "run \"x\" {\n  command = plan\n  assert {\n    condition     = output.o != null\n"
         "    error_message = \"no\"\n  }\n}\n"},
};

constexpr std::array<std::string_view, 60> kPieces = {
    "\n",
    "{",
    "}",
    "\"",
    "${",
    "%{ if var.a }",
    "%{ endif }",
    "(",
    ")",
    "[",
    "]",
    ".",
    ",",
    "=",
    " = ",
    "?",
    ":",
    "*",
    "=>",
    "...",
    "<<EOT\n",
    "EOT\n",
    "# x\n",
    "/*",
    "*/",
    "var.",
    "var.a",
    "local.e",
    "module.m",
    "each.value",
    "self",
    "terraform_data.r",
    "path.module",
    "variable \"a\" {\n}\n",
    "locals {\n  e = 1\n}\n",
    "resource \"terraform_data\" \"s\" {\n",
    "data \"terraform_remote_state\" \"s\" {\n",
    "dynamic \"b\" {\n",
    "module \"n\" {\n  source = \"./child\"\n",
    "moved {\n  from = terraform_data.r\n  to = terraform_data.s\n}\n",
    "import {\n",
    "removed {\n",
    "check \"c\" {\n",
    "provider \"terraform\" {\n",
    "terraform {\n",
    "encryption {\n",
    "count = ",
    "for_each = ",
    "for k, v in ",
    "jsonencode(",
    "provider::terraform::encode_expr(",
    "null",
    "1e999",
    "é",
    "\xF0\x9F\x98\x80",
    "\r\n",
    "\t",
    "\"a\": ",
    "\\u00e9",
    "\"${",
};

constexpr std::array<std::string_view, 26> kMethods = {
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/codeAction",
    "textDocument/documentLink",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "workspace/symbol",
};

/// Each decision consumes a byte; when none is left, every decision is 0.
class Decisions {
 public:
  Decisions(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ == size_; }
  uint8_t Byte() { return at_ < size_ ? data_[at_++] : 0; }
  size_t Below(size_t count) { return (Byte() | (size_t{Byte()} << 8)) % count; }

 private:
  const uint8_t* data_;
  const size_t size_;
  size_t at_ = 0;
};

/// A session that does everything at once, and what it has answered.
class Client {
 public:
  Client() {
    Say("initialize", [](JsonWriter& json) {
      json.Key("capabilities");
      json.BeginObject();
      json.EndObject();
    });
  }

  void Open(size_t file, std::string_view text) {
    Tell("textDocument/didOpen", [&](JsonWriter& json) {
      json.Key("textDocument");
      json.BeginObject();
      json.Member("uri", kNames[file].uri);
      json.Member("languageId", "");
      json.Member("version", 1);
      json.Member("text", text);
      json.EndObject();
    });
  }

  /// Replaces a part of a text, from one offset to another.
  void Change(size_t file, std::string_view text, std::array<uint32_t, 2> part,
              std::string_view by) {
    Tell("textDocument/didChange", [&](JsonWriter& json) {
      WriteDocument(json, file);
      json.Key("contentChanges");
      json.BeginArray();
      json.BeginObject();
      WriteRange(json, "range", text, part);
      json.Member("text", by);
      json.EndObject();
      json.EndArray();
    });
  }

  /// What is asked about a part of a text, with all members that any method reads.
  std::string Ask(std::string_view method, size_t file, std::string_view text,
                  std::array<uint32_t, 2> part) {
    return Say(method, [&](JsonWriter& json) {
      WriteDocument(json, file);
      json.Key("position");
      WritePosition(json, text, part[0]);
      json.Key("positions");
      json.BeginArray();
      WritePosition(json, text, part[0]);
      WritePosition(json, text, part[1]);
      json.EndArray();
      WriteRange(json, "range", text, part);
      json.Key("context");
      json.Raw(R"({"includeDeclaration":true,"diagnostics":[],"triggerKind":1})");
      json.Key("options");
      json.Raw(R"({"tabSize":2,"insertSpaces":true})");
      json.Member("newName", "fresh");
      json.Member("ch", "}");
      json.Member("query", "a");
      json.Member("previousResultId", "1");
      json.Key("item");
      json.BeginObject();
      json.Member("uri", kNames[file].uri);
      json.Member("name", "m");
      WriteRange(json, "range", text, part);
      WriteRange(json, "selectionRange", text, part);
      json.EndObject();
    });
  }

  /// A body as it is.
  void Send(std::string body) {
    static Tally messages("messages");
    messages.Add(1);
    session_.Handle({{.kind = lsp::Event::Kind::kBody, .text = std::move(body)}});
  }

 private:
  static void WriteDocument(JsonWriter& json, size_t file) {
    json.Key("textDocument");
    json.BeginObject();
    json.Member("uri", kNames[file].uri);
    json.Member("version", 2);
    json.EndObject();
  }
  static void WritePosition(JsonWriter& json, std::string_view text, uint32_t offset) {
    const TextPosition place = TextPositions(text).PositionAt(offset, TextEncoding::kUtf16);
    json.BeginObject();
    json.Member("line", static_cast<int64_t>(place.line));
    json.Member("character", static_cast<int64_t>(place.character));
    json.EndObject();
  }
  static void WriteRange(JsonWriter& json, JsonKey name, std::string_view text,
                         std::array<uint32_t, 2> part) {
    json.Key(name);
    json.BeginObject();
    json.Key("start");
    WritePosition(json, text, part[0]);
    json.Key("end");
    WritePosition(json, text, part[1]);
    json.EndObject();
  }

  std::string Body(std::string_view method, std::string_view id, const auto& write) {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    json.Member("jsonrpc", "2.0");
    if (!id.empty()) {
      json.Member("id", id);
    }
    json.Member("method", method);
    json.Key("params");
    json.BeginObject();
    write(json);
    json.EndObject();
    json.EndObject();
    return body;
  }
  void Tell(std::string_view method, const auto& write) { Send(Body(method, "", write)); }
  std::string Say(std::string_view method, const auto& write) {
    answers_.clear();
    Send(Body(method, "x", write));
    KINU_INVARIANT(answers_.size() == 1, "a request has one answer");
    return answers_.front();
  }

  /// Keeps answers, which must be JSON; what the server says by itself is only read.
  void Take(std::string_view frame) {
    lsp::FrameReader reader;
    reader.Add(frame);
    const auto item = reader.Next();
    KINU_INVARIANT(item && item->problem.empty(), "the frame is whole");
    const JsonDocument document = ParseJson(item->body);
    KINU_INVARIANT(document.ok(), "the message is JSON");
    if (document.root().Find("method") == nullptr) {
      answers_.push_back(item->body);
    }
  }

  std::vector<std::string> answers_;
  lsp::Outlet outlet_{[this](std::string_view frame) { Take(frame); }};
  lsp::Session session_{outlet_, {.version = "", .readers = 0}};
};

/// The nearest place in front of an offset that a position leads to.
uint32_t PlaceBefore(std::string_view text, size_t offset) {
  const TextPositions positions(text);
  return positions.OffsetAt(
      positions.PositionAt(static_cast<uint32_t>(offset), TextEncoding::kUtf16),
      TextEncoding::kUtf16);
}

/// Whether the answers of both depend on the texts alone: ids of tokens count what was asked.
bool IsComparable(std::string_view method) {
  return !method.starts_with("textDocument/semanticTokens/full");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Decisions decide(data, size);
  std::array<std::string, kNames.size()> texts;
  Client client;
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] = kNames[i].text;
    client.Open(i, texts[i]);
  }
  const auto part_of = [&](std::string_view text, size_t most) {
    const size_t from = decide.Below(text.size() + 1);
    const size_t length = std::min(decide.Below(most), text.size() - from);
    return std::array{PlaceBefore(text, from), PlaceBefore(text, from + length)};
  };
  while (!decide.done()) {
    const size_t file = decide.Below(texts.size());
    std::string& text = texts[file];
    if (decide.Byte() % 3 == 0) {
      const auto part = part_of(text, 64);
      client.Ask(kMethods[decide.Below(kMethods.size())], file, text, part);
      continue;
    }
    const auto part = part_of(text, decide.Byte() % 2 == 0 ? 1 : 24);
    const std::string_view by = kPieces[decide.Below(kPieces.size())];
    client.Change(file, text, part, by);
    text.replace(part[0], part[1] - part[0], by);
  }
  Client fresh;
  for (size_t i = 0; i < texts.size(); ++i) {
    fresh.Open(i, texts[i]);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const std::string_view method : kMethods) {
      const auto part = part_of(texts[i], 8);
      const std::string old_answer = client.Ask(method, i, texts[i], part);
      const std::string new_answer = fresh.Ask(method, i, texts[i], part);
      KINU_INVARIANT(!IsComparable(method) || old_answer == new_answer,
                     "a fresh start answers the same");
    }
  }
  return 0;
}
