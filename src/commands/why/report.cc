#include "why/report.h"

#include <algorithm>
#include <ranges>

#include "base/flat_map.h"
#include "diag/range_json.h"

namespace kinu::why {
namespace {

constexpr size_t kLongestText = 60;

/// The beginning of a text that may be long. Characters stay whole.
std::string Short(std::string_view text) {
  if (text.size() <= kLongestText) {
    return std::string(text);
  }
  size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Or(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

std::string Values(const Cause& cause) {
  if (cause.before.empty() && cause.after.empty()) {
    return "";
  }
  return cause.before == cause.after && cause.after == "(sensitive value)"
             ? ": " + cause.after
             : ": " + Short(Or(cause.before, "(absent)")) + " -> " +
                   Short(Or(cause.after, "(absent)"));
}

std::string Where(const SourceRange& range) {
  return range.valid() ? " at " + range.file->root().name() + ":" +
                             std::to_string(range.start_position().line)
                       : "";
}

std::string OfObject(const Cause& cause) {
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"create", " is created"},   {"read", " is read during the apply"},
      {"update", " is updated"},   {"delete", " is destroyed"},
      {"replace", " is replaced"}, {"forget", " is forgotten"},
      {"import", " is imported"},  {"move", " has moved"}};
  const auto* const verb = std::ranges::find(kVerbs, std::string_view(cause.note),
                                             &std::pair<std::string_view, std::string_view>::first);
  return cause.address + (cause.deposed.empty() ? "" : " (deposed object " + cause.deposed + ")") +
         std::string(verb == std::end(kVerbs) ? " does not change" : verb->second);
}

/// An output of the root module has an action, one of a module has not.
std::string OfOutput(const Cause& cause) {
  static constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
      {"create", " is new"},
      {"update", " changes"},
      {"delete", " is removed"},
      {"no-op", " does not change"}};
  const auto* const verb = std::ranges::find(kVerbs, std::string_view(cause.note),
                                             &std::pair<std::string_view, std::string_view>::first);
  return cause.address + std::string(verb == std::end(kVerbs) ? "" : verb->second) + Values(cause);
}

std::string OfVariable(const Cause& cause) {
  std::string out = cause.address;
  if (!cause.before.empty()) {
    out += " has another value" + Values(cause);
  } else if (!cause.after.empty()) {
    out += " is " + Short(cause.after);
  }
  if (!cause.note.empty()) {
    out += " (" + cause.note + ")";
  }
  return out;
}

std::string OfEdited(const Cause& cause) {
  const std::string name = cause.path.empty() ? cause.address : cause.path + " of " + cause.address;
  if (cause.note == "removed") {
    return "the configuration has no argument " + name + " any more";
  }
  if (cause.note == "added") {
    return "the argument " + name + " is new";
  }
  return "the text of " + name + (cause.certain ? " was edited" : "");
}

}  // namespace

std::string Sentence(const Cause& cause) {
  const std::string attribute = cause.address + "." + cause.path;
  switch (cause.kind) {
    case CauseKind::kObject:
      return OfObject(cause);
    case CauseKind::kAttribute:
      return attribute + Values(cause);
    case CauseKind::kOutput:
      return OfOutput(cause);
    case CauseKind::kLocal:
    case CauseKind::kArgument:
      return cause.address + Values(cause);
    case CauseKind::kRepetition:
      return cause.path + " of " + cause.address;
    case CauseKind::kReplacement:
      return attribute + " cannot be updated in place";
    case CauseKind::kTriggered:
      return "replace_triggered_by has " + cause.path;
    case CauseKind::kDependency:
      return "depends_on has what changes";
    case CauseKind::kEdited:
      return OfEdited(cause);
    case CauseKind::kVariable:
      return OfVariable(cause);
    case CauseKind::kFile:
      return cause.address.empty() ? "the files that " + cause.note + "() reads"
                                   : "the file " + cause.address + ", by " + cause.note + "()";
    case CauseKind::kWorkspace:
      return "the name of the workspace";
    case CauseKind::kImpure:
      return cause.note + "() has another result each time";
    case CauseKind::kDrift:
      return attribute + " has changed outside" + Values(cause);
    case CauseKind::kGone:
      return "the object has been deleted outside";
    case CauseKind::kData:
      return cause.address + " has other data than before";
    case CauseKind::kProvider:
      return "the provider decides " + attribute + Values(cause);
    case CauseKind::kRequested:
      return "-replace asks for it";
    case CauseKind::kTainted:
      return "the object is tainted";
    case CauseKind::kMoved:
      return cause.before.empty() ? "a `moved` block releases it"
                                  : "the object was " + cause.before;
    case CauseKind::kImported:
      return "an `import` block, or generated configuration, brings it";
    case CauseKind::kNewBlock:
      return "the state has nothing of " + cause.address;
    case CauseKind::kNoBlock:
      return "no block of the configuration declares it";
    case CauseKind::kRemovedBlock:
      return "a `removed` block or destroy = false releases it";
    case CauseKind::kNoModule:
      return "no block of the configuration calls " + cause.address;
    case CauseKind::kNewKey:
      return "the state does not have " + cause.address;
    case CauseKind::kNoKey:
      return "the configuration does not make " + cause.address;
    case CauseKind::kDestroy:
      return "-destroy asks for it";
    case CauseKind::kDeposed:
      return "it was left behind by a replacement that did not finish";
    case CauseKind::kSensitivity:
      return "only what is sensitive changes";
    case CauseKind::kNotKnown:
      return "something that neither plan nor state record";
  }
  return "";
}

