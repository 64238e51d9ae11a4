// An editable native-syntax file. Text that no edit concerns keeps its bytes: comments, blank
// lines, alignment, line ends. New text has canonical style and the indentation of its neighbours;
// format the whole text to align it with them.
//
// A file is a tree of slices: every item of a body has the text in front of it (comments, blank
// lines, indentation), its own parts, and the rest of its line.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/flat_map.h"
#include "base/result.h"
#include "cty/value.h"
#include "hcl/body.h"

namespace kinu::hcl::writer {

class Document;
class EditableBody;

/// A block of a document. Valid until it is removed.
class EditableBlock {
 public:
  EditableBlock(const EditableBlock&) = delete;
  EditableBlock& operator=(const EditableBlock&) = delete;
  ~EditableBlock();

  std::string_view type() const { return type_; }
  const std::vector<std::string>& labels() const { return labels_; }
  void SetType(std::string_view type);
  /// Writes the labels in quotes.
  void SetLabels(std::span<const std::string> labels);
  EditableBody& body() { return *body_; }

 private:
  friend class EditableBody;
  EditableBlock();

  Document* document_ = nullptr;
  std::string_view type_;
  std::string_view label_text_;  // from the type to the last label
  std::string_view open_gap_;    // from the last label to the brace
  std::vector<std::string> labels_;
  std::unique_ptr<EditableBody> body_;
};

/// The body of a file or block. Items keep their order; new ones are appended.
class EditableBody {
 public:
  EditableBody(const EditableBody&) = delete;
  EditableBody& operator=(const EditableBody&) = delete;

  // --- Attributes ---
  /// Names in source order.
  std::vector<std::string_view> AttributeNames() const;
  /// The text of an attribute's expression, or nothing when there is no such attribute.
  std::optional<std::string_view> AttributeText(std::string_view name) const;
  /// Replaces the expression of an attribute, or appends an attribute. `expression` is source text,
  /// inserted without change.
  void SetAttribute(std::string_view name, std::string_view expression);
  /// Sets an attribute to a constant. Fails if the value is not wholly known or has marks.
  Result<void> SetAttributeValue(std::string_view name, const Value& value);
  /// Sets an attribute to a reference. Fails if a step is a splat.
  Result<void> SetAttributeTraversal(std::string_view name, std::string_view root,
                                     std::span<const TraversalStep> steps);
  /// Renames an attribute; false if there is no `from`, or if `to` exists.
  bool RenameAttribute(std::string_view from, std::string_view to);
  /// Removes an attribute with the comments directly above it and in its line; false if there is
  /// none.
  bool RemoveAttribute(std::string_view name);

  // --- Blocks ---
  std::vector<EditableBlock*> Blocks();
  /// The first block of that type with exactly these labels; null if there is none.
  EditableBlock* FindBlock(std::string_view type, std::span<const std::string> labels);
  EditableBlock& AppendBlock(std::string_view type, std::span<const std::string> labels);
  /// Removes a block with its comments like RemoveAttribute(); false if it is not in this body.
  bool RemoveBlock(const EditableBlock* block);

  // --- Blank lines and comments ---
  void AppendBlankLine();
  /// Appends a comment with a "#" line for each line of `text`.
  void AppendComment(std::string_view text);

 private:
  friend class Document;
  friend class EditableBlock;
  /// An attribute, a block, or, without name and block, detached comments and blank lines.
  struct Item {
    std::string_view before;  // up to the name: blank lines, comments, indentation
    std::string_view name;    // of an attribute
    std::string_view gap;     // between name and expression: the equals sign with its spaces
    std::string_view expression;
    std::unique_ptr<EditableBlock> block;
    std::string_view after;  // the rest of its line
  };
  using Items = std::list<Item>;

  /// `owner` is the block's item; null for the root.
  EditableBody(Document* document, const Item* owner) : document_(document), owner_(owner) {}
  void Read(const NativeBody& body, std::string_view text, uint32_t begin, uint32_t end);
  void ReadAttribute(const NativeAttribute& attribute, std::string_view text, Item& item);
  void ReadBlock(const NativeBlock& block, std::string_view text, Item& item);
  void Write(std::string& out) const;
  /// Indentation of the closing brace, and of the items.
  std::string_view EndIndent() const;
  std::string_view ItemIndent();
  /// Ensures that the next item starts on a line of its own.
  void OpenLine();
  /// Appends an empty item on a line of its own.
  Item& Append(std::string_view indent);
  void SetExpression(std::string_view name, std::string_view expression, bool indent_lines);
  void Remove(Items::iterator item);

  Document* document_;
  const Item* owner_;
  std::string_view indent_;  // of the items; empty until it is known
  std::string_view head_;    // the rest of the line that opens the body
  std::string_view tail_;    // from the last item's line to the closing brace
  Items items_;
  FlatMap<std::string, Items::iterator> attributes_;
};

/// An editable file. Owns its text.
class Document {
 public:
  /// An empty file.
  Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document();
  /// Parses a file; null after an error. The source need not outlive the document.
  static std::unique_ptr<Document> Parse(const SourceFile* source, Diagnostics& diags);

  EditableBody& body() { return *body_; }
  std::string Text() const;

 private:
  friend class EditableBlock;
  friend class EditableBody;
  std::string_view Keep(std::string_view text) { return arena_.CopyString(text); }

  Arena arena_;
  std::string_view newline_ = "\n";  // the line end of the file
  std::unique_ptr<EditableBody> body_;
};

}  // namespace kinu::hcl::writer
