#include "state/state.h"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/golden.h"
#include "base/testing/source_directory.h"
#include "state/json_text.h"
#include "state/large_file.h"
#include "state/paths.h"
#include "state/reader.h"
#include "state/store.h"

namespace kinu::state {
namespace {

std::string Golden(std::string_view name) {
  return ReadFile(SourceDirectory() + "/tests/golden/state/" + std::string(name)).value();
}

/// Expects what is written to be a file of tests/golden/state.
void ExpectRecorded(std::string_view text, const std::string& name) {
  golden::Expect(text, "tests/golden/state/" + name);
}

State MustRead(std::string text, std::shared_ptr<Program> program = std::make_shared<Program>()) {
  Result<State> state = ReadState(std::move(program), std::move(text));
  EXPECT_TRUE(state.has_value()) << (state ? "" : state.error().message);
  return state ? *std::move(state) : State{};
}

Type ObjectType(std::vector<Type::Attribute> attributes) {
  return Type::Object(attributes);
}

AbsResource Address(Program& program, std::string_view text) {
  ResourceInstance instance;
  EXPECT_TRUE(program.ParseResourceInstance(text, &instance)) << text;
  return instance.resource;
}

// --- Files that OpenTofu wrote. ---

class GoldenState : public testing::TestWithParam<const char*> {};

TEST_P(GoldenState, IsWrittenBackByteForByte) {
  std::string text = Golden(GetParam());
  Layout layout = text.ends_with("\n\n") ? Layout::kIndented : Layout::kCompact;
  ExpectRecorded(WriteState(MustRead(text), layout), GetParam());
}

TEST_P(GoldenState, KeepsItsContentInTheOtherLayout) {
  auto program = std::make_shared<Program>();
  State state = MustRead(Golden(GetParam()), program);
  for (Layout layout : {Layout::kIndented, Layout::kCompact}) {
    State again = MustRead(WriteState(state, layout), program);
    EXPECT_TRUE(SameContent(state, again));
    EXPECT_TRUE(SameManagedResources(state, again));
    EXPECT_EQ(again.serial, state.serial);
    EXPECT_EQ(again.lineage, state.lineage);
  }
}

TEST_P(GoldenState, IsRefusedWhenCutAnywhere) {
  std::string text = Golden(GetParam());
  size_t end = text.find_last_of('}');
  for (size_t size = 1; size <= end; size += 1 + text.size() / 997) {
    Result<State> state = ReadState(std::make_shared<Program>(), text.substr(0, size));
    ASSERT_FALSE(state.has_value()) << size;
    const std::vector<StateProblem> problems = ProblemsOf(state.error());
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].summary, "Unsupported state file format");
    EXPECT_EQ(problems[0].detail,
              "The state file could not be parsed as JSON: syntax error at byte offset " +
                  std::to_string(size) + ".");
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, GoldenState,
                         testing::Values("everything.tfstate", "everything-again.tfstate",
                                         "everything.compact.tfstate", "sensitive.tfstate",
                                         "handwritten.tfstate", "handwritten.compact.tfstate"));

TEST(ReadState, HandwrittenFileIsNormalizedAsTheReferenceDoes) {
  // The expected files are what `state rm terraform_data.gone` writes for the input.
  State state = MustRead(Golden("handwritten.input.json"));
  ExpectRecorded(WriteState(state, Layout::kCompact), "handwritten.compact.tfstate");
  state.Remove(Address(*state.program, "terraform_data.gone"));
  ExpectRecorded(WriteState(state, Layout::kIndented, state.lineage, 8), "handwritten.tfstate");
}

TEST(ReadState, ObjectsAreFound) {
  State state = MustRead(Golden("handwritten.input.json"));
  Program& program = *state.program;
  Resource* b = state.Find(Address(program, "z_thing.b"));
  ASSERT_NE(b, nullptr);
  ASSERT_EQ(b->instances.size(), 3U);
  EXPECT_TRUE(b->instances[0].key.none());
  const Resource* counted = state.Find(Address(program, "z_thing.counted"));
  ASSERT_NE(counted, nullptr);
  ASSERT_EQ(counted->instances.size(), 3U);
  EXPECT_EQ(counted->instances[1].key, InstanceKey::Int(9));
  EXPECT_EQ(counted->Find(InstanceKey::Int(10)), &counted->instances[2]);
  const Instance* a = b->Find(InstanceKey::String(program.Intern("a")));
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->deposed.size(), 2U);
  EXPECT_EQ(a->deposed[0].key, "00000001");
  EXPECT_EQ(a->deposed[1].object.status, ObjectStatus::kTainted);
  std::vector<Path> sensitive = SensitivePaths(*a->current);
  ASSERT_EQ(sensitive.size(), 1U);
  EXPECT_EQ(sensitive[0].size(), 3U);
  const Instance* full = b->Find(InstanceKey::String(program.Intern("b")));
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->current->private_data, std::string_view("\0\1\2\xFF", 4));
  EXPECT_TRUE(full->current->create_before_destroy);
  EXPECT_TRUE(full->current->skip_destroy);
  EXPECT_EQ(full->current->schema_version, 3U);
  ASSERT_NE(full->current->dependencies, nullptr);
  EXPECT_EQ(program.ToText(full->current->dependencies->at(0)), "module.m.a_b.c");
  EXPECT_EQ(b->Find(InstanceKey::Int(11)), nullptr);
  EXPECT_EQ(state.Find(Address(program, "z_thing.missing")), nullptr);
}

