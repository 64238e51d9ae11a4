// Keys of ssh as texts, read by libssh.
#pragma once

#include <memory>
#include <string>

#include <libssh/libssh.h>

namespace kinu::remote {

struct KeyDeleter {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using Key = std::unique_ptr<ssh_key_struct, KeyDeleter>;

/// A private key; null if it is malformed, encrypted, or of a type that libssh lacks.
Key ReadPrivateKey(const std::string& text);
/// A public key or a certificate in the form "TYPE BASE64 COMMENT"; null if it is malformed.
Key ReadPublicKey(const std::string& line);
/// Why a private key, or its certificate (may be empty), cannot be used. Empty if they can.
std::string ExplainKey(const std::string& private_key, const std::string& certificate);
/// The first word of a line.
std::string FirstWord(const std::string& line);

}  // namespace kinu::remote
