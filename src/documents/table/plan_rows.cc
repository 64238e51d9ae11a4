// Rows of what plans hold beside values: changes, conditions, and the configuration.
#include <map>

#include "table/rows.h"
#include "tfjson/actions.h"

namespace kinu::table {

using json::Member;
using json::Node;

void ForEachChange(const Source& source,
                   const std::function<void(const Node& change, bool drift)>& visit) {
  for (const auto& [name, drift] :
       {std::pair("resource_drift", true), std::pair("resource_changes", false)}) {
    if (const Node changes = source.root().Find(name)) {
      for (const Node change : changes.elements()) {
        visit(change, drift);
      }
    }
  }
}

void AppendChanges(const Source& source, BatchWriter& rows) {
  if (source.kind() != DocumentKind::kPlan) {
    return;
  }
  ForEachChange(source, [&](const Node& entry, bool drift) {
    const Node change = entry.Find("change");
    if (!change) {
      return;
    }
    source.BeginRow(rows);
    for (const auto* name :
         {"address", "previous_address", "module_address", "mode", "type", "name"}) {
      AppendText(rows, entry, name);
    }
    AppendPlainJson(rows, entry.Find("index"));
    AppendText(rows, entry, "provider_name");
    AppendText(rows, entry, "deposed");
    rows.Bool(drift).TextOrNull(tfjson::ActionOf(change.Find("actions")));
    AppendPlainJson(rows, change.Find("actions"));
    AppendText(rows, entry, "action_reason");
    AppendText(rows, change.Find("importing"), "id");
    AppendJson(rows, source.redaction(), change.Find("before"),
               Mask::Over(change.Find("before_sensitive")));
    AppendJson(rows, source.redaction(), change.Find("after"),
               Mask::Over(change.Find("after_sensitive")));
    AppendPlainJson(rows, change.Find("after_unknown"));
    AppendPlainJson(rows, change.Find("replace_paths"));
    rows.EndRow();
  });
}

namespace {

/// Rows of an instance: one for each message.
void AppendInstance(const Source& source, BatchWriter& rows, const std::function<void()>& begin,
                    const Node& problems) {
  if (!problems || problems.size() == 0) {
    begin();
    rows.Null().EndRow();
    return;
  }
  for (const Node problem : problems.elements()) {
    begin();
    const Node message = problem.is_object() ? problem.Find("message") : problem;
    const bool hidden = !message || !message.is_string() || source.redaction().Hides(message, {});
    (hidden ? rows.Null() : rows.Text(message.String())).EndRow();
  }
}

/// `check_results` of a state file.
void AppendStateFileChecks(const Source& source, BatchWriter& rows, const Node& checks) {
  for (const Node check : checks.elements()) {
    auto block = [&] {
      source.BeginRow(rows);
      AppendText(rows, check, "object_kind");
      AppendText(rows, check, "config_addr");
      AppendText(rows, check, "status");
    };
    const Node objects = check.Find("objects");
    if (!objects || objects.size() == 0) {
      block();
      rows.Null().Null().Null().EndRow();
      continue;
    }
    for (const Node object : objects.elements()) {
      AppendInstance(
          source, rows,
          [&] {
            block();
            AppendText(rows, object, "object_addr");
            AppendText(rows, object, "status");
          },
          object.Find("failure_messages"));
    }
  }
}

/// `checks` of a document.
void AppendDocumentChecks(const Source& source, BatchWriter& rows, const Node& checks) {
  for (const Node check : checks.elements()) {
    auto block = [&] {
      const Node address = check.Find("address");
      source.BeginRow(rows);
      AppendText(rows, address, "kind");
      AppendText(rows, address, "to_display");
      AppendText(rows, check, "status");
    };
    const Node instances = check.Find("instances");
    if (!instances || instances.size() == 0) {
      block();
      rows.Null().Null().Null().EndRow();
      continue;
    }
    for (const Node instance : instances.elements()) {
      AppendInstance(
          source, rows,
          [&] {
            block();
            AppendText(rows, instance.Find("address"), "to_display");
            AppendText(rows, instance, "status");
          },
          instance.Find("problems"));
    }
  }
}

}  // namespace

void AppendChecks(const Source& source, BatchWriter& rows) {
  const bool file = source.kind() == DocumentKind::kStateFile;
  const Node checks = source.root().Find(file ? "check_results" : "checks");
  if (!checks) {
    return;
  }
  if (file) {
    AppendStateFileChecks(source, rows, checks);
  } else {
    AppendDocumentChecks(source, rows, checks);
  }
}

namespace {

using Counts = std::map<std::string, int64_t, std::less<>>;

void Count(Counts& counts, std::string_view key) {
  const auto found = counts.find(key);
  ++(found == counts.end() ? counts.emplace(key, 0).first : found)->second;
}

}  // namespace

void AppendProviders(const Source& source, BatchWriter& rows) {
  if (source.kind() != DocumentKind::kPlan) {
    Counts counts;
    source.ForEachResource([&](const ResourceView& view) { Count(counts, view.provider); });
    for (const auto& [provider, count] : counts) {
      source.BeginRow(rows).TextOrNull(provider).Null().Null().Null().Null();
      rows.Integer(count).EndRow();
    }
    return;
  }
  const Node configuration = source.configuration();
  const Node providers = configuration ? configuration.Find("provider_config") : Node();
  if (!providers) {
    return;
  }
  for (const Member member : providers.members()) {
    source.BeginRow(rows);
    for (const auto* name :
         {"full_name", "name", "alias", "version_constraint", "module_address"}) {
      AppendText(rows, member.value, name);
    }
    rows.Null().EndRow();
  }
}

namespace {

using ModuleVisitor =
    std::function<void(const std::string& address, const Node& call, const Node& module)>;

/// Visits the modules of a configuration, the root first. `call` is none for the root.
void ForEachModule(const std::string& address, const Node& call, const Node& module,
                   const ModuleVisitor& visit) {
  if (!module || !module.is_object()) {
    return;
  }
  visit(address, call, module);
  if (const Node calls = module.Find("module_calls")) {
    for (const Member member : calls.members()) {
      ForEachModule(address + (address.empty() ? "module." : ".module.") + member.name.String(),
                    member.value, member.value.Find("module"), visit);
    }
  }
}

void ForEachModule(const Source& source, const ModuleVisitor& visit) {
  if (const Node configuration = source.configuration()) {
    ForEachModule("", Node(), configuration.Find("root_module"), visit);
  }
}

}  // namespace

void AppendModules(const Source& source, BatchWriter& rows) {
  if (source.kind() != DocumentKind::kPlan) {
    Counts counts;
    source.ForEachResource([&](const ResourceView& view) { Count(counts, view.module); });
    for (const auto& [module, count] : counts) {
      source.BeginRow(rows).TextOrNull(module).Null().Null().Integer(count).EndRow();
    }
    return;
  }
  ForEachModule(source, [&](const std::string& address, const Node& call, const Node& module) {
    source.BeginRow(rows).TextOrNull(address);
    const bool named = call && call.Find("source");
    AppendText(rows, call, named ? "source" : "resolved_source");
    AppendText(rows, call, "version_constraint");
    const Node resources = module.Find("resources");
    rows.Integer(resources ? resources.size() : 0).EndRow();
  });
}

namespace {

/// The references in an expression of a configuration, or in the expressions of a block.
class References {
 public:
  References(const Source& source, BatchWriter& rows, const std::string& module)
      : source_(source), rows_(rows), module_(module) {}