TEST(State, OutputsAreSetReplacedAndRemovedInOrder) {
  State state;
  for (const char* name : {"m", "z", "a", "m"}) {
    state.SetOutput({name, Value::String(name), false, ""});
  }
  state.SetOutput({"m", Value::True(), true, ""});
  ASSERT_EQ(state.outputs.size(), 3u);
  EXPECT_EQ(state.outputs[0].name, "a");
  EXPECT_EQ(state.outputs[2].name, "z");
  ASSERT_NE(state.FindOutput("m"), nullptr);
  EXPECT_TRUE(state.FindOutput("m")->sensitive);
  EXPECT_EQ(state.FindOutput("b"), nullptr);
  EXPECT_EQ(state.FindOutput("zz"), nullptr);
  for (const char* name : {"a", "none"}) {
    state.SetOutput({name, Value::Null(Type::String()), false, ""});
  }
  EXPECT_EQ(state.outputs.size(), 2u);
  EXPECT_EQ(state.FindOutput("a"), nullptr);
}

TEST(ReadState, EqualDependencyListsAreShared) {
  State state = MustRead(Golden("everything.tfstate"));
  std::vector<const void*> lists;
  for (const auto& resource : state.resources) {
    for (const Instance& instance : resource->instances) {
      if (instance.current->dependencies != nullptr) {
        lists.push_back(instance.current->dependencies.get());
      }
    }
  }
  ASSERT_GT(lists.size(), 2U);
  std::sort(lists.begin(), lists.end());
  EXPECT_LT(std::unique(lists.begin(), lists.end()) - lists.begin(),
            static_cast<ptrdiff_t>(lists.size()));
}

struct BadState {
  const char* text;
  const char* message;
};

class BadStateTest : public testing::TestWithParam<BadState> {};

TEST_P(BadStateTest, Message) {
  Result<State> state = ReadState(std::make_shared<Program>(), GetParam().text);
  ASSERT_FALSE(state.has_value());
  // A text that is not JSON has two problems; the other one is about encryption.
  const StateProblem first = ProblemsOf(state.error()).front();
  const bool syntax = first.detail.find("could not be parsed as JSON") != std::string::npos;
  EXPECT_EQ(syntax ? first.summary + ": " + first.detail : state.error().message,
            GetParam().message);
}

#define KINU_STATE(members) "{\"version\":4," members "}"
#define KINU_INSTANCE(members)                                              \
  KINU_STATE(                                                               \
      "\"resources\":[{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n\"," \
      "\"provider\":\"provider[\\\"h/n/t\\\"]\",\"instances\":[" members "]}]")

