#include "query/functions.h"

#include <re2/re2.h>

#include "text/unicode.h"
#include "tfjson/actions.h"
#include "tfjson/address.h"

namespace kinu::query {

// --- Regular expressions ---

struct Regexp::Impl {
  Impl(const std::string& pattern, const RE2::Options& options) : re(pattern, options) {}
  RE2 re;
};

namespace {

/// Replaces dots, which in I-Regexp match anything except line feeds and carriage returns.
std::string ReplaceDots(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\' && at + 1 < pattern.size()) {
      out += c;
      out += pattern[++at];
    } else if (c == '.' && !in_class) {
      out += "[^\\n\\r]";
    } else {
      in_class = in_class ? c != ']' : c == '[';
      out += c;
    }
  }
  return out;
}

}  // namespace

Regexp::Regexp() = default;
Regexp::~Regexp() = default;

std::shared_ptr<const Regexp> Regexp::Compile(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regexp = std::shared_ptr<Regexp>(new Regexp());
  regexp->impl_ = std::make_unique<Impl>(ReplaceDots(pattern), options);
  return regexp->impl_->re.ok() ? regexp : nullptr;
}

bool Regexp::MatchesWhole(std::string_view text) const {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), impl_->re);
}

bool Regexp::MatchesSome(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), impl_->re);
}

