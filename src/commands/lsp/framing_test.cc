#include "lsp/framing.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kinu::lsp {
namespace {

/// What a reader gives for a text: bodies, and "!" for each problem.
std::vector<std::string> Read(FrameReader& reader, std::string_view text, size_t piece = SIZE_MAX) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, piece);
    reader.Add(part);
    text.remove_prefix(part.size());
    while (auto item = reader.Next()) {
      found.push_back(item->problem.empty() ? item->body : "!");
    }
  }
  return found;
}
std::vector<std::string> Read(std::string_view text) {
  FrameReader reader;
  return Read(reader, text);
}

using Texts = std::vector<std::string>;

TEST(Framing, GivesBodies) {
  EXPECT_EQ(Read(Framed("{}") + Framed("") + Framed("[1]")), (Texts{"{}", "", "[1]"}));
}

TEST(Framing, IgnoresCaseAndOtherHeaders) {
  EXPECT_EQ(Read("content-LENGTH:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8"
                 "\r\n\r\n{}"),
            (Texts{"{}"}));
  EXPECT_EQ(Read("Content-Length: 2\n\n{}"), (Texts{"{}"}));
}

TEST(Framing, ReportsHeadersWithoutLength) {
  EXPECT_EQ(Read("Hello: 1\r\n\r\n" + Framed("{}")), (Texts{"!", "{}"}));
  EXPECT_EQ(Read("Content-Length: -1\r\n\r\n" + Framed("{}")), (Texts{"!", "{}"}));
  EXPECT_EQ(Read("Content-Length: 1x\r\n\r\n" + Framed("{}")), (Texts{"!", "{}"}));
}

TEST(Framing, FindsTheNextFrameAfterGarbage) {
  EXPECT_EQ(Read("garbage" + Framed("{}")), (Texts{"{}"}));
  EXPECT_EQ(Read("Content-Length: 1\r\n\r\n{\"cut\":1}" + Framed("{}")), (Texts{"{", "{}"}));
  EXPECT_EQ(Read(std::string(1 << 20, 'x') + Framed("{}")), (Texts{"{}"}));
}

TEST(Framing, SkipsBodiesThatAreTooLong) {
  for (const size_t piece : {size_t{1}, size_t{7}, SIZE_MAX}) {
    FrameReader reader(10);
    EXPECT_EQ(Read(reader, Framed("12345678901") + Framed("{}"), piece), (Texts{"!", "{}"}));
  }
  FrameReader reader;
  EXPECT_EQ(Read(reader, "Content-Length: 99999999999999999999999\r\n\r\nabc"), (Texts{"!"}));
}

TEST(Framing, WaitsForTheRest) {
  FrameReader reader;
  EXPECT_EQ(Read(reader, "Content-Length: 4\r\n\r\n{}"), Texts());
  EXPECT_EQ(Read(reader, "  "), (Texts{"{}  "}));
}

RC_GTEST_PROP(Framing, PiecesDoNotMatter, (const std::vector<std::string>& bodies)) {
  std::string text;
  for (const std::string& body : bodies) {
    text += Framed(body);
  }
  FrameReader reader;
  RC_ASSERT(Read(reader, text, *rc::gen::inRange<size_t>(1, 40)) == bodies);
}

RC_GTEST_PROP(Framing, NothingEndsTheReader, (const std::string& garbage)) {
  FrameReader reader;
  const size_t piece = *rc::gen::inRange<size_t>(1, 40);
  (void)Read(reader, garbage, piece);
  (void)Read(reader, "\r\n\r\n", piece);
  RC_ASSERT(Read(reader, Framed("{}"), piece).size() <= 1);
}

}  // namespace
}  // namespace kinu::lsp
