// A key-value store in files: each pair is a file of a directory.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <kinu/provider.h>

namespace sdk = kinu::v1;

namespace {

std::filesystem::path directory = ".";

std::string Text(const sdk::Value& object, std::string_view name) {
  return object.Find(name)->AsString().value_or("");
}

std::filesystem::path PathOf(const sdk::Value& object) {
  return directory / Text(object, "key");
}

void Configure(sdk::ConfigureCall& call) {
  const char* fallback = std::getenv("KV_DIRECTORY");
  directory = call.config.Find("directory")->AsString().value_or(fallback ? fallback : ".");
  std::printf("the files are in %s\n", directory.c_str());  // to the log of the client
  if (!std::filesystem::is_directory(directory)) {
    call.problems.AddError("No such directory", directory.string() + " is not a directory.",
                           "directory");
  }
}

void CheckKey(const sdk::Value& config, sdk::ProviderProblems& problems) {
  if (Text(config, "key").find('/') != std::string::npos) {
    problems.AddError("Invalid key", "A key must not contain a slash.", "key");
  }
}

/// The pair with the key of `object`; null if its file does not exist.
sdk::Value Load(const sdk::Value& object) {
  std::ifstream file(PathOf(object));
  if (!file) {
    return {};
  }
  const sdk::Value key = *object.Find("key");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return sdk::Value::Object({{"key", key}, {"value", sdk::Value::String(text)}, {"id", key}});
}

sdk::Value Store(sdk::ResourceCall& call) {
  std::ofstream file(PathOf(call.planned));
  file << Text(call.planned, "value") << std::flush;
  if (!file) {
    call.problems.AddError("Cannot write the file", PathOf(call.planned).string(), "value");
    return {};
  }
  sdk::Log(sdk::LogLevel::kInfo, "stored", {{"key", Text(call.planned, "key")}});
  return Load(call.planned);
}

sdk::ManagedResource PairResource() {
  sdk::ManagedResource pair{.type = "kv_pair"};
  pair.schema = {.attributes = {{.name = "key", .required = true, .requires_replace = true},
                                {.name = "value", .default_value = sdk::Value::String("")},
                                {.name = "id", .computed = true, .stable = true}},
                 .description = "A pair of the store."};
  pair.validate = CheckKey;
  pair.create = Store;
  pair.update = Store;
  pair.read = [](sdk::ResourceCall& call) { return Load(call.prior); };
  pair.destroy = [](sdk::ResourceCall& call) { std::filesystem::remove(PathOf(call.prior)); };
  pair.import = [](sdk::ResourceCall& call) {
    return sdk::Value::Object({{"key", sdk::Value::String(call.id)}});
  };
  return pair;
}

sdk::DataSource PairData() {
  sdk::DataSource pair{.type = "kv_pair"};
  pair.schema.attributes = {{.name = "key", .required = true},
                            {.name = "value", .computed = true},
                            {.name = "id", .computed = true}};
  pair.read = [](sdk::DataCall& call) {
    sdk::Value found = Load(call.config);
    if (found.is_null()) {
      call.problems.AddError("No such pair", "The store has no such key.", "key");
    }
    return found;
  };
  return pair;
}

/// A file that exists as long as the operation that opened it.
sdk::EphemeralResource Lock() {
  sdk::EphemeralResource lock{.type = "kv_lock"};
  lock.schema.attributes = {{.name = "key", .required = true}, {.name = "path", .computed = true}};
  lock.open = [](sdk::EphemeralCall& call) {
    const std::string path = PathOf(call.config).string() + ".lock";
    std::ofstream(path) << "locked";
    call.private_data = path;
    return sdk::Value::Object(
        {{"key", *call.config.Find("key")}, {"path", sdk::Value::String(path)}});
  };
  lock.close = [](sdk::EphemeralCall& call) { std::filesystem::remove(call.private_data); };
  return lock;
}

/// provider::kv::join(separator, keys...): a key of several parts.
sdk::ProviderFunction Join() {
  sdk::ProviderFunction join{.name = "join"};
  join.parameters = {{.name = "separator"}};
  join.variadic = {.name = "parts"};
  join.summary = "Makes a key of several parts.";
  join.call = [](sdk::FunctionCall& call) {
    const std::string separator = call.arguments[0].AsString().value_or("");
    std::string key;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      const std::string part = call.arguments[i].AsString().value_or("");
      if (part.empty()) {
        call.error = "a part must not be empty";
        call.error_argument = static_cast<int64_t>(i);
      }
      key += (i == 1 ? "" : separator) + part;
    }
    return sdk::Value::String(key);
  };
  return join;
}

}  // namespace

int main(int count, char** arguments) {
  sdk::Provider provider{.address = "example.com/test/kv"};
  provider.schema.attributes = {
      {.name = "directory", .optional = true, .description = "Where the files are."}};
  provider.configure = Configure;
  provider.resources = {PairResource()};
  provider.data_sources = {PairData()};
  provider.ephemeral_resources = {Lock()};
  provider.functions = {Join()};
  return sdk::Serve(provider, {.debug = count > 1 && std::string_view(arguments[1]) == "-debug"});
}
