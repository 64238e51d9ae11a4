// Modules of a configuration for C++ programs: what the files of a directory declare, with overrides
// merged, and the values of its variables. Called modules, providers and networks are not needed.
//
//   kinu::v1::Diagnostics problems;
//   auto module = kinu::v1::Module::Load("network/", problems);
//   for (const auto& variable : module->variables()) {
//     std::cout << variable.name << ": " << variable.type << '\n';
//   }
//
// A Module is cheap to copy and may be read from several threads; what it returns is valid as long
// as a copy exists, expressions and bodies longer. The only exception thrown is std::bad_alloc. The
// header needs C++20 and the standard library only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinu/diagnostics.h>
#include <kinu/hcl.h>
#include <kinu/version.h>

namespace kinu::v1 {

/// The declarations of a directory. Lists are sorted by name, those of resources by mode, type and
/// name.
class Module {
 public:
  /// Loads the files of a directory as a root module. Nothing, and errors, if the directory or a
  /// file cannot be read or a declaration is invalid. Names of files in ranges begin with `directory`.
  static std::optional<Module> Load(std::string_view directory, Diagnostics& problems);

  /// A rule with the message for values that break it.
  struct Condition {
    std::optional<Expression> condition;
    std::optional<Expression> error_message;
    Range range;
  };

  /// A `variable` block.
  struct Variable {
    std::string name;
    std::string type;  ///< in the syntax of type constraints; "any" for variables without
    std::optional<Value> default_value;  ///< converted to the type; nothing: a value is required
    std::string description;
    std::string deprecated;  ///< what to do instead; empty: it is not deprecated
    bool sensitive = false;
    bool ephemeral = false;
    bool nullable = true;
    std::vector<Condition> validations;
    Range range;
  };

  /// An argument of a `locals` block.
  struct Local {
    std::string name;
    Expression value;
    Range range;
  };

  /// An `output` block.
  struct Output {
    std::string name;
    std::optional<Expression> value;
    std::string description;
    std::string deprecated;
    bool sensitive = false;
    bool ephemeral = false;
    std::vector<std::string> depends_on;
    std::vector<Condition> preconditions;
    Range range;
  };

  /// A `module` block.
  struct Call {
    std::string name;
    std::string source;   ///< the address; empty if it is not written as a plain string
    std::optional<Expression> source_expression;
    std::string version;  ///< version constraint; empty if there is none, or as for `source`
    std::vector<Attribute> inputs;
    std::optional<Expression> count;
    std::optional<Expression> for_each;
    std::vector<std::string> depends_on;
    Range range;
  };

  /// A `resource`, `data` or `ephemeral` block.
  struct Resource {
    std::string address;  ///< "data.aws_ami.image"
    std::string mode;     ///< "managed", "data" or "ephemeral"
    std::string type;
    std::string name;
    std::string provider;         ///< source address: "registry.opentofu.org/hashicorp/aws"
    std::string provider_config;  ///< local name and alias in the `provider` argument; may be empty
    Body body;  ///< arguments for the provider beside those of the language (`count`, `lifecycle`)
    std::optional<Expression> count;
    std::optional<Expression> for_each;
    std::vector<std::string> depends_on;
    Range range;
  };

  /// An entry of `required_providers`.
  struct Requirement {
    std::string local_name;
    std::string source;   ///< source address: "registry.opentofu.org/hashicorp/aws"
    std::string version;  ///< version constraint as written; may be empty
    std::vector<std::string> aliases;  ///< `configuration_aliases`
    Range range;
  };

  const std::string& directory() const;
  /// The names of the files in the order in which they are read; overrides come after all others.
  const std::vector<std::string>& files() const;
  const std::vector<std::string>& overrides() const;
  const std::vector<Variable>& variables() const;
  const std::vector<Local>& locals() const;
  const std::vector<Output>& outputs() const;
  const std::vector<Call>& calls() const;
  const std::vector<Resource>& resources() const;
  const std::vector<Requirement>& required_providers() const;

  /// The values of all variables as an object: those of the object `given`, and defaults for the
  /// others. Each is converted to the type of its variable, completed by the defaults of optional
  /// attributes, and checked by the validation rules; rules that need more than variables, local
  /// values and functions are skipped. Nothing, and errors, if a value is missing, invalid, or of no
  /// variable.
  std::optional<Value> VariableValues(const Value& given, Diagnostics& problems) const;
  /// The value of an expression of this module with those values of variables. It may refer to
  /// variables, local values, paths and functions. Nothing after errors.
  std::optional<Value> Evaluate(const Expression& expression, const Value& given,
                                Diagnostics& problems) const;

 private:
  struct Content;
  explicit Module(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

}  // namespace kinu::v1
