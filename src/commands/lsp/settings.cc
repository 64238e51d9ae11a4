#include "lsp/settings.h"

#include <algorithm>

namespace kinu::lsp {
namespace {

struct Setting {
  std::string_view name;
  bool ide::Settings::* field;
};
constexpr Setting kSettings[] = {
    {"referenceLenses", &ide::Settings::reference_lenses},
    {"planLenses", &ide::Settings::plan_lenses},
    {"inlayValues", &ide::Settings::inlay_values},
    {"inlayTypes", &ide::Settings::inlay_types},
};

}  // namespace

ide::Settings ReadSettings(const JsonNode& node, const ide::Settings& before,
                           std::vector<std::string>& problems) {
  ide::Settings settings = before;
  if (const JsonNode* own = node.Find("kinu"); own != nullptr && own->is_object()) {
    return ReadSettings(*own, before, problems);
  }
  for (const JsonMember& member : node.members()) {
    const auto* setting = std::ranges::find(kSettings, member.name, &Setting::name);
    if (setting == std::end(kSettings)) {
      problems.push_back("There is no setting \"" + std::string(member.name) + "\".");
    } else if (!member.value.is_bool()) {
      problems.push_back("The setting \"" + std::string(member.name) + "\" must be true or false.");
    } else {
      settings.*setting->field = member.value.boolean();
    }
  }
  return settings;
}

}  // namespace kinu::lsp