namespace {

class TextWriter {
 public:
  TextWriter(std::string& out, const Explanation& explanation)
      : out_(out), all_(explanation), shown_(explanation.causes.size(), 0) {}

  void Object(const ExplainedObject& object) {
    const Cause& cause = all_.causes[object.cause];
    out_ += Sentence(cause) + "\n";
    if (cause.range.valid()) {
      out_ += "    block" + Where(cause.range) + "\n";
    }
    for (const Call& call : object.calls) {
      out_ += "    in " + call.address +
              (call.range.valid() ? ", called" + Where(call.range) : "") + "\n";
    }
    const bool seen = shown_[object.cause]++ != 0;
    if (cause.note == "no-op") {
      out_ += "    Nothing in this plan changes it.\n";
    } else if (seen) {
      out_ += "    because, as above\n";
      Below(cause, 1, true);
    } else {
      Below(cause, 1, false);
    }
    out_ += "\n";
  }

 private:
  void Below(const Cause& cause, size_t depth, bool repeated) {
    size_t uncertain = 0;
    for (const uint32_t at : cause.causes) {
      uncertain += all_.causes[at].certain ? 0 : 1;
    }
    size_t open = uncertain;
    for (const uint32_t at : cause.causes) {
      if (all_.causes[at].certain) {
        Line(at, depth, "because ", repeated);
      }
    }
    const std::string_view several =
        uncertain == cause.causes.size() ? "because of one of\n" : "and maybe because of\n";
    for (const uint32_t at : cause.causes) {
      if (all_.causes[at].certain) {
        continue;
      }
      if (uncertain > 1 && open == uncertain) {
        out_ += std::string(depth * 4, ' ') + std::string(several);
      }
      --open;
      Line(at, depth, uncertain > 1 ? "  - " : "maybe because ", repeated);
    }
  }

  void Line(uint32_t at, size_t depth, std::string_view word, bool repeated) {
    const Cause& cause = all_.causes[at];
    out_ += std::string(depth * 4, ' ') + std::string(word) + Sentence(cause) + Where(cause.range);
    const bool shows_text = cause.kind != CauseKind::kAttribute && !cause.text.empty();
    out_ += shows_text ? ": " + Short(cause.text) + "\n" : "\n";
    if (cause.causes.empty() || repeated) {
      return;
    }
    if (shown_[at]++ != 0) {
      out_.insert(out_.size() - 1, " (as above)");
      return;
    }
    Below(cause, depth + 1, false);
  }

