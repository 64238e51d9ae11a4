// The line in which a provider reports its address, and the list of attached providers
// (TF_REATTACH_PROVIDERS). Ref: go-plugin client.go; opentofu cmd/tofu/provider_source.go.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::plugin {

/// The handshake line `CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERT` on the provider's stdout.
struct Handshake {
  int protocol = 0;  ///< 5 or 6
  std::string network;
  std::string address;
  std::string certificate;  ///< empty without TLS
  /// The address in gRPC's notation.
  std::string Target() const { return network == "unix" ? "unix:" + address : address; }
};
/// Parses the handshake line. The error message is OpenTofu's.
Result<Handshake> ParseHandshake(std::string_view line);

/// A provider process that this program did not start.
struct Attachment {
  int protocol = 5;
  std::string wire = "grpc";  ///< what carries the protocol
  std::string network;
  std::string address;
  int64_t pid = 0;
  bool test = false;  ///< a test framework owns the process: it is never stopped from here
  std::string Target() const { return network == "unix" ? "unix:" + address : address; }
};
/// By provider source address.
using Attachments = std::map<std::string, Attachment, std::less<>>;
/// Parses TF_REATTACH_PROVIDERS. The error message is OpenTofu's.
Result<Attachments> ParseAttachments(std::string_view json);

}  // namespace kinu::plugin
