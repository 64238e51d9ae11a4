// Generates docs/functions from the function table: a page per function, and an index. Tests run
// the examples of the table.
//
//   kinu_function_docs DIRECTORY           writes the pages
//   kinu_function_docs --check DIRECTORY   lists the pages that differ, and fails if there are any
//
// With KINU_UPDATE=1 in the environment, --check writes the pages.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/files.h"
#include "functions/families.h"
#include "functions/function.h"

namespace kinu::functions {
namespace {

struct Family {
  std::string_view title;
  std::span<const FunctionSpec> functions;
};

std::vector<Family> Families() {
  return {{"Text", StringFunctions()},
          {"Regular expressions", RegexFunctions()},
          {"Formatting", FormatFunctions()},
          {"Numbers", NumberFunctions()},
          {"Lists", ListFunctions()},
          {"Maps and objects", MapFunctions()},
          {"Sets", SetFunctions()},
          {"Searching and choosing", SearchFunctions()},
          {"Conversion", ConversionFunctions()},
          {"Assumptions", AssumptionFunctions()},
          {"Encoding", EncodingFunctions()},
          {"YAML", YamlFunctions()},
          {"Files and templates", FileFunctions()},
          {"Hashes and secrets", CryptoFunctions()},
          {"Dates and times", TimeFunctions()},
          {"Networks", CidrFunctions()}};
}

std::string TypeText(const FunctionSpec& spec, const Parameter& parameter) {
  if (spec.lazy) {
    return "any expression";
  }
  Type type = parameter.type();
  return type.is_dynamic() ? "any type" : type.FriendlyName();
}

std::string Signature(const FunctionSpec& spec) {
  std::string out(spec.name);
  out += '(';
  for (size_t i = 0; i < spec.params.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(spec.params[i].name);
  }
  if (spec.has_variadic) {
    out += (spec.params.size() == 0 ? "" : ", ") + std::string(spec.variadic.name) + "...";
  }
  return out + ")";
}

void AddParameter(const FunctionSpec& spec, const Parameter& parameter, bool variadic,
                  std::string& out) {
  out += "* `" + std::string(parameter.name) + (variadic ? "...`" : "`") + ": " +
         TypeText(spec, parameter);
  if (variadic) {
    out += ", any number of them";
  }
  if (parameter.allow_null) {
    out += "; may be null";
  }
  if (!parameter.description.empty()) {
    out += ". " + std::string(parameter.description);
  }
  out += '\n';
}

std::string Page(const FunctionSpec& spec) {
  std::string out = "# " + std::string(spec.name) + "\n\n" + std::string(spec.doc) +
                    "\n\n```hcl\n" + Signature(spec) + "\n```\n";
  if (spec.params.size() > 0 || spec.has_variadic) {
    out += "\n## Arguments\n\n";
    for (const Parameter& parameter : spec.params) {
      AddParameter(spec, parameter, false, out);
    }
    if (spec.has_variadic) {
      AddParameter(spec, spec.variadic, true, out);
    }
  }
  if (spec.impure) {
    out += "\nEach call gives another result, so in a plan the result is not known yet.\n";
  }
  if (spec.examples.size() > 0) {
    out += "\n## Examples\n\n```hcl\n";
    for (size_t i = 0; i < spec.examples.size(); ++i) {
      out += (i == 0 ? "" : "\n") + std::string("> ") + std::string(spec.examples[i].call) + "\n" +
             std::string(spec.examples[i].result) + "\n";
    }
    out += "```\n";
  }
  return out;
}

std::string Index() {
  std::string out =
      "# Functions\n\nThese pages are made of the table of functions (`src/language/functions`) "
      "by\n"
      "`kinu_function_docs`; a test compares them. The examples run as tests. Every function can "
      "also\nbe called with `core::` before its name.\n";
  for (const Family& family : Families()) {
    out += "\n## " + std::string(family.title) + "\n\n| function | what it gives |\n|---|---|\n";
    for (const FunctionSpec& spec : family.functions) {
      std::string doc(spec.doc.substr(0, spec.doc.find('\n')));
      for (size_t at = 0; (at = doc.find('|', at)) != std::string::npos; at += 2) {
        doc.insert(at, "\\");
      }
      out +=
          "| [" + std::string(spec.name) + "](" + std::string(spec.name) + ".md) | " + doc + " |\n";
    }
  }
  return out;
}

int Run(bool check, const std::string& directory) {
  std::vector<std::pair<std::string, std::string>> pages{{"README.md", Index()}};
  for (const FunctionSpec* spec : Table::Standard().specs()) {
    pages.emplace_back(std::string(spec->name) + ".md", Page(*spec));
  }
  int wrong = 0;
  for (const auto& [name, text] : pages) {
    const std::string path = JoinPath(directory, name);
    if (check) {
      auto existing = ReadFile(path);
      if (!existing || *existing != text) {
        std::fprintf(stderr, "%s differs from the function table (run kinu_function_docs %s)\n",
                     path.c_str(), directory.c_str());
        ++wrong;
      }
      continue;
    }
    auto written = MakeDirectories(directory);
    if (written) {
      written = ReplaceFile(path, text, 0644);
    }
    if (!written) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), written.error().message.c_str());
      return 1;
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kinu::functions

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool has_flag = words.size() == 2 && words[0] == "--check";
  if (!has_flag && words.size() != 1) {
    std::fputs("usage: kinu_function_docs [--check] DIRECTORY\n", stderr);
    return 2;
  }
  const bool check = has_flag && kinu::Environment("KINU_UPDATE").empty();
  return kinu::functions::Run(check, words.back());
}