INSTANTIATE_TEST_SUITE_P(
    Messages, BadStateTest,
    testing::Values(
        BadState{"{} x",
                 "Unsupported state file format: The state file could not be parsed as JSON: "
                 "syntax error at byte offset 4."},
        BadState{"{}",
                 "Unsupported state file format: The state file does not have a \"version\" "
                 "attribute, which is required to identify the format version."},
        BadState{
            "[]",
            "2 problems:\n\n- Unsupported state file format: The version in the state file is "
            "array. A positive whole number is required.\n- Unsupported state file format: The "
            "state file can not be checked for presence of encryption: json: cannot unmarshal "
            "array "
            "into Go value of type encryption.basedata"},
        BadState{"{\"version\":\"4\"}",
                 "Unsupported state file format: The version in the state file is string. A "
                 "positive whole number is required."},
        BadState{"{\"Version\":\"4\"}",
                 "Unsupported state file format: The version in the state file is string. A "
                 "positive whole number is required."},
        BadState{"{\"version\":-1}",
                 "Unsupported state file format: The version in the state file is number -1. A "
                 "positive whole number is required."},
        BadState{"{\"version\":5}",
                 "Unsupported state file format: The state file uses format version 5, which is "
                 "not supported by OpenTofu 1.12.6. This state file may have been created by a "
                 "newer version of OpenTofu."},
        BadState{"{\"version\":5,\"terraform_version\":\"2.0.0\",\"resources\":7}",
                 "Unsupported state file format: The state file uses format version 5, which is "
                 "not supported by OpenTofu 1.12.6. This state file was created by OpenTofu "
                 "2.0.0."},
        BadState{"{\"encryption_version\":\"v0\",\"encrypted_data\":\"x\"}",
                 "Unsupported state file format: This state file is encrypted and can not be read "
                 "without an encryption configuration"},
        BadState{KINU_STATE("\"serial\":\"7\""),
                 "Invalid state file format: The state file field \"serial\" has invalid value "
                 "string"},
        BadState{KINU_STATE("\"resources\":[{\"mode\":1}]"),
                 "Invalid state file format: The state file field \"resources.mode\" has invalid "
                 "value number 1"},
        BadState{KINU_STATE("\"resources\":[{\"mode\":\"odd\",\"type\":\"t\",\"name\":\"n\"}]"),
                 "Invalid resource mode in state: State contains a resource with mode \"odd\" "
                 "(\"t\" \"n\") which is not supported."},
        BadState{KINU_INSTANCE("{\"index_key\":true}"),
                 "Invalid resource instance metadata in state: Resource t.n has an instance with "
                 "the invalid instance key true."},
        BadState{KINU_INSTANCE("{\"status\":\"odd\"}"),
                 "Invalid resource instance metadata in state: Instance t.n has invalid status "
                 "\"odd\"."},
        BadState{KINU_INSTANCE("{\"deposed\":\"abc\"}"),
                 "Invalid resource instance metadata in state: Instance t.n has an object with "
                 "deposed key \"abc\", which is not correctly formatted."},
        BadState{KINU_INSTANCE("{\"index_key\":1},{\"index_key\":0},{\"index_key\":1}"),
                 "Duplicate resource instance in state: Instance t.n[1] appears multiple times in "
                 "the state file."},
        BadState{KINU_INSTANCE("{\"sensitive_attributes\":[[{\"type\":\"odd\"}]]}"),
                 "Unsupported path step: Unsupported path step type \"odd\""},
        BadState{
            KINU_INSTANCE("{\"sensitive_attributes\":[[{\"type\":\"index\"}]]}"),
            "Error unmarshaling path step: Failed to unmarshal index step key: the JSON text ends "
            "where a value is expected"},
        BadState{KINU_STATE("\"outputs\":{\"o\":{\"value\":\"x\",\"type\":\"number\"}}"),
                 "Invalid output value saved in state: The state file has an invalid value for "
                 "output \"o\": a number is required."}));

TEST(ReadState, EmptyTextIsAnEmptyState) {
  State state = MustRead("");
  EXPECT_TRUE(state.empty());
  EXPECT_EQ(state.serial, 0U);
  EXPECT_TRUE(state.lineage.empty());
}

