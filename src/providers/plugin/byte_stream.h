// A connected socket to a provider, plain or under TLS.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "plugin/transport.h"

namespace kinu::plugin {

/// A connected socket whose reads and writes never block. Not thread-safe.
class ByteStream {
 public:
  /// Connects, and completes the TLS handshake if the endpoint asks for TLS. Blocks until then.
  static Result<std::unique_ptr<ByteStream>> Open(const Endpoint& endpoint);

  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream();

  virtual int descriptor() const { return descriptor_; }
  /// Why the last Read() or Write() returned -1.
  const std::string& failure() const { return failure_; }

  /// Reads what has arrived. Returns its size; 0 if nothing has arrived; -1 at the end or if the
  /// connection is lost. Less than the buffer's size means that nothing is left.
  virtual ssize_t Read(std::span<char> buffer);
  /// Writes as much as the socket takes. Returns how many bytes it took; -1 if the connection is
  /// lost.
  virtual ssize_t Write(std::string_view bytes);
  /// Whether bytes that Write() took still wait for the socket. Write() sends them, also with no
  /// bytes of its own.
  virtual bool unsent() const { return false; }

 protected:
  explicit ByteStream(int descriptor) : descriptor_(descriptor) {}
  /// Records why the connection is lost. Returns -1.
  ssize_t Lose(std::string why);

 private:
  static Result<std::unique_ptr<ByteStream>> OpenSocket(const std::string& target);

  int descriptor_;
  std::string failure_;
};

/// Puts TLS over a connected socket and completes the handshake. Only the certificate of the
/// endpoint is accepted.
Result<std::unique_ptr<ByteStream>> OpenTls(std::unique_ptr<ByteStream> socket,
                                            const Endpoint& endpoint);

}  // namespace kinu::plugin
