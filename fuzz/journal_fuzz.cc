// Fuzzes journals. A fuzzer cannot guess checksums, so the first byte chooses whether the rest is a
// journal or the content of a record with a valid checksum.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "backend/journal.h"
#include "base/flat_map.h"

namespace {

void AppendFrame(std::string& out, std::string_view payload) {
  auto append = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      out += static_cast<char>(value >> (8 * i) & 0xFF);
    }
  };
  append(payload.size(), 4);
  append(kinu::HashBytes(payload), 8);
  out += payload;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  if (size == 0) {
    return 0;
  }
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    std::string journal = "KINUJNL1";
    AppendFrame(journal, "");
    AppendFrame(journal, bytes);
    bytes = std::move(journal);
  }
  state::State state;
  state.program = std::make_shared<Program>();
  (void)backend::Journal::ReplayBytes(bytes, state, *state::NoSealing());
  (void)state::SameContent(state, state.Clone());
  return 0;
}