TEST(ReadState, RefusesDeepNestingWithoutUsingTheStack) {
  std::string text = "{\"version\":4,\"x\":" + std::string(200'000, '[');
  EXPECT_FALSE(ReadState(std::make_shared<Program>(), text).has_value());
}

// --- The state as a container. ---

TEST(State, EnsureFindRemove) {
  State state;
  state.program = std::make_shared<Program>();
  Program& program = *state.program;
  ProviderConfig provider;
  provider.provider = program.Intern("h/n/t");
  std::vector<AbsResource> addresses;
  for (const char* text :
       {"b_t.x", "module.m[1].a_t.x", "data.a_t.x", "a_t.x", "module.m[0].a_t.x"}) {
    addresses.push_back(Address(program, text));
    state.Ensure(addresses.back(), provider).Ensure(program, InstanceKey());
  }
  std::vector<std::string> sorted;
  for (const Resource* resource : state.Sorted()) {
    sorted.push_back(program.ToText(resource->address));
  }
  EXPECT_EQ(sorted, (std::vector<std::string>{"data.a_t.x", "a_t.x", "b_t.x", "module.m[0].a_t.x",
                                              "module.m[1].a_t.x"}));
  State copy = state.Clone();
  state.Remove(addresses[1]);
  state.Remove(addresses[0]);
  EXPECT_EQ(state.Find(addresses[0]), nullptr);
  EXPECT_EQ(state.Find(addresses[1]), nullptr);
  for (size_t i = 2; i < addresses.size(); ++i) {
    ASSERT_NE(state.Find(addresses[i]), nullptr);
    EXPECT_EQ(state.Find(addresses[i])->address, addresses[i]);
  }
  EXPECT_EQ(copy.resources.size(), 5U);
  EXPECT_NE(copy.Find(addresses[0]), nullptr);
  EXPECT_FALSE(SameContent(state, copy));
}

TEST(State, CopiesChangeAlone) {
  auto program = std::make_shared<Program>();
  const auto address = [&](std::string_view name) {
    return AbsResource{ModuleInstId(),
                       {ResourceMode::kManaged, program->Intern("t"), program->Intern(name)}};
  };
  State state;
  state.program = program;
  for (const std::string_view name : {"a", "b", "c"}) {
    Instance& instance = state.Ensure(address(name), {}).Ensure(*program, InstanceKey());
    instance.current = std::make_unique<Object>();
    instance.current->attributes = "{}";
  }
  const std::string before = WriteState(state, Layout::kCompact);
  State copy = state.Clone();
  EXPECT_TRUE(SameContent(state, copy));
  EXPECT_TRUE(copy.resources[0].Shares(state.resources[0]));
  copy.Find(address("a"))->Find(InstanceKey())->current->schema_version = 3;
  copy.Ensure(address("b"), {}).instances.clear();
  copy.Remove(address("c"));
  copy.Ensure(address("d"), {});
  EXPECT_EQ(WriteState(state, Layout::kCompact), before);
  EXPECT_EQ(std::as_const(state).Find(address("d")), nullptr);
  EXPECT_EQ(std::as_const(copy).Find(address("c")), nullptr);
  EXPECT_EQ(copy.Find(address("a"))->instances[0].current->schema_version, 3U);
  EXPECT_FALSE(SameContent(state, copy));
}

TEST(State, ReplacementRules) {
  auto program = std::make_shared<Program>();
  auto with = [&](std::string lineage, uint64_t serial, int64_t content) {
    State state;
    state.program = program;
    state.lineage = std::move(lineage);
    state.serial = serial;
    state.outputs.push_back(OutputValue{.name = "o", .value = Value::Int(content)});
    return state;
  };
  State empty;
  empty.program = program;
  EXPECT_TRUE(CheckReplacement(with("a", 1, 1), empty));
  EXPECT_TRUE(CheckReplacement(with("a", 6, 1), with("a", 5, 2)));
  EXPECT_TRUE(CheckReplacement(with("a", 5, 1), with("a", 5, 1)));
  EXPECT_TRUE(CheckReplacement(with("", 5, 1), with("a", 5, 2)));
  EXPECT_EQ(CheckReplacement(with("a", 5, 1), with("a", 5, 2)).error().message,
            "cannot overwrite existing state with serial 5 with a different state that has the "
            "same serial");
  EXPECT_EQ(CheckReplacement(with("a", 4, 1), with("a", 5, 2)).error().message,
            "cannot import state with serial 4 over newer state with serial 5");
  EXPECT_EQ(CheckReplacement(with("b", 9, 1), with("a", 5, 2)).error().message,
            "cannot import state with lineage \"b\" over unrelated state with lineage \"a\"");
}

TEST(WriteState, UnderAnotherHeaderTheRestIsTheSame) {
  auto program = std::make_shared<Program>();
  State state;
  state.program = program;
  state.outputs.push_back({"outputs", Value::String("\"outputs\":"), false, ""});
  const std::string text = WriteState(state, Layout::kCompact, "\"outputs\":", 3);
  const auto relabelled = [&](std::string_view lineage, uint64_t serial) {
    auto [start, rest] = Relabel(text, lineage, serial);
    return start.append(rest);
  };
  EXPECT_EQ(relabelled("other", 7), WriteState(state, Layout::kCompact, "other", 7));
  EXPECT_EQ(relabelled({}, 0), WriteState(state, Layout::kCompact, {}, 0));
}

TEST(SameContent, SeesEveryField) {
  auto program = std::make_shared<Program>();
  std::string text = Golden("handwritten.tfstate");
  State original = MustRead(text, program);
  struct Edit {
    const char* from;
    const char* to;
  };
  for (const Edit& edit :
       {Edit{"\"cur\"", "\"cux\""}, Edit{"AAEC/w==", "AAEC/g=="},
        Edit{"\"schema_version\": 3", "\"schema_version\": 4"},
        Edit{"\"value\": 12", "\"value\": 13"}, Edit{"deadbeef", "deadbeee"},
        Edit{"\"a_b.c\"", "\"a_b.d\""}, Edit{"].west", "].east"},
        Edit{"\"status\": \"tainted\",", ""}, Edit{"x\\u003c", "x\\u003e"},
        Edit{"\"skip_destroy\": true", "\"skip_destroy\": false"},
        Edit{"\"sensitive\": true", "\"sensitive\": false"}, Edit{"\"fail\"", "\"pass\""},
        Edit{"\"index_key\": 9", "\"index_key\": 8"},
        Edit{".alias[\\\"k2\\\"]", ".alias[\\\"k3\\\"]"}}) {
    std::string changed = text;
    size_t at = changed.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    changed.replace(at, std::string_view(edit.from).size(), edit.to);
    EXPECT_FALSE(SameContent(original, MustRead(changed, program))) << edit.from;
  }
  std::string header = text;
  header.replace(header.find("\"serial\": 8"), 11, "\"serial\": 9");
  EXPECT_TRUE(SameContent(original, MustRead(header, program)));
}

// --- Objects and values. ---

TEST(Objects, MarksBecomePathsAndComeBack) {
  Type type = ObjectType({{"id", Type::String()},
                          {"list", Type::List(Type::String())},
                          {"any", Type::Dynamic()},
                          {"later", Type::Number()}});
  Value value = Value::Object(
      {{"id", Value::String("x<")},
       {"list", Value::List(Type::String(), {Value::String("a"),
                                             Value::String("b").WithMarks(MarkSet::Sensitive())})},
       {"any", Value::Object({{"k", Value::Int(1)}}).WithMarks(MarkSet::Sensitive())},
       {"later", Value::Unknown(Type::Number())}});
  Object object;
  EncodeObject(value, type, object);
  EXPECT_EQ(object.attributes,
            "{\"any\":{\"value\":{\"k\":1},\"type\":[\"object\",{\"k\":\"number\"}]},"
            "\"id\":\"x\\u003c\",\"later\":null,\"list\":[\"a\",\"b\"]}");
  EXPECT_EQ(object.sensitive.size(), 2U);
  Result<Value> back = DecodeObject(object, type);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_TRUE(back->Attribute("any").marks().sensitive());
  EXPECT_TRUE(back->Attribute("list").elements()[1].marks().sensitive());
  EXPECT_FALSE(back->Attribute("list").elements()[0].IsMarked());
  EXPECT_TRUE(back->Attribute("later").IsNull());
  Object again;
  EncodeObject(*back, type, again);
  EXPECT_EQ(again.attributes, object.attributes);
  EXPECT_EQ(again.sensitive, object.sensitive);
}

TEST(Objects, DecodingFailsWithAPath) {
  Object object;
  object.attributes = "{\"id\":[]}";
  Result<Value> value = DecodeObject(object, ObjectType({{"id", Type::String()}}));
  ASSERT_FALSE(value.has_value());
  EXPECT_NE(value.error().message.find(".id"), std::string::npos) << value.error().message;
}

TEST(Paths, RoundTrip) {
  std::string json =
      "[[{\"type\":\"get_attr\",\"value\":\"a\\u003c\"},{\"type\":\"index\",\"value\":{\"value\":3,"
      "\"type\":\"number\"}}],[],[{\"type\":\"index\",\"value\":{\"value\":\"k\",\"type\":"
      "\"string\"}}]]";
  bool canonical = true;
  ASSERT_TRUE(CheckPathsJson(json, &canonical));
  std::vector<Path> paths = PathsFromJson(json);
  ASSERT_EQ(paths.size(), 3U);
  std::string out;
  AppendPathsJson(out, paths);
  EXPECT_EQ(out, json);
}

// --- Records. ---

TEST(Records, StepsOfAReplacement) {
  State state;
  state.program = std::make_shared<Program>();
  ResourceInstance address;
  ASSERT_TRUE(state.program->ParseResourceInstance("t.n[0]", &address));
  auto record = [&](ObjectRecord::Step step, std::string deposed, std::string_view attributes) {
    ObjectRecord out;
    out.step = step;
    out.address = address;
    out.deposed = std::move(deposed);
    out.object.attributes = attributes;
    Apply(out, state);
  };
  using Step = ObjectRecord::Step;
  record(Step::kStore, "", "1");
  record(Step::kDepose, "aaaaaaaa", "");
  const Resource* resource = state.Find(address.resource);
  ASSERT_NE(resource, nullptr);
  EXPECT_EQ(resource->instances[0].current, nullptr);
  record(Step::kRestore, "aaaaaaaa", "");
  ASSERT_NE(resource->instances[0].current, nullptr);
  EXPECT_EQ(resource->instances[0].current->attributes, "1");
  record(Step::kDepose, "aaaaaaaa", "");
  record(Step::kStore, "", "2");
  record(Step::kRestore, "aaaaaaaa", "");  // there is a current object, so nothing is restored
  EXPECT_EQ(resource->instances[0].current->attributes, "2");
  record(Step::kRemove, "aaaaaaaa", "");
  EXPECT_TRUE(resource->instances[0].deposed.empty());
  record(Step::kRemove, "", "");
  EXPECT_TRUE(state.empty());
}

/// Calls `read` with a file that holds `text`.
template <typename Read>
auto OfFile(const std::string& text, const Read& read) {
  std::FILE* const file = std::tmpfile();
  EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  std::fflush(file);
  std::rewind(file);
  auto out = read(fileno(file));
  std::fclose(file);
  return out;
}
std::optional<State> OutputsOf(const std::string& text) {
  return OfFile(text, [](int fd) { return ReadStateOutputs(std::make_shared<Program>(), fd); });
}

/// A state of more than 2 MB.
std::string LargeState() {
  std::string text = R"({"version":4,"terraform_version":"1.12.6","serial":7,"lineage":"l",)"
                     R"("outputs":{},"resources":[)";
  for (int i = 0; i < 8000; ++i) {
    const std::string number = std::to_string(i);
    text += i == 0 ? "" : ",";
    text += R"({"module":"module.m[\"\u00e9\"]","mode":"managed","type":"t","name":"n)" + number +
            R"(","provider":"provider[\"registry.opentofu.org/h/t\"]","instances":[)"
            R"({"index_key":"a","schema_version":1,"attributes":{"id":")" +
            number +
            R"(","deep":[{"x":[1.5,null]}]},"sensitive_attributes":[],"private":"AAEC",)"
            R"("dependencies":["t.n0"]},{"index_key":"b","status":"tainted","schema_version":1,)"
            R"("attributes":{"id":"\u00e9"},"sensitive_attributes":[]}]})";
  }
  return text + R"(],"check_results":null})";
}

