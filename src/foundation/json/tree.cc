#include "json/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <utility>

#include "base/flat_map.h"
#include "base/sign.h"
#include "json/lex.h"
#include "json/value_walk.h"

namespace kinu::json {
namespace {

constexpr uint32_t kMostMembers = (1U << 28) - 1;

Kind KindOf(char first) {
  switch (first) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
      return Kind::kTrue;
    case 'f':
      return Kind::kFalse;
    case 'n':
      return Kind::kNull;
    default:
      return Kind::kNumber;
  }
}

/// Whether a quoted text has a backslash.
bool HasBackslash(const char* text, size_t size) {
  // Most texts are so short that a call would cost more than this.
  constexpr size_t kShort = 64;
  const char* const end = text + size - 1;
  return size > kShort ? std::memchr(text, '\\', size) != nullptr
                       : FindByte<kBackslash>(text + 1, end) != end;
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
    case Kind::kTrue:
      return "boolean";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
    case Kind::kName:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "";
}

std::string Node::String() const {
  return DecodeString(text());
}

std::string_view Node::String(std::string& scratch) const {
  const Tree::Entry& entry = tree_->entry(at_);
  if (entry.escaped) {
    scratch = String();
    return scratch;
  }
  return tree_->Quoted(entry);
}

Node Node::At(uint64_t index) const {
  if (!is_array() || index >= size()) {
    return {};
  }
  for (const Node element : elements()) {
    if (index-- == 0) {
      return element;
    }
  }
  return {};
}

void Tree::Append(TokenStream& stream, Kind kind) {
  Entry entry{};
  entry.begin = stream.OffsetInHeld();
  entry.kind_bits = static_cast<uint32_t>(kind) & 7;
  entry.next = static_cast<uint32_t>(entries_.size) + 1;
  if (kind != Kind::kArray && kind != Kind::kObject) {
    const std::string_view text = stream.Text();
    entry.end = entry.begin + static_cast<uint32_t>(text.size());
    entry.escaped = (kind == Kind::kString || kind == Kind::kName) && stream.MayHaveEscapes() &&
                    text.find('\\') != std::string_view::npos;
  }
  entries_.Reserve(entries_.size + 1);
  entries_.data[entries_.size++] = entry;
}

bool Tree::ReadName(TokenStream& stream) {
  if (stream.Peek() != '"') {
    return stream.FailHere("the name of a member is expected");
  }
  Append(stream, Kind::kName);
  stream.Advance();
  return stream.Take(':', "':' is expected");
}

/// Appends the tokens of a value as entries.
class Tree::Builder {
 public:
  Builder(Entries& entries, const TokenStream& stream) : entries_(entries), stream_(stream) {}

  void Prepare(size_t tokens, uint32_t held) {
    entries_.Reserve(entries_.size + tokens);
    held_ = held;
    may_have_escapes_ = stream_.MayHaveEscapes();
  }
  void Scalar(const char* text, const uint32_t* at) {
    ++inside_.count;
    Add(text, at, KindOf(text[*at]));
  }
  void Name(const char* text, const uint32_t* at) { Add(text, at, Kind::kName); }
  void Open(const char* text, const uint32_t* at) {
    ++inside_.count;
    around_.push_back(inside_);
    inside_ = {static_cast<uint32_t>(entries_.size), 0};
    Entry& entry = entries_.data[entries_.size++];
    entry = {};
    entry.begin = *at - held_;
    entry.kind_bits = static_cast<uint32_t>(text[*at] == '{' ? Kind::kObject : Kind::kArray) & 7;
  }
  bool Close(const uint32_t* at) {
    Entry& entry = entries_.data[inside_.entry];
    entry.end = *at - held_ + 1;
    entry.next = static_cast<uint32_t>(entries_.size);
    entry.count = inside_.count & kMostMembers;
    const bool fits = inside_.count <= kMostMembers;
    inside_ = around_.back();
    around_.pop_back();
    return fits;
  }

