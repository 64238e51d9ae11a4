#include "session/address_pattern.h"

#include <charconv>

#include "addrs/instance_order.h"
#include "base/flat_map.h"
#include "text/escape.h"

namespace kinu::session {
namespace {

using KeyKind = PatternStep::Key;

/// Parses a pattern from left to right.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : rest_(text) {}

  Result<AddressPattern> Run() {
    AddressPattern pattern;
    if (!ReadModules(pattern) || (!pattern.is_module && !ReadResource(pattern))) {
      return Fail(ErrorCode::kInvalid, error_);
    }
    return pattern;
  }

 private:
  bool Refuse(std::string error) {
    error_ = std::move(error);
    return false;
  }
  bool Take(std::string_view prefix) {
    const bool is = rest_.starts_with(prefix);
    rest_.remove_prefix(is ? prefix.size() : 0);
    return is;
  }
  bool ReadModules(AddressPattern& pattern) {
    for (;;) {
      PatternStep step;
      if (Take("**")) {
        step.any_modules = true;
      } else if (!Take("module.")) {
        return true;
      } else if (!ReadStep(step)) {
        return false;
      }
      const bool any = step.any_modules;
      if (any && !pattern.modules.empty() && pattern.modules.back().any_modules) {
        return Refuse("\"**\" stands for any number of modules: one is enough.");
      }
      pattern.modules.push_back(std::move(step));
      if (rest_.empty()) {
        pattern.is_module = true;
        return !any || Refuse("\"**\" stands for the modules before a name: a name must follow.");
      }
      if (!Take(".")) {
        return Refuse("A period must stand between two parts.");
      }
    }
  }
  ResourceMode TakeMode() {
    if (Take("data.")) {
      return ResourceMode::kData;
    }
    return Take("ephemeral.") ? ResourceMode::kEphemeral : ResourceMode::kManaged;
  }
  bool ReadResource(AddressPattern& pattern) {
    pattern.mode = TakeMode();
    if (!ReadName(pattern.type)) {
      return false;
    }
    if (!Take(".")) {
      return Refuse("A resource has a type and a name: \"aws_instance.web\".");
    }
    return ReadStep(pattern.resource) &&
           (rest_.empty() || Refuse("Nothing can follow the name and the key of a resource."));
  }
  bool ReadName(Glob& name) {
    const size_t end = std::min(rest_.find_first_of(".[\"]"), rest_.size());
    if (end == 0) {
      return Refuse("A name is missing.");
    }
    name.pieces.emplace_back();
    for (const char c : rest_.substr(0, end)) {
      if (c == '*') {
        name.pieces.emplace_back();
      } else {
        name.pieces.back().push_back(c);
      }
    }
    rest_.remove_prefix(end);
    return true;
  }
  bool ReadStep(PatternStep& step) {
    if (!ReadName(step.name)) {
      return false;
    }
    if (!Take("[")) {
      return true;
    }
    if (Take("*]")) {
      step.key = KeyKind::kAny;
      return true;
    }
    return (Take("\"") ? ReadString(step) : ReadIndex(step)) && (Take("]") || RefuseKey());
  }
  bool RefuseKey() { return Refuse("A key is a number, a string in double quotes, or \"*\"."); }
  bool ReadIndex(PatternStep& step) {
    step.key = KeyKind::kIndex;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), step.index);
    if (error != std::errc()) {
      return RefuseKey();
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }
  bool ReadString(PatternStep& step) {
    step.key = KeyKind::kString;
    step.text.pieces.emplace_back();
    while (!rest_.empty() && rest_.front() != '"') {
      if (Take("*")) {
        step.text.pieces.emplace_back();
      } else {
        step.text.pieces.back().push_back(ReadCharacter());
      }
    }
    return Take("\"") || RefuseKey();
  }
  /// A character of a string key: addresses write `"`, `\`, line ends, `${` and `%{` as HCL does.
  char ReadCharacter() {
    if ((rest_.starts_with("$${") || rest_.starts_with("%%{"))) {
      rest_.remove_prefix(1);
    } else if (rest_.front() == '\\' && rest_.size() > 1) {
      const char escaped = rest_[1];
      rest_.remove_prefix(2);
      return text::EscapedCharacter(escaped);
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  std::string_view rest_;
  std::string error_;
};

/// Appends what the wildcards stand for, each as short as possible.
bool MatchGlob(const Glob& glob, std::string_view text, std::vector<Capture>& captures) {
  if (glob.wildcards() == 0) {
    return text == glob.pieces[0];
  }
  if (!text.starts_with(glob.pieces[0])) {
    return false;
  }
  text.remove_prefix(glob.pieces[0].size());
  for (size_t i = 1; i < glob.pieces.size(); ++i) {
    const std::string& piece = glob.pieces[i];
    const bool last = i + 1 == glob.pieces.size();
    if (last && !text.ends_with(piece)) {
      return false;
    }
    const size_t found = last ? text.size() - piece.size() : text.find(piece);
    if (found == std::string_view::npos) {
      return false;
    }
    captures.push_back({.text = std::string(text.substr(0, found)), .key = {}});
    text.remove_prefix(found + piece.size());
  }
  return true;
}

std::string KeyText(const Program& program, const InstanceKey& key) {
  return key.kind() == InstanceKey::Kind::kInt ? std::to_string(key.index())
                                               : std::string(program.Text(key.symbol()));
}

bool MatchKey(const Program& program, const PatternStep& step, const InstanceKey& key,
              std::vector<Capture>& captures) {
  switch (step.key) {
    case KeyKind::kNone:
      return key.none();
    case KeyKind::kIndex:
      return key == InstanceKey::Int(step.index);
    case KeyKind::kString:
      return key.kind() == InstanceKey::Kind::kString &&
             MatchGlob(step.text, program.Text(key.symbol()), captures);
    case KeyKind::kAny:
      break;
  }
  if (key.none()) {
    return false;
  }
  captures.push_back({.text = KeyText(program, key), .key = key});
  return true;
}

/// Finds what a pattern selects. Remembers the answer for each module.
class Matcher {
 public:
  Matcher(const state::State& state, const AddressPattern& pattern, bool any_last_key)
      : state_(state), program_(*state.program), pattern_(pattern), any_last_key_(any_last_key) {}

  std::vector<PatternMatch> Run() {
    for (const state::Resource* resource : state_.Sorted()) {
      if (pattern_.is_module) {
        AddModules(resource->address.module);
      } else {
        AddResource(*resource);
      }
    }
    return std::move(found_);
  }

 private:
  void AddModules(ModuleInstId module) {
    if (module.is_root() || !seen_.insert(module.id).second) {
      return;
    }
    AddModules(program_.Parent(module));
    std::vector<Capture> captures;
    if (MatchModule(module, captures)) {
      found_.push_back({.text = program_.ToText(module),
                        .address = {.is_module = true, .module = module, .instance = {}},
                        .captures = std::move(captures)});
    }
  }
  void AddResource(const state::Resource& resource) {
    const ResourceName& name = resource.address.resource;
    std::vector<Capture> captures;
    if (name.mode != pattern_.mode || !MatchModule(resource.address.module, captures) ||
        !MatchGlob(pattern_.type, program_.Text(name.type), captures) ||
        !MatchGlob(pattern_.resource.name, program_.Text(name.name), captures)) {
      return;
    }
    if (pattern_.resource.key == KeyKind::kNone) {
      Add({resource.address, InstanceKey()}, std::move(captures));
      return;
    }
    for (const state::Instance& instance : resource.instances) {
      std::vector<Capture> all = captures;
      if (MatchKey(program_, pattern_.resource, instance.key, all)) {
        Add({resource.address, instance.key}, std::move(all));
      }
    }
  }
  void Add(const ResourceInstance& address, std::vector<Capture> captures) {
    found_.push_back(
        {.text = program_.ToText(address),
         .address = {.is_module = false, .module = address.resource.module, .instance = address},
         .captures = std::move(captures)});
  }
  bool MatchModule(ModuleInstId module, std::vector<Capture>& captures) {
    std::vector<ModuleInstId> path;
    for (; !module.is_root(); module = program_.Parent(module)) {
      path.insert(path.begin(), module);
    }
    return MatchPath(0, path, 0, captures);
  }
  /// Matches the steps from `step` on with the modules from `at` on.
  bool MatchPath(size_t step, const std::vector<ModuleInstId>& path, size_t at,
                 std::vector<Capture>& captures) {
    if (step == pattern_.modules.size()) {
      return at == path.size();
    }
    const PatternStep& wanted = pattern_.modules[step];
    const size_t before = captures.size();
    if (wanted.any_modules) {
      for (size_t end = at; end <= path.size(); ++end) {
        captures.push_back({.text = ModulesText(path, at, end), .key = {}, .modules = true});
        if (MatchPath(step + 1, path, end, captures)) {
          return true;
        }
        captures.resize(before);
      }
      return false;
    }
    if (at < path.size() &&
        MatchGlob(wanted.name, program_.Text(program_.CallName(path[at])), captures) &&
        (LastOfAnyKey(step) || MatchKey(program_, wanted, program_.Key(path[at]), captures)) &&
        MatchPath(step + 1, path, at + 1, captures)) {
      return true;
    }
    captures.resize(before);
    return false;
  }
  bool LastOfAnyKey(size_t step) const {
    return any_last_key_ && pattern_.is_module && step + 1 == pattern_.modules.size() &&
           pattern_.modules[step].key == KeyKind::kNone;
  }
  std::string ModulesText(const std::vector<ModuleInstId>& path, size_t begin, size_t end) const {
    std::string text;
    for (size_t i = begin; i < end; ++i) {
      text += text.empty() ? "module." : ".module.";
      text += program_.Text(program_.CallName(path[i]));
      program_.Append(text, program_.Key(path[i]));
    }
    return text;
  }

  const state::State& state_;
  const Program& program_;
  const AddressPattern& pattern_;
  bool any_last_key_;
  FlatSet<uint32_t> seen_;
  std::vector<PatternMatch> found_;
};

/// Writes the address that a pattern becomes.
class Substitution {
 public:
  Substitution(const Program& program, const std::vector<Capture>& captures)
      : program_(program), captures_(captures) {}

  Result<std::string> Run(const AddressPattern& pattern) {
    for (const PatternStep& step : pattern.modules) {
      if (step.any_modules) {
        Part(Next(true).text);
      } else {
        Part("module." + Name(step));
      }
    }
    if (!pattern.is_module) {
      std::string resource(ModePrefix(pattern.mode));
      resource += resource.empty() ? "" : ".";
      resource += Text(pattern.type);
      resource += '.';
      resource += Name(pattern.resource);
      Part(resource);
    }
    if (!fits_) {
      return Fail(ErrorCode::kInvalid, "\"**\" stands for modules, and \"*\" for other things.");
    }
    return std::move(out_);
  }

 private:
  void Part(const std::string& text) {
    out_ += out_.empty() || text.empty() ? "" : ".";
    out_ += text;
  }
  const Capture& Next(bool modules) {
    const Capture& capture = captures_[next_++];
    fits_ = fits_ && capture.modules == modules;
    return capture;
  }
  std::string Text(const Glob& glob) {
    std::string text = glob.pieces[0];
    for (size_t i = 1; i < glob.pieces.size(); ++i) {
      text += Next(false).text + glob.pieces[i];
    }
    return text;
  }
  std::string Name(const PatternStep& step) {
    std::string text = Text(step.name);
    switch (step.key) {
      case KeyKind::kNone:
        break;
      case KeyKind::kIndex:
        text += "[" + std::to_string(step.index) + "]";
        break;
      case KeyKind::kString:
        text += "[" + QuoteKey(Text(step.text)) + "]";
        break;
      case KeyKind::kAny: {
        const Capture& capture = Next(false);
        text +=
            capture.key.none() ? "[" + QuoteKey(capture.text) + "]" : program_.ToText(capture.key);
        break;
      }
    }
    return text;
  }

  const Program& program_;
  const std::vector<Capture>& captures_;
  size_t next_ = 0;
  bool fits_ = true;
  std::string out_;
};

size_t WildcardsOf(const PatternStep& step) {
  if (step.any_modules) {
    return 1;
  }
  if (step.key == KeyKind::kAny) {
    return step.name.wildcards() + 1;
  }
  return step.name.wildcards() + (step.key == KeyKind::kString ? step.text.wildcards() : 0);
}

}  // namespace

Result<AddressPattern> AddressPattern::Parse(std::string_view text) {
  return PatternParser(text).Run();
}

size_t AddressPattern::wildcards() const {
  size_t count = is_module ? 0 : type.wildcards() + WildcardsOf(resource);
  for (const PatternStep& step : modules) {
    count += WildcardsOf(step);
  }
  return count;
}

std::vector<PatternMatch> FindMatches(const state::State& state, const AddressPattern& pattern,
                                      bool any_last_key) {
  return Matcher(state, pattern, any_last_key).Run();
}

Result<std::string> Substitute(const Program& program, const AddressPattern& pattern,
                               const std::vector<Capture>& captures) {
  return Substitution(program, captures).Run(pattern);
}

}  // namespace kinu::session
