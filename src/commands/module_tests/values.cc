#include "module_tests/values.h"

#include <optional>
#include <utility>
#include <vector>

#include "config/decode.h"
#include "lang/eval.h"
#include "lang/template.h"
#include "lang/type_expr.h"

namespace kinu::module_tests {
namespace {

Value ObjectOf(const Variables& values) {
  return Value::Object({values.begin(), values.end()});
}

/// The argument that gives a variable its value: that of the run, or else of the file. Null: none.
const hcl::Attribute* FindArgument(const RunSources& sources, std::string_view name) {
  for (const std::vector<hcl::Attribute>* list :
       {&sources.run.variables, &sources.file.variables}) {
    for (const hcl::Attribute& attribute : *list) {
      if (attribute.name == name) {
        return &attribute;
      }
    }
  }
  return nullptr;
}

/// A value from outside as it is written: text stays text.
Value AsWritten(const config::RawInput& raw) {
  if (raw.expr == nullptr) {
    return Value::String(raw.text);
  }
  Diagnostics ignored;
  return config::EvaluateConstant(*raw.expr, ignored);
}

Value WithDefaults(const config::Module& module, Symbol name, Value value) {
  const int index = module.FindVariable(name);
  if (index < 0 || value.IsNull()) {
    return value;
  }
  const lang::TypeConstraint& constraint = module.variables[static_cast<size_t>(index)].constraint;
  return constraint.defaults == nullptr ? value : lang::ApplyDefaults(value, *constraint.defaults);
}

/// Adds the defaults of variables that have no value yet.
void AddDefaults(const RunSources& sources, Variables& values) {
  for (const config::Variable& variable : sources.module.variables) {
    if (variable.default_value) {
      values.try_emplace(std::string(sources.program.Text(variable.name)), *variable.default_value);
    }
  }
}

/// Values from outside, and defaults of the module under test.
Variables GlobalValues(const RunSources& sources) {
  Variables values;
  for (const auto& [name, raw] : sources.globals.values) {
    values.emplace(name, WithDefaults(sources.module, sources.program.Find(name), AsWritten(raw)));
  }
  AddDefaults(sources, values);
  return values;
}

}  // namespace

TestNames::TestNames()
    : context_(lang::WithTemplates({}, functions::Table::Standard())),
      scope_(&variables_, &functions::Table::Standard(), context_) {
}

RunValues::RunValues(const RunSources& sources, Diagnostics& diags)
    : outputs_exist_(sources.runs.size() > 0) {
  Variables visible = GlobalValues(sources);
  names_.Set("run", sources.runs);
  names_.Set("var", ObjectOf(visible));
  config::RawInputs given;
  given.tree = sources.globals.tree;
  for (const config::Variable& variable : sources.module.variables) {
    const std::string name(sources.program.Text(variable.name));
    if (const hcl::Attribute* argument = FindArgument(sources, name)) {
      given.values[name] = {.source = config::InputSource::kCaller,
                            .value = lang::Evaluate(*argument->expr, names_.scope(), diags),
                            .range = argument->expr->range()};
    } else if (const auto raw = sources.globals.values.find(name);
               raw != sources.globals.values.end()) {
      given.values[name] = raw->second;
    }
  }
  inputs_ = config::CollectVariables(sources.program, sources.module, given, diags);
  for (auto& [name, input] : inputs_) {
    if (input.source == config::InputSource::kCaller) {
      input.source = config::InputSource::kConfig;  // the files of a test are configuration
    }
    if (input.value && !input.value->IsNull()) {
      visible.insert_or_assign(name, *input.value);
    }
  }
  provider_names_.Set("run", sources.runs);
  provider_names_.Set("var", ObjectOf(visible));
}

Variables RunValues::ForAssertions(const RunSources& sources) const {
  Variables values;
  for (const std::vector<hcl::Attribute>* list :
       {&sources.run.variables, &sources.file.variables}) {
    for (const hcl::Attribute& attribute : *list) {
      if (!values.contains(attribute.name)) {
        Diagnostics ignored;  // the value is then unknown
        Value value = lang::Evaluate(*attribute.expr, names_.scope(), ignored);
        values.emplace(attribute.name,
                       WithDefaults(sources.module, sources.program.Find(attribute.name),
                                    ignored.has_errors() ? Value::DynamicUnknown() : value));
      }
    }
  }
  for (auto& [name, value] : GlobalValues(sources)) {
    values.try_emplace(name, std::move(value));
  }
  return values;
}

}  // namespace kinu::module_tests
