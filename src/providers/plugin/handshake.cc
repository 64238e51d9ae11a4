#include "plugin/handshake.h"

#include <charconv>
#include <vector>

#include "addrs/provider_source.h"
#include "json/expected.h"
#include "text/quote.h"

namespace kinu::plugin {
namespace {

/// Certificates are longer. Some old go-plugin servers write a few meaningless characters instead.
constexpr size_t kShortestCertificate = 50;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

int Number(std::string_view text) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

/// Quotes and shortens a text of the provider, so that it can be shown: it may be any bytes.
std::string Quote(std::string_view text) {
  constexpr size_t kShown = 200;
  return text::GoQuote(text.substr(0, kShown)) + (text.size() > kShown ? "…" : "");
}

/// As Quote(), but without quotes if nothing had to be escaped.
std::string Shown(std::string_view text) {
  std::string quoted = Quote(text);
  const bool plain = quoted.size() == text.size() + 2;
  return plain ? std::string(text) : quoted;
}

using json::Expected;

constexpr Expected::Member kAddressMembers[] = {{"Network", &json::kExpectedText},
                                                {"String", &json::kExpectedText}};
constexpr Expected kAddress{.type = Expected::Type::kObject,
                            .name = "struct { Network string; String string }",
                            .members = kAddressMembers};
constexpr Expected::Member kAttachmentMembers[] = {{"Protocol", &json::kExpectedText},
                                                   {"ProtocolVersion", &json::kExpectedInt},
                                                   {"Addr", &kAddress},
                                                   {"Pid", &json::kExpectedInt},
                                                   {"Test", &json::kExpectedBool}};
constexpr Expected kAttachment{
    .type = Expected::Type::kObject, .name = "main.reattachConfig", .members = kAttachmentMembers};
constexpr Expected kAttachments{.type = Expected::Type::kMap,
                                .name = "map[string]main.reattachConfig",
                                .element = &kAttachment};

std::string TextMember(const JsonNode& object, std::string_view name) {
  const JsonNode* value = json::FindInAnyCase(object, name);
  return value != nullptr ? std::string(value->text()) : std::string();
}

int64_t NumberMember(const JsonNode& object, std::string_view name) {
  const std::string digits = TextMember(object, name);
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// Reads what TF_REATTACH_PROVIDERS says of the provider `name`. The form was checked.
Result<Attachment> ReadAttachment(const std::string& name, const JsonNode& entry) {
  Attachment attachment;
  if (const JsonNode* address = json::FindInAnyCase(entry, "Addr")) {
    attachment.network = TextMember(*address, "Network");
    attachment.address = TextMember(*address, "String");
  }
  attachment.pid = NumberMember(entry, "Pid");
  const JsonNode* test = json::FindInAnyCase(entry, "Test");
  attachment.test = test != nullptr && test->is_bool() && test->boolean();
  if (attachment.network != "unix" && attachment.network != "tcp") {
    return Fail(ErrorCode::kInvalid,
                "Unknown address type " + Quote(attachment.network) + " for " + Quote(name));
  }
  if (attachment.network == "tcp" && attachment.address.find(':') == std::string::npos) {
    return Fail(ErrorCode::kInvalid, "Invalid TCP address " + Quote(attachment.address) + " for " +
                                         Quote(name) + ": address " + Shown(attachment.address) +
                                         ": missing port in address");
  }
  attachment.wire = TextMember(entry, "Protocol");
  if (const int64_t protocol = NumberMember(entry, "ProtocolVersion"); protocol != 0) {
    attachment.protocol = static_cast<int>(protocol);
  }
  return attachment;
}

}  // namespace

Result<Handshake> ParseHandshake(std::string_view line) {
  line = Trim(line);
  std::vector<std::string_view> fields;
  for (std::string_view rest = line;;) {
    size_t bar = rest.find('|');
    fields.push_back(rest.substr(0, bar));
    if (bar == rest.npos) {
      break;
    }
    rest.remove_prefix(bar + 1);
  }
  if (fields.size() < 4) {
    return Fail(ErrorCode::kInvalid,
                "Unrecognized remote plugin message: " + Quote(line) +
                    "\nThis usually means the plugin was not compiled for this system, or that it "
                    "is not a provider at all");
  }
  if (fields[0] != "1") {
    return Fail(ErrorCode::kInvalid, "Incompatible core API version with plugin. Plugin version: " +
                                         Shown(fields[0]) + ", core version: 1");
  }
  Handshake handshake;
  handshake.protocol = Number(fields[1]);
  if (handshake.protocol != 5 && handshake.protocol != 6) {
    return Fail(ErrorCode::kUnsupported, "Incompatible API version with plugin. Plugin version: " +
                                             Shown(fields[1]) + ", client versions: [5 6]");
  }
  handshake.network = fields[2];
  handshake.address = fields[3];
  if (handshake.network != "unix" && handshake.network != "tcp") {
    return Fail(ErrorCode::kInvalid, "Unknown address type: " + Shown(handshake.network));
  }
  std::string_view kind = fields.size() > 4 ? fields[4] : "netrpc";
  if (kind != "grpc") {
    return Fail(ErrorCode::kUnsupported,
                "Unsupported plugin protocol " + Quote(kind) + ". Supported: [grpc]");
  }
  if (fields.size() > 5 && fields[5].size() > kShortestCertificate) {
    handshake.certificate = fields[5];
  }
  return handshake;
}

Result<Attachments> ParseAttachments(std::string_view text) {
  Attachments attachments;
  if (text.empty()) {
    return attachments;
  }
  const JsonDocument document = ParseJson(text);
  if (std::string problem = json::ProblemOf(text, document, kAttachments); !problem.empty()) {
    return Fail(ErrorCode::kInvalid, "Invalid format for TF_REATTACH_PROVIDERS: " + problem);
  }
  for (const JsonMember& member : document.root().members()) {
    const std::string name(member.name);
    auto source = ParseProviderSource(name);
    if (!source) {
      return Fail(ErrorCode::kInvalid, "Error parsing " + Quote(name) +
                                           " as a provider address: " + source.error().detail);
    }
    KINU_TRY(Attachment attachment, ReadAttachment(name, member.value));
    attachments.insert_or_assign(source->ToText(), std::move(attachment));
  }
  return attachments;
}

}  // namespace kinu::plugin
