#include "view/human/change_heading.h"

#include "json/writer.h"
#include "plan_json/documents.h"
#include "plan_json/value.h"

namespace kinu::view {

using plan::Action;
using plan::Reason;
using plan::ResourceChange;

bool Moved(const ResourceChange& change) {
  return change.previous_address != change.address;
}

namespace {

/// The comment above a change: the object, the action and its reason.
class Heading {
 public:
  Heading(const Program& program, const terminal::Style& style, const ResourceChange& change,
          bool drift)
      : program_(program), style_(style), change_(change), drift_(drift) {
    name_ = program_.ToText(change_.address);
    if (!change_.deposed.empty()) {
      name_ += " (deposed object " + change_.deposed.text() + ")";
    }
  }

  void AppendTo(std::string& out);

 private:
  void Subject(std::string_view rest) {
    text_ += "[bold]  # ";
    text_ += name_;
    text_ += "[reset] ";
    text_ += rest;
  }
  void Note(std::string_view note) {
    text_ += "\n  # (";
    text_ += note;
    text_ += ')';
  }
  void NoteWrongRepetition(const InstanceKey& key) {
    switch (key.kind()) {
      case InstanceKey::Kind::kNone:
        return Note("because resource uses count or for_each");
      case InstanceKey::Kind::kInt:
        return Note("because resource does not use count");
      default:
        return Note("because resource does not use for_each");
    }
  }
  void ExplainReplacement();
  void ExplainDeletion();
  void ExplainForgetting();
  void NoteDeposed() {
    if (!change_.deposed.empty()) {
      Note("left over from a partially-failed replacement of this instance");
    }
  }
  void Import();

  const Program& program_;
  const terminal::Style& style_;
  const ResourceChange& change_;
  bool drift_;
  std::string name_;
  std::string text_;
};

void Heading::ExplainReplacement() {
  switch (change_.reason) {
    case Reason::kReplaceTainted:
      Subject("is tainted, so it must be [bold][red]replaced[reset]");
      break;
    case Reason::kReplaceByRequest:
      Subject("will be [bold][red]replaced[reset], as requested");
      break;
    case Reason::kReplaceByTriggers:
      Subject("will be [bold][red]replaced[reset] due to changes in replace_triggered_by");
      break;
    default:
      Subject("must be [bold][red]replaced[reset]");
      break;
  }
}

void Heading::ExplainDeletion() {
  const ResourceName& resource = change_.address.resource.resource;
  const InstanceKey& key = change_.address.key;
  const std::string short_name =
      std::string(program_.Text(resource.type)) + "." + std::string(program_.Text(resource.name));
  std::string key_json;
  if (!key.none()) {
    JsonWriter out(key_json);
    WriteInstanceKey(out, program_, key);
  }
  switch (change_.reason) {
    case Reason::kDeleteNoResourceConfig:
      Note("because " + short_name + " is not in configuration");
      break;
    case Reason::kDeleteNoMoveTarget:
      Note("because " + program_.ToText(change_.previous_address) + " was moved to " +
           program_.ToText(change_.address) + ", which is not in configuration");
      break;
    case Reason::kDeleteNoModule:
      Note("because " + program_.ToText(change_.address.resource.module) +
           " is not in configuration");
      break;
    case Reason::kDeleteWrongRepetition:
      NoteWrongRepetition(key);
      break;
    case Reason::kDeleteCountIndex:
      Note("because index [" + key_json + "] is out of range for count");
      break;
    case Reason::kDeleteEnabledFalse:
      Note("because enabled is false");
      break;
    case Reason::kDeleteEachKey:
      Note("because key [" + key_json + "] is not in for_each map");
      break;
    default:
      break;
  }
}

void Heading::ExplainForgetting() {
  if (change_.reason == Reason::kForgetState) {
    text_ +=
        " \n (because [bold]lifecycle.destroy = false[reset] was configured before this "
        "resource was removed from the configuration)";
  } else if (change_.reason == Reason::kForgetConfig) {
    text_ += " \n (because [bold]lifecycle.destroy = false[reset] is set in the configuration)";
  }
}

void Heading::Import() {
  const plan::Importing& importing = *change_.importing;
  if (!importing.id.empty()) {
    text_ += "  # [reset](imported from \"" + importing.id + "\")\n";
  } else if (!importing.identity.IsNull()) {
    std::string identity;
    JsonWriter out(identity, {.indent = "  ", .prefix = "  # "});
    out.Embed(ValueText(importing.identity));
    text_ += "  # [reset]imported using resource identity: " + identity + "\n";
  } else {
    text_ += "  # [reset](will be imported first)\n";
  }
  if (change_.action == Action::kCreateThenDelete || change_.action == Action::kDeleteThenCreate) {
    text_ += "  # [reset][yellow]Warning: this will destroy the imported resource[reset]\n";
  }
}

void Heading::AppendTo(std::string& out) {
  bool told_move = false;
  switch (change_.action) {
    case Action::kCreate:
      Subject("will be created");
      break;
    case Action::kRead:
      Subject("will be read during apply");
      if (change_.reason == Reason::kReadConfigUnknown) {
        Note("config refers to values not yet known");
      } else if (change_.reason == Reason::kReadDependencyPending) {
        Note("depends on a resource or a module with changes pending");
      } else if (change_.reason == Reason::kReadCheckNested) {
        Note("config will be reloaded to verify a check block");
      }
      break;
    case Action::kUpdate:
      Subject(drift_ ? "has changed" : "will be updated in-place");
      break;
    case Action::kCreateThenDelete:
    case Action::kDeleteThenCreate:
      ExplainReplacement();
      break;
    case Action::kDelete:
      Subject(drift_ ? "has been deleted" : "will be [bold][red]destroyed[reset]");
      ExplainDeletion();
      NoteDeposed();
      break;
    case Action::kForget:
      Subject(
          "will be removed from the OpenTofu state [bold][red]but will not be destroyed[reset]");
      ExplainForgetting();
      NoteDeposed();
      break;
    case Action::kForgetThenCreate:
      ExplainReplacement();
      text_ +=
          " - [yellow]older instance will [bold]not[reset][yellow] be destroyed [reset]"
          "([bold]lifecycle.destroy = false[reset])";
      NoteDeposed();
      break;
    case Action::kNoOp:
      if (Moved(change_)) {
        text_ += "[bold]  # " + program_.ToText(change_.previous_address) +
                 "[reset] has moved to [bold]" + name_ + "[reset]";
        told_move = true;
      } else {
        Subject("will be imported");
        if (!change_.generated_config.empty()) {
          text_ += "\n  #[reset] (config will be generated)";
        }
      }
      break;
  }
  text_ += '\n';
  if (Moved(change_) && !told_move) {
    text_ += "  # [reset](moved from " + program_.ToText(change_.previous_address) + ")\n";
  }
  if (change_.importing) {
    Import();
  }
  style_.PaintTo(out, text_);
}

}  // namespace

void AppendHeading(std::string& out, const Program& program, const terminal::Style& style,
                   const ResourceChange& change, bool drift) {
  Heading(program, style, change, drift).AppendTo(out);
}

}  // namespace kinu::view
