// JsonUi: the output of commands with -json as a stream of JSON messages, one per line. Ref:
// opentofu internal/command/views/json_view.go, hook_json.go, views/json;
// docs/schemas/message.json.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/events.h"
#include "plan/plan.h"
#include "plan_json/snippet.h"
#include "state/state.h"
#include "view/events/progress_sink.h"
#include "view/human/text.h"

namespace kinu::view {

inline constexpr std::string_view kJsonUiVersion = "1.2";

/// Writes messages. Thread-safe.
class JsonUi final : public engine::EventSink {
 public:
  enum class Level : uint8_t { kInfo, kWarn, kError };
  /// The additional members of a message: name and JSON text.
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit JsonUi(Print print) : print_(std::move(print)) {}

  /// Prints a message. With an empty `type` the message has none.
  void Message(Level level, std::string_view message, std::string_view type = {},
               Fields fields = {});
  /// Sets members that every following message has ("@testfile", "@testrun").
  void SetContext(Fields context) { context_ = std::move(context); }

  void Version(std::string_view version);
  void Log(std::string_view message) { Message(Level::kInfo, message, "log"); }
  void StateDump(std::string_view state_json);
  /// Prints one message per diagnostic, in their order.
  void Diagnostics(const kinu::Diagnostics& diags);
  /// Prints drift, planned changes, summary and outputs of a plan, many messages at once.
  void Plan(const plan::Plan& plan);
  void PlannedChange(const Program& program, const plan::ResourceChange& change);
  void ResourceDrift(const Program& program, const plan::ResourceChange& change);
  /// `operation`: "plan", "apply" or "destroy".
  void ChangeSummary(std::string_view operation, const ChangeCounts& counts);
  /// Prints outputs after apply or refresh, without the values of sensitive ones.
  void Outputs(std::span<const state::OutputValue> outputs);

  /// The owner of the addresses in events.
  void SetProgram(const Program* program) { program_ = program; }
  void Post(engine::Event event) override;
  void BeginBurst() override { print_.Begin(); }
  void EndBurst() override { print_.End(); }

 private:
  void PrintMessages(const engine::Event& event);

  BurstPrinter print_;
  Fields context_;
  const Program* program_ = nullptr;
  SourceIndex sources_;
};

}  // namespace kinu::view
