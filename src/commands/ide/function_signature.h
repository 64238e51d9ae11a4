// FunctionSignature: the parameters of core and provider functions, in one form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cty/type.h"
#include "ide/module_names.h"

namespace kinu::ide {

struct FunctionSignature {
  struct Parameter {
    std::string name;
    Type type;
    std::string doc;
  };
  std::string name;
  std::vector<Parameter> parameters;
  bool is_variadic = false;  ///< the last parameter stands for any number of arguments
  std::string doc;
  std::string result;  ///< its type; empty: it depends on the arguments
  std::string example;

  /// "name(a, b...)".
  std::string Label() const;
};

/// The function of a name as it is called; nothing if it is not known.
std::optional<FunctionSignature> FindFunction(ModuleNames& names, std::string_view name);
/// The names of all functions that are known in a module.
std::vector<std::string> FunctionNames(ModuleNames& names);
/// The type of the result whatever the arguments are; dynamic if it depends on them.
Type TypeOfResult(ModuleNames& names, std::string_view function);
/// The type of the argument at an index; dynamic if it is not known.
Type TypeOfParameter(ModuleNames& names, std::string_view function, size_t index);

}  // namespace kinu::ide