TEST(ReadLargeState, IsReadLikeAnyOther) {
  const std::string text = LargeState();
  const State whole = MustRead(text);
  const std::string wanted = WriteState(whole, Layout::kIndented);
  auto large = OfFile(text, [](int fd) { return ReadLargeState(std::make_shared<Program>(), fd); });
  ASSERT_TRUE(large.has_value());
  EXPECT_NE(large->mapped, nullptr);
  EXPECT_TRUE(WriteState(*large, Layout::kIndented) == wanted);
  const Result<State> exact =
      StateReader(std::make_shared<Program>(), std::make_shared<const std::string>(text),
                  StateReader::Way::kExact)
          .Read();
  ASSERT_TRUE(exact.has_value());
  EXPECT_TRUE(WriteState(*exact, Layout::kIndented) == wanted);
  // A copy keeps the mapping, and released memory is loaded again.
  const State copy = large->Clone();
  CountReadBytes(*large, size_t{64} << 20);
  large.reset();
  EXPECT_TRUE(WriteState(copy, Layout::kIndented) == wanted);
  // A file with an error is left to ReadState(), which reports it.
  for (const char* wrong : {"\"status\":\"tainted\"", "\"private\":\"AAEC\"", "\"t.n0\"", "1.5"}) {
    std::string broken = text;
    broken.replace(broken.rfind(wrong), 3, "?");
    EXPECT_FALSE(
        OfFile(broken, [](int fd) { return ReadLargeState(std::make_shared<Program>(), fd); })
            .has_value())
        << wrong;
    const Result<State> read = ReadState(std::make_shared<Program>(), broken);
    const Result<State> exactly =
        StateReader(std::make_shared<Program>(), std::make_shared<const std::string>(broken),
                    StateReader::Way::kExact)
            .Read();
    ASSERT_FALSE(read.has_value()) << wrong;
    ASSERT_FALSE(exactly.has_value()) << wrong;
    EXPECT_EQ(read.error().message, exactly.error().message);
  }
  std::string cut = text;
  cut.pop_back();
  const Result<State> read = ReadState(std::make_shared<Program>(), cut);
  ASSERT_FALSE(read.has_value());
  EXPECT_TRUE(read.error().message.contains("byte offset " + std::to_string(cut.size())))
      << read.error().message;
}

