#include "ide/json_context.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "ide/body_members.h"

namespace kinu::ide {
namespace {

/// An object or array that is open. Views point into the text.
struct JsonFrame {
  bool is_object = false;
  bool in_value = false;  ///< a colon came, and no comma since
  Span key;               ///< of the member that is read, without quotes
  std::vector<std::string_view> keys;
  uint32_t value = 0;         ///< where the value of the member begins
  std::string_view iterator;  ///< the value of that member, without quotes
  Span for_each;              ///< likewise, with all that it is
};

/// Reads a text as tokens, whatever is wrong with it.
class JsonScan {
 public:
  JsonScan(std::string_view text, uint32_t offset) : text_(text), offset_(offset) {}

  /// Reads up to the cursor.
  void Run() {
    while (at_ < offset_ && !in_string_) {
      Read();
    }
  }
  /// Reads on to the end of the objects around, but for the outermost: for what follows in them.
  void Finish() {
    at_cursor_ = frames_;
    open_ = frames_.size();
    while (at_ < text_.size() && open_ > 1) {
      Read();
    }
    for (size_t i = 0; i < std::min(open_, frames_.size()); ++i) {
      at_cursor_[i] = frames_[i];
    }
  }

  std::span<const JsonFrame> frames() const { return frames_; }
  /// Those that were open at the cursor, after Finish().
  std::span<const JsonFrame> finished() const { return at_cursor_; }
  /// The string that the cursor is in, without quotes; nothing if it is in none.
  std::optional<Span> string() const { return in_string_ ? std::optional(string_) : std::nullopt; }
  /// Whether a name may stand at the cursor, or is there.
  bool in_name() const {
    return !frames_.empty() && frames_.back().is_object && !frames_.back().in_value;
  }

 private:
  /// The end of a string whose first byte is at `begin`: its quote, or the end of the line.
  uint32_t StringEnd(uint32_t begin) const {
    uint32_t at = begin;
    while (at < text_.size() && text_[at] != '"' && text_[at] != '\n') {
      at += text_[at] == '\\' ? 2 : 1;
    }
    return static_cast<uint32_t>(std::min<size_t>(at, text_.size()));
  }
  void ReadString() {
    const uint32_t begin = at_ + 1;
    const uint32_t end = StringEnd(begin);
    // Behind the closing quote the cursor is in no string any more.
    if (at_ < offset_ && offset_ <= end) {
      in_string_ = true;
      string_ = {begin, end};
    }
    if (!frames_.empty() && frames_.back().is_object && !frames_.back().in_value) {
      frames_.back().key = {begin, end};
      if (!in_string_ || string_.begin != begin) {
        frames_.back().keys.push_back(text_.substr(begin, end - begin));
      }
    }
    at_ = end < text_.size() && text_[end] == '"' ? end + 1 : end;
  }
  /// A member of the innermost object has ended.
  void EndMember() {
    JsonFrame& frame = frames_.back();
    const std::string_view key = text_.substr(frame.key.begin, frame.key.end - frame.key.begin);
    if (frame.in_value && frame.is_object && (key == "for_each" || key == "iterator")) {
      const Span value{frame.value, at_};
      const std::string_view text = text_.substr(value.begin, value.end - value.begin);
      const size_t open = text.find('"');
      const size_t close = text.rfind('"');
      if (key == "for_each") {
        frame.for_each = value;
      } else if (open < close && close != std::string_view::npos) {
        frame.iterator = text.substr(open + 1, close - open - 1);
      }
    }
    frame.in_value = false;
    frame.key = {};
  }
  void Close() {
    if (frames_.empty()) {
      return;
    }
    EndMember();
    if (frames_.size() == open_) {
      at_cursor_[--open_] = frames_.back();
    }
    frames_.pop_back();
  }
  void Read() {
    switch (text_[at_]) {
      case '"':
        return ReadString();
      case '{':
      case '[':
        frames_.push_back({.is_object = text_[at_] == '{'});
        break;
      case '}':
      case ']':
        Close();
        break;
      case ':':
        if (!frames_.empty()) {
          frames_.back().in_value = true;
          frames_.back().value = at_ + 1;
        }
        break;
      case ',':
        if (!frames_.empty()) {
          EndMember();
        }
        break;
      default:
        break;
    }
    ++at_;
  }

