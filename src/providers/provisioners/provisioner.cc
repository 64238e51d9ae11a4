#include "provisioners/provisioner.h"

#include <algorithm>

#include "base/subprocess.h"
#include "provisioners/remote_provisioners.h"
#include "text/quote.h"
#include "trace/parent.h"

namespace kinu::provisioners {
namespace {

schema::Attribute MakeArgument(std::string_view name, Type type, bool required = false) {
  schema::Attribute attribute;
  attribute.name = name;
  attribute.type = std::move(type);
  attribute.required = required;
  attribute.optional = !required;
  return attribute;
}

schema::Block MakeBlock(std::initializer_list<std::pair<std::string_view, Type>> optional,
                        std::string_view required = {}) {
  schema::Block block;
  if (!required.empty()) {
    block.attributes.push_back(MakeArgument(required, Type::String(), true));
  }
  for (const auto& [name, type] : optional) {
    block.attributes.push_back(MakeArgument(name, type));
  }
  block.Finish();
  return block;
}

void AddError(provider::Problems& problems, std::string summary, std::string detail) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = std::nullopt});
}

/// The text of a string attribute. Empty if it is null or unknown.
std::string Text(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value == nullptr || value->IsNull() || !value->IsKnown() ? std::string()
                                                                  : std::string(value->AsString());
}

bool IsSet(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value != nullptr && !value->IsNull();
}

/// Whether a string is null or known to be empty.
bool IsMissing(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value == nullptr || value->IsNull() || (value->IsKnown() && value->AsString().empty());
}

/// Tells the program which span started it, unless the configuration says something else.
void AddTraceParent(Command& command) {
  static constexpr std::string_view kName = "TRACEPARENT";
  const std::string parent = trace::TraceParentOfChildren();
  const bool given = std::ranges::any_of(command.environment, [](const auto& variable) {
    std::string name = variable.first;
    for (char& c : name) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return name == kName;
  });
  if (!parent.empty() && !given) {
    command.environment.emplace_back(kName, parent);
  }
}

class LocalExec final : public Provisioner {
 public:
  const schema::Block& schema() const override {
    static const schema::Block kBlock = MakeBlock({{"interpreter", Type::List(Type::String())},
                                                   {"working_dir", Type::String()},
                                                   {"environment", Type::Map(Type::String())},
                                                   {"quiet", Type::Bool()}},
                                                  "command");
    return kBlock;
  }

  void Validate(const Value& config, provider::Problems& problems) const override {
    if (IsMissing(config, "command")) {
      AddError(problems, "Invalid local-exec provisioner command",
               "The command must be a non-empty string.");
    }
  }

  void Run(const ProvisionRequest& request, provider::Problems& problems) const override {
    const Value& config = request.config;
    Validate(config, problems);
    if (provider::HasErrors(problems)) {
      return;
    }
    Command command;
    if (const Value& interpreter = config.Attribute("interpreter"); !interpreter.IsNull()) {
      for (const Value& word : interpreter.elements()) {
        if (!word.IsNull()) {
          command.arguments.emplace_back(word.AsString());
        }
      }
    }
    if (command.arguments.empty()) {
      command.arguments = {"/bin/sh", "-c"};
    }
    std::string text = Text(config, "command");
    command.arguments.push_back(text);
    if (const Value& environment = config.Attribute("environment"); !environment.IsNull()) {
      for (size_t i = 0; i < environment.size(); ++i) {
        if (const Value& value = environment.elements()[i]; !value.IsNull()) {
          command.environment.emplace_back(environment.key(i), value.AsString());
        }
      }
    }
    AddTraceParent(command);
    command.working_directory = Text(config, "working_dir");
    command.on_line = request.output;
    command.stop = request.stop;
    if (const Value& quiet = config.Attribute("quiet"); !quiet.IsNull() && quiet.AsBool()) {
      request.output("local-exec: Executing: Suppressed by quiet=true");
    } else {
      std::string words;
      for (const std::string& word : command.arguments) {
        words += (words.empty() ? "" : " ") + text::GoQuote(word);
      }
      request.output("Executing: [" + words + "]");
    }
    Result<CommandResult> result = RunCommand(command);
    if (!result) {
      AddError(problems, "local-exec provisioner error",
               "Error running command '" + text + "': " + result.error().message + ". Output: ");
    } else if (!result->succeeded()) {
      AddError(problems, "local-exec provisioner error",
               "Error running command '" + text + "': " + result->Describe() +
                   ". Output: " + result->output);
    }
  }
};