TEST(ReadLargeState, NamesAndOneResource) {
  const std::string text = LargeState();
  auto program = std::make_shared<Program>();
  const auto names = OfFile(text, [&](int fd) { return ReadStateNames(program, fd); });
  ASSERT_TRUE(names.has_value());
  ASSERT_EQ(names->instances.size(), 16000U);
  EXPECT_EQ(program->ToText(names->instances[3]), "module.m[\"\u00e9\"].t.n1[\"b\"]");
  ResourceInstance address;
  ASSERT_TRUE(program->ParseResourceInstance("module.m[\"\u00e9\"].t.n77[\"a\"]", &address));
  const auto one =
      OfFile(text, [&](int fd) { return ReadStateResource(program, fd, address.resource); });
  ASSERT_TRUE(one.has_value());
  ASSERT_EQ(one->resources.size(), 1U);
  EXPECT_EQ(one->serial, 7U);
  const Resource* const resource = one->Find(address.resource);
  ASSERT_NE(resource, nullptr);
  ASSERT_EQ(resource->instances.size(), 2U);
  EXPECT_TRUE(resource->Find(address.key)->current->attributes.starts_with(R"({"id":"77")"));
  ASSERT_TRUE(program->ParseResourceInstance("t.n77", &address));  // in another module
  const auto none =
      OfFile(text, [&](int fd) { return ReadStateResource(program, fd, address.resource); });
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->resources.empty());
}

