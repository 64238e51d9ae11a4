// console: evaluates expressions that are typed or piped in.
// Ref: opentofu internal/command/console.go, console_state.go, internal/repl.
#include "engine/console.h"

#include <algorithm>
#include <iostream>

#include <unistd.h>

#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "config/reference.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "lang/console.h"
#include "lang/eval.h"
#include "terminal/line_editor.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kConsoleInput = "<console-input>";
constexpr std::string_view kHelpText =
    "Type an expression, and its value is printed. Whatever the configuration can\n"
    "refer to can be used: variables, local values, outputs of modules, and objects\n"
    "as the state has them, such as \"aws_instance.foo.id\".\n\n"
    "An expression may go on over several lines while a bracket is open, or after a\n"
    "backslash at the end of a line. \"exit\", Control-C and Control-D end the console.";

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// Lines that make one expression: it goes on while brackets are open.
class InputBuffer {
 public:
  /// Adds a line. How many brackets are open then; 0: the text is complete.
  int Add(std::string_view line) {
    if (open_ <= 0) {
      text_.clear();
      braces_ = brackets_ = parentheses_ = 0;
    }
    int continued = line.ends_with('\\') && !line.ends_with("\\\\") ? 1 : 0;
    if (line.ends_with('\\')) {
      line.remove_suffix(1);
    }
    if (!line.empty()) {
      text_ += (text_.empty() ? "" : "\n") + std::string(line);
      Count(line);
    }
    bool closed_too_many = braces_ < 0 || brackets_ < 0 || parentheses_ < 0;
    open_ = closed_too_many ? 0 : continued + braces_ + brackets_ + parentheses_;
    return open_;
  }
  const std::string& text() const { return text_; }

 private:
  void Count(std::string_view line) {
    std::vector<hcl::Token> tokens;
    hcl::Lexer(line, hcl::LexMode::kNormal).Append(line.size() + 1, tokens);
    for (const hcl::Token& token : tokens) {
      using hcl::TokenKind;
      braces_ += token.kind == TokenKind::kOpenBrace;
      braces_ -= token.kind == TokenKind::kCloseBrace;
      brackets_ += token.kind == TokenKind::kOpenBracket;
      brackets_ -= token.kind == TokenKind::kCloseBracket;
      parentheses_ += token.kind == TokenKind::kOpenParen;
      parentheses_ -= token.kind == TokenKind::kCloseParen;
    }
  }

  std::string text_;
  int open_ = 0;
  int braces_ = 0;
  int brackets_ = 0;
  int parentheses_ = 0;
};

using Resources = std::vector<ConfigResource>;

/// Adds the resources that an expression of `node` refers to.
void AddReached(const Loaded& loaded, const config::ConfigNode& node, const hcl::Expr* expr,
                Resources& out) {
  if (expr == nullptr) {
    return;
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*expr, traversals);
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference reference =
        config::ResolveReference(*loaded.program, *node.module, *traversal, nullptr);
    if (reference.kind == config::ReferenceKind::kResource && reference.index >= 0) {
      const auto index = static_cast<size_t>(reference.index);
      const ConfigResource address = {node.path, node.module->resources[index].name};
      if (std::find(out.begin(), out.end(), address) == out.end()) {
        out.push_back(address);
      }
    }
  }
}

/// The resources that named values of all modules refer to, which are evaluated whatever is asked;
/// nothing when these are many.
std::optional<Resources> ReachedByNamedValues(const Loaded& loaded) {
  constexpr size_t kMany = 32;
  Resources out;
  for (const auto& node : loaded.config->nodes) {
    const config::Module& module = *node->module;
    const auto add = [&](const hcl::Expr* expr) { AddReached(loaded, *node, expr, out); };
    const auto add_conditions = [&](const std::vector<config::Condition>& conditions) {
      for (const config::Condition& condition : conditions) {
        add(condition.condition);
        add(condition.error_message);
      }
    };
    for (const config::Local& local : module.locals) {
      add(local.expr);
    }
    for (const config::Output& output : module.outputs) {
      add(output.expr);
      add_conditions(output.preconditions);
    }
    for (const config::Variable& variable : module.variables) {
      add_conditions(variable.validations);
    }
    for (const config::ModuleCall& call : module.calls) {
      add(call.count);
      add(call.for_each);
      add(call.enabled);
      for (const auto& input : call.inputs) {
        add(input.expr);
      }
    }
    if (out.size() > kMany) {
      return std::nullopt;
    }
  }
  return out;
}

/// Evaluates over the state, of which there may be only a part until an expression reaches beyond.
class Evaluation {
 public:
  /// The input's state is that of the session.
  Evaluation(StateSession& session, const Loaded& loaded, const engine::Request& input)
      : session_(session), loaded_(loaded), input_(input) {}

