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
// All classes are values: cheap to copy, valid after the object that returned them is destroyed,
// and safe to read from several threads. Functions append errors and warnings to `problems` and
// return a partial result after errors. The only exception thrown is std::bad_alloc.
//
// The header needs C++20 and the standard library only.
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

#include <kinu/diagnostics.h>
#include <kinu/version.h>

namespace kinu::v1 {

struct FileContent;

/// A value of the language: immutable, of one of these kinds; it may be null or unknown.
class Value {
 public:
  enum class Kind : uint8_t {
    kDynamic,  ///< a null or unknown value of unknown type
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

  /// A null of unknown type.
  Value();
  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Double(double value);
  /// The exact value of a decimal number; nothing if the text is not a number.
  static std::optional<Value> Number(std::string_view text);
  static Value String(std::string_view text);
  /// A tuple, whose elements may be of different kinds.
  static Value Tuple(const std::vector<Value>& elements);
  static Value Object(const std::vector<std::pair<std::string, Value>>& attributes);
  /// An unknown value of unknown type.
  static Value Unknown();
  /// The value of a JSON text, with objects and tuples; nothing, and an error, if it is not JSON.
  static std::optional<Value> FromJson(std::string_view json, Diagnostics& problems);

  Kind kind() const;
  bool is_null() const;
  /// Whether the value itself is known; parts of it may be unknown.
  bool is_known() const;
  /// Whether the value and all its parts are known.
  bool is_wholly_known() const;
  /// Whether the value or a part of it must not be shown.
  bool is_sensitive() const;

  /// The content; nothing if the value is null, unknown or of another kind. AsInt() also returns
  /// nothing for numbers that are no int64.
  std::optional<bool> AsBool() const;
  std::optional<int64_t> AsInt() const;
  std::optional<double> AsDouble() const;
  std::optional<std::string> AsString() const;
  /// The shortest exact decimal text of a number; nothing for other values.
  std::optional<std::string> AsNumberText() const;
  /// Number of elements or attributes; 0 for other kinds.
  size_t size() const;
  /// Elements of a list, set, tuple or map; values of the attributes of an object.
  std::vector<Value> elements() const;
  /// Keys of a map or names of the attributes of an object, in the order of elements().
  std::vector<std::string> keys() const;
  /// The element with that key, or the attribute of that name; nothing if there is none.
  std::optional<Value> Find(std::string_view key) const;

  /// The value as JSON, sensitive parts included; nothing if a part is unknown.
  std::optional<std::string> ToJson() const;
  /// The value as source text of the native syntax; nothing if a part is unknown or sensitive.
  std::optional<std::string> ToSource() const;
  /// The name of the type in messages: "list of string".
  std::string TypeName() const;
  /// Whether type and content are equal.
  friend bool operator==(const Value& a, const Value& b);

 private:
  friend struct Access;
  struct Content;
  explicit Value(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// The variables and functions that expressions can use. Without variables, every reference is an
/// error; without functions, every call is. Without both, strings of the JSON syntax are literal.
class Scope {
 public:
  Scope();
  Scope(const Scope&);
  Scope& operator=(const Scope&);
  ~Scope();

  void SetVariable(std::string_view name, const Value& value);
  /// Adds the functions of the configuration language (`upper`, `cidrsubnet`, …). They have no side
  /// effects. Functions that read files resolve relative paths against `directory`.
  void UseStandardFunctions(std::string_view directory = ".");
  /// Adds the functions try(...), can(...) and convert(value, type).
  void UseExtensionFunctions();
  /// The result of a Function: a value, or an error message without a final full stop.
  struct Result {
    Value value;
    std::string error;  ///< empty if the call succeeds
  };
  /// The implementation of a function. Its arguments are known and not null.
  using Function = std::function<Result(std::span<const Value> arguments)>;
  /// Adds a function; `parameters` are the names of its parameters in error messages.
  void SetFunction(std::string_view name, std::vector<std::string> parameters, Function function);

 private:
  friend struct Access;
  struct Content;
  std::unique_ptr<Content> content_;
};

/// A parsed expression.
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
  /// The source text; in a JSON file, JSON.
  std::string text() const;
  /// The direct parts in source order: arguments, elements, operands, keys and values.
  std::vector<Expression> children() const;
  /// The text of a reference (`a.b[0]`) or the name of a called function; else empty.
  std::string name() const;
  /// The references in the expression, without those to names bound by `for`: `var.a`, `each.key`.
  std::vector<std::string> References() const;

  /// Evaluates the expression. After errors the result is partial, usually unknown.
  Value Evaluate(const Scope& scope, Diagnostics& problems) const;

  /// The single word that the expression consists of, without evaluation; in JSON the content of a
  /// string. Nothing for other expressions.
  std::optional<std::string> AsKeyword() const;
  /// The elements of a tuple expression or JSON array, without evaluation; nothing for others.
  std::optional<std::vector<Expression>> AsList() const;

 private:
  friend struct Access;
  Expression() = default;
  std::shared_ptr<const FileContent> file_;
  const void* node_ = nullptr;
};

/// An argument of a body.
struct Attribute {
  std::string name;
  Expression expression;
  Range range;  ///< from the name to the end of the value
  Range name_range;
};

class Block;

/// An attribute that a body may contain.
struct AttributeSchema {
  std::string name;
  bool required = false;
};
/// A block that a body may contain.
struct BlockSchema {
  std::string type;
  std::vector<std::string> label_names = {};
};
/// The attributes and blocks that a body may contain.
struct BodySchema {
  std::vector<AttributeSchema> attributes = {};
  std::vector<BlockSchema> blocks = {};
  /// Ignore anything else instead of reporting it.
  bool partial = false;
};

/// The attributes and blocks of a body, in source order.
struct BodyContent {
  std::vector<Attribute> attributes;
  std::vector<Block> blocks;
  /// The attribute of that name; null if there is none. Valid as long as `attributes` is unchanged.
  const Attribute* Find(std::string_view name) const&;
  const Attribute* Find(std::string_view name) const&& = delete;
};

/// The body of a file or block.
class Body {
 public:
  /// Reads the body through a schema. The JSON syntax needs one, because only the schema
  /// distinguishes blocks from attributes.
  BodyContent Read(const BodySchema& schema, Diagnostics& problems) const;
  /// All attributes. Reports blocks as errors.
  std::vector<Attribute> JustAttributes(Diagnostics& problems) const;
  bool is_json() const;
  /// Everything in a body of the native syntax; empty for JSON, and for a block of a Module that is
  /// written in parts (overrides).
  BodyContent All() const;