  std::string_view text_;
  uint32_t offset_;
  uint32_t at_ = 0;
  bool in_string_ = false;
  Span string_;
  std::vector<JsonFrame> frames_;
  std::vector<JsonFrame> at_cursor_;
  size_t open_ = 0;  // how many of those are open still
};

/// Finds what names of members mean, from the outermost to the innermost.
class MemberMeaning {
 public:
  MemberMeaning(ModuleNames& names, FileKind kind, CursorContext& context)
      : names_(names), kind_(kind), context_(context) {}

  /// The member of an object that the cursor is in, with what the object has.
  void Enter(std::string_view name, const JsonFrame& object) {
    if (context_.argument.empty() && missing_labels_ == 0) {
      Describe(object);
    }
    if (!context_.argument.empty()) {
      Bracket().key = name;
    } else if (missing_labels_ > 0) {
      context_.blocks.back().labels.push_back(name);
      --missing_labels_;
    } else {
      EnterMember(name);
    }
  }
  /// Arrays in the value of an argument are tuples; blocks may stand in arrays as they do without.
  void EnterArray() {
    if (!context_.argument.empty()) {
      context_.brackets.push_back({.kind = OpenBracket::Kind::kTuple});
    }
  }
  /// What the name is that stands at the cursor, in an object.
  CursorContext::Place PlaceOfName(const JsonFrame& object) {
    if (!context_.argument.empty()) {
      Bracket().keys = object.keys;
      return CursorContext::Place::kKey;
    }
    if (missing_labels_ > 0) {
      context_.label = context_.blocks.back().labels.size();
      return CursorContext::Place::kLabel;
    }
    Describe(object);
    return CursorContext::Place::kItem;
  }

 private:
  /// The object is the body of the innermost block.
  void Describe(const JsonFrame& object) {
    if (context_.blocks.empty()) {
      return;
    }
    OpenBlock& block = context_.blocks.back();
    block.names = object.keys;
    block.iterator = object.iterator;
    block.for_each = object.for_each;
  }
  /// A new object in the value of the argument.
  OpenBracket& Bracket() {
    context_.brackets.push_back({.kind = OpenBracket::Kind::kObject});
    return context_.brackets.back();
  }
  void EnterMember(std::string_view name) {
    const BodyPlace place = PlaceOfBody(names_, kind_, context_.blocks);
    const auto member = FindMember(names_, place, name);
    if (member && !member->is_block) {
      context_.argument = name;
      return;
    }
    if (!member && place.language != nullptr && place.language->any_names) {
      context_.argument = name;
      return;
    }
    context_.blocks.push_back({.type = name});
    missing_labels_ = member ? member->labels.size() : 0;
    if (!member && name == "dynamic") {
      missing_labels_ = 1;
    }
  }

