// The line by which a provider says where it listens, and the list of attached providers.
// Ref: provider contract 2.2, 3; go-plugin client.go.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::plugin {

/// `CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERT`
struct Handshake {
  int protocol = 0;  ///< 5 or 6
  std::string network;
  std::string address;
  std::string certificate;  ///< empty without TLS
  /// The address as gRPC wants it.
  std::string Target() const { return network == "unix" ? "unix:" + address : address; }
};
Result<Handshake> ParseHandshake(std::string_view line);

/// A provider that somebody else started.
struct Attachment {
  int protocol = 5;
  std::string network;
  std::string address;
  int64_t pid = 0;
  bool test = false;  ///< never shut down by us
  std::string Target() const { return network == "unix" ? "unix:" + address : address; }
};
/// Reads TF_REATTACH_PROVIDERS. Keys of the result are full provider addresses.
Result<std::map<std::string, Attachment, std::less<>>> ParseAttachments(std::string_view json);

}  // namespace kinu::plugin
