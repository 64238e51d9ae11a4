// Fuzzes state files. Accepted states do not change when they are written and read again. The input
// itself may differ from the written file, because the writer normalises numbers and strings.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/invariant.h"
#include "state/state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  auto program = std::make_shared<Program>();
  Result<state::State> state =
      state::ReadState(program, std::string(reinterpret_cast<const char*>(data), size));
  if (!state) {
    return 0;
  }
  std::string text = state::WriteState(*state, state::Layout::kIndented);
  Result<state::State> again = state::ReadState(program, text);
  KINU_INVARIANT(again.has_value(), "a written state can be read");
  KINU_INVARIANT(state::WriteState(*again, state::Layout::kIndented) == text, "writing is stable");
  Result<state::State> third = state::ReadState(program, text);
  KINU_INVARIANT(third.has_value() && state::SameContent(*again, *third),
                 "reading is deterministic");
  return 0;
}
