#include "view/json/position.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace kinu::view {
namespace {

void WritePoint(JsonWriter& out, std::string_view key, const Position& point) {
  out.Key(key);
  out.BeginObject();
  out.Member("line", int64_t{point.line});
  out.Member("column", int64_t{point.column});
  out.Member("byte", int64_t{point.byte});
  out.EndObject();
}

void WriteRange(JsonWriter& out, const SourceRange& range) {
  out.Member("filename", std::string_view(range.file->name()));
  WritePoint(out, "start", range.start_position());
  WritePoint(out, "end", range.end_position());
}

}  // namespace

void WritePosition(JsonWriter& out, const SourceRange& range) {
  if (!range.valid()) {
    return;
  }
  out.Key("position");
  out.BeginObject();
  WriteRange(out, range);
  out.EndObject();
}

void BlockPositions::Write(JsonWriter& out, const config::ConfigNode& node,
                           const SourceRange& range) const {
  if (!range.valid()) {
    return;
  }
  out.Key("position");
  out.BeginObject();
  WriteRange(out, range);
  std::vector<const config::ConfigNode*> chain;
  for (const config::ConfigNode* at = &node; at->parent != nullptr; at = at->parent) {
    chain.push_back(at);
  }
  if (!chain.empty()) {
    out.Key("calls");
    out.BeginArray();
    for (const config::ConfigNode* called : chain | std::views::reverse) {
      const config::Module& caller = *called->parent->module;
      out.BeginObject();
      out.Member("address", std::string_view(config_.program->ToText(called->path)));
      WriteRange(out, caller.calls[static_cast<size_t>(called->call)].range);
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
}

void BlockPositions::WriteResource(JsonWriter& out, const ConfigResource& resource) const {
  const config::ConfigNode* node = config_.Find(resource.module);
  const int index = node == nullptr ? -1 : node->module->FindResource(resource.resource);
  if (index >= 0) {
    Write(out, *node, node->module->resources[static_cast<size_t>(index)].range);
  }
}

void BlockPositions::WriteOutput(JsonWriter& out, Symbol name) const {
  WriteCheckable(out, {CheckableKind::kOutput, {ModuleId(), {.type = {}, .name = name}}});
}

void BlockPositions::WriteCheckable(JsonWriter& out, const ConfigCheckable& block) const {
  const config::ConfigNode* node = config_.Find(block.block.module);
  if (node == nullptr) {
    return;
  }
  const config::Module& module = *node->module;
  const Symbol name = block.block.resource.name;
  switch (block.kind) {
    case CheckableKind::kResource:
      WriteResource(out, block.block);
      return;
    case CheckableKind::kOutput:
      if (const int index = module.FindOutput(name); index >= 0) {
        Write(out, *node, module.outputs[static_cast<size_t>(index)].range);
      }
      return;
    case CheckableKind::kVariable:
      if (const int index = module.FindVariable(name); index >= 0) {
        Write(out, *node, module.variables[static_cast<size_t>(index)].range);
      }
      return;
    case CheckableKind::kCheck:
      if (const auto check = std::ranges::find(module.checks, name, &config::Check::name);
          check != module.checks.end()) {
        Write(out, *node, check->range);
      }
      return;
  }
}

}  // namespace kinu::view