  void Of(const std::string& address, const std::string& path, const Node& expression) {
    if (!expression) {
      return;
    }
    uint64_t index = 0;
    for (const Node element : expression.elements()) {
      Of(address, path + '[' + std::to_string(index++) + ']', element);
    }
    for (const Member member : expression.members()) {
      if (member.name.Is("references") && member.value.is_array()) {
        for (const Node reference : member.value.elements()) {
          Append(address, path, reference);
        }
      } else if (!member.name.Is("constant_value") && member.value.is_container()) {
        Of(address, (path.empty() ? "" : path + '.') + member.name.String(), member.value);
      }
    }
  }

  void OfTexts(const std::string& address, const std::string& path, const Node& texts) {
    if (texts) {
      for (const Node reference : texts.elements()) {
        Append(address, path, reference);
      }
    }
  }

 private:
  void Append(const std::string& address, const std::string& path, const Node& reference) {
    source_.BeginRow(rows_).TextOrNull(module_).Text(address).Text(path);
    rows_.Text(reference.String()).EndRow();
  }

  const Source& source_;
  BatchWriter& rows_;
  const std::string& module_;
};

/// What a block has beside its arguments.
void AppendMetaReferences(References& references, const std::string& address, const Node& block) {
  references.Of(address, "count", block.Find("count_expression"));
  references.Of(address, "for_each", block.Find("for_each_expression"));
  references.OfTexts(address, "depends_on", block.Find("depends_on"));
}

void AppendModuleReferences(References& references, const Node& module) {
  std::string scratch;
  if (const Node resources = module.Find("resources")) {
    for (const Node resource : resources.elements()) {
      const std::string address(TextOf(resource, "address", scratch));
      references.Of(address, "", resource.Find("expressions"));
      AppendMetaReferences(references, address, resource);
      if (const Node provisioners = resource.Find("provisioners")) {
        for (const Node provisioner : provisioners.elements()) {
          references.Of(address, "provisioner", provisioner.Find("expressions"));
        }
      }
    }
  }
  if (const Node outputs = module.Find("outputs")) {
    for (const Member member : outputs.members()) {
      const std::string address = "output." + member.name.String();
      references.Of(address, "value", member.value.Find("expression"));
      references.OfTexts(address, "depends_on", member.value.Find("depends_on"));
    }
  }
  if (const Node calls = module.Find("module_calls")) {
    for (const Member member : calls.members()) {
      const std::string address = "module." + member.name.String();
      references.Of(address, "", member.value.Find("expressions"));
      AppendMetaReferences(references, address, member.value);
    }
  }
}

}  // namespace

void AppendReferences(const Source& source, BatchWriter& rows) {
  if (source.kind() != DocumentKind::kPlan) {
    return;
  }
  ForEachModule(source, [&](const std::string& address, const Node&, const Node& module) {
    References references(source, rows, address);
    AppendModuleReferences(references, module);
  });
  const Node configuration = source.configuration();
  const Node providers = configuration ? configuration.Find("provider_config") : Node();
  if (!providers) {
    return;
  }
  std::string scratch;
  for (const Member member : providers.members()) {
    const std::string module(TextOf(member.value, "module_address", scratch));
    References references(source, rows, module);
    std::string address = "provider." + std::string(TextOf(member.value, "name", scratch));
    if (const auto alias = TextOf(member.value, "alias", scratch); !alias.empty()) {
      address += '.' + std::string(alias);
    }
    references.Of(address, "", member.value.Find("expressions"));
  }
}

}  // namespace kinu::table
