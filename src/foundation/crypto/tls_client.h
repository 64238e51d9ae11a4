// The client's side of TLS between two buffers (OpenSSL): who owns it carries the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/certificate.h"

namespace kinu::crypto {

/// One connection as its client sees it. Not thread-safe.
class TlsClient {
 public:
  /// How far a call came.
  enum class Step : uint8_t {
    kDone,
    kNeedsInput,  ///< more bytes of the peer must come first
    kFailed,      ///< failure() says why; the connection is of no use
  };

  virtual ~TlsClient() = default;

  /// Goes on with the handshake. Fails if the server is not the expected one.
  virtual Step Shake() = 0;
  /// Takes encrypted bytes that the peer has sent.
  virtual void Receive(std::string_view encrypted) = 0;
  /// Decrypts into `buffer`, and sets `size` to the number of bytes there if that is done.
  virtual Step Read(std::span<char> buffer, size_t& size) = 0;
  /// Encrypts bytes, all of them if that is done.
  virtual Step Write(std::string_view bytes) = 0;
  /// Whether there are encrypted bytes for the peer.
  virtual bool has_output() const = 0;
  /// Takes the encrypted bytes for the peer.
  virtual std::string TakeOutput() = 0;
  /// Why the last step failed.
  virtual const std::string& failure() const = 0;
};

/// A client that presents `own` and accepts the server "localhost" with exactly one certificate:
/// `server` is base64 of its DER, with or without padding. Speaks HTTP/2.
Result<std::unique_ptr<TlsClient>> MakeTlsClient(const Identity& own, std::string_view server);

}  // namespace kinu::crypto
