#include "lsp/session.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "lsp/framing.h"
#include "lsp/method.h"
#include "lsp/structures.h"

namespace kinu::lsp {
namespace {

/// A session that does everything at once, with what it has sent.
struct TestSession {
  std::string sent;
  Outlet outlet{[this](std::string_view frame) { sent += frame; }};
  Session session{outlet, {.version = "1", .readers = 0}};

  /// Tells it one message and returns what it sends.
  std::string Say(const std::string& body) {
    sent.clear();
    session.Handle({{.kind = Event::Kind::kBody, .text = body}});
    return sent;
  }
  void Start(const std::string& capabilities = "{}") {
    Say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":)" +
        capabilities + "}}");
    Say(R"({"jsonrpc":"2.0","method":"initialized","params":{}})");
  }
  void Open(const std::string& text) {
    Say(R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{)"
        R"("uri":"file:///w/a.tf","languageId":"","version":1,"text":")" +
        text + R"("}}})");
  }
};

bool HasCode(const std::string& sent, int code) {
  return sent.contains("\"code\":" + std::to_string(code) + ",");
}

TEST(Session, RefusesWhatComesBeforeInitialize) {
  TestSession test;
  EXPECT_TRUE(HasCode(
      test.Say(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}})"), -32002));
}

TEST(Session, RefusesWhatIsNoRequest) {
  TestSession test;
  test.Start();
  EXPECT_TRUE(HasCode(test.Say("{"), -32700));
  EXPECT_TRUE(HasCode(test.Say("[]"), -32600));
  EXPECT_TRUE(HasCode(test.Say(R"({"id":1,"method":"shutdown"})"), -32600));
  EXPECT_TRUE(HasCode(test.Say(R"({"jsonrpc":"2.0","id":1.5,"method":"shutdown"})"), -32600));
  EXPECT_TRUE(HasCode(test.Say(R"({"jsonrpc":"2.0","id":1,"method":"no/such"})"), -32601));
  EXPECT_TRUE(
      HasCode(test.Say(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover"})"), -32602));
  EXPECT_EQ(test.Say(R"({"jsonrpc":"2.0","method":"$/unknown"})"), "");
  EXPECT_EQ(test.Say(R"({"jsonrpc":"2.0","id":77,"result":null})"), "");
}

TEST(Session, RefusesRequestsAfterShutdown) {
  TestSession test;
  test.Start();
  EXPECT_TRUE(test.Say(R"({"jsonrpc":"2.0","id":1,"method":"shutdown"})").contains("null"));
  EXPECT_TRUE(HasCode(test.Say(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})"), -32600));
  test.Say(R"({"jsonrpc":"2.0","method":"exit"})");
  EXPECT_EQ(test.session.exit_code(), 0);
}

TEST(Session, AnswersARequestForProblemsThatAShutdownFollowsAtOnce) {
  TestSession test;
  test.Start();
  test.Open("a = 1");
  test.sent.clear();
  test.session.Handle(
      {{.kind = Event::Kind::kBody,
        .text = R"({"jsonrpc":"2.0","id":1,"method":"textDocument/diagnostic","params":{)"
                R"("textDocument":{"uri":"file:///w/a.tf"}}})"},
       {.kind = Event::Kind::kBody, .text = R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})"}});
  EXPECT_TRUE(HasCode(test.sent, -32802)) << test.sent;
}

TEST(Session, EndsWithAnErrorWithoutShutdown) {
  TestSession test;
  test.Start();
  test.Say(R"({"jsonrpc":"2.0","method":"exit"})");
  EXPECT_EQ(test.session.exit_code(), 1);
  TestSession other;
  other.session.Handle({{.kind = Event::Kind::kEnd, .text = ""}});
  EXPECT_EQ(other.session.exit_code(), 1);
}

TEST(Session, PublishesTheNewestVersion) {
  TestSession test;
  test.Start();
  test.Open("a = 1");
  EXPECT_TRUE(test.sent.contains(R"("version":1)")) << test.sent;
  const auto change = [](int version) {
    return Event{.kind = Event::Kind::kBody,
                 .text = R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{)"
                         R"("textDocument":{"uri":"file:///w/a.tf","version":)" +
                         std::to_string(version) + R"(},"contentChanges":[{"text":"b"}]}})"};
  };
  test.sent.clear();
  test.session.Handle({change(2), change(3)});
  EXPECT_FALSE(test.sent.contains(R"("version":2)")) << test.sent;
  EXPECT_TRUE(test.sent.contains(R"("version":3)")) << test.sent;
}

/// A directory with a root module whose file "b.tf" has an error.
struct Root {
  Root() {
    std::string pattern = ::testing::TempDir() + "rootXXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root() { std::filesystem::remove_all(path); }
  void Write() const { EXPECT_TRUE(ReplaceFile(path + "/b.tf", "\n\nlocals {\n  a = var.x\n}\n")); }
  std::string Uri(const std::string& name) const { return "file://" + path + "/" + name; }
  static std::string Call(std::string_view method, const std::string& params) {
    return R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"(","params":)" + params + "}";
  }
  std::string Open(const std::string& name) const {
    return Call("textDocument/didOpen", R"({"textDocument":{"uri":")" + Uri(name) +
                                            R"(","languageId":"","version":1,"text":""}})");
  }
  std::string Change(const std::string& name) const {
    return Call("textDocument/didChange", R"({"textDocument":{"uri":")" + Uri(name) +
                                              R"(","version":2},"contentChanges":[]})");
  }
  std::string Close(const std::string& name) const {
    return Call("textDocument/didClose", R"({"textDocument":{"uri":")" + Uri(name) + R"("}})");
  }
  std::string Made(const std::string& name) const {
    return Call("workspace/didChangeWatchedFiles",
                R"({"changes":[{"uri":")" + Uri(name) + R"(","type":1}]})");
  }
  std::string path;
};