  ModuleNames& names_;
  FileKind kind_;
  CursorContext& context_;
  size_t missing_labels_ = 0;
};

}  // namespace

JsonContext JsonContextAt(ModuleNames& names, FileKind kind, std::string_view text,
                          uint32_t offset) {
  JsonContext out;
  JsonScan scan(text, offset);
  scan.Run();
  const bool in_name = scan.in_name();
  const auto string = scan.string();
  if (!in_name && !string) {
    return out;
  }
  CursorContext& context = out.context;
  context.in_quotes = string.has_value();
  context.word = string ? *string : Span{offset, offset};
  MemberMeaning meaning(names, kind, context);
  const std::vector<JsonFrame> frames(scan.frames().begin(), scan.frames().end());
  scan.Finish();
  for (size_t i = 0; i < frames.size(); ++i) {
    const bool is_at_cursor = i + 1 == frames.size() && in_name;
    if (!frames[i].is_object) {
      meaning.EnterArray();
    } else if (!is_at_cursor) {
      meaning.Enter(text.substr(frames[i].key.begin, frames[i].key.end - frames[i].key.begin),
                    scan.finished()[i]);
    }
  }
  if (!in_name) {
    context.place = CursorContext::Place::kText;
    return out;
  }
  context.place = meaning.PlaceOfName(scan.finished().back());
  const size_t behind = std::min<size_t>(context.word.end + (string ? 1 : 0), text.size());
  const size_t next = text.find_first_not_of(" \t\r\n", behind);
  out.has_colon = next != std::string_view::npos && text[next] == ':';
  return out;
}

std::optional<Embedded> SequenceAt(std::string_view text, uint32_t offset) {
  constexpr std::string_view kBefore = "x = ";
  const size_t open = text.substr(0, offset).rfind("${");
  if (open == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t begin = open + 2;
  if (text.substr(begin, offset - begin).find_first_of("\n}") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t end = std::min(text.find_first_of("\n}", offset), text.size());
  return Embedded{std::string(kBefore) + std::string(text.substr(begin, end - begin)),
                  static_cast<uint32_t>(offset - begin + kBefore.size()),
                  static_cast<uint32_t>(begin - kBefore.size())};
}

namespace {

/// The expression that a value of the JSON syntax means, as native text.
std::string NativeText(std::string_view value) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = std::min(value.find_first_not_of(kSpace), value.size());
  value = value.substr(begin, value.find_last_not_of(kSpace) + 1 - begin);
  if (!value.starts_with("\"${") || !value.ends_with("}\"")) {
    return std::string(value);
  }
  std::string out;
  value = value.substr(3, value.size() - 5);
  for (size_t at = 0; at < value.size(); ++at) {
    at += value.substr(at).starts_with("\\\"") ? 1 : 0;
    out += value[at];
  }
  return out;
}

/// Whether the string around an offset is a sequence alone.
bool IsSequenceAlone(std::string_view text, Span string) {
  const std::string_view inside = text.substr(string.begin, string.end - string.begin);
  return inside.starts_with("${") && inside.find("${", 2) == std::string_view::npos &&
         (inside.ends_with('}') || !inside.contains('}'));
}

/// The names of `dynamic` blocks in whose content the cursor is. What they go through is written
/// behind the embedded text.
std::vector<BoundName> BindIterators(std::string_view text, const std::vector<OpenBlock>& blocks,
                                     Embedded& embedded) {
  std::vector<BoundName> bound;
  for (size_t i = 1; i < blocks.size(); ++i) {
    const OpenBlock& dynamic = blocks[i - 1];
    if (blocks[i].type != "content" || dynamic.type != "dynamic" || dynamic.labels.empty()) {
      continue;
    }
    const Span value = dynamic.for_each;
    std::string& behind = embedded.text += '\n';
    const auto begin = static_cast<uint32_t>(behind.size());
    behind += NativeText(text.substr(value.begin, value.end - value.begin));
    bound.push_back({.name = dynamic.iterator.empty() ? dynamic.labels[0] : dynamic.iterator,
                     .is_iterator = true,
                     .collection = {begin, static_cast<uint32_t>(behind.size())}});
  }
  return bound;
}

}  // namespace

std::optional<Sequence> SequenceAt(ModuleNames& names, FileKind kind, std::string_view text,
                                   uint32_t offset) {
  auto embedded = SequenceAt(text, offset);
  if (!embedded) {
    return std::nullopt;
  }
  CursorContext around = JsonContextAt(names, kind, text, offset).context;
  if (!IsSequenceAlone(text, around.word)) {
    around.brackets.push_back({.kind = OpenBracket::Kind::kSequence});
  }
  const size_t size = embedded->text.size();
  around.bound = BindIterators(text, around.blocks, *embedded);
  Sequence out{.embedded = std::make_unique<const Embedded>(*std::move(embedded)), .context = {}};
  const std::string_view own = std::string_view(out.embedded->text).substr(0, size);
  out.context = ContextAt(own, out.embedded->offset);
  out.context.blocks = std::move(around.blocks);
  out.context.argument = around.argument;
  out.context.brackets.insert(out.context.brackets.begin(), around.brackets.begin(),
                              around.brackets.end());
  out.context.bound.insert(out.context.bound.begin(), around.bound.begin(), around.bound.end());
  return out;
}

}  // namespace kinu::ide
