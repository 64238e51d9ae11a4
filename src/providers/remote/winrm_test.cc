#include <gtest/gtest.h>

#include "codec/base64.h"
#include "net/testing/scripted_transport.h"
#include "remote/ntlm.h"
#include "remote/settings.h"
#include "remote/winrm_communicator.h"
#include "remote/winrm_messages.h"
#include "text/unicode.h"

namespace kinu::remote {
namespace {

using std::string_literals::operator""s;

constexpr const char* kSoap = "application/soap+xml;charset=UTF-8";
constexpr const char* kService = "POST http://win:5985/wsman";

std::string Hex(std::string_view text) {
  return DecodeHex(text).value();
}

// Ref: MS-NLMP 4.2.4, the example of NTLM version 2.
TEST(Ntlm, AnswersAsTheSpecificationShows) {
  const std::string info =
      Hex("02000c0044006f006d00610069006e0001000c00530065007200760065007200") + Hex("00000000");
  const std::string challenge = "NTLMSSP\0"s + Hex("02000000") + Hex("0c000c0030000000") +
                                Hex("33828ae2") + Hex("0123456789abcdef") + std::string(8, '\0') +
                                Hex("240024003c000000") + text::ToUtf16("Server") + info;
  const NtlmLogin login{"Domain\\User", "Password"};
  NtlmMoment moment{};
  moment.nonce.fill(0xaa);
  const auto message = NtlmAuthenticateMessage(challenge, login, moment);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->substr(0, 12), "NTLMSSP\0\x03\0\0\0"s);
  const std::string older = "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa";
  EXPECT_EQ(EncodeHex(message->substr(64, 24)), older);
  EXPECT_EQ(EncodeHex(message->substr(88, 16)), "68cd0ab851e51c96aabc927bebef6a1c");
  EXPECT_TRUE(message->contains(text::ToUtf16("Domain") + text::ToUtf16("User")));
}

TEST(Ntlm, MalformedChallengesHaveNoAnswer) {
  EXPECT_FALSE(NtlmAuthenticateMessage("", {}, {}));
  EXPECT_FALSE(NtlmAuthenticateMessage(NtlmNegotiateMessage(), {}, {}));
  std::string challenge = "NTLMSSP\0\x02\0\0\0"s + std::string(36, '\0');
  EXPECT_TRUE(NtlmAuthenticateMessage(challenge, {}, {}));
  challenge[44] = '\x7f';  // the facts begin behind the end
  EXPECT_FALSE(NtlmAuthenticateMessage(challenge, {}, {}));
}

TEST(WinrmSettings, HaveTheDefaultsOfTheReference) {
  const auto plain = ReadWinrmSettings(Value::Object({{"host", Value::String("::1")}}));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "[::1]");
  EXPECT_EQ(plain->port, 5985);
  EXPECT_EQ(plain->user, "Administrator");
  EXPECT_EQ(plain->script_path, "C:/Temp/terraform_%RAND%.cmd");
  const auto secure = ReadWinrmSettings(
      Value::Object({{"host", Value::String("h")}, {"https", Value::Bool(true)}}));
  EXPECT_EQ(secure->port, 5986);
  EXPECT_FALSE(
      ReadWinrmSettings(Value::Object({{"script_path", Value::String("C:/Windows/Temp/x.cmd")}})));
}

TEST(WinrmMessages, TextIsEscaped) {
  const WinrmEnvelope envelope{"http://h:5985/wsman", DurationText(3690)};
  const std::string message = CommandMessage(envelope, "S", "a & \"b\" < c ]]>");
  EXPECT_TRUE(message.contains("<rsp:Command>a &amp; &quot;b&quot; &lt; c ]]&gt;</rsp:Command>"));
  EXPECT_TRUE(message.contains("<w:OperationTimeout>PT1H1M30S</w:OperationTimeout>"));
  EXPECT_TRUE(message.contains("<w:Selector Name=\"ShellId\">S</w:Selector>"));
  EXPECT_EQ(PowerShellCommand("é"),
            "powershell.exe -NonInteractive -NoProfile -EncodedCommand 6QA=");
}

TEST(WinrmMessages, OutputAndStatus) {
  const auto output = ReadOutput(
      "<s:E xmlns:rsp='r'><rsp:Stream Name='stdout'>YQ==</rsp:Stream><rsp:Stream Name='stderr'>Yg=="
      "</rsp:Stream><rsp:Stream Name='stdout' End='true'/><rsp:CommandState State='http://schemas."
      "microsoft.com/wbem/wsman/1/windows/shell/CommandState/Done'><rsp:ExitCode>4294967295"
      "</rsp:ExitCode></rsp:CommandState></s:E>");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "a");
  EXPECT_EQ(output->error, "b");
  EXPECT_TRUE(output->done);
  EXPECT_EQ(output->status, 4294967295);
  EXPECT_FALSE(ReadShellId("<E/>"));
  EXPECT_FALSE(ReadCommandId("no XML"));
}

std::string Fault(const std::string& text) {
  return "<E><Fault><Text>" + text + "</Text></Fault></E>";
}

/// A server on which one command runs: its responses in order.
std::unique_ptr<Communicator> ConnectTo(net::ScriptedTransport& transport) {
  return *MakeWinrmCommunicator(
      Value::Object({{"host", Value::String("win")}, {"password", Value::String("p")}}), nullptr,
      &transport);
}

void Answer(net::ScriptedTransport& transport, int status, std::string body) {
  transport.On(kService,
               net::ScriptedTransport::Make(status, std::move(body), {{"Content-Type", kSoap}}));
}

TEST(Winrm, OutputIsWaitedForAndShellsAreDeleted) {
  net::ScriptedTransport transport;
  Answer(transport, 200, "<E><Selector Name='ShellId'>S</Selector></E>");
  Answer(transport, 200, "<E><CommandId>C</CommandId></E>");
  Answer(transport, 500, Fault("within the time specified in OperationTimeout"));
  Answer(transport, 200, "<E><Stream Name='stdout'>" + EncodeBase64("one\r\ntw") + "</Stream></E>");
  Answer(transport, 200,
         "<E><Stream Name='stdout'>" + EncodeBase64("o\r\n") +
             "</Stream><CommandState State='http://schemas.microsoft.com/wbem/wsman/1/windows/"
             "shell/CommandState/Done'><ExitCode>3</ExitCode></CommandState></E>");
  Answer(transport, 200, "<E/>");
  std::vector<std::string> lines;
  const Result<void> done = ConnectTo(transport)->Run(
      "C:/a.cmd", [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "\"C:/a.cmd\" exit status: 3");
  EXPECT_EQ(lines, (std::vector<std::string>{"one\r", "two\r"}));
  const auto requests = transport.requests();
  ASSERT_EQ(requests.size(), 7U);
  EXPECT_EQ(requests[0].headers.Get("Authorization"), "Basic " + EncodeBase64("Administrator:p"));
  EXPECT_TRUE(requests[5].body.contains("signal/terminate"));
  EXPECT_TRUE(requests[6].body.contains("transfer/Delete"));
}

TEST(Winrm, FailuresReadLikeThoseOfTheReference) {
  net::ScriptedTransport transport;
  transport.On(kService, net::ScriptedTransport::Make(401));
  Answer(transport, 500, "<fault/>");
  const std::unique_ptr<Communicator> machine = ConnectTo(transport);
  const auto first = machine->Connect({}, {});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message, "http response error: 401 - invalid content type");
  const auto second = machine->Run("x", [](std::string_view) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "error executing \"x\": http error 500: <fault/>");
}

}  // namespace
}  // namespace kinu::remote