TEST(Session, ChecksARootWithoutConfigurationWhenItsTestsChange) {
  const Root root;
  std::filesystem::create_directory(root.path + "/tests");
  EXPECT_TRUE(ReplaceFile(root.path + "/tests/x.tftest.hcl", "what {}\n"));
  TestSession test;
  test.Start();
  EXPECT_TRUE(test.Say(root.Open("terraform.tfvars")).contains("Unsupported block type"))
      << test.sent;
  test.Say(root.Open("tests/x.tftest.hcl"));
  EXPECT_TRUE(test.sent.contains(R"(x.tftest.hcl","version":1,"diagnostics":[])")) << test.sent;
  EXPECT_TRUE(test.Say(root.Close("tests/x.tftest.hcl")).contains("Unsupported block type"))
      << test.sent;
}

TEST(Session, CorrectsPositionsInAFileThatItDidNotKnow) {
  const Root root;
  TestSession test;
  test.Start();
  test.Say(root.Open("a.tf"));
  root.Write();  // a check may read it before anybody says that it is there
  test.Say(root.Change("a.tf"));
  EXPECT_TRUE(test.Say(root.Made("b.tf")).contains(R"("line":3,"character":6)")) << test.sent;
}

TEST(Session, PublishesNoVersionOfAFileThatIsClosed) {
  const Root root;
  root.Write();
  TestSession test;
  test.Start();
  test.Say(root.Open("a.tf"));
  const std::string text = R"(,"version":1,"text":"\n\nlocals {\n  a = var.x\n}\n"}})";
  EXPECT_TRUE(
      test.Say(Root::Call("textDocument/didOpen", R"({"textDocument":{"languageId":"","uri":")" +
                                                      root.Uri("b.tf") + "\"" + text))
          .contains(R"("version":1)"))
      << test.sent;
  EXPECT_TRUE(test.Say(root.Close("b.tf")).contains("b.tf\",\"diagnostics\":[{")) << test.sent;
}

TEST(Session, SaysThatTheDocumentHasChanged) {
  TestSession test;
  test.Start();
  test.Open("a = 1");
  const std::string document = R"("params":{"textDocument":{"uri":"file:///w/a.tf","version":2})";
  const Event tokens{.text = R"({"jsonrpc":"2.0","id":5,"method":"textDocument/codeLens",)" +
                             document + "}}"};
  const Event change{.text = R"({"jsonrpc":"2.0","method":"textDocument/didChange",)" + document +
                             R"(,"contentChanges":[]}})"};
  test.session.Handle({tokens, change});
  EXPECT_TRUE(HasCode(test.sent, -32801));
  test.sent.clear();
  test.session.Handle({change, tokens});
  EXPECT_TRUE(test.sent.contains(R"("id":5,"result":[])")) << test.sent;
}

