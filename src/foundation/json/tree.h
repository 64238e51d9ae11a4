// Tree: a JSON value in memory as an array of entries over its text, in the order of the text. An
// entry is 16 bytes; names of members are entries in front of their values. Numbers and strings are
// the bytes of the text: nothing is converted before it is read.
//
// A name that occurs twice in an object is kept twice; Find() returns the last, as Go's
// encoding/json does, and Repeated() finds such names for callers that refuse them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/same_text.h"
#include "json/token_stream.h"

namespace kinu::json {

enum class Kind : uint8_t {
  kNull,
  kFalse,
  kTrue,
  kNumber,
  kString,
  kArray,
  kObject,
  kName,  ///< the name of a member (in a tree's array only, no value)
};

/// "string", "array", …; booleans are "boolean".
std::string_view KindName(Kind kind);

/// Which parts of a value a tree keeps. All are checked.
struct Shape {
  enum class Keep : uint8_t {
    kWhole,    ///< all of it
    kFolded,   ///< a container as a single entry without what is in it: Node::folded()
    kMembers,  ///< of an object the members that are listed, of an array all elements
  };
  struct Part {
    std::string_view name;
    const Shape* shape;
  };
  Keep keep = Keep::kWhole;
  /// With kMembers. The elements of an array have the shape of the array.
  std::span<const Part> parts{};

  /// The shape of a member, or null when it is not kept.
  const Shape* Of(std::string_view name) const;
};

class Tree;
struct Member;

/// A value of a tree; valid as long as the tree. A Node without a tree stands for "no such value".
class Node {
 public:
  Node() = default;
  Node(const Tree* tree, uint32_t at) : tree_(tree), at_(at) {}

  explicit operator bool() const { return tree_ != nullptr; }
  const Tree& tree() const { return *tree_; }
  /// Position in the tree's array.
  uint32_t at() const { return at_; }

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kTrue || kind() == Kind::kFalse; }
  bool is_true() const { return kind() == Kind::kTrue; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }
  bool is_container() const { return is_array() || is_object(); }
  /// Whether this is a container whose content the tree does not have, so that it seems empty.
  /// Its text() is complete, and Tree::ReadFolded() reads it.
  bool folded() const;

  /// The bytes of the value in the text; for a number, its digits as they are written.
  std::string_view text() const;
  /// Where the value begins in the whole document.
  uint64_t offset() const;
  /// The content of a string, decoded.
  std::string String() const;
  /// The content of a string without a copy where nothing is escaped; else `scratch` holds it.
  std::string_view String(std::string& scratch) const;
  /// Whether this is a string with this content.
  bool Is(std::string_view text) const;

  /// Number of elements or members.
  uint32_t size() const;
  /// The last member of that name, or no node.
  Node Find(std::string_view name) const;
  /// Calls `visit` with the value of each member of that name.
  template <typename Visit>
  void ForEachNamed(std::string_view name, const Visit& visit) const;
  /// Find() for several names, in one pass over the members.
  template <size_t count>
  std::array<Node, count> FindEach(const std::string_view (&names)[count]) const;
  /// The element at that index, or no node. Linear.
  Node At(uint64_t index) const;

  class Elements;
  class Members;
  /// Elements of an array (of anything else: none).
  Elements elements() const;
  /// Members of an object (of anything else: none).
  Members members() const;

 private:
  const Tree* tree_ = nullptr;
  uint32_t at_ = 0;
};

struct Member {
  Node name;  ///< its String() is the name
  Node value;
};

class Tree {
 public:
  struct Entry {
    uint32_t begin;  ///< bytes in text(), quotes and brackets inside
    uint32_t end;
    uint32_t next;  ///< the entry behind this value and all that is in it
    uint32_t kind_bits : 3;
    uint32_t count : 28;   ///< elements or members
    uint32_t escaped : 1;  ///< a string or name with escapes; a container that is folded
    Kind kind() const { return static_cast<Kind>(kind_bits); }
  };

  /// Makes room for the entries of a text of that size.
  void Expect(size_t bytes);
  /// Reads the value at the stream's current token and steps over it. False when it is
  /// malformed, and the stream has the problem. The tree refers to the stream's text, so it is
  /// valid until the stream moves on (with a text in memory: as long as that text).
  bool Read(TokenStream& stream);
  /// Reads the value at the current token, and keeps only what the shape says.
  bool Read(TokenStream& stream, const Shape& shape);
  /// Reads the value of a folded node, whose text must outlive this tree. False when it has too
  /// many elements.
  bool ReadFolded(const Node& folded);

  /// Whether something was not kept.
  bool partial() const { return partial_; }
  Node root() const { return Node(this, 0); }
  const Entry& entry(uint32_t at) const { return entries_.data[at]; }
  std::string_view text() const { return text_; }
  /// The bytes between the quotes of a string or name, escapes as they are written.
  std::string_view Quoted(const Entry& entry) const {
    return {text_.data() + entry.begin + 1, entry.end - entry.begin - 2};
  }
  uint64_t offset() const { return offset_; }
  size_t entry_count() const { return entries_.size; }

 private:
  /// Like a vector, but what is not used yet is never written.
  struct Entries {
    std::unique_ptr<Entry[]> data;
    size_t size = 0;
    size_t capacity = 0;
    void Reserve(size_t wanted);
  };
  class Builder;

