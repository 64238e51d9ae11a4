#include "table/table.h"

#include <algorithm>

#include "table/rows.h"

namespace kinu::table {
namespace {

using enum ColumnType;

constexpr ColumnSpec kAddress = {"address", kText, "the address of the resource instance"};
constexpr ColumnSpec kModule = {"module", kText, "the module in the address; null: the root"};
constexpr ColumnSpec kMode = {"mode", kText, "managed, data or ephemeral"};
constexpr ColumnSpec kType = {"type", kText, "the resource type"};
constexpr ColumnSpec kName = {"name", kText, "the name of the block"};
constexpr ColumnSpec kIndex = {"index", kText, "the key of count or for_each, as JSON"};
constexpr ColumnSpec kProvider = {"provider", kText, "the source address of the provider"};
constexpr ColumnSpec kDeposed = {"deposed", kText, "the key of a deposed object"};

constexpr ColumnSpec kResources[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    kAddress,
    kModule,
    kMode,
    kType,
    kName,
    kIndex,
    kProvider,
    {"schema_version", kInteger, "the version of the schema that the values have"},
    {"tainted", kBool, "the next plan replaces it"},
    kDeposed,
    {"id", kText, "the attribute id"},
    {"values", kText, "the attributes as JSON, sensitive ones null"},
    {"sensitive", kBool, "whether attributes are sensitive"},
    {"depends_on", kText, "the addresses of what it depends on, as a JSON array"}};

constexpr ColumnSpec kChanges[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    kAddress,
    {"previous_address", kText, "the address before it was moved"},
    kModule,
    kMode,
    kType,
    kName,
    kIndex,
    kProvider,
    kDeposed,
    {"drift", kBool, "a change that was made outside of the program"},
    {"action", kText, "what it does, in a word: create, update, replace, …"},
    {"actions", kText, "the steps, as a JSON array"},
    {"reason", kText, "why the action is needed"},
    {"import_id", kText, "the id of an object that is imported"},
    {"before", kText, "the attributes before, as JSON, sensitive ones null"},
    {"after", kText, "the attributes after, as JSON, sensitive ones null"},
    {"after_unknown", kText, "which attributes are known after apply, as JSON"},
    {"replace_paths", kText, "the paths that demand a replacement, as a JSON array"}};

constexpr ColumnSpec kAttributes[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    kAddress,
    kDeposed,
    {"side", kText, "state; of a plan: before or after"},
    {"path", kText, "the path of the value, such as tags.Name or rules[0].port"},
    {"value_type", kText, "string, number, boolean, null, object or array"},
    {"text", kText, "the value as text; of a number its digits"},
    {"number", kNumber, "the value of a number that a double holds to the last digit"},
    {"bool", kBool, "the value of a boolean"},
    {"exact", kBool, "of a number: whether the column number has it"},
    {"sensitive", kBool, "whether the value is sensitive"},
    {"unknown", kBool, "whether the value is known after apply"}};

constexpr ColumnSpec kOutputs[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    {"name", kText, "the name of the output"},
    {"value_type", kText, "its type, as JSON"},
    {"value", kText, "its value, as JSON; of a plan the value after it"},
    {"before", kText, "of a plan: the value before, as JSON"},
    {"action", kText, "of a plan: what happens to the output"},
    {"sensitive", kBool, "whether the value is sensitive"},
    {"unknown", kBool, "whether the value is known after apply"}};

constexpr ColumnSpec kChecks[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    {"kind", kText, "resource, output_value, check or var"},
    {"address", kText, "the block that has the conditions"},
    {"status", kText, "pass, fail, error or unknown, of all its instances"},
    {"instance", kText, "the address of the instance"},
    {"instance_status", kText, "the status of the instance"},
    {"problem", kText, "the message of a condition that does not hold; a row for each"}};

constexpr ColumnSpec kProviders[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    kProvider,
    {"name", kText, "of a configuration: the local name"},
    {"alias", kText, "of a configuration: the alias"},
    {"version_constraint", kText, "of a configuration: which versions it allows"},
    {"module", kText, "of a configuration: the module that has the block"},
    {"resources", kInteger, "of a state: the instances that belong to it"}};

constexpr ColumnSpec kModules[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    {"address", kText, "of a configuration: the call; of a state: the instance; null: the root"},
    {"module_source", kText, "of a configuration: the source address"},
    {"version_constraint", kText, "of a configuration: which versions it allows"},
    {"resources", kInteger, "of a state: the instances in it; else the blocks in it"}};

constexpr ColumnSpec kReferences[] = {
    kSource,
    kLineage,
    kSerial,
    kVersion,
    {"module", kText, "the module of the block; null: the root"},
    {"address", kText, "the block that refers: a resource, output., module. or provider."},
    {"path", kText, "the argument that has the expression"},
    {"reference", kText, "what it refers to, in its module"}};

constexpr ColumnSpec kProblems[] = {kSource, {"problem", kText, "why the file could not be read"}};

constexpr TableSpec kTables[] = {
    {"resources", "the resource instances of states, and of the states before plans", kResources,
     AppendResources},
    {"changes", "the changes of resource instances in plans", kChanges, AppendChanges},
    {"attributes", "the values of resource instances, one a row", kAttributes, AppendAttributes},
    {"outputs", "the outputs of states, and their changes in plans", kOutputs, AppendOutputs},
    {"checks", "the results of conditions", kChecks, AppendChecks},
    {"providers", "the provider configurations of plans, and the providers of states", kProviders,
     AppendProviders, /*reads_configuration=*/true},
    {"modules", "the module calls of plans, and the module instances of states", kModules,
     AppendModules, /*reads_configuration=*/true},
    {"references", "what the expressions of the configurations of plans refer to", kReferences,
     AppendReferences, /*reads_configuration=*/true},
    {"problems", "the files that could not be read", kProblems, nullptr}};

}  // namespace

std::span<const TableSpec> Tables() {
  return kTables;
}

const TableSpec* FindTable(std::string_view name) {
  const auto* const found = std::ranges::find(kTables, name, &TableSpec::name);
  return found == std::end(kTables) ? nullptr : found;
}

}  // namespace kinu::table