  std::string& out_;
  const Explanation& all_;
  std::vector<uint32_t> shown_;
};

void Optional(JsonWriter& json, JsonKey name, const std::string& text) {
  if (!text.empty()) {
    json.Member(name, std::string_view(text));
  }
}

/// A value: a string if it only says what it is, JSON otherwise.
void WriteValue(JsonWriter& json, JsonKey name, const std::string& value) {
  if (value.empty()) {
    return;
  }
  json.Key(name);
  if (value.starts_with('(')) {
    json.String(value);
  } else {
    json.Raw(value);
  }
}

void WritePosition(JsonWriter& json, const SourceRange& range) {
  if (range.valid()) {
    json.Key("position");
    json.BeginObject();
    WriteRangeMembers(json, range);
    json.EndObject();
  }
}

void WriteCause(JsonWriter& json, const Cause& cause) {
  json.BeginObject();
  json.Member("kind", KindName(cause.kind));
  json.Member("root", IsRoot(cause.kind) && cause.causes.empty());
  json.Member("certain", cause.certain);
  json.Member("sentence", std::string_view(Sentence(cause)));
  Optional(json, "address", cause.address);
  Optional(json, "path", cause.path);
  const bool acts = cause.kind == CauseKind::kObject || cause.kind == CauseKind::kOutput;
  Optional(json, acts ? JsonKey("action") : JsonKey("detail"), cause.note);
  Optional(json, "action_reason", cause.reason);
  Optional(json, "deposed", cause.deposed);
  if (cause.kind == CauseKind::kMoved) {
    Optional(json, "previous_address", cause.before);
  } else {
    WriteValue(json, "before", cause.before);
    WriteValue(json, "after", cause.after);
  }
  WritePosition(json, cause.range);
  Optional(json, "text", cause.text);
  json.Key("causes");
  json.BeginArray();
  for (const uint32_t at : cause.causes) {
    json.Uint(at);
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::vector<uint32_t> RootsOf(const Explanation& explanation, const ExplainedObject& object) {
  std::vector<uint32_t> roots;
  std::vector<uint32_t> work{object.cause};
  FlatSet<uint32_t> seen;
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    if (!seen.insert(at).second) {
      continue;
    }
    const Cause& cause = explanation.causes[at];
    if (cause.causes.empty() && at != object.cause) {
      roots.push_back(at);
    }
    for (const uint32_t below : cause.causes | std::views::reverse) {
      work.push_back(below);
    }
  }
  return roots;
}

namespace {

void WriteRoots(JsonWriter& json, const Explanation& explanation, const ExplainedObject& object) {
  json.Key("roots");
  json.BeginArray();
  for (const uint32_t at : RootsOf(explanation, object)) {
    json.Uint(at);
  }
  json.EndArray();
}

/// The block of an instance, which all its instances share.
std::string WithoutKey(const std::string& address) {
  if (!address.ends_with(']')) {
    return address;
  }
  return address.substr(0, address.rfind(address.ends_with("\"]") ? "[\"" : "["));
}

}  // namespace

std::string ShortName(const Cause& root) {
  const bool has_name = root.kind == CauseKind::kVariable || root.kind == CauseKind::kFile ||
                        root.kind == CauseKind::kWorkspace;
  std::string out(KindName(root.kind));
  std::ranges::replace(out, '_', ' ');
  if (has_name && !root.address.empty()) {
    out = root.address;
  } else if (root.kind == CauseKind::kEdited) {
    out = "the text of " + WithoutKey(root.address) + (root.path.empty() ? "" : "." + root.path);
  }
  return (root.certain ? "" : "perhaps ") + out;
}

void WriteText(std::string& out, const Explanation& explanation) {
  TextWriter writer(out, explanation);
  for (const auto* list : {&explanation.objects, &explanation.outputs}) {
    for (const ExplainedObject& object : *list) {
      writer.Object(object);
    }
  }
  if (explanation.empty()) {
    out += "Nothing changes.\n";
  } else {
    out.pop_back();
  }
}

void WriteJson(std::string& out, const Explanation& explanation,
               const std::function<void(JsonWriter& json)>& diagnostics) {
  JsonWriter json(out);
  json.BeginObject();
  json.Member("format_version", "1.1");
  json.Member("errored", explanation.errored);
  json.Key("objects");
  json.BeginArray();
  for (const ExplainedObject& object : explanation.objects) {
    const Cause& cause = explanation.causes[object.cause];
    json.BeginObject();
    json.Member("address", std::string_view(cause.address));
    json.Member("cause", static_cast<int64_t>(object.cause));
    json.Key("calls");
    json.BeginArray();
    for (const Call& call : object.calls) {
      json.BeginObject();
      json.Member("address", std::string_view(call.address));
      WritePosition(json, call.range);
      json.EndObject();
    }
    json.EndArray();
    WriteRoots(json, explanation, object);
    json.EndObject();
  }
  json.EndArray();
  json.Key("outputs");
  json.BeginArray();
  for (const ExplainedObject& output : explanation.outputs) {
    json.BeginObject();
    json.Member("address", std::string_view(explanation.causes[output.cause].address));
    json.Member("cause", static_cast<int64_t>(output.cause));
    WriteRoots(json, explanation, output);
    json.EndObject();
  }
  json.EndArray();
  json.Key("causes");
  json.BeginArray();
  for (const Cause& cause : explanation.causes) {
    WriteCause(json, cause);
  }
  json.EndArray();
  json.Key("diagnostics");
  json.BeginArray();
  diagnostics(json);
  json.EndArray();
  json.EndObject();
  out += "\n";
}

}  // namespace kinu::why
