// Plan files of kinu and OpenTofu for C++ programs: what `plan -out` writes. <kinu/tfjson.h> and
// <kinu/documents.h> read what `show -json` makes of them; Document::Open() and Document::Parse()
// take plan files, too.
//
// Neither providers nor files of the configuration are needed. The values of resource instances are
// encoded with the schemas of their providers: plan files of kinu have those schemas, of others
// only what needs none can be read. Encrypted files cannot be read; the header needs C++20 and the
// standard library only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kinu/diagnostics.h>
#include <kinu/hcl.h>
#include <kinu/tfjson.h>

namespace kinu::v1 {

/// A plan file. Cheap to copy: copies share the content.
class PlanFile {
 public:
  /// Reads a file. Nothing, and an error, if it is no plan file of a release that this library can
  /// read, or is damaged.
  static std::optional<PlanFile> Open(const std::string& path, Diagnostics& problems);
  /// Reads the content of a file.
  static std::optional<PlanFile> Parse(std::string bytes, Diagnostics& problems);

  /// Whether the file has the schemas that document() needs.
  bool has_schemas() const;
  /// What `show -json` prints for the file. Without content, and an error that says what to do, if
  /// a schema is missing.
  Document document(Diagnostics& problems) const;

  /// The version of the program that made the plan.
  std::string terraform_version() const;
  /// The time of planning (RFC 3339).
  std::string timestamp() const;
  /// Whether planning failed.
  bool errored() const;

  /// A variable of the root module that was set.
  struct Variable {
    std::string name;
    Value value;             ///< null if it is ephemeral
    bool ephemeral = false;  ///< the file has only the name
  };
  std::vector<Variable> variables() const;

  /// A planned change of a resource instance, without its values.
  struct Change {
    std::string address;
    std::string previous_address;      ///< equal to `address` unless it was moved
    std::string deposed;               ///< the key of a deposed object; else empty
    std::string provider;              ///< the source address of the provider
    std::vector<std::string> actions;  ///< as in documents: {"delete", "create"}
    std::string reason;                ///< as in documents: "replace_because_tainted"; or empty
    std::string import_id;             ///< of an object that is imported; else empty
  };
  /// The changes in the order of their addresses.
  std::vector<Change> changes() const;
  /// Changes that were made outside of the program.
  std::vector<Change> drift() const;

  /// A planned change of an output of the root module. Values that are not known yet are unknown.
  struct Output {
    std::string name;
    std::vector<std::string> actions;
    Value before;
    Value after;
    bool sensitive = false;
  };
  std::vector<Output> outputs() const;

  /// The backend that an apply must have.
  struct Backend {
    std::string type;
    Value config;  ///< an object of its settings
    std::string workspace;
  };
  Backend backend() const;

  /// A file of the configuration at the time of planning.
  struct Source {
    std::string module;     ///< the calls that lead to its module, as "a.b"; empty: the root module
    std::string directory;  ///< of the module, from the directory of the root module
    std::string name;
    std::string text;
  };
  /// The files of all modules. Nothing, and an error, if they are damaged.
  std::optional<std::vector<Source>> sources(Diagnostics& problems) const;

  /// The state that the changes start from, as the JSON text of a state file (version 4):
  /// `Document::Parse(*text, problems)` and the reader StateFile of <kinu/documents.h> read it.
  std::optional<std::string> prior_state(Diagnostics& problems) const;
  /// The state as the last run stored it.
  std::optional<std::string> previous_state(Diagnostics& problems) const;
  /// The dependency lock file at the time of planning; empty if there was none.
  std::string lock_file() const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

}  // namespace kinu::v1
