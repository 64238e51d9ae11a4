// Decodes the body of an assertion into its arguments. Types are never converted: a string in place
// of a number is an error.
#include <algorithm>

#include "check/assertion.h"
#include "check/condition.h"
#include "hcl/static.h"
#include "lang/eval.h"

namespace kinu::check {
namespace {

constexpr std::string_view kDocument = "document";
constexpr std::string_view kChildModules = "child_modules";
constexpr std::string_view kStateValue = "state_value";
constexpr std::string_view kSelector = "selector";

constexpr std::string_view kActionWords[] = {
    "NoOp",   "Create", "Read", "Update", "Destroy", "DestroyBeforeCreate", "CreateBeforeDestroy",
    "Replace"};
constexpr std::string_view kComparers[] = {"values_same", "values_differ"};

bool IsKnownNotNull(const Value& value) {
  return value.IsKnown() && !value.IsNull();
}
bool IsSequence(const Value& value) {
  return IsKnownNotNull(value) && (value.type().is_tuple() || value.type().is_list());
}
bool IsText(const Value& value) {
  return IsKnownNotNull(value) && value.type() == Type::String();
}

class Decoder {
 public:
  Decoder(Assertion& assertion, const KnownValueScope& scope)
      : assertion_(assertion), scope_(scope) {}

  void Decode(const hcl::Body& body) {
    const KindSpec& kind = *assertion_.kind;
    const std::vector<const SelectorSpec*> selectors = FindSelectors(body, kind.selectors);
    std::vector<hcl::AttributeSchema> attributes;
    bool has_address = false;
    for (const ArgumentSpec& argument : kind.arguments) {
      bool replaced = false;
      bool optional = false;
      for (const SelectorSpec* selector : selectors) {
        const bool is_path = argument.name == selector->path;
        optional = optional || (is_path && selector->path_may_follow);
        replaced = replaced || argument.name == selector->address ||
                   (is_path && !selector->path_may_follow);
      }
      if (!replaced) {
        attributes.push_back({.name = argument.name, .required = !optional && !argument.optional});
        has_address = has_address || argument.name.find("address") != std::string_view::npos;
      }
    }
    for (const SelectorSpec* selector : selectors) {
      attributes.push_back({.name = selector->name});
    }
    std::vector<hcl::BlockSchema> blocks;
    if (kind.has_state_values) {
      blocks.push_back({.type = kStateValue});
    } else {
      attributes.push_back({.name = kDocument});
    }
    const bool searches_state = kind.side == Side::kState && (has_address || kind.has_state_values);
    if (searches_state) {
      attributes.push_back({.name = kChildModules});
    }
    const auto content = Read(body, {.attributes = attributes, .blocks = blocks});
    for (const ArgumentSpec& argument : kind.arguments) {
      if (failed()) {
        return;
      }
      if (const hcl::Attribute* attribute = content.Find(argument.name)) {
        ReadArgument(argument, *attribute->expr);
      } else {
        assertion_.arguments.emplace_back(std::string());
      }
    }
    for (const SelectorSpec& spec : kind.selectors) {
      const hcl::Attribute* attribute = failed() ? nullptr : content.Find(spec.name);
      assertion_.selectors.push_back(
          attribute == nullptr ? nullptr : ReadSelector(spec.name, *attribute->expr));
    }
    if (kind.needs_selector && !assertion_.HasSelector()) {
      Fail(std::string(kind.selectors[0].name) + " is required");
    }
    if (const hcl::Attribute* flag = searches_state ? content.Find(kChildModules) : nullptr) {
      const Value value = Evaluate(*flag->expr);
      if (!failed() && !(IsKnownNotNull(value) && value.type() == Type::Bool())) {
        Fail("child_modules must be true or false");
      }
      assertion_.in_modules = !failed() && value.AsBool();
    }
    if (!kind.has_state_values) {
      assertion_.document = ReadDocument(content);
      return;
    }
    if (!failed() && content.blocks.empty()) {
      Fail("at least one state_value block is needed");
    }
    for (const hcl::Block& block : content.blocks) {
      if (failed()) {
        return;
      }
      ReadStateValue(*block.body);
    }
  }

 private:
  bool failed() const { return !assertion_.error.empty(); }
  void Fail(std::string message) {
    if (!failed()) {
      assertion_.error = std::move(message);
    }
  }
  void Fail(const Diagnostics& diags) {
    for (const Diagnostic& diagnostic : diags) {
      if (diagnostic.is_error()) {
        Fail(diagnostic.detail.empty() ? diagnostic.summary
                                       : diagnostic.summary + ": " + diagnostic.detail);
      }
    }
  }

