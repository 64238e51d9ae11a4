// The families of functions. Each is one file with implementations and a table of FunctionSpec; a
// new family needs a line here, in function_table.cc and in docs_main.cc. docs/adding/function.md
// describes how to add a function.
#pragma once

#include <span>

#include "functions/function.h"

namespace kinu::functions {

std::span<const FunctionSpec> AssumptionFunctions();
std::span<const FunctionSpec> CidrFunctions();
std::span<const FunctionSpec> ConversionFunctions();
std::span<const FunctionSpec> CryptoFunctions();
std::span<const FunctionSpec> EncodingFunctions();
std::span<const FunctionSpec> FileFunctions();
std::span<const FunctionSpec> FormatFunctions();
std::span<const FunctionSpec> ListFunctions();
std::span<const FunctionSpec> MapFunctions();
std::span<const FunctionSpec> NumberFunctions();
std::span<const FunctionSpec> RegexFunctions();
std::span<const FunctionSpec> SearchFunctions();
std::span<const FunctionSpec> SetFunctions();
std::span<const FunctionSpec> StringFunctions();
std::span<const FunctionSpec> TimeFunctions();
std::span<const FunctionSpec> YamlFunctions();

}  // namespace kinu::functions
