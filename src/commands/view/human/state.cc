#include "view/human/state.h"

#include <algorithm>

#include "plan_json/documents.h"
#include "plan_json/module_tree.h"
#include "text/quote.h"
#include "view/human/render.h"

namespace kinu::view {
namespace {

using Tree = ModuleTree<const state::Resource*>;

class StateText {
 public:
  StateText(const state::State& state, const SchemaLookup& schemas, const terminal::Style& style,
            const StateTextOptions& options)
      : state_(state),
        program_(*state.program),
        schemas_(schemas),
        renderer_(style),
        render_options_{.show_unchanged = true,
                        .hide_symbols = true,
                        .show_sensitive = options.show_sensitive} {}

  Result<void> RenderModule(const Tree& module, bool first);
  void RenderStateOutputs();
  std::string Take() { return std::move(out_); }

 private:
  Result<void> RenderObject(const state::Resource& resource, const state::Instance& instance,
                            const state::Object& object, std::string_view deposed);

  const state::State& state_;
  const Program& program_;
  const SchemaLookup& schemas_;
  Renderer renderer_;
  RenderOptions render_options_;
  std::string out_;
};

Result<void> StateText::RenderObject(const state::Resource& resource,
                                     const state::Instance& instance, const state::Object& object,
                                     std::string_view deposed) {
  const ResourceName& name = resource.address.resource;
  const std::string_view provider = ProviderName(program_, resource.provider);
  const schema::ResourceSchema* schema =
      schemas_.FindResource(provider, name.mode, program_.Text(name.type));
  if (auto shown = CheckDocumented(program_, resource, instance, schema); !shown) {
    return shown;
  }
  const Result<Value> value = state::DecodeObject(object, schema->block.implied_type());
  if (!value) {
    return std::unexpected(value.error());
  }
  out_ += "# " + program_.ToText(ResourceInstance{resource.address, instance.key}) + ":";
  if (!deposed.empty()) {
    out_ += " (deposed object ";
    out_ += deposed;
    out_ += ')';
  } else if (object.status == state::ObjectStatus::kTainted) {
    out_ += " (tainted)";
  }
  out_ += name.mode == ResourceMode::kManaged ? "\nresource " : "\ndata ";
  text::AppendGoQuoted(out_, program_.Text(name.type));
  out_ += ' ';
  text::AppendGoQuoted(out_, program_.Text(name.name));
  out_ += ' ';
  renderer_.Render(out_, DiffBlock(Change::Unchanged(*value), schema->block), 0, render_options_);
  out_ += '\n';
  return {};
}

/// `first`: the enclosing module has printed nothing before. What a child module prints does not
/// count for its siblings, so that their first resources follow without an empty line if the root
/// has no resources. OpenTofu prints it so, and programs compare the text.
Result<void> StateText::RenderModule(const Tree& module, bool first) {
  if (!module.items.empty() && !first) {
    out_ += '\n';
  }
  for (const state::Resource* resource : module.items) {
    for (const state::Instance& instance : resource->instances) {
      const auto one = [&](const state::Object& object, std::string_view deposed) {
        if (!first) {
          out_ += '\n';
        }
        first = false;
        return RenderObject(*resource, instance, object, deposed);
      };
      if (instance.current != nullptr) {
        if (auto done = one(*instance.current, {}); !done) {
          return done;
        }
      }
      for (const state::DeposedObject& deposed : instance.deposed) {
        if (auto done = one(deposed.object, deposed.key); !done) {
          return done;
        }
      }
    }
  }
  for (const Tree& child : module.children) {
    if (auto done = RenderModule(child, first); !done) {
      return done;
    }
  }
  return {};
}

void StateText::RenderStateOutputs() {
  if (state_.outputs.empty()) {
    return;
  }
  out_ += "\n\nOutputs:\n\n";
  for (const state::OutputValue& output : state_.outputs) {
    const Value value = output.value.UnmarkDeep();
    Change change = Change::Unchanged(value);
    change.before_sensitive = change.after_sensitive = output.sensitive;
    out_ += output.name + " = ";
    renderer_.Render(out_, DiffType(change, value.type()), 0, render_options_);
    out_ += '\n';
  }
}

}  // namespace

Result<std::string> RenderState(const state::State& state, const SchemaLookup& schemas,
                                const terminal::Style& style, const StateTextOptions& options) {
  std::vector<const state::Resource*> resources;
  if (!state.resources.empty()) {
    resources = state.Sorted();
  }
  // A module counts, also one whose resources have no instances.
  const auto represents_nothing = [](const state::Resource* resource) {
    return resource->instances.empty() && resource->address.module == ModuleInstId();
  };
  if (std::ranges::all_of(resources, represents_nothing) && state.outputs.empty()) {
    return "The state file is empty. No resources are represented.\n";
  }
  std::erase_if(resources, [](const auto* resource) { return resource->instances.empty(); });
  StateText text(state, schemas, style, options);
  const Tree root = GroupByModule(*state.program, resources, [](const state::Resource* resource) {
    return resource->address.module;
  });
  if (auto done = text.RenderModule(root, /*first=*/true); !done) {
    return std::unexpected(done.error());
  }
  if (options.outputs) {
    text.RenderStateOutputs();
  }
  return text.Take();
}

}  // namespace kinu::view
