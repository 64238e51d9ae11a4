// Audience: where the output of a command goes while an operation runs. Text for people, JSON
// messages for programs, or both: text on stdout and messages in a file (-json-into).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "addrs/address.h"
#include "diag/diagnostic.h"
#include "terminal/style.h"
#include "view/events/json_ui.h"
#include "view/events/progress_sink.h"
#include "view/events/status.h"

namespace kinu::view {

class Audience {
 public:
  struct Options {
    terminal::Style style{false};
    bool concise = false;          ///< no progress in text
    bool json_only = false;        ///< JSON messages on stdout, and no text
    int json_fd = -1;              ///< a file that receives JSON messages; closed at the end
    bool status = false;           ///< counts what runs, for a status line and a closing line
    std::function<int()> columns;  ///< of the terminal, with `status`
    std::string_view version;      ///< in the first JSON message
    Print print;                   ///< prints to stdout
    Print print_error;             ///< prints to stderr
    std::function<void(Diagnostics& diags)> show;  ///< prints diagnostics as text
  };
  explicit Audience(Options options);
  ~Audience();
  Audience(const Audience&) = delete;
  Audience& operator=(const Audience&) = delete;

  bool json_only() const { return options_.json_only; }
  /// The JSON messages, or null if there are none.
  JsonUi* json() { return json_.get(); }
  /// What the operation is doing, or null if nobody sees it.
  Status* status() { return status_.get(); }
  /// The sink for events, whose addresses belong to `program`.
  engine::EventSink* Sink(const Program& program);
  /// Writes complete JSON text to every place that receives JSON.
  void JsonText(std::string_view text) const;
  /// Prints text, unless only JSON is wanted.
  void Text(std::string_view text) const;
  /// Prints text on the error stream, unless only JSON is wanted: it must be seen where output goes
  /// to a file.
  void ErrorText(std::string_view text) const;
  /// Reports that the lock of the state is held elsewhere.
  void ReportSlowLock();
  /// Shows diagnostics in every wanted form and clears them. Returns whether there was an error.
  bool Show(Diagnostics& diags);

 private:
  engine::EventSink* PrintingSink(const Program& program);

  Options options_;
  std::unique_ptr<JsonUi> json_;
  std::unique_ptr<ProgressSink> progress_;
  std::unique_ptr<TeeSink> tee_;
  std::unique_ptr<Status> status_;
  std::unique_ptr<StatusSink> status_sink_;
};

}  // namespace kinu::view
