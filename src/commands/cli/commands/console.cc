// console: evaluates expressions that are typed or piped in.
// Ref: opentofu internal/command/console.go, console_state.go, internal/repl.
#include <algorithm>
#include <iostream>

#include <unistd.h>

#include "cli/console_names.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"
#include "config/referenced_resources.h"
#include "engine/evaluation.h"
#include "hcl/parse.h"
#include "lang/console_input.h"
#include "lang/console_text.h"
#include "lang/eval.h"
#include "operation/variable_prompt.h"
#include "session/provider_installation.h"
#include "terminal/line_editor.h"
#include "text/unicode.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

/// A configuration whose named values refer to more resources than these gets the whole state.
constexpr size_t kMostPartialReads = 32;
constexpr std::string_view kConsoleInput = "<console-input>";
constexpr std::string_view kHelpText =
    "Type an expression, and its value is printed. Whatever the configuration can\n"
    "refer to can be used: variables, local values, outputs of modules, and objects\n"
    "as the state has them, such as \"aws_instance.foo.id\".\n\n"
    "An expression may go on over several lines while a bracket is open, or after a\n"
    "backslash at the end of a line. \"exit\", Control-C and Control-D end the console.";

using Resources = std::vector<ConfigResource>;

/// Evaluates expressions. Only a part of the state may be loaded, until an expression needs more.
class Evaluation {
 public:
  /// `input` refers to the state of the session.
  Evaluation(StateSession& session, const Loaded& loaded, const engine::Request& input)
      : session_(session), loaded_(loaded), input_(input) {}

  /// Evaluates the named values. Returns false if nothing can be evaluated.
  bool Open(Diagnostics& diags) {
    evaluated_.emplace(input_);
    if (!evaluated_->Open(diags)) {
      return false;
    }
    scope_.emplace(evaluated_->scope());
    return true;
  }
  /// Returns the text of an expression's value.
  std::string Print(const hcl::Expr& expr, Diagnostics& diags) {
    if (!evaluated_->CheckReferences(expr, diags) || !Reach(expr, diags)) {
      return "";
    }
    const Value value = lang::Evaluate(expr, *scope_, diags);
    return diags.has_errors() ? "" : scope_->Print(value, diags);
  }

 private:
  // Reads all of the state if the expression refers to a resource that is not loaded.
  bool Reach(const hcl::Expr& expr, Diagnostics& diags) {
    if (!session_.in_part()) {
      return true;
    }
    Resources reached = *session_.first;
    config::AddReferencedResources(*loaded_.program, loaded_.config->root(), &expr, reached);
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
    Diagnostics reported_before;
    return Open(reported_before);
  }

  StateSession& session_;
  const Loaded& loaded_;
  const engine::Request& input_;
  std::optional<engine::EvaluationSession> evaluated_;
  std::optional<lang::ConsoleScope> scope_;
};

class Console {
 public:
  Console(StateSession& session, Evaluation& evaluation)
      : session_(session), evaluation_(evaluation) {}

  int RunPiped() {
    std::string line;
    while (std::getline(std::cin, line)) {
      if (buffer_.Add(text::TrimSpace(line)) > 0) {
        continue;
      }
      switch (Handle(buffer_.text())) {
        case Outcome::kExit:
          return 0;
        case Outcome::kFailed:
          // Piped input is a program, which ends with its first error.
          return 1;
        case Outcome::kDone:
          break;
      }
    }
    return 0;
  }

  int RunInteractive(const ConsoleNames& names) {
    terminal::LineEditor editor([&](std::string_view word) { return names.Complete(word); });
    std::string prompt = "> ";
    for (;;) {
      auto line = editor.Read(prompt);
      if (!line) {
        return 0;
      }
      if (line->dropped) {
        continue;
      }
      int open = buffer_.Add(text::TrimSpace(line->text));
      prompt = open > 0 ? std::string(static_cast<size_t>(open), '.') + " " : "> ";
      if (open <= 0 && Handle(buffer_.text()) == Outcome::kExit) {
        return 0;
      }
    }
  }

 private:
  enum class Outcome : uint8_t { kDone, kFailed, kExit };

  Outcome Handle(std::string_view input) {
    std::string_view word = text::TrimSpace(input);
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
  lang::ConsoleInput buffer_;
  hcl::SyntaxTree tree_;
};

}  // namespace

static int RunConsole(Invocation& invocation) {
  // The console reads the flags for JSON itself: it never prints only messages, since the user must
  // see values.
  StateSession session(invocation);
  session.warns_of_configuration = true;
  session.Parse("Failed to parse command-line flags", false);
  if (!session.flags.positionals().empty()) {
    WordsError(session.diags, std::string(TooManyWordsSummary()),
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
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return session.Fail("Plugins loading error",
                        "The list of -plugin-dir cannot be read: " + read.error().message);
  }
  auto arguments = VariableArguments(session.flags);
  OpenWorkspace open(invocation.workspace);
  open.LoadModules({.intent = LoadIntent::kOperation,
                    .variables = arguments,
                    .ask = session.flags.Bool("input") && !invocation.input_disabled
                               ? operation::VariableQuestions(invocation.style())
                               : session::AskVariable(),
                    .program = session.program});
  Loaded& loaded = open.loaded;
  const std::optional<Resources> reached =
      open.of_modules().empty() ? config::ResourcesOfNamedValues(*loaded.config, kMostPartialReads)
                                : std::nullopt;
  session.first = reached ? &*reached : nullptr;
  session.unreadable = {"", "error loading state: "};
  session.unopened = session.unreadable;
  // Nobody hears of a lock that stays where the console does not begin, as in the reference.
  const auto fail = [&] {
    session.handle.reset();
    return session.Fail();
  };
  if (!session.Open(operation::LockReason(OperationKind::kConsole), &open)) {
    return fail();
  }
  session.diags.Append(open.of_modules());
  if (session.diags.has_errors()) {
    return fail();
  }
  if (open.OpenProviders(session.diags)) {
    loaded.variables = config::CollectKnownVariables(*loaded.program, *loaded.config->root().module,
                                                     loaded.inputs, session.diags);
    open.providers->RequireSelected(*loaded.config, session.diags);
  }
  if (session.diags.has_errors()) {
    return fail();
  }
  session::AdoptProviders(*loaded.config, session.state);
  engine::ProviderPool pool;
  engine::Request input = operation::MakeRequest(invocation.workspace, *loaded.config,
                                                 loaded.variables, *open.providers, pool);
  input.prior_state = &session.state;
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
  const view::SourceSchemas schemas(open.providers->source());
  int code = ::isatty(STDIN_FILENO) == 0
                 ? console.RunPiped()
                 : console.RunInteractive(ConsoleNames(*loaded.config, schemas));
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
    .group = CommandGroup::kLanguage,
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
