// `language` blocks and `required_version`. Ref: opentofu internal/configs/language.go,
// version_constraint.go.
#include "addrs/version.h"
#include "config/blocks/blocks.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"edition"}, {"experiments"}};
constexpr hcl::BlockSchema kBlocks[] = {{"compatible_with"}};
constexpr hcl::AttributeSchema kCompatibleArguments[] = {{"opentofu"}};
constexpr hcl::AttributeSchema kRequiredVersion[] = {{"required_version"}};
constexpr std::string_view kEdition = "tofu2024";

void CheckEdition(BlockReader& reader, const hcl::Expr& expr) {
  const std::string_view word = hcl::AsKeyword(expr, reader.tree);
  if (word.empty()) {
    reader.diags.Error("Invalid language edition",
                       "The \"edition\" argument expects a bare language edition keyword. The only "
                       "one is " +
                           std::string(kEdition) + ", which is the default.",
                       expr.range());
  } else if (word != kEdition) {
    reader.diags.Error("Unsupported language edition",
                       "The only edition of the language is " + std::string(kEdition) +
                           ". This module may be meant for another version or another program.",
                       expr.range());
  }
}

void CheckExperiments(BlockReader& reader, const hcl::Expr& expr) {
  for (const hcl::Expr* element : ReadList(expr, reader.diags)) {
    const std::string_view word = hcl::AsKeyword(*element, reader.tree);
    if (word.empty()) {
      reader.diags.Error(
          "Invalid experiment keyword",
          "Elements of \"experiments\" must all be keywords representing active experiments.",
          element->range());
    } else {
      reader.diags.Error("Unknown experiment keyword",
                         "There is no current experiment with the keyword " + Quoted(word) + ".",
                         element->range());
    }
  }
}

}  // namespace

namespace {

/// Adds a constraint to those of the module, unless the language has no such versions.
void AddRequirement(BlockReader& reader, const std::string& constraint, const SourceRange& range) {
  auto constraints = VersionConstraints::Parse(constraint);
  if (!constraints) {
    return;
  }
  bool usable = true;
  for (const VersionConstraints::Term& term : constraints->terms()) {
    if (!term.version.prerelease().empty()) {
      usable = false;
      reader.diags.Error(
          "Invalid required_version constraint",
          "Constraints on the language version cannot name pre-releases: " + term.text + ".",
          range);
    }
  }
  if (usable) {
    reader.required_versions.push_back({*std::move(constraints), range});
  }
}

/// Reads the version constraint in an argument of a block, if it is present and valid.
void ReadRequirement(BlockReader& reader, const hcl::Body& body,
                     std::span<const hcl::AttributeSchema> arguments) {
  const hcl::BodyContent content =
      body.Content({.attributes = arguments}, hcl::Strictness::kPartial, reader.diags);
  for (const hcl::Attribute& attribute : content.attributes) {
    if (std::optional<std::string> constraint = ReadVersionConstraint(attribute, reader.diags)) {
      AddRequirement(reader, *constraint, attribute.range);
    }
  }
}

}  // namespace

void ReadRequiredVersions(BlockReader& reader, const hcl::Body& body) {
  static constexpr hcl::BlockSchema kTopLevel[] = {{"terraform"}, {"language"}};
  const hcl::BodyContent content =
      body.Content({.blocks = kTopLevel}, hcl::Strictness::kPartial, reader.diags);
  for (const hcl::Block& block : content.blocks) {
    if (block.type == "terraform") {
      if (reader.is_tofu_file) {
        ReadRequirement(reader, *block.body, kRequiredVersion);
      }
      continue;
    }
    const hcl::BodyContent language =
        block.body->Content({.blocks = kBlocks}, hcl::Strictness::kPartial, reader.diags);
    for (const hcl::Block& compatible : language.blocks) {
      ReadRequirement(reader, *compatible.body, kCompatibleArguments);
    }
  }
}

void ReadLanguageBlock(BlockReader& reader, const hcl::Block& block) {
  if (reader.is_override) {
    reader.diags.Error("Language selections in override file",
                       "Language-related settings in \"language\" blocks are not allowed in "
                       "override files. Place these settings in a normal configuration file.",
                       block.def_range);
    return;
  }
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kExact, reader.diags);
  if (const hcl::Attribute* edition = content.Find("edition")) {
    CheckEdition(reader, *edition->expr);
  }
  if (const hcl::Attribute* experiments = content.Find("experiments")) {
    CheckExperiments(reader, *experiments->expr);
  }
  bool seen = false;
  for (const hcl::Block& nested : content.blocks) {
    const hcl::BodyContent compatible = nested.body->Content(
        {.attributes = kCompatibleArguments}, hcl::Strictness::kPartial, reader.diags);
    if (seen) {
      reader.diags.Error(
          "Duplicate compatible_with block",
          "Each language block may have at most one compatible_with block referring to OpenTofu.",
          block.def_range);
      continue;
    }
    const hcl::Attribute* opentofu = compatible.Find("opentofu");
    if (opentofu == nullptr) {
      continue;
    }
    std::optional<std::string> constraint = ReadVersionConstraint(*opentofu, reader.diags);
    if (!constraint) {
      continue;
    }
    seen = true;
    auto constraints = VersionConstraints::Parse(*constraint);
    auto before = Version::Parse("1.11.0");
    if (constraints && before && constraints->Allows(*before)) {
      reader.diags.Warning("Ineffective version constraint",
                           "Versions before 1.12.0 do not know compatible_with blocks, so the "
                           "constraint should exclude them: \">= 1.12.0\".",
                           opentofu->range);
    }
  }
}

}  // namespace kinu::config
