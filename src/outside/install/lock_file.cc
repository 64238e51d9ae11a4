#include "install/lock_file.h"

#include <algorithm>
#include <tuple>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "config/decode.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "text/quote.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

using text::Quoted;

/// "h1" of "h1:…". Empty if there is no scheme.
std::string_view SchemeOf(std::string_view hash) {
  size_t colon = hash.find(':');
  return colon == hash.npos ? std::string_view() : hash.substr(0, colon);
}

/// The value of an expression, as text; numbers and booleans become texts. Reports an error about
/// `what` and returns nothing for other values and for what is no constant.
std::optional<std::string> TextOf(const hcl::Expr& expr, const std::string& what,
                                  Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const Value value = config::EvaluateConstant(expr, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  const auto text = Convert(value, Type::String());
  if (!text || !text->IsKnown() || text->IsNull()) {
    diags.Error("Unsuitable value type", what + " must be a string.", expr.range());
    return std::nullopt;
  }
  return std::string(text->AsString());
}

std::optional<std::string> TextOf(const hcl::Attribute& attribute, Diagnostics& diags) {
  return TextOf(*attribute.expr, "The argument \"" + std::string(attribute.name) + "\"", diags);
}

bool IsNull(const hcl::Attribute& attribute) {
  Diagnostics ignored;
  const Value value = config::EvaluateConstant(*attribute.expr, ignored);
  return !ignored.has_errors() && value.IsKnown() && value.IsNull();
}

/// Reads one `provider` block into a lock file.
class LockReader {
 public:
  LockReader(LockFile& file, Diagnostics& diags) : file_(file), diags_(diags) {}

  void ReadProvider(const hcl::Block& block) {
    std::string raw(block.labels[0]);
    const SourceRange label = block.label_range(0);
    auto source = ParseProviderSource(raw);
    if (!source) {
      diags_.Error("Invalid provider source address",
                   "The provider source address for a provider lock must be a valid, "
                   "fully-qualified address of the form \"hostname/namespace/type\".",
                   label);
      return;
    }
    std::string address = source->ToText();
    if (source->is_built_in()) {
      diags_.Error("Invalid provider source address",
                   "The built-in provider " + address +
                       " is part of this program and has no version that could be locked.",
                   label);
      return;
    }
    if (source->space == "-") {
      diags_.Error("Invalid provider source address",
                   "The legacy provider address " + address + " cannot be locked.", label);
      return;
    }
    if (address != raw) {
      diags_.Error("Non-normalized provider source address",
                   "The provider source address for this provider lock must be written as " +
                       Quoted(address) + ", the fully-qualified and normalized form.",
                   label);
      return;
    }
    ProviderLock lock;
    ReadBody(address, *block.body, lock);
    if (auto first = seen_.find(address); first != seen_.end()) {
      diags_.Error("Duplicate provider lock",
                   "This lockfile already declared a lock for provider " + address + " at " +
                       ToText(first->second) + ".",
                   block.type_range);
      return;
    }
    seen_.emplace(address, block.def_range);
    file_.providers.emplace(address, std::move(lock));
  }

 private:
  void ReadBody(const std::string& address, const hcl::Body& body, ProviderLock& lock) {
    static constexpr hcl::AttributeSchema kAttributes[] = {
        {"version", true}, {"constraints", false}, {"hashes", false}};
    hcl::BodyContent content =
        body.Content({.attributes = kAttributes}, hcl::Strictness::kExact, diags_);
    if (const hcl::Attribute* attribute = content.Find("version"); attribute != nullptr) {
      ReadVersion(address, *attribute, lock);
    }
    if (const hcl::Attribute* attribute = content.Find("constraints"); attribute != nullptr) {
      ReadConstraints(address, *attribute, lock);
    }
    if (const hcl::Attribute* attribute = content.Find("hashes"); attribute != nullptr) {
      ReadHashes(*attribute, lock);
    }
  }

  void ReadVersion(const std::string& address, const hcl::Attribute& attribute,
                   ProviderLock& lock) {
    if (IsNull(attribute)) {
      diags_.Error("Missing required argument",
                   "A provider lock block must contain a \"version\" argument.",
                   attribute.expr->range());
      return;
    }
    auto text = TextOf(attribute, diags_);
    if (!text) {
      return;
    }
    const Result<Version> version =
        text->starts_with('v') ? Fail(ErrorCode::kInvalid, "the prefix \"v\" is not allowed")
                               : Version::Parse(*text);
    if (!version) {
      diags_.Error("Invalid provider version number",
                   "The selected version number for provider " + address +
                       " is invalid: " + version.error().message + ".",
                   attribute.expr->range());
    } else {
      lock.version = *version;
    }
    // An invalid version is also not normalised: OpenTofu reports both.
    const std::string normal = version ? version->ToText() : "0.0.0";
    if (normal != *text) {
      diags_.Error("Invalid provider version number",
                   "The selected version number for provider " + address +
                       " must be written in normalized form: " + Quoted(normal) + ".",
                   attribute.expr->range());
    }
  }

  void ReadConstraints(const std::string& address, const hcl::Attribute& attribute,
                       ProviderLock& lock) {
    auto text = TextOf(attribute, diags_);
    if (!text) {
      return;
    }
    auto constraints = VersionConstraints::ParseForProviders(*text);
    if (!constraints) {
      diags_.Error("Invalid provider version constraints",
                   "The recorded version constraints for provider " + address +
                       " are invalid: " + constraints.error().message + ".",
                   attribute.expr->range());
    } else {
      lock.constraints = *constraints;
    }
    if (std::string canonical = lock.constraints.ToCanonicalText(); canonical != *text) {
      diags_.Error("Invalid provider version constraints",
                   "The recorded version constraints for provider " + address +
                       " must be written in normalized form: " + Quoted(canonical) + ".",
                   attribute.expr->range());
    }
  }

  void ReadHashes(const hcl::Attribute& attribute, ProviderLock& lock) {
    auto elements = hcl::AsList(*attribute.expr);
    if (!elements) {
      diags_.Error("Invalid provider hash set",
                   "The argument \"hashes\" must be a list of strings.", attribute.expr->range());
      return;
    }
    if (elements->empty()) {
      diags_.Error(
          "Invalid provider hash set",
          "The \"hashes\" argument must either be omitted or contain at least one hash value.",
          attribute.expr->range());
      return;
    }
    for (const hcl::Expr* element : *elements) {
      const auto hash = TextOf(*element, "A provider hash", diags_);
      if (!hash) {
        continue;
      }
      if (SchemeOf(*hash).empty()) {
        diags_.Error("Invalid provider hash string",
                     "A provider hash is a string that begins with its scheme and a colon, such "
                     "as \"h1:\".",
                     element->range());
        continue;
      }
      lock.hashes.emplace_back(*hash);
    }
    std::sort(lock.hashes.begin(), lock.hashes.end());
    lock.hashes.erase(std::unique(lock.hashes.begin(), lock.hashes.end()), lock.hashes.end());
  }

  LockFile& file_;
  Diagnostics& diags_;
  std::map<std::string, SourceRange> seen_;
};

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"' || c == '\\') {
      out += '\\';
    } else if ((c == '$' || c == '%') && i + 1 < text.size() && text[i + 1] == '{') {
      out += c;
    }
    out += c;
  }
  out += '"';
}

}  // namespace

