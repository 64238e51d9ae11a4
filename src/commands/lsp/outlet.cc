#include "lsp/outlet.h"

#include <string>

#include "log/log.h"
#include "lsp/framing.h"

namespace kinu::lsp {

void Outlet::Send(std::string_view body) {
  const std::string frame = Framed(body);
  const std::lock_guard lock(mutex_);
  if (log::Enabled(log::Level::kTrace)) {
    log::Write(log::Level::kTrace, "lsp sends " + std::string(body));
  }
  write_(frame);
}

}  // namespace kinu::lsp