  bool ReadShaped(TokenStream& stream, const Shape& shape);
  bool ReadParts(TokenStream& stream, const Shape& shape);
  bool ReadValue(TokenStream& stream);
  bool ReadName(TokenStream& stream);
  void Append(TokenStream& stream, Kind kind);

  Entries entries_;
  std::vector<uint32_t> open_;  // the containers around a part of a shape
  std::string_view text_;
  uint64_t offset_ = 0;
  bool partial_ = false;
};

inline bool Node::folded() const {
  return is_container() && tree_->entry(at_).escaped != 0;
}
inline Kind Node::kind() const {
  return tree_->entry(at_).kind();
}
inline std::string_view Node::text() const {
  const Tree::Entry& entry = tree_->entry(at_);
  return tree_->text().substr(entry.begin, entry.end - entry.begin);
}
inline bool Node::Is(std::string_view wanted) const {
  const Tree::Entry& entry = tree_->entry(at_);
  if (entry.kind() != Kind::kString && entry.kind() != Kind::kName) {
    return false;
  }
  return entry.escaped ? String() == wanted : SameText(tree_->Quoted(entry), wanted);
}
inline uint64_t Node::offset() const {
  return tree_->offset() + tree_->entry(at_).begin;
}
inline uint32_t Node::size() const {
  return tree_->entry(at_).count;
}

class Node::Elements {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, uint32_t at) : tree_(tree), at_(at) {}
    Node operator*() const { return Node(tree_, at_); }
    Iterator& operator++() {
      at_ = tree_->entry(at_).next;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Tree* tree_;
    uint32_t at_;
  };
  Elements(const Tree* tree, uint32_t begin, uint32_t end) : begin_(tree, begin), end_(tree, end) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};

class Node::Members {
 public:
  class Iterator {
   public:
    Iterator(const Tree* tree, uint32_t at) : tree_(tree), at_(at) {}
    Member operator*() const { return {Node(tree_, at_), Node(tree_, at_ + 1)}; }
    Iterator& operator++() {
      at_ = tree_->entry(at_ + 1).next;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Tree* tree_;
    uint32_t at_;
  };
  Members(const Tree* tree, uint32_t begin, uint32_t end) : begin_(tree, begin), end_(tree, end) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};

inline Node::Elements Node::elements() const {
  return {tree_, at_ + 1, is_array() ? tree_->entry(at_).next : at_ + 1};
}
inline Node::Members Node::members() const {
  return {tree_, at_ + 1, is_object() ? tree_->entry(at_).next : at_ + 1};
}

/// Whether a name may be this one: most differ in length. Escapes make a name longer.
inline bool MayBe(const Tree::Entry& name, std::string_view wanted) {
  const size_t length = name.end - name.begin - 2;
  return name.escaped ? length > wanted.size() : length == wanted.size();
}

template <typename Visit>
void Node::ForEachNamed(std::string_view name, const Visit& visit) const {
  for (const Member member : members()) {
    if (MayBe(tree_->entry(member.name.at()), name) && member.name.Is(name)) {
      visit(member.value);
    }
  }
}

inline Node Node::Find(std::string_view name) const {
  Node found;
  ForEachNamed(name, [&](const Node& value) { found = value; });
  return found;
}

template <size_t count>
std::array<Node, count> Node::FindEach(const std::string_view (&names)[count]) const {
  std::array<Node, count> found;
  for (const Member member : members()) {
    for (size_t i = 0; i < count; ++i) {
      if (MayBe(tree_->entry(member.name.at()), names[i]) && member.name.Is(names[i])) {
        found[i] = member.value;
      }
    }
  }
  return found;
}

/// A document that owns its text. Its address is that of its nodes' tree, so it stays where it is.
class Document {
 public:
  /// Reads a whole text. The error names the problem and its byte.
  static Result<std::unique_ptr<Document>> Parse(std::string text);
  /// Reads a whole text, and keeps only what the shape says.
  static Result<std::unique_ptr<Document>> Parse(std::string text, const Shape& shape);
  /// Reads a file, which stays mapped as long as the document is there.
  static Result<std::unique_ptr<Document>> Parse(std::unique_ptr<MappedFile> file,
                                                 const Shape& shape);

  Node root() const { return tree_.root(); }
  const Tree& tree() const { return tree_; }

 private:
  explicit Document(std::string text) : text_(std::move(text)) {}
  explicit Document(std::unique_ptr<MappedFile> file) : file_(std::move(file)) {}
  static Result<std::unique_ptr<Document>> ReadAll(std::unique_ptr<Document>&& document,
                                                   TokenStream&& stream, const Shape& shape);

  std::string text_;
  std::unique_ptr<MappedFile> file_;  // or this
  Tree tree_;
};

/// "invalid JSON at byte 12: …".
std::string DescribeProblem(const Problem& problem);

/// The first name (in the order of the text) that its object has already, or no node.
Node Repeated(const Tree& tree);

/// The content of a quoted JSON string that is known to be well-formed.
std::string DecodeString(std::string_view quoted);

/// Appends well-formed JSON text, or a part of one between tokens, without the white space between
/// its tokens. `portable`: as processors without AVX-512 do it; for tests.
void AppendCompact(std::string& out, std::string_view json, bool portable = false);

/// Order of two JSON numbers by exact value: negative, zero or positive.
int CompareNumbers(std::string_view a, std::string_view b);

}  // namespace kinu::json