 private:
  struct Container {
    uint32_t entry = 0;
    uint32_t count = 0;  ///< its elements or members up to here
  };

  void Add(const char* text, const uint32_t* at, Kind kind) {
    uint32_t end = at[1];
    while (IsSpace(text[end - 1])) {
      --end;
    }
    const bool escaped = may_have_escapes_ && (kind == Kind::kString || kind == Kind::kName) &&
                         HasBackslash(text + *at, end - *at);
    const auto here = static_cast<uint32_t>(entries_.size++);
    entries_.data[here] = {.begin = *at - held_,
                           .end = end - held_,
                           .next = here + 1,
                           .kind_bits = static_cast<uint32_t>(kind) & 7,
                           .count = 0,
                           .escaped = escaped};
  }

  Entries& entries_;
  const TokenStream& stream_;
  Container inside_;
  std::vector<Container> around_;
  uint32_t held_ = 0;
  bool may_have_escapes_ = false;
};

bool Tree::ReadValue(TokenStream& stream) {
  Builder builder(entries_, stream);
  return ValueWalk<Builder>(stream, builder, kMaxDepth - open_.size()).Run();
}

void Tree::Entries::Reserve(size_t wanted) {
  if (wanted <= capacity) {
    return;
  }
  capacity = std::max(wanted, 2 * capacity);
  auto bigger = std::make_unique_for_overwrite<Entry[]>(capacity);
  std::copy_n(data.get(), size, bigger.get());
  data = std::move(bigger);
}

void Tree::Expect(size_t bytes) {
  // Documents have an entry every seven bytes or more; what is not filled is never touched.
  constexpr size_t kBytesPerEntry = 6;
  entries_.Reserve(bytes / kBytesPerEntry);
}

const Shape* Shape::Of(std::string_view name) const {
  for (const Part& part : parts) {
    if (part.name == name) {
      return part.shape;
    }
  }
  return nullptr;
}

bool Tree::ReadShaped(TokenStream& stream, const Shape& shape) {
  const char first = stream.Peek();
  if (shape.keep == Shape::Keep::kWhole || (first != '{' && first != '[')) {
    return ReadValue(stream);
  }
  partial_ = true;
  const auto at = static_cast<uint32_t>(entries_.size);
  Append(stream, KindOf(first));
  if (shape.keep == Shape::Keep::kFolded) {
    entries_.data[at].escaped = 1;
    if (!stream.SkipValue()) {
      return false;
    }
  } else {
    if (open_.size() >= kMaxDepth) {
      return stream.FailHere("values are nested too deep");
    }
    open_.push_back(at);
    if (!ReadParts(stream, shape)) {
      return false;
    }
    open_.pop_back();
  }
  entries_.data[at].end = static_cast<uint32_t>(stream.Held().size());
  entries_.data[at].next = static_cast<uint32_t>(entries_.size);
  return true;
}

/// The elements or members of the innermost open container, with its brackets.
bool Tree::ReadParts(TokenStream& stream, const Shape& shape) {
  const uint32_t container = open_.back();
  const bool object = entries_.data[container].kind() == Kind::kObject;
  const char closer = object ? '}' : ']';
  stream.Advance();
  for (bool first = true; stream.Peek() != closer; first = false) {
    if (!first && !stream.Take(',', object ? "',' or '}' is expected" : "',' or ']' is expected")) {
      return false;
    }
    const Shape* inside = &shape;
    if (object) {
      const size_t mark = entries_.size;
      if (stream.Peek() != '"') {
        return stream.FailHere("the name of a member is expected");
      }
      const std::string_view name = stream.Text();
      inside = stream.HasEscapes() ? shape.Of(DecodeString(name))
                                   : shape.Of(name.substr(1, name.size() - 2));
      if (!ReadName(stream)) {
        return false;
      }
      if (inside == nullptr) {
        entries_.size = mark;
        if (!stream.SkipValue()) {
          return false;
        }
        continue;
      }
    }
    if (entries_.data[container].count == kMostMembers) {
      return stream.FailHere("a value has too many elements to be held in memory");
    }
    entries_.data[container].count = (entries_.data[container].count + 1) & kMostMembers;
    if (!ReadShaped(stream, *inside)) {
      return false;
    }
  }
  stream.Advance();
  return true;
}

bool Tree::Read(TokenStream& stream) {
  static constexpr Shape kWhole;
  return Read(stream, kWhole);
}

bool Tree::Read(TokenStream& stream, const Shape& shape) {
  entries_.size = 0;
  open_.clear();
  partial_ = false;
  stream.Hold();
  if (!ReadShaped(stream, shape)) {
    stream.Release();
    return false;
  }
  text_ = stream.Held();
  offset_ = stream.held_offset();
  stream.Release();
  return !stream.problem();
}

bool Tree::ReadFolded(const Node& folded) {
  TokenStream stream(TokenStream::Container{folded.text()});
  const bool read = Read(stream);
  offset_ = folded.offset();
  return read;
}

Result<std::unique_ptr<Document>> Document::Parse(std::string text) {
  static constexpr Shape kWhole;
  return Parse(std::move(text), kWhole);
}

Result<std::unique_ptr<Document>> Document::Parse(std::string text, const Shape& shape) {
  auto document = std::unique_ptr<Document>(new Document(std::move(text)));
  document->tree_.Expect(document->text_.size());
  return ReadAll(std::move(document), TokenStream(document->text_), shape);
}

Result<std::unique_ptr<Document>> Document::Parse(std::unique_ptr<MappedFile> file,
                                                  const Shape& shape) {
  auto document = std::unique_ptr<Document>(new Document(std::move(file)));
  document->tree_.Expect(document->file_->text().size());
  return ReadAll(std::move(document), TokenStream(*document->file_), shape);
}

Result<std::unique_ptr<Document>> Document::ReadAll(std::unique_ptr<Document>&& document,
                                                    TokenStream&& stream, const Shape& shape) {
  if (!document->tree_.Read(stream, shape) || !stream.TakeEnd()) {
    return Fail(ErrorCode::kInvalid, DescribeProblem(stream.problem()));
  }
  return std::move(document);
}

std::string DescribeProblem(const Problem& problem) {
  return "invalid JSON at byte " + std::to_string(problem.offset) + ": " + problem.message;
}

namespace {

/// A member's name, decoded, and its first bytes, which distinguish most names.
struct NameText {
  explicit NameText(std::string_view name) : text(name) {
    if (name.size() >= sizeof(start)) {
      std::memcpy(&start, name.data(), sizeof(start));
    } else {
      std::memcpy(&start, name.data(), name.size());
    }
  }
  friend bool operator==(const NameText& a, const NameText& b) {
    return a.start == b.start && a.text == b.text;
  }
  std::string_view text;
  uint64_t start = 0;  // its first bytes
};

/// Whether two objects have as many members, of the same names in the same order (as they are
/// written, without escapes).
bool HaveSameNames(const Tree& tree, uint32_t a, uint32_t b) {
  const uint32_t end = tree.entry(a).next;
  ++a;
  ++b;
  while (a < end) {
    const Tree::Entry& left = tree.entry(a);
    const Tree::Entry& right = tree.entry(b);
    if (left.escaped || right.escaped || !SameText(tree.Quoted(left), tree.Quoted(right))) {
      return false;
    }
    a = tree.entry(a + 1).next;
    b = tree.entry(b + 1).next;
  }
  return true;
}

}  // namespace

Node Repeated(const Tree& tree) {
  constexpr uint32_t kFew = 16;  // so many names are compared with each other, more are hashed
  std::array<uint32_t, kFew + 1> checked{};  // the last object of each size; 0: none or outermost
  FlatSet<std::string_view> seen;
  std::vector<NameText> names;
  std::deque<std::string> decoded;
  uint32_t first = 0;  // no name: that is the outermost value
  for (uint32_t at = 0; at < tree.entry_count(); ++at) {
    const Tree::Entry& object = tree.entry(at);
    if (object.kind() != Kind::kObject || object.count < 2) {
      continue;
    }
    if (object.count <= kFew) {
      // Most objects of a document are like one before, where a repeated name was found already.
      const uint32_t like = std::exchange(checked[object.count], at);
      if (like != 0 && HaveSameNames(tree, like, at)) {
        continue;
      }
    }
    seen.clear();
    names.clear();
    decoded.clear();
    for (uint32_t name = at + 1; name < object.next; name = tree.entry(name + 1).next) {
      const Tree::Entry& entry = tree.entry(name);
      const std::string_view text =
          entry.escaped ? decoded.emplace_back(Node(&tree, name).String()) : tree.Quoted(entry);
      bool repeated = false;
      if (object.count <= kFew) {
        const NameText known(text);
        repeated = std::ranges::find(names, known) != names.end();
        names.push_back(known);
      } else {
        repeated = !seen.insert(text).second;
      }
      if (repeated && (first == 0 || name < first)) {
        first = name;
      }
    }
  }
  return first == 0 ? Node() : Node(&tree, first);
}

std::string DecodeString(std::string_view quoted) {
  return DecodeString<Encoding::kUtf8>(quoted.substr(1, quoted.size() - 2));
}

namespace {

/// A number as sign, digits d1 d2 … dn without zeros at either end, and a power of ten: the value
/// is 0.d1d2…dn × 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;  // empty: zero
  int64_t exponent = 0;