 private:
  friend struct Access;
  Body() = default;
  std::shared_ptr<const FileContent> file_;
  const void* body_ = nullptr;
};

/// A block.
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

/// The syntax of a file.
enum class Syntax : uint8_t {
  kByName,  ///< JSON if the name ends with ".json", else native
  kNative,
  kJson,
};

/// A parsed file.
class File {
 public:
  /// Parses `text`; diagnostics show `name`. After errors the body has everything that is valid.
  static File Parse(std::string_view name, std::string_view text, Diagnostics& problems,
                    Syntax syntax = Syntax::kByName);
  Body body() const { return body_; }

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

/// A decoder specification: describes how to decode a body into a value. The language is that of
/// the hcldec tool.
class DecoderSpec {
 public:
  /// Parses a specification; nothing after errors.
  static std::optional<DecoderSpec> Parse(std::string_view name, std::string_view text,
                                          Diagnostics& problems);
  /// Decodes a body in `scope`, extended by the variables and functions of the specification.
  Value Decode(const Body& body, const Scope& scope, Diagnostics& problems) const;

 private:
  struct Content;
  explicit DecoderSpec(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

/// An editable file of the native syntax. Text that no edit concerns keeps its bytes: comments,
/// blank lines, alignment. Copies are independent.
class Editor {
 public:
  /// An empty file.
  Editor();
  Editor(const Editor& other);
  Editor(Editor&&) noexcept;
  Editor& operator=(Editor other);
  ~Editor();
  /// Parses a file; nothing after errors.
  static std::optional<Editor> Parse(std::string_view name, std::string_view text,
                                     Diagnostics& problems);

  /// The path to a body: type and labels of each block, such as {{"resource", "t", "n"},
  /// {"lifecycle"}}; empty for the body of the file. Finds the first of several equal blocks.
  using Path = std::vector<std::vector<std::string>>;
  bool HasBlock(const Path& path) const;
  /// The source text of an attribute's expression; nothing if there is no such attribute.
  std::optional<std::string> AttributeText(const Path& path, std::string_view name) const;
  /// Sets or appends an attribute. False if there is no such body, or Value::ToSource() fails.
  bool SetAttribute(const Path& path, std::string_view name, const Value& value);
  /// Sets or appends an attribute with the source text of an expression. False also after a syntax
  /// error in it, which is reported.
  bool SetAttributeExpression(const Path& path, std::string_view name, std::string_view expression,
                              Diagnostics& problems);
  bool RemoveAttribute(const Path& path, std::string_view name);
  /// Appends a block with the type and labels `block` to a body; false if there is no such body.
  bool AppendBlock(const Path& path, const std::vector<std::string>& block);
  bool RemoveBlock(const Path& path);

  std::string Text() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// The text in canonical layout. Changes spaces only.
std::string Format(std::string_view text);

/// What an object of the JSON syntax is where a body has no schema that says it.
enum class NestedObjects : uint8_t {
  kArraysAreBlocks,  ///< arrays of objects are blocks, single objects arguments
  kAreArguments,
  kAreBlocks,
};

/// The file in the other syntax, `to`: kJson or kNative; kByName means the one that the name does
/// not have. The end of the name says what the file is: of a module (".tf", ".tofu"), values of
/// variables
/// (".tfvars"), or of another language. The result means the same: it is parsed and compared.
/// Warnings name comments that are lost. Nothing, and an error, if that is impossible.
std::optional<std::string> Convert(std::string_view name, std::string_view text, Syntax to,
                                   Diagnostics& problems,
                                   NestedObjects nested = NestedObjects::kArraysAreBlocks);

}  // namespace kinu::v1
