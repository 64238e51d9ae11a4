#include "remote/winrm_messages.h"

#include <charconv>
#include <cstdint>
#include <functional>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/xml.h"
#include "text/unicode.h"

namespace kinu::remote {
namespace {

constexpr std::string_view kShellActions =
    "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/";
constexpr std::string_view kTransferActions = "http://schemas.xmlsoap.org/ws/2004/09/transfer/";

struct Message {
  std::string action;
  std::string_view shell;         ///< empty: none yet
  std::string_view options = {};  ///< elements
  std::string body = {};          ///< elements
};

std::string Write(const WinrmEnvelope& envelope, const Message& message) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<env:Envelope xmlns:env=\"http://www.w3.org/2003/05/soap-envelope\""
      " xmlns:a=\"http://schemas.xmlsoap.org/ws/2004/08/addressing\""
      " xmlns:rsp=\"http://schemas.microsoft.com/wbem/wsman/1/windows/shell\""
      " xmlns:w=\"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd\""
      " xmlns:p=\"http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd\"><env:Header>";
  out += "<a:To>" + EscapeXml(envelope.url) + "</a:To>";
  out +=
      "<a:ReplyTo><a:Address mustUnderstand=\"true\">"
      "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</a:Address></a:ReplyTo>"
      "<w:MaxEnvelopeSize mustUnderstand=\"true\">153600</w:MaxEnvelopeSize>";
  out += "<w:OperationTimeout>" + envelope.timeout + "</w:OperationTimeout>";
  out += "<a:MessageID>uuid:" + RandomUuid() + "</a:MessageID>";
  out +=
      "<w:Locale mustUnderstand=\"false\" xml:lang=\"en-US\"/>"
      "<p:DataLocale mustUnderstand=\"false\" xml:lang=\"en-US\"/>";
  out += "<a:Action mustUnderstand=\"true\">" + message.action + "</a:Action>";
  if (!message.shell.empty()) {
    out += "<w:SelectorSet><w:Selector Name=\"ShellId\">" + EscapeXml(message.shell) +
           "</w:Selector></w:SelectorSet>";
  }
  out +=
      "<w:ResourceURI mustUnderstand=\"true\">"
      "http://schemas.microsoft.com/wbem/wsman/1/windows/shell/cmd</w:ResourceURI>";
  if (!message.options.empty()) {
    out.append("<w:OptionSet>").append(message.options).append("</w:OptionSet>");
  }
  return out + "</env:Header><env:Body>" + message.body + "</env:Body></env:Envelope>";
}

std::string ShellAction(std::string_view name) {
  return std::string(kShellActions).append(name);
}

/// Calls `visit` with each element of that name, at any depth.
void VisitElements(const XmlElement& element, std::string_view name,
                   const std::function<void(const XmlElement&)>& visit) {
  if (element.name == name) {
    visit(element);
  }
  for (const XmlElement& child : element.children) {
    VisitElements(child, name, visit);
  }
}

}  // namespace

std::string CreateShellMessage(const WinrmEnvelope& envelope) {
  return Write(envelope,
               {.action = std::string(kTransferActions) + "Create",
                .shell = {},
                .options = "<w:Option Name=\"WINRS_NOPROFILE\">FALSE</w:Option>"
                           "<w:Option Name=\"WINRS_CODEPAGE\">65001</w:Option>",
                .body = "<rsp:Shell><rsp:InputStreams>stdin</rsp:InputStreams>"
                        "<rsp:OutputStreams>stdout stderr</rsp:OutputStreams></rsp:Shell>"});
}

std::string CommandMessage(const WinrmEnvelope& envelope, std::string_view shell,
                           std::string_view command) {
  return Write(envelope, {.action = ShellAction("Command"),
                          .shell = shell,
                          .options = "<w:Option Name=\"WINRS_CONSOLEMODE_STDIN\">TRUE</w:Option>"
                                     "<w:Option Name=\"WINRS_SKIP_CMD_SHELL\">FALSE</w:Option>",
                          .body = "<rsp:CommandLine><rsp:Command>" + EscapeXml(command) +
                                  "</rsp:Command></rsp:CommandLine>"});
}

std::string ReceiveMessage(const WinrmEnvelope& envelope, std::string_view shell,
                           std::string_view command) {
  return Write(envelope,
               {.action = ShellAction("Receive"),
                .shell = shell,
                .body = "<rsp:Receive><rsp:DesiredStream CommandId=\"" + EscapeXml(command) +
                        "\">stdout stderr</rsp:DesiredStream></rsp:Receive>"});
}

std::string TerminateMessage(const WinrmEnvelope& envelope, std::string_view shell,
                             std::string_view command) {
  return Write(envelope,
               {.action = ShellAction("Signal"),
                .shell = shell,
                .body = "<rsp:Signal CommandId=\"" + EscapeXml(command) + "\"><rsp:Code>" +
                        ShellAction("signal/terminate") + "</rsp:Code></rsp:Signal>"});
}

std::string DeleteShellMessage(const WinrmEnvelope& envelope, std::string_view shell) {
  return Write(envelope, {.action = std::string(kTransferActions) + "Delete", .shell = shell});
}

Result<std::string> ReadShellId(std::string_view response) {
  KINU_TRY(const XmlElement root, ReadXml(response));
  std::string id;
  VisitElements(root, "Selector", [&](const XmlElement& selector) {
    if (selector.Attribute("Name") == "ShellId") {
      id = selector.text;
    }
  });
  if (id.empty()) {
    return Fail(ErrorCode::kUnavailable, "the response of the server names no shell");
  }
  return id;
}

Result<std::string> ReadCommandId(std::string_view response) {
  KINU_TRY(const XmlElement root, ReadXml(response));
  std::string id;
  VisitElements(root, "CommandId", [&](const XmlElement& element) { id = element.text; });
  if (id.empty()) {
    return Fail(ErrorCode::kUnavailable, "the response of the server names no command");
  }
  return id;
}

Result<WinrmOutput> ReadOutput(std::string_view response) {
  KINU_TRY(const XmlElement root, ReadXml(response));
  WinrmOutput output;
  VisitElements(root, "Stream", [&](const XmlElement& stream) {
    std::string& to = stream.Attribute("Name") == "stderr" ? output.error : output.out;
    to += DecodeBase64(stream.text).value_or("");
  });
  VisitElements(root, "CommandState", [&](const XmlElement& state) {
    if (state.Attribute("State") != ShellAction("CommandState/Done")) {
      return;
    }
    output.done = true;
    const std::string_view status = state.Text("ExitCode");
    std::from_chars(status.data(), status.data() + status.size(), output.status);
  });
  return output;
}

std::string DurationText(int64_t seconds) {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 3600;
  std::string out = "PT";
  const auto add = [&](int64_t count, char unit) {
    if (count > 0) {
      out += std::to_string(count) + unit;
    }
  };
  add(seconds / kHour, 'H');
  add(seconds % kHour / kMinute, 'M');
  add(seconds % kMinute, 'S');
  return out == "PT" ? "PT1S" : out;
}

std::string PowerShellCommand(std::string_view script) {
  return "powershell.exe -NonInteractive -NoProfile -EncodedCommand " +
         EncodeBase64(text::ToUtf16(script));
}

}  // namespace kinu::remote
