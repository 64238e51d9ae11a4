// HCL for C++ programs: parse, walk, evaluate, decode, edit and format files of the configuration
// language, in the native and in the JSON syntax.
//
//   kinu::v1::Diagnostics problems;
//   auto file = kinu::v1::File::Parse("app.hcl", text, problems);
//   kinu::v1::Scope scope;
//   scope.SetVariable("region", kinu::v1::Value::String("north"));
//   for (const auto& attribute : file.body().JustAttributes(problems)) {
//     kinu::v1::Value value = attribute.expression.Evaluate(scope, problems);
//   }
//
// All classes are values: cheap to copy, safe to keep after what they came from is gone, and safe
// to read from several threads. Functions that find problems add them to `problems` and return what
// they could tell all the same. Nothing throws but std::bad_alloc.
//
// The header needs C++20 and nothing but the standard library.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinu::v1 {

struct FileContent;

/// A place: line and column count from 1 (columns in characters as people count them), byte from 0.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t byte = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Half-open.
struct Range {
  std::string file;
  Position start;
  Position end;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Something to tell the author of a file.
struct Diagnostic {
  bool is_error = true;  ///< else a warning
  std::string summary;
  std::string detail;
  std::optional<Range> subject;
};
using Diagnostics = std::vector<Diagnostic>;
bool HasErrors(const Diagnostics& problems);
/// As one text of several lines: what, where and why.
std::string Render(const Diagnostic& problem);

/// A value of the language: immutable, of one of these kinds, perhaps null, perhaps not known.
class Value {
 public:
  enum class Kind : uint8_t {
    kDynamic,  ///< a null or unknown value whose kind is not known
    kBool,
    kNumber,
    kString,
    kList,
    kSet,
    kMap,
    kTuple,
    kObject,
    kOther,
  };

  /// Null.
  Value();
  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Double(double value);
  /// A number by its decimal digits, exactly; nothing when the text is no number.
  static std::optional<Value> Number(std::string_view text);
  static Value String(std::string_view text);
  /// Elements of any kinds.
  static Value Tuple(const std::vector<Value>& elements);
  static Value Object(const std::vector<std::pair<std::string, Value>>& attributes);
  /// A value that will be known later.
  static Value Unknown();
  /// What a JSON text says: objects and tuples. Nothing when it is no JSON.
  static std::optional<Value> FromJson(std::string_view json);

  Kind kind() const;
  bool is_null() const;
  /// Known at this level.
  bool is_known() const;
  /// Known with all that is inside.
  bool is_wholly_known() const;
  /// True for a value that must not be shown, or that contains one.
  bool is_sensitive() const;

  /// Content; nothing when the value is null, not known or of another kind.
  std::optional<bool> AsBool() const;
  std::optional<int64_t> AsInt() const;
  std::optional<double> AsDouble() const;
  std::optional<std::string> AsString() const;
  /// The number's shortest exact decimal text.
  std::optional<std::string> AsNumberText() const;
  /// Number of elements or attributes; 0 for other kinds.
  size_t size() const;
  /// Elements of a list, set, tuple or map, values of an object's attributes.
  std::vector<Value> elements() const;
  /// Keys of a map or names of an object's attributes, in the order of elements().
  std::vector<std::string> keys() const;
  /// By key or attribute name.
  std::optional<Value> Find(std::string_view key) const;

  /// JSON text; nothing when something inside is not known. Sensitive values are written too.
  std::optional<std::string> ToJson() const;
  /// As source text of the native syntax; nothing when something inside is not known or sensitive.
  std::optional<std::string> ToSource() const;
  /// The type as people write it: "list of string".
  std::string TypeName() const;
  /// Same type and same content.
  friend bool operator==(const Value& a, const Value& b);

