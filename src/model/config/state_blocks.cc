#include "config/state_blocks.h"

#include <algorithm>
#include <map>

#include "config/cloud_values.h"
#include "config/decode.h"
#include "config/encryption_types.h"
#include "config/encryption_values.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/walk.h"

namespace kinu::config {
namespace {

const PartType* FindType(std::span<const PartType> types, std::string_view name) {
  const auto found = std::ranges::find(types, name, &PartType::name);
  return found == types.end() ? nullptr : &*found;
}

const EncryptionPart* FindPart(const std::vector<EncryptionPart>& parts, std::string_view type,
                               std::string_view name) {
  const auto found = std::ranges::find_if(
      parts, [&](const EncryptionPart& part) { return part.type == type && part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

/// The type and name of `root.type.name`. Nothing if the traversal has another form.
struct PartName {
  std::string_view type;
  std::string_view name;
};
std::optional<PartName> ReadPartName(std::span<const hcl::TraversalStep> steps) {
  const bool plain = steps.size() == 2 && std::ranges::all_of(steps, [](const auto& step) {
                       return step.kind == hcl::TraversalStep::Kind::kAttribute;
                     });
  return plain ? std::optional(PartName{steps[0].name(), steps[1].name()}) : std::nullopt;
}

/// The byte that a number is. A fraction from 1 on is cut off if 64 bits hold it, as in OpenTofu.
std::optional<int64_t> AsByte(const Number& number) {
  const bool fits = number.Sign() == 0 ||
                    (Number::Compare(number, Number::FromInt(1)) >= 0 &&
                     Number::Compare(Number::WithPrecision(number, kIntPrecision), number) == 0);
  if (!fits) {
    return std::nullopt;
  }
  const std::optional<int64_t> byte = Number::Truncate(number).ToInt64();
  return byte && *byte <= 255 ? byte : std::nullopt;
}

/// The numbers of bytes, or the null that is given for them.
Result<Value> BytesOf(const Value& value) {
  if (value.IsKnown() && value.IsNull()) {
    return value;
  }
  KINU_TRY(const Value numbers, ConvertToKnown(value, Type::List(Type::Number())));
  std::vector<Value> bytes;
  for (const Value& number : numbers.elements()) {
    if (number.IsKnown() && number.IsNull()) {
      return Fail(ErrorCode::kInvalid, "null value is not allowed");
    }
    const std::optional<int64_t> byte =
        number.IsKnown() ? AsByte(number.AsNumber()) : std::optional<int64_t>();
    if (!byte) {
      return Fail(ErrorCode::kInvalid, "value must be a whole number, between 0 and 255 inclusive");
    }
    bytes.push_back(Value::Int(*byte));
  }
  return Value::Tuple(std::move(bytes));
}

/// A list of texts, or the null that is given for it.
Result<Value> TextsOf(const Value& value) {
  if (value.IsKnown() && value.IsNull()) {
    return value;
  }
  KINU_TRY(Value texts, ConvertToKnown(value, Type::List(Type::String())));
  for (const Value& text : texts.elements()) {
    if (!text.IsKnown() || text.IsNull()) {
      return Fail(ErrorCode::kInvalid,
                  text.IsKnown() ? "null value is not allowed" : "value must be known");
    }
  }
  return texts;
}

class EncryptionChecker {
 public:
  EncryptionChecker(const ConfigNode& root, const Encryption& encryption,
                    StaticEvaluator& evaluator, Diagnostics& diags, const KeyMaker& make_key = {})
      : root_(root),
        encryption_(encryption),
        evaluator_(evaluator),
        diags_(diags),
        make_key_(make_key) {
    evaluator_.SetOtherNames([this](const hcl::TraversalExpr& traversal, Diagnostics& problems) {
      return KeyProviderOf(traversal, problems);
    });
  }
  EncryptionChecker(const EncryptionChecker&) = delete;
  EncryptionChecker& operator=(const EncryptionChecker&) = delete;
  ~EncryptionChecker() { evaluator_.SetOtherNames(nullptr); }

  void Check() {
    CheckTarget(encryption_.state);
    CheckTarget(encryption_.plan);
    CheckTarget(encryption_.remote_default);
    for (const auto& [name, target] : encryption_.remotes) {
      CheckTarget(target);
    }
  }

  /// Nothing after an error.
  std::optional<TargetMethods> Methods(const EncryptionTarget& target) {
    const size_t errors = diags_.error_count();
    std::vector<const EncryptionPart*> methods;
    bool go_on = AddMethod(target.method, methods);
    for (size_t i = 0; go_on && i < target.fallbacks.size(); ++i) {
      go_on = AddMethod(target.fallbacks[i], methods);
    }
    const auto any_unencrypted = [&] {
      return std::ranges::find(methods, kUnencrypted, &EncryptionPart::type) != methods.end();
    };
    if (target.enforced && any_unencrypted()) {
      diags_.Error("Unencrypted method is forbidden",
                   "Unable to use unencrypted method since the enforced flag is set.",
                   encryption_.range);
    }
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    return TargetMethods{*methods[0], {methods.begin() + 1, methods.end()}};
  }

  /// Reads the arguments of a method and stops at the first invalid one.
  std::optional<PartValues> SetUpMethod(const EncryptionPart& part) {
    const PartType* type = TypeOf(part, MethodTypes(), "encryption method");
    if (type == nullptr) {
      return std::nullopt;
    }
    PartValues out{&part, {}};
    if (type->name == kUnencrypted) {
      return out;  // OpenTofu never reads the body of `unencrypted`
    }
    const StaticSubject subject{"encryption.method." + part.type + "." + part.name,
                                encryption_.range};
    const size_t errors = diags_.error_count();
    const hcl::BodyContent content = ContentOf(part, *type, diags_);
    for (const Argument& argument : type->arguments) {
      if (diags_.error_count() != errors) {
        return std::nullopt;
      }
      if (const hcl::Attribute* given = content.Find(argument.name)) {
        const Value value = evaluator_.Evaluate(root_, *given->expr, subject, diags_);
        if (diags_.error_count() == errors) {
          Keep(argument, ReadValue(argument, value, *given->expr, given->expr->range(), subject),
               out);
        }
      }
    }
    return diags_.error_count() == errors ? std::optional(std::move(out)) : std::nullopt;
  }

 private:
  /// Sets up the keys of each target anew, so that a problem is reported once per target.
  void CheckTarget(const std::optional<EncryptionTarget>& target) {
    if (!target) {
      return;
    }
    keys_.clear();
    if (const std::optional<TargetMethods> methods = Methods(*target)) {
      (void)SetUpMethod(methods->method);
    }
  }

  /// False: the following methods cannot be read either.
  bool AddMethod(const EncryptionTarget::Method& method,
                 std::vector<const EncryptionPart*>& methods) {
    const std::optional<hcl::StaticTraversal> traversal =
        method.expr == nullptr ? std::nullopt : hcl::AsTraversal(*method.expr, tree_);
    if (!traversal) {
      diags_.Error("Invalid expression",
                   "A single static variable reference is required: only attribute access and "
                   "indexing with constant keys. No calculations, function calls, template "
                   "expressions, etc are allowed here.",
                   method.expr == nullptr ? method.missing : method.expr->range());
      return true;
    }
    const std::optional<PartName> part = ReadPartName(traversal->steps);
    if (traversal->root != "method" || !part) {
      diags_.Error("Invalid encryption method identifier",
                   "Expected method of form method.<type>.<name>", method.expr->range());
      return false;
    }
    const EncryptionPart* found = FindPart(encryption_.methods, part->type, part->name);
    if (found == nullptr) {
      diags_.Error("Reference to undeclared encryption method",
                   "There is no method " + Quoted(part->type) + " " + Quoted(part->name) +
                       " block declared in the encryption block.",
                   method.expr->range());
    } else {
      methods.push_back(found);
    }
    return true;
  }

  /// The value of a reference to a key provider. Nothing for other references.
  std::optional<Value> KeyProviderOf(const hcl::TraversalExpr& traversal, Diagnostics& diags) {
    if (traversal.root != "key_provider" || traversal.steps.size() != 2) {
      return std::nullopt;
    }
    const std::optional<PartName> name = ReadPartName(traversal.steps);
    if (!name) {
      diags.Error("Invalid Key Provider expression format",
                  "The key_provider symbol must be followed by two more attribute names specifying "
                  "the type and name of the selected key provider.",
                  traversal.range());
      return Value::DynamicUnknown();
    }
    const EncryptionPart* part = FindPart(encryption_.key_providers, name->type, name->name);
    if (part == nullptr) {
      diags.Error("Reference to undeclared key provider",
                  "There is no key_provider " + Quoted(name->type) + " " + Quoted(name->name) +
                      " block declared in the encryption block.",
                  traversal.range());
      return Value::DynamicUnknown();
    }
    const auto [slot, is_new] = keys_.emplace(part, Value::DynamicUnknown());
    if (is_new) {
      const std::optional<PartValues> values = SetUpKeyProvider(*part);
      if (values && make_key_) {
        keys_[part] = make_key_(*values, diags_).value_or(Value::DynamicUnknown());
      } else if (values) {
        const Value bytes = Value::Unknown(KeyType());
        keys_[part] = Value::Object({{"encryption_key", bytes}, {"decryption_key", bytes}});
      }
    }
    return keys_[part];
  }

  const PartType* TypeOf(const EncryptionPart& part, std::span<const PartType> types,
                         std::string_view noun) {
    const PartType* type = FindType(types, part.type);
    if (type == nullptr) {
      diags_.Error("Error fetching " + std::string(noun) + " " + Quoted(part.type),
                   "There is no " + std::string(noun) + " of this type.");
    }
    return type;
  }

  /// False if a body without blocks has one, which is then its only problem.
  static bool CheckBlocks(const EncryptionPart& part, const PartType& type, Diagnostics& diags) {
    Diagnostics found;
    if (type.blocks.empty()) {
      (void)part.body->JustAttributes({}, found);
    }
    const bool good = !found.has_errors();
    diags.Append(std::move(found));
    return good;
  }

  static hcl::BodyContent ContentOf(const EncryptionPart& part, const PartType& type,
                                    Diagnostics& diags) {
    std::vector<hcl::AttributeSchema> attributes;
    std::vector<hcl::BlockSchema> blocks;
    for (const Argument& argument : type.arguments) {
      attributes.push_back({argument.name, argument.required});
    }
    for (const PartBlock& block : type.blocks) {
      blocks.push_back({block.name});
    }
    return part.body->Content({.attributes = attributes, .blocks = blocks, .hidden = type.hidden},
                              hcl::Strictness::kExact, diags);
  }

  /// Reports first all problems of references, then those of the body, then those of values.
  /// Nothing after an error.
  std::optional<PartValues> SetUpKeyProvider(const EncryptionPart& part) {
    const PartType* type = TypeOf(part, KeyProviderTypes(), "key_provider");
    if (type == nullptr) {
      return std::nullopt;
    }
    const StaticSubject subject{"encryption.key_provider." + part.type + "." + part.name,
                                encryption_.range};
    const size_t errors = diags_.error_count();
    if (!CheckBlocks(part, *type, diags_)) {
      return std::nullopt;
    }
    Diagnostics shape;
    const hcl::BodyContent content = ContentOf(part, *type, shape);
    std::vector<Value> values;
    for (const hcl::Attribute& attribute : content.attributes) {
      values.push_back(evaluator_.Evaluate(root_, *attribute.expr, subject, diags_));
    }
    PartValues out{&part, {}};
    for (const PartBlock& block : type->blocks) {
      out.arguments.emplace(block.name, ReadBlocks(block, content, subject, shape));
    }
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    diags_.Append(shape);
    for (size_t i = 0; i < values.size(); ++i) {
      const hcl::Attribute& given = content.attributes[i];
      const Argument& argument = *std::ranges::find(type->arguments, given.name, &Argument::name);
      Keep(argument,
           ReadValue(argument, values[i], *given.expr, hcl::StartRange(*given.expr), subject), out);
    }
    return diags_.error_count() == errors ? std::optional(std::move(out)) : std::nullopt;
  }

  /// `shape` receives the problems of the bodies.
  Value ReadBlocks(const PartBlock& type, const hcl::BodyContent& content,
                   const StaticSubject& subject, Diagnostics& shape) {
    std::vector<hcl::AttributeSchema> attributes;
    for (const std::string_view name : type.texts) {
      attributes.push_back({name, false});
    }
    std::vector<Value> objects;
    for (const hcl::Block& block : content.blocks) {
      if (block.type != type.name) {
        continue;
      }
      std::vector<std::pair<std::string, Value>> texts;
      for (const hcl::Attribute& attribute :
           block.body->Content({.attributes = attributes}, hcl::Strictness::kExact, shape)
               .attributes) {
        const Value given = evaluator_.Evaluate(root_, *attribute.expr, subject, diags_);
        const auto text =
            ConvertKnownValue(given.UnmarkDeep(), Type::String(), *attribute.expr, shape);
        if (text && !text->IsNull()) {
          texts.emplace_back(attribute.name, *text);
        }
      }
      objects.push_back(Value::Object(std::move(texts)));
    }
    return Value::Tuple(std::move(objects));
  }

  static void Keep(const Argument& argument, std::optional<Value> value, PartValues& out) {
    if (value && !value->IsNull()) {
      out.arguments.emplace(argument.name, *std::move(value));
    }
  }

  /// `at` is the place of a problem in `expr`.
  std::optional<Value> ReadValue(const Argument& argument, const Value& given,
                                 const hcl::Expr& expr, const SourceRange& at,
                                 const StaticSubject& what) {
    const Value value = given.UnmarkDeep();
    switch (argument.shape) {
      case Shape::kString:
        return Suitable(ConvertToKnown(value, Type::String()), expr, at);
      case Shape::kBool:
        return Suitable(ConvertToKnown(value, Type::Bool()), expr, at);
      case Shape::kInteger: {
        const std::optional<Value> number =
            Suitable(ConvertToKnown(value, Type::Number()), expr, at);
        if (number && !number->IsNull() && !number->AsNumber().IsInteger()) {
          diags_.Error("Unsuitable value type", "This argument is a whole number.", at,
                       expr.range());
        }
        return number;
      }
      case Shape::kStrings:
        return Suitable(TextsOf(value), expr, at);
      case Shape::kTexts:
        return Suitable(ConvertToKnown(value, Type::Map(Type::String())), expr, at);
      case Shape::kBytes:
        return Suitable(BytesOf(value), expr, at);
      case Shape::kRole:
        return Suitable(ConvertToKnown(value, RoleType()), expr, at);
      case Shape::kKey:
        return ReadKey(value, expr, what);
    }
    return std::nullopt;
  }

  /// The value of an argument. Reports why there is none.
  std::optional<Value> Suitable(Result<Value> value, const hcl::Expr& expr, const SourceRange& at) {
    if (!value) {
      diags_.Error("Unsuitable value type", "Unsuitable value: " + value.error().message, at,
                   expr.range());
      return std::nullopt;
    }
    return *std::move(value);
  }

  /// Checks the keys of a method: the value of a key provider or an object of the same form. A
  /// string may name the key provider; OpenTofu allows that in JSON and in native syntax.
  std::optional<Value> ReadKey(Value value, const hcl::Expr& expr, const StaticSubject& what) {
    if (value.IsKnown() && !value.IsNull() && value.type() == Type::String() &&
        value.AsString().starts_with("key_provider.")) {
      const SourceFile* text =
          tree_.KeepSource(SourceFile::Make(expr.file()->name(), std::string(value.AsString()),
                                            expr.range().start_position(), expr.file()));
      Diagnostics problems;
      const hcl::TraversalExpr* traversal = hcl::ParseTraversal(text, tree_, false, problems);
      if (traversal != nullptr && !problems.has_errors()) {
        const size_t errors = diags_.error_count();
        value = evaluator_.Evaluate(root_, *traversal, what, diags_);
        if (diags_.error_count() != errors) {
          return std::nullopt;
        }
      }
    }
    if (!value.IsKnown() || value.IsNull() || value.type().is_primitive()) {
      diags_.Error("Expected key_provider value",
                   "Expected a key_provider compatible value, found " +
                       value.type().FriendlyName() + " instead",
                   expr.range());
      return std::nullopt;
    }
    return ReadKeyParts(value, expr);
  }

  /// The keys in an object or map, as bytes. Those of key providers that have not run are unknown.
  std::optional<Value> ReadKeyParts(const Value& value, const hcl::Expr& expr) {
    const bool has_names = value.type().is_object() || value.type().is_map();
    if (!has_names || value.Find("encryption_key") == nullptr) {
      diags_.Error("Missing encryption_key value",
                   "An encryption_key value is required in the key_provider compatible object at "
                   "this location",
                   expr.range());
      return std::nullopt;
    }
    std::vector<std::pair<std::string, Value>> parts;
    for (const char* name : {"encryption_key", "decryption_key"}) {
      const Value* part = value.Find(name);
      if (part == nullptr) {
        continue;
      }
      const bool awaited = !part->IsWhollyKnown() && !make_key_;
      std::optional<Value> bytes = awaited ? *part : Suitable(BytesOf(*part), expr, expr.range());
      if (!bytes) {
        return std::nullopt;
      }
      parts.emplace_back(name, *std::move(bytes));
    }
    return Value::Object(std::move(parts));
  }

  const ConfigNode& root_;
  const Encryption& encryption_;
  StaticEvaluator& evaluator_;
  Diagnostics& diags_;
  const KeyMaker make_key_;
  hcl::SyntaxTree& tree_ = *root_.module->tree;
  std::map<const EncryptionPart*, Value> keys_;  // by key provider, for the current target
};

schema::Attribute OptionalAttribute(std::string name, Type type) {
  schema::Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.optional = true;
  return attribute;
}

schema::Block CloudSchema() {
  schema::NestedBlock workspaces;
  workspaces.name = "workspaces";
  workspaces.nesting = schema::Nesting::kSingle;
  workspaces.block.attributes.push_back(OptionalAttribute("name", Type::String()));
  workspaces.block.attributes.push_back(OptionalAttribute("project", Type::String()));
  workspaces.block.attributes.push_back(OptionalAttribute("tags", Type::Set(Type::String())));
  schema::Block block;
  for (const char* name : {"hostname", "organization", "token"}) {
    block.attributes.push_back(OptionalAttribute(name, Type::String()));
  }
  block.blocks.push_back(std::move(workspaces));
  block.Finish();
  return block;
}

}  // namespace

Type KeyType() {
  return Type::List(Type::Number());
}

std::optional<TargetMethods> MethodsOf(const ConfigNode& root, const Encryption& encryption,
                                       const EncryptionTarget& target, StaticEvaluator& evaluator,
                                       Diagnostics& diags) {
  return EncryptionChecker(root, encryption, evaluator, diags).Methods(target);
}

void WarnOfUnencrypted(const Encryption& encryption, Diagnostics& diags) {
  for (const EncryptionPart& method : encryption.methods) {
    if (method.type == kUnencrypted) {
      diags.Warning("Unencrypted method configured",
                    "The method \"unencrypted\" stores states or plans as they are. Have it only "
                    "while you move to or from encryption.",
                    encryption.range);
    }
  }
}

std::optional<PartValues> EvaluateMethod(const ConfigNode& root, const Encryption& encryption,
                                         const EncryptionPart& method, StaticEvaluator& evaluator,
                                         const KeyMaker& make_key, Diagnostics& diags) {
  return EncryptionChecker(root, encryption, evaluator, diags, make_key).SetUpMethod(method);
}

bool CheckEncryption(const ConfigNode& root, const Encryption& encryption,
                     StaticEvaluator& evaluator, Diagnostics& diags) {
  Diagnostics found;
  EncryptionChecker(root, encryption, evaluator, found).Check();
  if (found.has_errors()) {
    WarnOfUnencrypted(encryption, diags);
  }
  const bool good = !found.has_errors();
  diags.Append(std::move(found));
  return good;
}

std::optional<Value> ReadCloud(const ConfigNode& root, const Cloud& cloud,
                               StaticEvaluator& evaluator, bool for_init, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  Diagnostics ignored;
  const Value value =
      evaluator.DecodeBody(root, CloudSchema(), *cloud.body, {"backend.cloud", cloud.range}, diags,
                           for_init ? diags : ignored);
  const MarkSet marks = value.MarksDeep();
  for (const auto& [secret, what] :
       {std::pair(marks.sensitive(), "sensitive"), std::pair(marks.ephemeral(), "ephemeral")}) {
    if (secret) {
      diags.Error("Backend config contains " + std::string(what) + " values",
                  "What the cloud block says is kept in the data directory and in plan files. Give "
                  "secrets through environment variables instead.");
      break;
    }
  }
  return diags.error_count() == errors ? std::optional(value.UnmarkDeep()) : std::nullopt;
}

}  // namespace kinu::config
