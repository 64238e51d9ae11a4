// A small tool over kinu's public API: reads a file of services, evaluates it, decodes it into one
// value, and edits it.
#include <fstream>
#include <iostream>
#include <sstream>

#include <kinu/hcl.h>

namespace hcl = kinu::v1;

namespace {

// How a service becomes a value.
constexpr const char* kSpec = R"(
block_map {
  labels     = ["name"]
  block_type = "service"
  object {
    attr "image" {
      type     = string
      required = true
    }
    attr "replicas" {
      type = number
    }
    default "ports" {
      attr {
        name = "ports"
        type = list(number)
      }
      literal {
        value = []
      }
    }
    block_attrs "env" {
      element_type = string
    }
  }
}
)";

int Fail(const hcl::Diagnostics& problems) {
  for (const hcl::Diagnostic& problem : problems) {
    std::cerr << Render(problem);
  }
  return 1;
}

// Walks down an expression and prints what it is made of.
void Print(const hcl::Expression& expression, int depth) {
  static constexpr const char* kKinds[] = {
      "literal", "reference", "call",     "conditional", "index",       "tuple", "object",
      "for",     "splat",     "template", "operator",    "parentheses", "other"};
  std::cout << std::string(static_cast<size_t>(2 * depth + 2), ' ')
            << kKinds[static_cast<size_t>(expression.kind())] << ' ' << expression.text() << '\n';
  for (const hcl::Expression& child : expression.children()) {
    Print(child, depth + 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: services FILE\n";
    return 2;
  }
  std::ifstream stream(argv[1]);
  std::stringstream text;
  text << stream.rdbuf();

  // Parse.
  hcl::Diagnostics problems;
  const hcl::File file = hcl::File::Parse(argv[1], text.str(), problems);
  if (HasErrors(problems)) {
    return Fail(problems);
  }

  // Walk: a schema finds what is asked for, in both syntaxes.
  const hcl::BodyContent content = file.body().Read(
      {.attributes = {{"region", true}}, .blocks = {{"service", {"name"}}}}, problems);
  for (const hcl::Block& service : content.blocks) {
    std::cout << "service " << service.labels[0] << ", line " << service.range.start.line << '\n';
    const hcl::BodyContent parts =
        service.body.Read({.attributes = {{"replicas"}}, .partial = true}, problems);
    if (const hcl::Attribute* replicas = parts.Find("replicas")) {
      Print(replicas->expression, 0);
    }
  }

  // Evaluate, with variables and a function of our own.
  hcl::Scope scope;
  scope.UseStandardFunctions();
  scope.SetVariable("release", hcl::Value::String("1.4"));
  scope.SetVariable("cores", hcl::Value::Int(16));
  scope.SetFunction("region_of", {"service"},
                    [&](std::span<const hcl::Value> arguments) -> hcl::Scope::Result {
                      return {hcl::Value::String(*arguments[0].AsString() + ".north"), ""};
                    });
  const hcl::Value region = content.Find("region")->expression.Evaluate(scope, problems);
  std::cout << "region " << region.AsString().value_or("?") << '\n';

  // Decode: the whole of it as one value. What the spec does not name must not be there, so the
  // region is taken out first, by editing.
  std::optional<hcl::Editor> editor = hcl::Editor::Parse(argv[1], text.str(), problems);
  if (!editor) {
    return Fail(problems);
  }
  hcl::Editor services = *editor;
  services.RemoveAttribute({}, "region");
  const auto spec = hcl::DecoderSpec::Parse("services.hcldec", kSpec, problems);
  if (!spec) {
    return Fail(problems);
  }
  const hcl::Value decoded =
      spec->Decode(hcl::File::Parse(argv[1], services.Text(), problems).body(), scope, problems);
  if (HasErrors(problems)) {
    return Fail(problems);
  }
  std::cout << *decoded.ToJson() << '\n';

  // Edit: comments and layout stay as they are.
  editor->SetAttribute({}, "region", hcl::Value::String("south"));
  editor->SetAttributeExpression({{"service", "worker"}}, "replicas", "cores / 2", problems);
  editor->AppendBlock({{"service", "worker"}}, {"env"});
  editor->SetAttribute({{"service", "worker"}, {"env"}}, "QUIET", hcl::Value::Bool(true));
  std::cout << editor->Text();
  return 0;
}