  hcl::BodyContent Read(const hcl::Body& body, const hcl::BodySchema& schema) {
    Diagnostics diags;
    hcl::BodyContent content = body.Content(schema, hcl::Strictness::kExact, diags);
    Fail(diags);
    return content;
  }

  Value Evaluate(const hcl::Expr& expr) {
    Diagnostics diags;
    Value value = lang::Evaluate(expr, scope_, diags);
    Fail(diags);
    return value;
  }

  /// The selectors that a body contains.
  static std::vector<const SelectorSpec*> FindSelectors(const hcl::Body& body,
                                                        std::span<const SelectorSpec> specs) {
    std::vector<hcl::AttributeSchema> names;
    for (const SelectorSpec& spec : specs) {
      names.push_back({.name = spec.name});
    }
    Diagnostics ignored;
    const auto content = body.Content({.attributes = names}, hcl::Strictness::kPartial, ignored);
    std::vector<const SelectorSpec*> given;
    for (const SelectorSpec& spec : specs) {
      if (content.Find(spec.name) != nullptr) {
        given.push_back(&spec);
      }
    }
    return given;
  }

  Selector ReadSelector(std::string_view name, const hcl::Expr& expr) {
    const std::string text = ReadText(name, Evaluate(expr));
    if (failed()) {
      return nullptr;
    }
    auto selector = query::ParseSelector(text);
    if (!selector) {
      Fail("invalid " + std::string(name) + ": " + selector.error().message + ", at byte " +
           std::to_string(selector.error().offset));
      return nullptr;
    }
    return std::make_shared<const query::Query>(*std::move(selector));
  }

  uint64_t ReadDocument(const hcl::BodyContent& content) {
    const hcl::Attribute* attribute = failed() ? nullptr : content.Find(kDocument);
    if (attribute == nullptr) {
      return 0;
    }
    const Value value = Evaluate(*attribute->expr);
    if (failed()) {
      return 0;
    }
    const bool number = IsKnownNotNull(value) && value.type() == Type::Number();
    const std::optional<int64_t> index = number ? value.AsInt64() : std::nullopt;
    if (!index || *index < 0) {
      Fail("document must be the number of a document, counted from 0");
      return 0;
    }
    return static_cast<uint64_t>(*index);
  }

  void ReadStateValue(const hcl::Body& body) {
    static constexpr SelectorSpec kSpec[] = {{kSelector, "address", "path"}};
    static constexpr hcl::AttributeSchema kAttributes[] = {
        {"address", true}, {"path", true}, {kDocument, false}};
    static constexpr hcl::AttributeSchema kSelecting[] = {{kSelector, true}, {kDocument, false}};
    const bool selects = !FindSelectors(body, kSpec).empty();
    const auto content =
        Read(body, {.attributes = selects ? std::span<const hcl::AttributeSchema>(kSelecting)
                                          : std::span<const hcl::AttributeSchema>(kAttributes)});
    StateValue result;
    if (!failed() && selects) {
      result.selector = ReadSelector(kSelector, *content.Find(kSelector)->expr);
    } else if (!failed()) {
      result.address = ReadText("address", Evaluate(*content.Find("address")->expr));
      result.path =
          failed() ? tfjson::Path() : ReadPath("path", Evaluate(*content.Find("path")->expr));
    }
    result.document = ReadDocument(content);
    assertion_.state_values.push_back(std::move(result));
  }

  std::string ReadText(std::string_view name, const Value& value) {
    if (!failed() && !IsText(value)) {
      Fail(std::string(name) + " must be a string");
    }
    return failed() ? std::string() : std::string(value.AsString());
  }

  tfjson::Path ReadPath(std::string_view name, const Value& value) {
    tfjson::Path path;
    if (!failed() && !IsSequence(value)) {
      Fail(std::string(name) + " must be a list of steps");
    }
    if (failed()) {
      return path;
    }
    for (const Value& step : value.elements()) {
      const std::optional<int64_t> index =
          IsKnownNotNull(step) && step.type() == Type::Number() ? step.AsInt64() : std::nullopt;
      if (IsText(step)) {
        path.Append(std::string(step.AsString()));
      } else if (index && *index >= 0) {
        path.Append(static_cast<uint64_t>(*index));
      } else {
        Fail("a step of " + std::string(name) +
             " must be a string or a whole number from 0 to 9223372036854775807");
      }
    }
    return path;
  }

  /// Reads an expression that is evaluated later. Its names must exist.
  void ReadExpression(const hcl::Expr& expr) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(expr, traversals);
    for (const hcl::TraversalExpr* traversal : traversals) {
      if (!FindName(traversal->root)) {
        Fail("there is no name \"" + std::string(traversal->root) + "\" in conditions");
      }
    }
    assertion_.arguments.emplace_back(std::make_shared<const Expression>(expr));
  }