TEST(Session, CancelsWhatHasNoAnswerYet) {
  TestSession test;
  test.Start();
  test.Open("a = 1");
  test.session.Handle(
      {{.text = R"({"jsonrpc":"2.0","id":"x","method":"workspace/symbol","params":{"query":""}})"},
       {.text = R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}})"}});
  EXPECT_TRUE(HasCode(test.sent, -32800));
}

TEST(Session, AsksForSettingsAndWarnsOfUnknownOnes) {
  TestSession test;
  test.Start(R"({"workspace":{"configuration":true}})");
  EXPECT_TRUE(test.sent.contains("workspace/configuration"));
  const std::string sent =
      test.Say(R"({"jsonrpc":"2.0","id":1,"result":[{"referenceLenses":false,"inlay":true}]})");
  EXPECT_TRUE(sent.contains("window/logMessage")) << sent;
  EXPECT_TRUE(sent.contains(R"(\"inlay\")")) << sent;
}

TEST(Session, KnowsAMethodByItsKind) {
  TestSession test;
  test.Start();
  EXPECT_TRUE(
      HasCode(test.Say(R"({"jsonrpc":"2.0","id":1,"method":"initialized","params":{}})"), -32601));
  EXPECT_EQ(test.Say(R"({"jsonrpc":"2.0","method":"shutdown"})"), "");
  EXPECT_EQ(FindMethod("initialise"), nullptr);
}

TEST(Structures, SnippetsHaveAPlainForm) {
  EXPECT_EQ(PlainSnippet("a = ${1:\"x\"}\\$$0"), "a = \"x\"$");
  EXPECT_EQ(PlainSnippet("{\n  ${1:b${2:c}}\n}$0"), "{\n  bc\n}");
  EXPECT_EQ(PlainSnippet("$1$22${3}."), ".");
  EXPECT_EQ(PlainSnippet("${"), "");
  EXPECT_EQ(PlainSnippet("a = ${1|true,false|}\n"), "a = true\n");
  EXPECT_EQ(PlainSnippet("${1|one|}${2|"), "one");
}

TEST(Structures, MarkdownHasAPlainForm) {
  EXPECT_EQ(PlainText("# Title\n```hcl\na = 1\n```\n**bold** `code`\n"), "Title\na = 1\nbold code");
}

TEST(TokenStore, SaysWhatHasChanged) {
  const TokenNumbers before = {1, 2, 3, 4, 5};
  const TokenNumbers after = {1, 2, 9, 9, 4, 5};
  const TokenChange change = ChangeBetween(before, after);
  EXPECT_EQ(change.start, 2U);
  EXPECT_EQ(change.removed, 1U);
  EXPECT_EQ(TokenNumbers(change.inserted.begin(), change.inserted.end()), (TokenNumbers{9, 9}));
  EXPECT_TRUE(ChangeBetween(before, before).inserted.empty());
}

TEST(ProblemStore, MovesProblemsAlongWithTheText) {
  ProblemList problems = {{.summary = "before", .span = {0, 1}},
                          {.summary = "inside", .span = {2, 4}},
                          {.summary = "behind", .span = {5, 6}}};
  MoveProblems(problems, "a bc d", "a XYZ d");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].span, (ide::Span{0, 1}));
  EXPECT_EQ(problems[1].span, (ide::Span{6, 7}));
}

TEST(ProblemStore, ListsEachProblemOnce) {
  ProblemStore store;
  const ide::Problem problem{.summary = "s", .span = {1, 2}};
  store.SetRoot("/r", {{"/m/a.tf", {problem}}});
  store.SetRoot("/s", {{"/m/a.tf", {problem, {.summary = "other", .span = {0, 1}}}}});
  EXPECT_EQ(store.Of("/m/a.tf").size(), 2U);
  EXPECT_EQ(store.SetRoot("/s", {}), (std::set<std::string>{"/m/a.tf"}));
  EXPECT_EQ(store.Of("/m/a.tf"), ProblemList{problem});
}

}  // namespace
}  // namespace kinu::lsp
