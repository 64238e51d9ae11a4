#include "plugin/handshake.h"

#include <charconv>
#include <tuple>
#include <vector>

#include "addrs/provider_source.h"
#include "cty/json.h"
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

/// A member of a decoded JSON object, or null.
Value Member(const Value& object, std::string_view name) {
  if (object.IsNull() || !object.type().is_object()) {
    return {};
  }
  const Value* found = object.Find(name);
  return found == nullptr ? Value() : *found;
}

std::string TextMember(const Value& object, std::string_view name) {
  Value value = Member(object, name);
  return !value.IsNull() && value.type() == Type::String() ? std::string(value.AsString())
                                                           : std::string();
}

/// The JSON name of the type, as in Go's error messages.
std::string_view JsonTypeName(const Type& type) {
  if (type == Type::String()) {
    return "string";
  }
  if (type == Type::Number()) {
    return "number";
  }
  if (type == Type::Bool()) {
    return "bool";
  }
  return type.is_object() ? "object" : "array";
}

int64_t NumberMember(const Value& object, std::string_view name) {
  Value value = Member(object, name);
  return !value.IsNull() && value.type() == Type::Number() ? value.AsInt64().value_or(0) : 0;
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

Result<Attachments> ParseAttachments(std::string_view json) {
  Attachments attachments;
  if (Trim(json).empty()) {
    return attachments;
  }
  auto invalid = [](const std::string& why) {
    return Fail(ErrorCode::kInvalid, "Invalid format for TF_REATTACH_PROVIDERS: " + why);
  };
  auto type = ImpliedTypeOfJson(json);
  if (!type) {
    return invalid(type.error().ToText());
  }
  if (*type == Type::Dynamic()) {
    return attachments;  // null
  }
  if (!type->is_object()) {
    return invalid("json: cannot unmarshal " + std::string(JsonTypeName(*type)) +
                   " into Go value of type map[string]main.reattachConfig");
  }
  auto root = ValueFromJson(json, *type);
  if (!root) {
    return invalid(root.error().ToText());
  }
  for (size_t i = 0; i < root->size(); ++i) {
    std::string name(root->key(i));
    auto source = ParseProviderSource(name);
    if (!source) {
      return Fail(ErrorCode::kInvalid, "Error parsing " + Quote(name) +
                                           " as a provider address: " + source.error().detail);
    }
    const Value& entry = root->elements()[i];
    const Value address = Member(entry, "Addr");
    Attachment attachment;
    for (const auto& [object, member, path] : {std::tuple(&entry, "Protocol", "Protocol"),
                                               std::tuple(&address, "Network", "Addr.Network"),
                                               std::tuple(&address, "String", "Addr.String")}) {
      if (Value text = Member(*object, member); !text.IsNull() && text.type() != Type::String()) {
        return invalid("json: cannot unmarshal " + std::string(JsonTypeName(text.type())) +
                       " into Go struct field reattachConfig." + path + " of type string");
      }
    }
    attachment.network = TextMember(address, "Network");
    attachment.address = TextMember(address, "String");
    attachment.pid = NumberMember(entry, "Pid");
    Value test = Member(entry, "Test");
    attachment.test = !test.IsNull() && test.type() == Type::Bool() && test.AsBool();
    if (attachment.network != "unix" && attachment.network != "tcp") {
      return Fail(ErrorCode::kInvalid,
                  "Unknown address type " + Quote(attachment.network) + " for " + Quote(name));
    }
    if (attachment.network == "tcp" && attachment.address.find(':') == std::string::npos) {
      return Fail(ErrorCode::kInvalid, "Invalid TCP address " + Quote(attachment.address) +
                                           " for " + Quote(name) + ": address " +
                                           Shown(attachment.address) + ": missing port in address");
    }
    attachment.wire = TextMember(entry, "Protocol");
    if (int64_t protocol = NumberMember(entry, "ProtocolVersion"); protocol != 0) {
      attachment.protocol = static_cast<int>(protocol);
    }
    attachments.emplace(source->ToText(), std::move(attachment));
  }
  return attachments;
}

}  // namespace kinu::plugin