  /// Evaluates the named values. False when nothing can be evaluated.
  bool Open(Diagnostics& diags) {
    evaluated_.emplace(input_);
    if (!evaluated_->Open(diags)) {
      return false;
    }
    scope_.emplace(evaluated_->scope());
    return true;
  }
  /// What is printed for an expression.
  std::string Print(const hcl::Expr& expr, Diagnostics& diags) {
    if (!evaluated_->CheckReferences(expr, diags) || !Reach(expr, diags)) {
      return "";
    }
    const Value value = lang::Evaluate(expr, *scope_, diags);
    return diags.has_errors() ? "" : scope_->Print(value, diags);
  }

 private:
  // Reads all of the state when the expression refers to a resource that is not there.
  bool Reach(const hcl::Expr& expr, Diagnostics& diags) {
    if (!session_.in_part()) {
      return true;
    }
    Resources reached = *session_.first;
    AddReached(loaded_, loaded_.config->root(), &expr, reached);
    if (reached.size() == session_.first->size()) {
      return true;
    }
    std::optional<state::State> whole = session_.ReadAll();
    if (!whole) {
      diags.Append(std::move(session_.diags));
      return false;
    }
    scope_.reset();
    evaluated_.reset();
    session_.state = *std::move(whole);
    Diagnostics told;  // the first time
    return Open(told);
  }

  StateSession& session_;
  const Loaded& loaded_;
  const engine::Request& input_;
  std::optional<engine::ConsoleSession> evaluated_;
  std::optional<lang::ConsoleScope> scope_;
};

class Console {
 public:
  Console(StateSession& session, Evaluation& evaluation)
      : session_(session), evaluation_(evaluation) {}

  int RunPiped() {
    std::string line;
    while (std::getline(std::cin, line)) {
      if (buffer_.Add(Trim(line)) > 0) {
        continue;
      }
      switch (Handle(buffer_.text())) {
        case Outcome::kExit:
          return 0;
        case Outcome::kFailed:
          // What is piped in is a program: it ends with its first error.
          return 1;
        case Outcome::kDone:
          break;
      }
    }
    return 0;
  }

  int RunInteractive() {
    terminal::LineEditor editor;
    std::string prompt = "> ";
    for (;;) {
      auto line = editor.Read(prompt);
      if (!line) {
        return 0;
      }
      if (line->dropped) {
        continue;
      }
      int open = buffer_.Add(Trim(line->text));
      prompt = open > 0 ? std::string(static_cast<size_t>(open), '.') + " " : "> ";
      if (open <= 0 && Handle(buffer_.text()) == Outcome::kExit) {
        return 0;
      }
    }
  }

 private:
  enum class Outcome : uint8_t { kDone, kFailed, kExit };

  Outcome Handle(std::string_view input) {
    std::string_view word = Trim(input);
    if (word == "exit") {
      return Outcome::kExit;
    }
    if (word.empty()) {
      Output("");
      return Outcome::kDone;
    }
    if (word == "help") {
      Output(kHelpText);
      return Outcome::kDone;
    }
    Diagnostics diags;
    std::string text = Evaluate(input, diags);
    if (diags.has_errors()) {
      session_.audience->Show(diags);
      return Outcome::kFailed;
    }
    Output(text);
    return Outcome::kDone;
  }

  std::string Evaluate(std::string_view input, Diagnostics& diags) {
    auto file = SourceFile::Make(std::string(kConsoleInput), std::string(input));
    const SourceFile* source = tree_.KeepSource(file);
    const hcl::Expr* expr = hcl::ParseExpression(source, tree_, diags);
    return diags.has_errors() || expr == nullptr ? "" : evaluation_.Print(*expr, diags);
  }

  void Output(std::string_view text) {
    session_.audience->Text(std::string(text) + "\n");
    if (session_.audience->json() != nullptr) {
      session_.audience->json()->Message(view::JsonUi::Level::kInfo, text);
    }
  }

  StateSession& session_;
  Evaluation& evaluation_;
  InputBuffer buffer_;
  hcl::SyntaxTree tree_;
};