  int Sign() const {
    if (digits.empty()) {
      return 0;
    }
    return negative ? -1 : 1;
  }
};

Decimal ToDecimal(std::string_view text) {
  constexpr int64_t kFar = int64_t{1} << 60;  // exponents beyond are all the same to us
  Decimal number;
  number.negative = text.starts_with('-');
  text.remove_prefix(number.negative ? 1 : 0);
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  int64_t exponent = 0;
  if (e < text.size()) {
    std::string_view power = text.substr(e + 1);
    const bool minus = power.starts_with('-');
    if (minus || power.starts_with('+')) {
      power.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc{} || exponent > kFar) {
      exponent = kFar;
    }
    exponent = minus ? -exponent : exponent;
  }
  const std::string_view mantissa = text.substr(0, e);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  number.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) {
    number.digits += mantissa.substr(point + 1);
  }
  const size_t first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) {
    return {};
  }
  number.exponent = exponent + static_cast<int64_t>(point) - static_cast<int64_t>(first);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  number.digits.erase(0, first);
  return number;
}

}  // namespace

int CompareNumbers(std::string_view a, std::string_view b) {
  // Short integers, which most numbers are, need no decimals.
  constexpr size_t kShort = 18;
  int64_t left = 0;
  int64_t right = 0;
  if (a.size() <= kShort && b.size() <= kShort) {
    const auto [a_end, a_error] = std::from_chars(a.data(), a.data() + a.size(), left);
    const auto [b_end, b_error] = std::from_chars(b.data(), b.data() + b.size(), right);
    if (a_end == a.data() + a.size() && b_end == b.data() + b.size()) {
      return SignOf(left <=> right);
    }
  }
  const Decimal x = ToDecimal(a);
  const Decimal y = ToDecimal(b);
  if (x.Sign() != y.Sign() || x.Sign() == 0) {
    return SignOf(x.Sign() <=> y.Sign());
  }
  int order = SignOf(x.exponent <=> y.exponent);
  if (order == 0) {
    order = x.digits.compare(y.digits);
  }
  return x.negative ? -order : order;
}

}  // namespace kinu::json