bool ProviderAddressLess::operator()(std::string_view a, std::string_view b) const {
  auto split = [](std::string_view address) {
    size_t first = address.find('/');
    size_t second = first == address.npos ? first : address.find('/', first + 1);
    return second == address.npos
               ? std::tuple(address, std::string_view(), std::string_view())
               : std::tuple(address.substr(0, first), address.substr(first + 1, second - first - 1),
                            address.substr(second + 1));
  };
  return split(a) < split(b);
}

std::vector<std::string> ProviderLock::PreferredHashes() const {
  for (std::string_view scheme : {"h1", "zh"}) {
    std::vector<std::string> found;
    for (const std::string& hash : hashes) {
      if (SchemeOf(hash) == scheme) {
        found.push_back(hash);
      }
    }
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

LockFile LockFile::Read(const std::string& path, Diagnostics& diags) {
  auto text = ReadFile(path);
  if (!text) {
    if (text.error().code != ErrorCode::kNotFound) {
      diags.Error("Failed to read file",
                  "The dependency lock file could not be read: " + text.error().message + ".");
    }
    return {};
  }
  return Parse(path, *std::move(text), diags);
}

LockFile LockFile::Parse(std::string name, std::string text, Diagnostics& diags) {
  static constexpr std::string_view kProviderLabels[] = {"source_addr"};
  static constexpr std::string_view kModuleLabels[] = {"path"};
  static constexpr hcl::BlockSchema kBlocks[] = {{"provider", kProviderLabels},
                                                 {"module", kModuleLabels}};
  LockFile file;
  file.tree_ = std::make_shared<hcl::SyntaxTree>();
  const SourceFile* source =
      file.tree_->KeepSource(SourceFile::Make(std::move(name), std::move(text)));
  // A body with errors in its syntax has what could be read.
  const hcl::NativeBody* body = hcl::ParseNative(source, *file.tree_, diags);
  hcl::BodyContent content = body->Content({.blocks = kBlocks}, hcl::Strictness::kExact, diags);
  LockReader reader(file, diags);
  bool warned = false;
  for (const hcl::Block& block : content.blocks) {
    if (block.type == "provider") {
      reader.ReadProvider(block);
    } else if (!warned) {
      warned = true;
      diags.Warning("Dependency locks for modules are not yet supported",
                    "This version locks providers only. The file may belong to a later version "
                    "that locks modules, too.",
                    block.type_range);
    }
  }
  return file;
}

const ProviderLock* LockFile::Find(std::string_view address) const {
  auto it = providers.find(address);
  return it == providers.end() ? nullptr : &it->second;
}

void LockFile::Set(const std::string& address, Version version, VersionConstraints constraints,
                   std::vector<std::string> hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  ProviderLock lock;
  lock.version = std::move(version);
  lock.constraints = std::move(constraints);
  lock.hashes = std::move(hashes);
  providers.insert_or_assign(address, std::move(lock));
}

std::vector<std::pair<std::string, std::string>> LockFile::TakeOverPredecessor() {
  std::vector<std::pair<std::string, std::string>> taken;
  for (const auto& [text, lock] : providers) {
    ProviderAddress address = SplitProviderAddress(text);
    if (address.host != "registry.terraform.io" || address.space != "hashicorp") {
      continue;
    }
    address.host = kDefaultRegistryHost;
    const std::string ours = address.ToText();
    if (Find(ours) == nullptr) {
      taken.emplace_back(text, ours);
    }
  }
  for (const auto& [old, ours] : taken) {
    const ProviderLock lock = *Find(old);
    Set(ours, lock.version, lock.constraints, {});
  }
  return taken;
}

bool LockFile::SelectsSame(const LockFile& other) const {
  return std::ranges::equal(providers, other.providers, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.version.ToText() == b.second.version.ToText() &&
           a.second.hashes == b.second.hashes;
  });
}

std::string LockFile::ToText() const {
  std::string out =
      "# This file is maintained automatically by \"tofu init\".\n"
      "# Manual edits may be lost in future updates.\n";
  for (const auto& [address, lock] : providers) {
    out += "\nprovider ";
    AppendQuoted(out, address);
    std::string constraints = lock.constraints.ToCanonicalText();
    // Equals signs of neighbouring arguments are aligned. The multi-line list of hashes is not.
    out += constraints.empty() ? " {\n  version = " : " {\n  version     = ";
    AppendQuoted(out, lock.version.ToText());
    if (!constraints.empty()) {
      out += "\n  constraints = ";
      AppendQuoted(out, constraints);
    }
    if (!lock.hashes.empty()) {
      out += "\n  hashes = [\n";
      for (const std::string& hash : lock.hashes) {
        out += "    ";
        AppendQuoted(out, hash);
        out += ",\n";
      }
      out += "  ]";
    }
    out += "\n}\n";
  }
  return out;
}

Result<void> LockFile::Write(const std::string& path) const {
  trace::Span span("kinu/install", "Save lockfile");
  const std::string text = ToText();
  if (span.on()) {
    span.Set("file.path", path);
    span.Set("file.size", static_cast<int64_t>(text.size()));
  }
  return ReplaceFile(path, text, 0644);
}

}  // namespace kinu::install