 private:
  friend struct Access;
  struct Content;
  explicit Value(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// What names mean while something is evaluated. Without any variable or function, none is allowed,
/// and strings of the JSON syntax are plain texts.
class Scope {
 public:
  Scope();
  Scope(const Scope&);
  Scope& operator=(const Scope&);
  ~Scope();

  void SetVariable(std::string_view name, const Value& value);
  /// The functions of the infrastructure language, by their names there. None of them changes
  /// anything; those that read files do so below `directory`.
  void UseStandardFunctions(std::string_view directory = ".");
  /// The extension functions try(...), can(...) and convert(value, type).
  void UseExtensionFunctions();
  /// A function of the program's own. It gets known arguments that are not null, and gives a value
  /// or, as its error, a sentence without a final full stop.
  struct Result {
    Value value;
    std::string error;  ///< empty: none
  };
  using Function = std::function<Result(std::span<const Value> arguments)>;
  void SetFunction(std::string_view name, std::vector<std::string> parameters, Function function);

 private:
  friend struct Access;
  struct Content;
  std::unique_ptr<Content> content_;
};

/// An expression as it was parsed.
class Expression {
 public:
  enum class Kind : uint8_t {
    kLiteral,
    kReference,  ///< a.b[0]
    kCall,
    kConditional,
    kIndex,
    kTuple,
    kObject,
    kFor,
    kSplat,
    kTemplate,
    kOperator,
    kParentheses,
    kOther,
  };

  Kind kind() const;
  Range range() const;
  /// The source text. Of a JSON file: JSON.
  std::string text() const;
  /// Direct parts in the order of the source, to walk down: arguments, elements, operands, keys and
  /// values.
  std::vector<Expression> children() const;
  /// Of a reference: `a.b[0]`. Of a call: the function's name. Else empty.
  std::string name() const;
  /// The references that evaluation would follow, outermost names first: `var.a`, `each.key`.
  std::vector<std::string> References() const;

  Value Evaluate(const Scope& scope, Diagnostics& problems) const;

  /// Static readings: the form of the expression instead of its value, in both syntaxes.
  std::optional<std::string> AsKeyword() const;
  std::optional<std::vector<Expression>> AsList() const;

 private:
  friend struct Access;
  Expression() = default;
  std::shared_ptr<const FileContent> file_;
  const void* node_ = nullptr;
};

struct Attribute {
  std::string name;
  Expression expression;
  Range range;  ///< name to end of the value
  Range name_range;
};

class Block;

/// What a body may contain.
struct AttributeSchema {
  std::string name;
  bool required = false;
};
struct BlockSchema {
  std::string type;
  std::vector<std::string> label_names = {};
};
struct BodySchema {
  std::vector<AttributeSchema> attributes = {};
  std::vector<BlockSchema> blocks = {};
  /// Leaves anything else alone instead of reporting it.
  bool partial = false;
};

/// What a schema found, in the order of the source.
struct BodyContent {
  std::vector<Attribute> attributes;
  std::vector<Block> blocks;
  const Attribute* Find(std::string_view name) const;
};

/// What stands in a file or in a block.
class Body {
 public:
  /// Reads the body through a schema. The JSON syntax cannot be read otherwise: only the schema
  /// tells its blocks from its attributes.
  BodyContent Read(const BodySchema& schema, Diagnostics& problems) const;
  /// All attributes of a body that may have no blocks.
  std::vector<Attribute> JustAttributes(Diagnostics& problems) const;
  bool is_json() const;
  /// Everything in a body of the native syntax, without a schema; empty for JSON.
  BodyContent All() const;

 private:
  friend struct Access;
  Body() = default;
  std::shared_ptr<const FileContent> file_;
  const void* body_ = nullptr;
};

class Block {
 public:
  std::string type;
  std::vector<std::string> labels;
  Body body;
  Range range;  ///< type and labels

 private:
  friend struct Access;
  explicit Block(Body block_body) : body(std::move(block_body)) {}
};

enum class Syntax : uint8_t {
  kByName,  ///< JSON when the name ends in ".json", else native
  kNative,
  kJson,
};

/// A parsed file.
class File {
 public:
  /// Parses `text`; `name` is what diagnostics show. With errors, what could be read is there.
  static File Parse(std::string_view name, std::string_view text, Diagnostics& problems,
                    Syntax syntax = Syntax::kByName);
  const Body& body() const { return body_; }

 private:
  friend struct Access;
  explicit File(Body body) : body_(std::move(body)) {}
  Body body_;
};

/// Parses an expression of the native syntax.
Expression ParseExpression(std::string_view text, Diagnostics& problems,
                           std::string_view name = "<expression>");
/// Parses a template: text with ${...} and %{...}.
Expression ParseTemplate(std::string_view text, Diagnostics& problems,
                         std::string_view name = "<template>");

/// A decoder specification: how a body becomes one value. The language is that of the hcldec tool.
class DecoderSpec {
 public:
  /// Nothing when the specification has errors.
  static std::optional<DecoderSpec> Parse(std::string_view name, std::string_view text,
                                          Diagnostics& problems);
  /// Decodes. Variables and functions of the specification are added to the scope's.
  Value Decode(const Body& body, const Scope& scope, Diagnostics& problems) const;

 private:
  struct Content;
  explicit DecoderSpec(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// A file of the native syntax that can be edited. What no edit touches keeps its bytes: comments,
/// blank lines, alignment. A copy is a file of its own.
class Editor {
 public:
  /// An empty file.
  Editor();
  Editor(const Editor& other);
  Editor(Editor&&) noexcept;
  Editor& operator=(Editor other);
  ~Editor();
  /// Nothing when the text does not parse.
  static std::optional<Editor> Parse(std::string_view name, std::string_view text,
                                     Diagnostics& problems);

  /// A body is named by the way down to it: types and labels of blocks, such as
  /// {"resource", "t", "n"} and {"lifecycle"}; empty is the file. Of several the first is meant.
  using Path = std::vector<std::vector<std::string>>;
  bool HasBlock(const Path& path) const;
  std::optional<std::string> AttributeText(const Path& path, std::string_view name) const;
  /// False when there is no such body, or the value has no source text.
  bool SetAttribute(const Path& path, std::string_view name, const Value& value);
  /// The same with an expression; false also when it does not parse.
  bool SetAttributeExpression(const Path& path, std::string_view name, std::string_view expression);
  bool RemoveAttribute(const Path& path, std::string_view name);
  /// Appends a block to a body; `block` is its type and labels.
  bool AppendBlock(const Path& path, const std::vector<std::string>& block);
  bool RemoveBlock(const Path& path);

  std::string Text() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The text in canonical layout; only spaces change.
std::string Format(std::string_view text);

/// The version of the library.
std::string_view Version();

}  // namespace kinu::v1