TEST(ReadLargeState, SomeResources) {
  const std::string text = LargeState();
  auto program = std::make_shared<Program>();
  std::vector<ConfigResource> wanted;
  for (const char* address : {"module.m.t.n7", "module.m.t.n7999", "module.m.t.nope"}) {
    ASSERT_TRUE(program->ParseConfigResource(address, &wanted.emplace_back()));
  }
  const auto some = OfFile(text, [&](int fd) { return ReadStateResources(program, fd, wanted); });
  ASSERT_TRUE(some.has_value());
  ASSERT_EQ(some->resources.size(), 2U);
  EXPECT_EQ(program->ToText(some->resources[1]->address), "module.m[\"\u00e9\"].t.n7999");
  EXPECT_EQ(some->resources[1]->instances.size(), 2U);
  const auto none = OfFile(text, [&](int fd) { return ReadStateResources(program, fd, {}); });
  ASSERT_TRUE(none.has_value());
  EXPECT_TRUE(none->resources.empty());
}

TEST(ReadState, ProblemsComeApart) {
  const Error one{ErrorCode::kInvalid, "Summary: detail: more"};
  ASSERT_EQ(ProblemsOf(one).size(), 1U);
  EXPECT_EQ(ProblemsOf(one)[0].summary, "Summary");
  EXPECT_EQ(ProblemsOf(one)[0].detail, "detail: more");
  const Error two{ErrorCode::kInvalid, "2 problems:\n\n- a: b\n- c"};
  ASSERT_EQ(ProblemsOf(two).size(), 2U);
  EXPECT_EQ(ProblemsOf(two)[0].detail, "b");
  EXPECT_EQ(ProblemsOf(two)[1].summary, "c");
  EXPECT_EQ(ProblemsOf(two)[1].detail, "");
  EXPECT_EQ(ReadGivenState(std::make_shared<Program>(), "").error().message, "no state");
}