/// Reports the outcome of file or remote-exec.
void ReportOutcome(std::string_view provisioner, const Result<void>& done,
                   provider::Problems& problems) {
  if (!done) {
    AddError(problems, std::string(provisioner) + " provisioner error",
             text::EscapeControls(done.error().message));
  }
}

class File final : public Provisioner {
 public:
  const schema::Block& schema() const override {
    static const schema::Block kBlock =
        MakeBlock({{"source", Type::String()}, {"content", Type::String()}}, "destination");
    return kBlock;
  }

  void Validate(const Value& config, provider::Problems& problems) const override {
    if (IsMissing(config, "destination")) {
      AddError(problems, "Invalid file provisioner configuration",
               "The destination must be a non-empty string.");
    }
    if (IsSet(config, "source") && IsSet(config, "content")) {
      AddError(problems, "Cannot set both 'source' and 'content'", "");
    } else if (!IsSet(config, "source") && !IsSet(config, "content")) {
      AddError(problems, "Must provide one of 'source' or 'content'", "");
    }
  }

  void Run(const ProvisionRequest& request, provider::Problems& problems) const override {
    if (!request.connection.IsNull() && IsMissing(request.config, "destination")) {
      Validate(request.config, problems);
      return;
    }
    ReportOutcome("file", UploadToMachine(request), problems);
  }
};

class RemoteExec final : public Provisioner {
 public:
  const schema::Block& schema() const override {
    static const schema::Block kBlock = MakeBlock({{"inline", Type::List(Type::String())},
                                                   {"script", Type::String()},
                                                   {"scripts", Type::List(Type::String())}});
    return kBlock;
  }

  void Validate(const Value& config, provider::Problems& problems) const override {
    int given = 0;
    for (std::string_view name : {"inline", "script", "scripts"}) {
      given += IsSet(config, name) ? 1 : 0;
    }
    if (given != 1) {
      AddError(problems, "Invalid remote-exec provisioner configuration",
               "Only one of \"inline\", \"script\", or \"scripts\" must be set");
    }
  }

  void Run(const ProvisionRequest& request, provider::Problems& problems) const override {
    ReportOutcome("remote-exec", RunOnMachine(request), problems);
  }
};

}  // namespace

const Provisioner* FindProvisioner(std::string_view name) {
  static const LocalExec kLocalExec;
  static const File kFile;
  static const RemoteExec kRemoteExec;
  if (name == "local-exec") {
    return &kLocalExec;
  }
  if (name == "file") {
    return &kFile;
  }
  return name == "remote-exec" ? &kRemoteExec : nullptr;
}

const schema::Block& ConnectionSchema() {
  static const schema::Block kBlock = MakeBlock({{"type", Type::String()},
                                                 {"user", Type::String()},
                                                 {"password", Type::String()},
                                                 {"port", Type::Number()},
                                                 {"timeout", Type::String()},
                                                 {"script_path", Type::String()},
                                                 {"target_platform", Type::String()},
                                                 {"private_key", Type::String()},
                                                 {"certificate", Type::String()},
                                                 {"host_key", Type::String()},
                                                 {"agent", Type::Bool()},
                                                 {"agent_identity", Type::String()},
                                                 {"proxy_scheme", Type::String()},
                                                 {"proxy_host", Type::String()},
                                                 {"proxy_port", Type::Number()},
                                                 {"proxy_user_name", Type::String()},
                                                 {"proxy_user_password", Type::String()},
                                                 {"bastion_host", Type::String()},
                                                 {"bastion_host_key", Type::String()},
                                                 {"bastion_port", Type::Number()},
                                                 {"bastion_user", Type::String()},
                                                 {"bastion_password", Type::String()},
                                                 {"bastion_private_key", Type::String()},
                                                 {"bastion_certificate", Type::String()},
                                                 {"https", Type::Bool()},
                                                 {"insecure", Type::Bool()},
                                                 {"cacert", Type::String()},
                                                 {"use_ntlm", Type::Bool()}},
                                                "host");
  return kBlock;
}

}  // namespace kinu::provisioners
