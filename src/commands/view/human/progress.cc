#include "view/human/progress.h"

#include "text/unicode.h"

namespace kinu::view {

using engine::Event;
using engine::EventKind;
using plan::Action;

namespace {

constexpr size_t kMaxIdLength = 80;

/// The words for an action: at its start, while it runs and at its end.
struct Words {
  std::string_view start, running, done;
};

Words WordsOf(Action action) {
  switch (action) {
    case Action::kCreate:
      return {"Creating...", "Still creating...", "Creation complete"};
    case Action::kUpdate:
      return {"Modifying...", "Still modifying...", "Modifications complete"};
    case Action::kDelete:
      return {"Destroying...", "Still destroying...", "Destruction complete"};
    case Action::kRead:
      return {"Reading...", "Still reading...", "Read complete"};
    default:
      return {};
  }
}

/// Shortens an id in its middle to kMaxIdLength characters.
std::string ShortId(std::string_view id) {
  const size_t total = text::CodePointCount(id);
  if (total <= kMaxIdLength) {
    return std::string(id);
  }
  constexpr size_t kHalf = kMaxIdLength / 2;
  const auto offset_of = [id](size_t count) {
    size_t offset = 0;
    while (count-- > 0) {
      offset += text::DecodeUtf8(id, offset).size;
    }
    return offset;
  };
  const size_t right = total - kHalf + 2;
  return std::string(id.substr(0, offset_of(kHalf - 1))) + "..." +
         std::string(id.substr(offset_of(right)));
}

/// What colours put around a line, made once.
struct Frame {
  std::string before;
  std::string after;

  /// `markup` has "%" where the line stands.
  explicit Frame(std::string_view markup) : before(terminal::Style(true).Paint(markup)) {
    const size_t line = before.find('%');
    after = before.substr(line + 1) + '\n';
    before.resize(line);
  }
  std::string Around(std::string_view line) const {
    std::string out;
    out.reserve(before.size() + line.size() + after.size());
    out += before;
    out += line;
    return out += after;
  }
};

std::string IdSuffix(const Event& event) {
  if (event.id_key.empty() || event.id_value.empty()) {
    return {};
  }
  return " [" + event.id_key + "=" + event.id_value + "]";
}

/// Prefixes each line of a provisioner's output that is not blank with the object's address.
std::string ProvisionerLines(const terminal::Style& style, const std::string& address,
                             const Event& event) {
  const std::string prefix =
      style.Paint("[reset][bold]%:[reset] ", address + " (" + event.provisioner + ")");
  std::string lines;
  size_t begin = 0;
  while (begin < event.text.size()) {
    const size_t end = std::min(event.text.find_first_of("\n\r", begin), event.text.size());
    const std::string_view line = std::string_view(event.text).substr(begin, end - begin);
    const std::string_view left_trimmed = text::TrimSpace(line);
    if (!left_trimmed.empty()) {
      const size_t size =
          static_cast<size_t>(left_trimmed.data() - line.data()) + left_trimmed.size();
      lines += prefix;
      lines += line.substr(0, size);
      lines += '\n';
    }
    begin = end + 1;
  }
  return std::string(text::TrimSpace(lines)) + "\n";
}

/// Whether events of that kind have lines.
bool IsShown(const Event& event) {
  switch (event.kind) {
    case EventKind::kRefreshComplete:
    case EventKind::kApplyErrored:
    case EventKind::kForgotten:
    case EventKind::kPlannedChange:
    case EventKind::kStopping:
    case EventKind::kProvisionComplete:
    case EventKind::kProvisionErrored:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::string RenderEvent(const Program& program, const terminal::Style& style, const Event& event) {
  if (!IsShown(event)) {
    return {};
  }
  const std::string plain = program.ToText(event.address);
  const auto with_deposed = [&](std::string_view text) {
    std::string out = plain;
    if (!event.deposed.empty()) {
      out += " (deposed object " + event.deposed + ")";
    }
    return out += text;
  };
  const auto after = [&event] { return " after " + terminal::DurationText(event.elapsed_seconds); };
  // In OpenTofu some lines end with a reset code and some do not.
  static const Frame kClosed("[reset][bold]%[reset]");
  static const Frame kOpen("[reset][bold]%");
  const auto closed = [&style](const std::string& text) {
    return style.color() ? kClosed.Around(text) : text + '\n';
  };
  const auto open = [&style](const std::string& text) {
    return style.color() ? kOpen.Around(text) : text + '\n';
  };
  switch (event.kind) {
    case EventKind::kRefreshStart:
      return open(with_deposed(": Refreshing state...") + IdSuffix(event));
    case EventKind::kReadStart:
      return closed(with_deposed(": Reading...") + IdSuffix(event));
    case EventKind::kReadComplete:
      return open(with_deposed(": Read complete") + after() + IdSuffix(event));
    case EventKind::kApplyStart: {
      const Words words = WordsOf(event.action);
      return words.start.empty()
                 ? std::string()
                 : closed(with_deposed(": ") + std::string(words.start) + IdSuffix(event));
    }
    case EventKind::kApplyProgress: {
      const bool ephemeral = event.address.resource.resource.mode == ResourceMode::kEphemeral;
      const std::string_view words = ephemeral ? "Still opening..." : WordsOf(event.action).running;
      if (words.empty()) {
        return {};
      }
      std::string text = plain + ": " + std::string(words) + " [";
      if (!event.id_key.empty() && !event.id_value.empty()) {
        text += event.id_key + "=" + ShortId(event.id_value) + ", ";
      }
      return closed(text + terminal::DurationText(event.elapsed_seconds) + " elapsed]");
    }
    case EventKind::kApplyComplete: {
      const Words words = WordsOf(event.action);
      return words.done.empty()
                 ? std::string()
                 : open(plain + ": " + std::string(words.done) + after() + IdSuffix(event));
    }
    case EventKind::kEphemeralOpenStart:
      return closed(plain + ": Opening...");
    case EventKind::kEphemeralOpenComplete:
      return open(plain + ": Open complete" + after());
    case EventKind::kEphemeralCloseStart:
      return closed(plain + ": Closing...");
    case EventKind::kEphemeralCloseComplete:
      return open(plain + ": Close complete" + after());
    case EventKind::kEphemeralRenewStart:
      return closed(plain + ": Renewing...");
    case EventKind::kEphemeralRenewComplete:
      return open(plain + ": Renew complete" + after());
    case EventKind::kEphemeralDeferred:
      return open(plain + ": Deferred due to " + event.text);
    case EventKind::kProvisionStart:
      return closed(plain + ": Provisioning with '" + event.provisioner + "'...");
    case EventKind::kProvisionOutput:
      return ProvisionerLines(style, plain, event);
    case EventKind::kImportById:
      return open(plain + ": Importing from ID \"" + event.id_value + "\"...");
    case EventKind::kImportPrepared:
      return style.Paint("[reset][bold][green]%: Import prepared!", plain) + "\n" +
             style.Paint("[reset][green]  Prepared % for import", event.text) + "\n";
    case EventKind::kImportPrepare:
      return open(plain + ": Preparing import..." + IdSuffix(event));
    case EventKind::kImportStart:
      return open(plain + ": Importing..." + IdSuffix(event));
    case EventKind::kImportComplete:
      return open(plain + ": Import complete" + IdSuffix(event));
    default:
      return {};
  }
  return {};
}

}  // namespace kinu::view
