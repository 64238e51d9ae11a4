// The way to the client: whole messages, one after the other.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>

namespace kinu::lsp {

/// Safe to use from several threads.
class Outlet {
 public:
  /// `write` gets whole frames, never two at once.
  explicit Outlet(std::function<void(std::string_view frame)> write) : write_(std::move(write)) {}

  void Send(std::string_view body);

 private:
  std::mutex mutex_;
  std::function<void(std::string_view)> write_;
};

}  // namespace kinu::lsp