/// Variables that have no value are unknown here, not missing.
void CollectKnownValues(Loaded& loaded, Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  std::map<std::string, config::InputValue> unknown;
  std::vector<std::string> unset;
  for (const config::Variable& variable : root.variables) {
    std::string name(loaded.program->Text(variable.name));
    if (!variable.default_value && !loaded.inputs.values.contains(name)) {
      config::InputValue value;
      value.value = Value::Unknown(variable.constraint.type.WithoutOptionalAttributes());
      unknown.emplace(std::move(name), std::move(value));
    }
  }
  Diagnostics found;
  loaded.variables = config::CollectVariables(*loaded.program, root, loaded.inputs, found);
  for (Diagnostic& diagnostic : found.list()) {
    if (diagnostic.summary != "No value for required variable") {
      diags.Add(std::move(diagnostic));
    }
  }
  for (auto& [name, value] : unknown) {
    loaded.variables[name] = std::move(value);
  }
}

}  // namespace

static int RunConsole(Invocation& invocation) {
  // The flags for JSON are taken here: there is no stream of nothing but messages, since whoever
  // types must see something.
  StateSession session(invocation);
  session.Parse("Failed to parse command-line flags", false);
  if (!session.flags.positionals().empty()) {
    session.diags.Error("Too many command line arguments",
                        "Expected at most one positional argument.");
  }
  session.audience = MakeAudience(invocation, &session.flags, session.diags, true);
  if (session.flags.Bool("json")) {
    session.diags.Error("Output only in json is not allowed",
                        "In case you want to stream the output of the console into json, use the "
                        "\"-json-into\" instead.");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  auto arguments = VariableArguments(session.flags);
  // The root module says where the state is, and one load of it is enough, unless something is
  // wrong: then what is wrong with the root module and the backend is told before what is wrong
  // with the modules that it calls.
  Diagnostics found;
  Loaded loaded = session::Load(
      invocation.workspace,
      {.intent = LoadIntent::kOperation, .variables = arguments, .program = session.program},
      found);
  const std::optional<Resources> reached =
      found.empty() ? ReachedByNamedValues(loaded) : std::nullopt;
  session.first = reached ? &*reached : nullptr;
  if (!session.Open("OperationTypeInvalid", found.empty() ? &loaded : nullptr)) {
    return session.Fail();
  }
  session.diags.Append(std::move(found));
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  auto providers = session::ProviderSet::Open(invocation.workspace, session.diags);
  if (!session.diags.has_errors()) {
    CollectKnownValues(loaded, session.diags);
    providers->RequireSelections(*loaded.config, session.diags);
  }
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  session::AdoptProviders(*loaded.config, session.state);
  engine::ProviderPool pool;
  engine::Request input;
  input.config = loaded.config.get();
  input.prior_state = &session.state;
  input.variables = &loaded.variables;
  input.providers = &providers->source();
  input.pool = &pool;
  input.options.workspace = invocation.workspace.Name();
  input.options.original_directory = invocation.workspace.original_directory;
  Evaluation evaluation(session, loaded, input);
  if (!evaluation.Open(session.diags)) {
    return session.Fail();
  }
  if (session.diags.has_errors()) {
    session.diags.Warning(
        "Due to the problems above, some expressions may produce unexpected results.", "");
  }
  session.audience->Show(session.diags);
  Console console(session, evaluation);
  int code = ::isatty(STDIN_FILENO) == 0 ? console.RunPiped() : console.RunInteractive();
  session.Close();
  pool.CloseAll();
  return session.audience->Show(session.diags) ? 1 : code;
}

constexpr auto kConsoleFlags = JoinFlags(
    kCompactWarnings,
    FlagSpec{.name = "consolidate-warnings",
             .kind = FlagKind::kView,
             .help = "Merge warnings with one summary (default: true)."},
    FlagSpec{.name = "consolidate-errors",
             .kind = FlagKind::kView,
             .help = "Merge errors with one summary (default: false)."},
    FlagSpec{.name = "json-into",
             .kind = FlagKind::kString,
             .form = "=out.json",
             .help = "Write the results as a stream of JSON messages to that\n"
                     "file as well."},
    kStateLock,
    FlagSpec{.name = "state",
             .kind = FlagKind::kString,
             .default_value = "terraform.tfstate",
             .form = "=path",
             .help = "The state file to use, in every workspace; terraform.tfstate\n"
                     "unless it is given."},
    kVariables, FlagSpec{.name = "json"}, FlagSpec{.name = "input", .default_value = "true"});

extern constexpr CommandSpec kConsoleCommand{
    .name = "console",
    .synopsis = "Try OpenTofu expressions at an interactive command prompt",
    .usage = "tofu [global options] console [options]",
    .description = R"(Evaluates expressions over the configuration and the state of this directory
and prints their values. On a terminal it asks for one after the other, with
editing and a history; from a pipe it takes one a line and ends with the first
that is wrong. Variables without a value are unknown. Nothing is changed.)",
    .flags = kConsoleFlags,
    .spaced_help = true,
    .run = RunConsole,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