  void ReadTexts(std::string_view name, const Value& value) {
    std::vector<std::string> texts;
    if (!IsSequence(value)) {
      return Fail(std::string(name) + " must be a list of strings");
    }
    for (const Value& element : value.elements()) {
      if (!IsText(element)) {
        return Fail(std::string(name) + " must be a list of strings");
      }
      texts.emplace_back(element.AsString());
    }
    assertion_.arguments.emplace_back(std::move(texts));
  }

  void ReadCount(std::string_view name, const Value& value) {
    const bool number = IsKnownNotNull(value) && value.type() == Type::Number();
    const std::optional<int64_t> count = number ? value.AsInt64() : std::nullopt;
    if (!count || *count < 0) {
      return Fail(std::string(name) + " must be a whole number from 0");
    }
    assertion_.arguments.emplace_back(static_cast<uint64_t>(*count));
  }

  void ReadArgument(const ArgumentSpec& spec, const hcl::Expr& expr) {
    if (spec.type == ArgumentType::kExpression) {
      return ReadExpression(expr);
    }
    const Value value = Evaluate(expr);
    if (failed()) {
      return;
    }
    const std::string name(spec.name);
    switch (spec.type) {
      case ArgumentType::kText:
        assertion_.arguments.emplace_back(ReadText(spec.name, value));
        break;
      case ArgumentType::kAction:
        ReadWord(spec.name, value, kActionWords);
        break;
      case ArgumentType::kComparer:
        ReadWord(spec.name, value, kComparers);
        break;
      case ArgumentType::kTexts:
        ReadTexts(spec.name, value);
        break;
      case ArgumentType::kCount:
        ReadCount(spec.name, value);
        break;
      case ArgumentType::kBool:
        if (!IsKnownNotNull(value) || value.type() != Type::Bool()) {
          return Fail(name + " must be true or false");
        }
        assertion_.arguments.emplace_back(value.AsBool());
        break;
      case ArgumentType::kExpression:
        break;  // read above
      case ArgumentType::kPath:
        assertion_.arguments.emplace_back(ReadPath(spec.name, value));
        break;
      case ArgumentType::kPaths: {
        std::vector<tfjson::Path> paths;
        if (!IsSequence(value)) {
          return Fail(name + " must be a list of paths");
        }
        for (const Value& element : value.elements()) {
          paths.push_back(ReadPath(spec.name, element));
        }
        assertion_.arguments.emplace_back(std::move(paths));
        break;
      }
      case ArgumentType::kKnown: {
        const KnownValue* known = KnownValueScope::Get(value);
        if (known == nullptr) {
          return Fail(name + " must be a known value, such as string_exact(\"a\")");
        }
        assertion_.arguments.emplace_back(known);
        break;
      }
      case ArgumentType::kKnownObject: {
        if (!IsKnownNotNull(value) || !(value.type().is_object() || value.type().is_map())) {
          return Fail(name + " must be an object of known values");
        }
        KnownMembers members;
        for (size_t i = 0; i < value.size(); ++i) {
          const KnownValue* known = KnownValueScope::Get(value.elements()[i]);
          if (known == nullptr) {
            return Fail("every value of " + name + " must be a known value");
          }
          members.emplace_back(value.key(i), known);
        }
        assertion_.arguments.emplace_back(std::move(members));
        break;
      }
    }
  }

  void ReadWord(std::string_view name, const Value& value,
                std::span<const std::string_view> words) {
    std::string word = ReadText(name, value);
    if (!failed() && std::find(words.begin(), words.end(), word) == words.end()) {
      std::string message = std::string(name) + " must be one of";
      for (const std::string_view known : words) {
        message += known == words.front() ? " " : ", ";
        message += known;
      }
      Fail(std::move(message));
    }
    assertion_.arguments.emplace_back(std::move(word));
  }

  Assertion& assertion_;
  const KnownValueScope& scope_;
};

}  // namespace

Assertion DecodeAssertion(Side side, std::string_view kind, const hcl::Body& body,
                          SourceRange range, const KnownValueScope& scope) {
  Assertion assertion;
  assertion.kind_name = kind;
  assertion.kind = FindKind(side, kind);
  assertion.range = range;
  if (assertion.kind == nullptr) {
    assertion.error =
        "there is no " + std::string(SideName(side)) + " check \"" + std::string(kind) + "\"";
    return assertion;
  }
  Decoder(assertion, scope).Decode(body);
  return assertion;
}

}  // namespace kinu::check
