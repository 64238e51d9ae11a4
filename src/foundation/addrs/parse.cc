// Parses the addresses of state and plan files, whose grammar is that of Program::ToText(). Other
// libraries parse addresses in flags and configuration, as HCL traversals.
#include <algorithm>
#include <charconv>
#include <optional>

#include "addrs/address.h"
#include "addrs/provider_source.h"
#include "text/escape.h"
#include "text/unicode.h"

namespace kinu {

std::string QuoteKey(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
      case '\\':
        out += '\\';
        out += text[i];
        break;
      case '$':
      case '%':
        out += text[i];
        if (i + 1 < text.size() && text[i + 1] == '{') {
          out += text[i];
        }
        break;
      default:
        if (c < 0x20 || c == 0x7F) {
          static constexpr char kHex[] = "0123456789abcdef";
          out += "\\u00";
          out += kHex[c >> 4];
          out += kHex[c & 15];
        } else {
          out += text[i];
        }
    }
  }
  out += '"';
  return out;
}

namespace {

/// The inverse of QuoteKey for the text between the quotes.
std::optional<std::string> UnquoteKey(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if ((c == '$' || c == '%') && text.substr(i + 1, 2) == std::string{c, '{'}) {
      ++i;
    } else if (c == '\\') {
      if (++i >= text.size()) {
        return std::nullopt;
      }
      c = text[i];
      if (c == 'u' || c == 'U') {
        size_t digits = c == 'u' ? 4 : 8;
        uint32_t rune = 0;
        std::string_view hex = text.substr(i + 1, digits);
        auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), rune, 16);
        if (hex.size() != digits || error != std::errc() || end != hex.data() + digits) {
          return std::nullopt;
        }
        text::AppendUtf8(out, rune);
        i += digits;
        continue;
      }
      c = text::EscapedCharacter(c);
    }
    out += c;
  }
  return out;
}

/// A cursor over an address text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool Accept(char c) {
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  /// A name: everything up to the next '.' or '['.
  std::string_view ReadName() {
    const auto ends = [](char c) { return c == '.' || c == '['; };
    const auto end = static_cast<size_t>(std::ranges::find_if(rest_, ends) - rest_.begin());
    std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }
  /// Reads an optional key, `[0]` or `["k"]`; false if it is malformed.
  bool ReadKey(Program& program, InstanceKey* key) {
    *key = InstanceKey();
    if (!Accept('[')) {
      return true;
    }
    if (!rest_.empty() && rest_.front() == '"') {
      std::optional<std::string> text = ReadQuotedText();
      if (!text || !Accept(']')) {
        return false;
      }
      *key = InstanceKey::String(program.Intern(*text));
      return true;
    }
    int64_t index = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
    if (error != std::errc()) {
      return false;
    }
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    *key = InstanceKey::Int(index);
    return Accept(']');
  }
  /// Reads a quoted string and returns its value.
  std::optional<std::string> ReadQuotedText() {
    size_t i = 1;
    while (i < rest_.size() && rest_[i] != '"') {
      i += rest_[i] == '\\' ? 2 : 1;
    }
    if (i >= rest_.size()) {
      return std::nullopt;
    }
    std::optional<std::string> text = UnquoteKey(rest_.substr(1, i - 1));
    rest_.remove_prefix(i + 1);
    return text;
  }
  std::string_view rest() const { return rest_; }
  void Reset(std::string_view rest) { rest_ = rest; }

 private:
  std::string_view rest_;
};

/// Reads `module.a[0].module.b.`, which may be empty, up to the first other word.
bool ReadModulePath(Program& program, Scanner& in, ModuleInstId* out) {
  *out = ModuleInstId();
  for (;;) {
    std::string_view before = in.rest();
    if (in.ReadName() != "module" || !in.Accept('.')) {
      in.Reset(before);
      return true;
    }
    std::string_view call = in.ReadName();
    InstanceKey key;
    if (call.empty() || !in.ReadKey(program, &key)) {
      return false;
    }
    *out = program.ModuleInstance(*out, program.Intern(call), key);
    if (in.done()) {
      return true;
    }
    if (!in.Accept('.')) {
      return false;
    }
  }
}

bool ReadResource(Program& program, Scanner& in, ResourceName* out) {
  std::string_view type = in.ReadName();
  out->mode = ResourceMode::kManaged;
  if (type == "data" || type == "ephemeral") {
    out->mode = type == "data" ? ResourceMode::kData : ResourceMode::kEphemeral;
    if (!in.Accept('.')) {
      return false;
    }
    type = in.ReadName();
  }
  if (type.empty() || !in.Accept('.')) {
    return false;
  }
  std::string_view name = in.ReadName();
  if (name.empty()) {
    return false;
  }
  out->type = program.Intern(type);
  out->name = program.Intern(name);
  return true;
}

}  // namespace

bool Program::ParseModuleInstance(std::string_view text, ModuleInstId* out) {
  Scanner in(text);
  return ReadModulePath(*this, in, out) && in.done();
}

bool Program::ParseResourceInstance(std::string_view text, ResourceInstance* out) {
  Scanner in(text);
  return ReadModulePath(*this, in, &out->resource.module) &&
         ReadResource(*this, in, &out->resource.resource) && in.ReadKey(*this, &out->key) &&
         in.done();
}

bool Program::ParseConfigResource(std::string_view text, ConfigResource* out) {
  Scanner in(text);
  ModuleInstId module;
  if (!ReadModulePath(*this, in, &module) || HasKeys(module) ||
      !ReadResource(*this, in, &out->resource) || !in.done()) {
    return false;
  }
  out->module = ModuleOf(module);
  return true;
}

bool Program::ParseProviderConfig(std::string_view text, ProviderConfig* out, InstanceKey* key) {
  Scanner in(text);
  ModuleInstId module;
  *key = InstanceKey();
  if (!ReadModulePath(*this, in, &module) || in.ReadName() != "provider") {
    return false;
  }
  out->module = ModuleOf(module);
  if (ToText(module) != ToText(out->module)) {
    return false;  // configurations do not belong to single instances of modules
  }
  out->alias = Symbol();
  if (in.Accept('.')) {  // legacy: provider.aws, provider.aws.west
    std::string_view type = in.ReadName();
    out->provider =
        Intern(type == "terraform" ? std::string(kBuiltInProvider)
                                   : std::string(kDefaultRegistryHost) + "/-/" + std::string(type));
  } else {
    InstanceKey provider;
    if (!in.ReadKey(*this, &provider) || provider.kind() != InstanceKey::Kind::kString) {
      return false;
    }
    const auto source = ParseProviderSource(Text(provider.symbol()));
    if (!source) {
      return false;
    }
    out->provider = Intern(source->ToText());
  }
  if (in.Accept('.')) {
    std::string_view alias = in.ReadName();
    if (alias.empty()) {
      return false;
    }
    out->alias = Intern(alias);
  }
  return in.ReadKey(*this, key) && in.done();
}

}  // namespace kinu
