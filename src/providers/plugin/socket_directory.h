// A private directory for the socket of one provider process.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace kinu::plugin {

/// A directory that only this user can enter, for one provider's socket; removed with it, and
/// by std::quick_exit(). Those of killed programs are removed by the next one.
class SocketDirectory {
 public:
  /// Null when it cannot be made, or when the user's environment places sockets.
  static std::unique_ptr<SocketDirectory> Make();
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;
  ~SocketDirectory();
  const std::string& path() const { return path_; }

 private:
  explicit SocketDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kinu::plugin
