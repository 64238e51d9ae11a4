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
  /// Reads on to the end of the innermost object, for the keys that follow.
  void Finish() {
    const size_t depth = frames_.size();
    if (depth == 0) {
      return;
    }
    while (at_ < text_.size() && frames_.size() >= depth) {
      last_ = frames_[depth - 1];
      Read();
    }
    if (frames_.size() >= depth) {
      last_ = frames_[depth - 1];
    }
  }

  std::span<const JsonFrame> frames() const { return frames_; }
  const JsonFrame& last() const { return last_; }
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
        if (!frames_.empty()) {
          frames_.pop_back();
        }
        break;
      case ':':
        if (!frames_.empty()) {
          frames_.back().in_value = true;
        }
        break;
      case ',':
        if (!frames_.empty()) {
          frames_.back().in_value = false;
          frames_.back().key = {};
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
  JsonFrame last_;
};

/// Finds what names of members mean, from the outermost to the innermost.
class MemberMeaning {
 public:
  MemberMeaning(ModuleNames& names, FileKind kind, CursorContext& context)
      : names_(names), kind_(kind), context_(context) {}

  void Enter(std::string_view name) {
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
  CursorContext::Place PlaceOfName(std::vector<std::string_view> siblings) {
    if (!context_.argument.empty()) {
      Bracket().keys = std::move(siblings);
      return CursorContext::Place::kKey;
    }
    if (missing_labels_ > 0) {
      context_.label = context_.blocks.back().labels.size();
      return CursorContext::Place::kLabel;
    }
    if (!context_.blocks.empty()) {
      context_.blocks.back().names = std::move(siblings);
    }
    return CursorContext::Place::kItem;
  }

 private:
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
  for (size_t i = 0; i < frames.size(); ++i) {
    const bool is_at_cursor = i + 1 == frames.size() && in_name;
    if (!frames[i].is_object) {
      meaning.EnterArray();
    } else if (!is_at_cursor) {
      meaning.Enter(text.substr(frames[i].key.begin, frames[i].key.end - frames[i].key.begin));
    }
  }
  if (!in_name) {
    context.place = CursorContext::Place::kText;
    return out;
  }
  scan.Finish();
  context.place = meaning.PlaceOfName(scan.last().keys);
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

}  // namespace kinu::ide