namespace {

using json::Node;

// --- RFC 9535, section 2.4 ---

bool IsText(const Operand& value) {
  return value.tag == Operand::Tag::kString ||
         (value.tag == Operand::Tag::kNode && value.node.is_string());
}

std::string_view StringOf(const Operand& value, std::string& scratch) {
  return value.tag == Operand::Tag::kNode ? value.node.String(scratch) : value.text();
}

CallResult Number(uint64_t number) {
  return {.value = Operand::Text(Operand::Tag::kNumber, std::to_string(number))};
}

CallResult Length(std::span<const Argument> arguments) {
  const Operand& value = arguments[0].value;
  if (IsText(value)) {
    std::string scratch;
    return Number(text::CodePointCount(StringOf(value, scratch)));
  }
  if (value.tag == Operand::Tag::kNode && value.node.is_container()) {
    return Number(value.node.size());
  }
  return {};
}

CallResult Count(std::span<const Argument> arguments) {
  return Number(arguments[0].nodes.size());
}

CallResult ValueOfNode(std::span<const Argument> arguments) {
  if (arguments[0].nodes.size() != 1) {
    return {};
  }
  return {.value = {.tag = Operand::Tag::kNode, .node = arguments[0].nodes[0]}};
}

bool Matches(std::span<const Argument> arguments, bool whole) {
  if (!IsText(arguments[0].value) || !IsText(arguments[1].value)) {
    return false;
  }
  std::string text_scratch;
  std::string pattern_scratch;
  const std::string_view text = StringOf(arguments[0].value, text_scratch);
  std::shared_ptr<const Regexp> compiled;
  const Regexp* pattern = arguments[1].pattern;
  if (pattern == nullptr) {
    compiled = Regexp::Compile(StringOf(arguments[1].value, pattern_scratch));
    pattern = compiled.get();
  }
  return pattern != nullptr && (whole ? pattern->MatchesWhole(text) : pattern->MatchesSome(text));
}

CallResult Match(std::span<const Argument> arguments) {
  return {.logical = Matches(arguments, true)};
}
CallResult Search(std::span<const Argument> arguments) {
  return {.logical = Matches(arguments, false)};
}

// --- Functions of plans and states ---

/// The node if there is exactly one.
Node SingleNode(const Argument& argument) {
  return argument.nodes.size() == 1 ? argument.nodes[0] : Node();
}

/// The actions of a change: of the node itself, or of its member `change`.
Node ActionsOf(const Node& node) {
  Node actions = node.Find("actions");
  if (!actions) {
    const Node change = node.Find("change");
    actions = change ? change.Find("actions") : Node();
  }
  return actions && actions.is_array() ? actions : Node();
}

CallResult Action(std::span<const Argument> arguments) {
  const Node node = SingleNode(arguments[0]);
  std::string action = node ? tfjson::ActionOf(ActionsOf(node)) : std::string();
  return action.empty()
             ? CallResult{}
             : CallResult{.value = Operand::Text(Operand::Tag::kString, std::move(action))};
}

/// Reads the address of a node: its member `address`, or the node itself if it is a string.
bool AddressOf(const Node& node, std::string& address) {
  if (!node) {
    return false;
  }
  const Node text = node.is_string() ? node : node.Find("address");
  if (!text || !text.is_string()) {
    return false;
  }
  address = text.String();
  return true;
}

CallResult Module(std::span<const Argument> arguments) {
  std::string address;
  if (!AddressOf(SingleNode(arguments[0]), address)) {
    return {};
  }
  return {.value = Operand::Text(Operand::Tag::kString, std::string(tfjson::ModuleIn(address)))};
}

CallResult ResourceType(std::span<const Argument> arguments) {
  std::string address;
  if (!AddressOf(SingleNode(arguments[0]), address)) {
    return {};
  }
  const std::string_view type = tfjson::ResourceTypeIn(address);
  return type.empty()
             ? CallResult{}
             : CallResult{.value = Operand::Text(Operand::Tag::kString, std::string(type))};
}

/// Whether one of the named masks in the node or in its member `change` has a true part.
bool HasMask(const Node& node, std::span<const std::string_view> names) {
  const Node change = node.Find("change");
  for (const Node& holder : {node, change}) {
    if (!holder) {
      continue;
    }
    for (const std::string_view name : names) {
      const Node mask = holder.Find(name);
      if (mask && tfjson::AnyTrue(mask)) {
        return true;
      }
    }
  }
  return false;
}

CallResult Sensitive(std::span<const Argument> arguments) {
  static constexpr std::string_view kNames[] = {"before_sensitive", "after_sensitive",
                                                "sensitive_values", "sensitive"};
  const Node node = SingleNode(arguments[0]);
  return {.logical = node && (tfjson::IsSensitive(arguments[0].trail) || HasMask(node, kNames))};
}

CallResult Unknown(std::span<const Argument> arguments) {
  static constexpr std::string_view kNames[] = {"after_unknown"};
  const Node node = SingleNode(arguments[0]);
  return {.logical = node && (tfjson::IsUnknown(arguments[0].trail) || HasMask(node, kNames))};
}

constexpr ValueKind kValue = ValueKind::kValue;
constexpr ValueKind kLogical = ValueKind::kLogical;
constexpr ValueKind kNodes = ValueKind::kNodes;

constexpr FunctionSpec kFunctions[] = {
    {.name = "length",
     .result = kValue,
     .parameters = {kValue},
     .run = &Length,
     .doc = "Characters of a string, elements of an array, members of an object."},
    {.name = "count",
     .result = kValue,
     .parameters = {kNodes},
     .run = &Count,
     .doc = "How many nodes a query finds."},
    {.name = "match",
     .result = kLogical,
     .parameter_count = 2,
     .parameters = {kValue, kValue},
     .run = &Match,
     .has_pattern = true,
     .doc = "Whether a regular expression matches a whole string."},
    {.name = "search",
     .result = kLogical,
     .parameter_count = 2,
     .parameters = {kValue, kValue},
     .run = &Search,
     .has_pattern = true,
     .doc = "Whether a regular expression matches a part of a string."},
    {.name = "value",
     .result = kValue,
     .parameters = {kNodes},
     .run = &ValueOfNode,
     .doc = "The value of the only node that a query finds."},
    {.name = "action",
     .result = kValue,
     .parameters = {kNodes},
     .run = &Action,
     .doc = "What a change does: no-op, create, read, update, delete, forget, replace, "
            "forget-then-create."},
    {.name = "type",
     .result = kValue,
     .parameters = {kNodes},
     .run = &ResourceType,
     .doc = "The resource type in the address that a node has or is."},
    {.name = "module",
     .result = kValue,
     .parameters = {kNodes},
     .run = &Module,
     .doc = "The module in that address, with its keys; empty for the root module."},
    {.name = "sensitive",
     .result = kLogical,
     .parameters = {kNodes},
     .run = &Sensitive,
     .needs_trail = true,
     .doc = "Whether a value is sensitive, or a change or object has a sensitive part."},
    {.name = "unknown",
     .result = kLogical,
     .parameters = {kNodes},
     .run = &Unknown,
     .needs_trail = true,
     .doc = "Whether a planned value is unknown, or a change has an unknown part."},
};

}  // namespace

std::span<const FunctionSpec> Functions() {
  return kFunctions;
}

const FunctionSpec* FindFunction(std::string_view name) {
  for (const FunctionSpec& function : kFunctions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

}  // namespace kinu::query