TEST(ReadStateOutputs, PassesResourcesBy) {
  std::string text = R"({"version":4,"terraform_version":"1.12.6","serial":7,"lineage":"l",)"
                     R"("outputs":{"o":{"value":[1,"\u00e9"],"type":["tuple",["number","string"]],)"
                     R"("sensitive":true}},"resources" : [)";
  while (text.size() < size_t{2} << 20) {
    text += R"({"mode":"managed","type":"t","name":"n","deep":[[{"a\"":[]}],null,-1.5e3]},)";
  }
  const std::string good = text + R"({}] ,"check_results":null,"later":{}})";
  const std::optional<State> state = OutputsOf(good);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->serial, 7U);
  EXPECT_EQ(state->lineage, "l");
  EXPECT_TRUE(state->resources.empty());
  ASSERT_EQ(state->outputs.size(), 1U);
  EXPECT_TRUE(state->outputs[0].sensitive);
  EXPECT_EQ(state->outputs[0].value.elements()[1].AsString(), "\u00e9");
  // A file with an error is left to ReadState().
  EXPECT_FALSE(OutputsOf(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(OutputsOf(text + R"({]] ,"check_results":null})"));
  EXPECT_FALSE(OutputsOf(text + "{\"\xFF\":1}]}"));
  EXPECT_FALSE(OutputsOf(R"({"version":4,"outputs":{}})"));  // small
}

TEST(Locks, InfoRoundTrip) {
  LockInfo info = NewLockInfo("OperationTypeApply");
  info.path = "a<b>.tfstate";
  std::string json = info.ToJson();
  EXPECT_TRUE(json.starts_with("{\"ID\":\"")) << json;
  EXPECT_NE(json.find("\"Operation\":\"OperationTypeApply\",\"Info\":\"\",\"Who\":"),
            std::string::npos);
  EXPECT_NE(json.find("\"Path\":\"a\\u003cb\\u003e.tfstate\"}"), std::string::npos);
  Result<LockInfo> back = LockInfo::FromJson(json);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->ToJson(), json);
  EXPECT_NE(back->ToText().find("\n  Operation: OperationTypeApply\n"), std::string::npos);
  EXPECT_FALSE(LockInfo::FromJson("{").has_value());
}

TEST(StoredObject, OtherAttributesThanTheType) {
  const TypeAttribute number[] = {{"n", Type::Number()}};
  const Type inner = Type::Object(number);
  const Type pair[] = {inner, Type::Bool()};
  const TypeAttribute attributes[] = {{"a", Type::String()},
                                      {"list", Type::List(inner)},
                                      {"map", Type::Map(inner)},
                                      {"pair", Type::Tuple(pair)},
                                      {"any", Type::Dynamic()}};
  const Type type = Type::Object(attributes);
  const auto differs = [&](std::string text) {
    Object object;
    object.owned_attributes = std::make_shared<const std::string>(std::move(text));
    object.attributes = *object.owned_attributes;
    return HasOtherAttributes(object, type);
  };
  constexpr const char* kRest = R"(,"any":{"value":{"x":1},"type":"dynamic"})";
  EXPECT_FALSE(differs(R"({"a":"x","list":[{"n":1}],"map":{"k":{"n":1}},"pair":[{"n":1},true])" +
                       std::string(kRest) + "}"));
  EXPECT_FALSE(differs(R"({"a":null,"list":null,"map":null,"pair":null,"any":null})"));
  EXPECT_FALSE(differs(R"({"\u0061":null,"list":[],"map":{},"pair":null,"any":null})"));
  EXPECT_TRUE(differs(R"({"a":null,"list":null,"map":null,"pair":null})"));
  EXPECT_TRUE(differs(R"({"a":null,"b":1,"list":null,"map":null,"pair":null,"any":null})"));
  EXPECT_TRUE(differs(R"({"a":null,"list":[{"n":1},{"m":1}],"map":null,"pair":null,"any":null})"));
  EXPECT_TRUE(differs(R"({"a":null,"list":null,"map":{"k":{}},"pair":null,"any":null})"));
  EXPECT_TRUE(differs(R"({"a":null,"list":null,"map":null,"pair":[{"n":1},true,2],"any":null})"));
}

}  // namespace
}  // namespace kinu::state
