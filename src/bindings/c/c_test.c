/* The C interface, used from C. Prints what fails; returns how many. */
#define _GNU_SOURCE /* mkdtemp */
#include <kinu/kinu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (!holds) {
    ++failures;
    printf("line %d: %s\n", line, what);
  }
}
#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)

static int is(kinu_text text, const char* wanted) {
  int same = text.data != NULL && strcmp(text.data, wanted) == 0 && text.size == strlen(wanted);
  if (!same) {
    printf("got %s\n", text.data == NULL ? "nothing" : text.data);
  }
  kinu_text_release(text);
  return same;
}

static kinu_text evaluate(const char* expression, const char* variables,
                          kinu_problems** problems) {
  return kinu_evaluate(expression, strlen(expression), variables,
                       variables == NULL ? 0 : strlen(variables), NULL, problems);
}

static void test_language(void) {
  kinu_problems* problems = NULL;
  EXPECT(is(evaluate("cidrsubnet(\"10.0.0.0/8\", 8, n)", "{\"n\":1}", &problems),
            "\"10.1.0.0/16\""));
  EXPECT(problems == NULL);

  kinu_problem problem;
  EXPECT(evaluate("1 +\n  nothing.here", NULL, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  EXPECT(kinu_problems_at(problems, 0, &problem) == 1);
  EXPECT(problem.is_error == 1 && strcmp(problem.summary.data, "Variables not allowed") == 0);
  EXPECT(problem.start.line == 2 && problem.start.column == 3 && problem.start.byte == 6);
  EXPECT(kinu_problems_at(problems, 1, &problem) == 0);
  kinu_problems_release(problems);

  EXPECT(evaluate("1", "[]", &problems).data == NULL);
  EXPECT(kinu_problems_at(problems, 0, &problem) == 1);
  EXPECT(strcmp(problem.summary.data, "Invalid variables") == 0);
  kinu_problems_release(problems);
  EXPECT(is(kinu_format("a=1\nbcd = 2\n", 12), "a   = 1\nbcd = 2\n"));
  const char* file = "a = var.x + 1\nb \"l\" {\n  c = [1, \"two\"]\n}\n";
  EXPECT(is(kinu_parse("f.hcl", file, strlen(file), &problems),
            "{\"attributes\":{\"a\":{\"text\":\"var.x + 1\",\"references\":[\"var.x\"],\"line\":1}},"
            "\"blocks\":[{\"type\":\"b\",\"labels\":[\"l\"],\"line\":2,\"body\":{\"attributes\":"
            "{\"c\":{\"text\":\"[1, \\\"two\\\"]\",\"references\":[],\"value\":[1,\"two\"],\"line\":3}},"
            "\"blocks\":[]}}]}"));
  EXPECT(problems == NULL);
  const char* module = "output \"o\" {\n  value = [1, var.x]\n}\n";
  kinu_text json = kinu_convert("main.tf", module, strlen(module), "json", &problems);
  EXPECT(json.data != NULL && strstr(json.data, "\"${var.x}\"") != NULL && problems == NULL);
  EXPECT(is(kinu_convert("main.tf.json", json.data, json.size, "native", NULL), module));
  kinu_text_release(json);
  EXPECT(kinu_convert("main.tf", module, strlen(module), "yaml", &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  EXPECT(kinu_convert("main.tf", "a = ", 4, "json", &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  /* The problem is inside a string, which is a source of its own. */
  EXPECT(kinu_convert("f.tf.json", "\" check { Ae\n\x8b\n}", 15, "native", &problems).data == NULL);
  EXPECT(kinu_problems_at(problems, 0, &problem) == 1 && strcmp(problem.file.data, "f.tf.json") == 0);
  kinu_problems_release(problems);
  EXPECT(kinu_parse("f.hcl", "a = ", 4, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
}

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  EXPECT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void test_modules(void) {
  char directory[] = "kinu_c_test_XXXXXX";
  EXPECT(mkdtemp(directory) != NULL);
  char path[64];
  snprintf(path, sizeof path, "%s/main.tf", directory);
  write_file(path,
             "variable \"n\" {\n  type    = number\n  default = \"2\"\n  validation {\n"
             "    condition     = var.n > 1\n    error_message = \"too small\"\n  }\n}\n"
             "variable \"s\" {\n  default   = \"x\"\n  sensitive = true\n}\n"
             "locals {\n  twice = var.n * 2\n}\n"
             "output \"o\" {\n  value     = var.s\n  sensitive = true\n}\n"
             "output \"later\" {\n  value = terraform_data.x.id\n}\n"
             "resource \"terraform_data\" \"x\" {}\n");
  kinu_problems* problems = NULL;
  kinu_problem problem;
  kinu_text module = kinu_load_module(directory, &problems);
  EXPECT(problems == NULL && module.data != NULL);
  if (module.data != NULL) {
    EXPECT(strstr(module.data, "\"files\":[\"main.tf\"],\"overrides\":[]") != NULL);
    EXPECT(strstr(module.data, "\"n\":{\"type\":\"number\",\"default\":2,\"required\":false") != NULL);
    EXPECT(strstr(module.data, "\"condition\":{\"text\":\"var.n > 1\",\"references\":[\"var.n\"]}") !=
           NULL);
    EXPECT(strstr(module.data, "\"twice\":{\"text\":\"var.n * 2\"") != NULL);
    EXPECT(strstr(module.data, "\"address\":\"terraform_data.x\",\"mode\":\"managed\"") != NULL);
  }
  kinu_text_release(module);
  EXPECT(is(kinu_module_values(directory, "{\"n\":\"3\"}", 9, 0, NULL),
            "{\"variables\":{\"n\":3,\"s\":\"(sensitive value)\"},\"locals\":{\"twice\":6},"
            "\"outputs\":{\"o\":\"(sensitive value)\"}}"));
  EXPECT(is(kinu_module_values(directory, NULL, 0, 1, NULL),
            "{\"variables\":{\"n\":2,\"s\":\"x\"},\"locals\":{\"twice\":4},\"outputs\":{\"o\":\"x\"}}"));
  EXPECT(kinu_module_values(directory, "{\"n\":1}", 7, 0, &problems).data == NULL);
  EXPECT(kinu_problems_at(problems, 0, &problem) == 1);
  EXPECT(strstr(problem.detail.data, "too small") != NULL);
  kinu_problems_release(problems);
  EXPECT(kinu_module_values(directory, "[]", 2, 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  remove(path);
  remove(directory);
  EXPECT(kinu_load_module(directory, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) >= 1);
  kinu_problems_release(problems);
}

static const char kState[] =
    "{\"version\":4,\"terraform_version\":\"1.12.6\",\"serial\":2,\"lineage\":\"l\",\"outputs\":{},"
    "\"resources\":[{\"mode\":\"managed\",\"type\":\"t\",\"name\":\"n\",\"provider\":\"p\","
    "\"instances\":[{\"schema_version\":3,\"attributes\":{\"id\":\"i\"}}]}]}";

/* The content of a file; the caller frees it. */
static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = malloc(1 << 20);
  *size = file == NULL || text == NULL ? 0 : fread(text, 1, 1 << 20, file);
  if (file != NULL) {
    fclose(file);
  }
  return text;
}

static struct ArrowArrayStream changes_of(const char* path) {
  struct ArrowArrayStream stream;
  EXPECT(kinu_table_of_files("changes", &path, 1, 0, &stream, NULL) == 0);
  return stream;
}

static void test_plan_files(const char* source) {
  char path[4096];
  kinu_problems* problems = NULL;
  snprintf(path, sizeof path, "%s/tests/golden/plan/replace.tfplan", source);
  kinu_document* document = kinu_document_open(path, &problems);
  EXPECT(document != NULL && problems == NULL);
  EXPECT(is(kinu_document_select(document, "$.resource_changes[0].change.actions", 0, NULL),
            "[{\"path\":\"$['resource_changes'][0]['change']['actions']\",\"value\":"
            "[\"create\",\"delete\"]}]"));
  kinu_text text = kinu_document_text(document);
  EXPECT(text.data != NULL && strncmp(text.data, "{\"format_version\":\"1.2\",", 24) == 0);
  kinu_text_release(text);
  kinu_document_release(document);
  struct ArrowArrayStream stream = changes_of(path);
  struct ArrowArray batch;
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.length > 0);
  batch.release(&batch);
  stream.release(&stream);

  size_t size = 0;
  char* bytes = read_file(path, &size);
  kinu_text plan = kinu_plan_file(bytes, size, 0, &problems);
  EXPECT(plan.data != NULL && problems == NULL);
  EXPECT(strstr(plan.data, "\"actions\":[\"delete\",\"create\"]") != NULL);
  EXPECT(strstr(plan.data, "\"name\":\"main.tf\"") != NULL);
  EXPECT(strstr(plan.data, "\"prior_state\"") == NULL);
  kinu_text_release(plan);
  plan = kinu_plan_file(bytes, size, 1, NULL);
  EXPECT(plan.data != NULL && strstr(plan.data, "\"prior_state\":{\"version\":4") != NULL);
  kinu_text_release(plan);
  /* A damaged one. */
  EXPECT(kinu_plan_file(bytes, size / 2, 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  EXPECT(kinu_document_parse(bytes, size / 2, &problems) == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  free(bytes);
  EXPECT(kinu_document_open("/nothing/here", &problems) == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
}

static void test_documents(void) {
  kinu_problems* problems = NULL;
  kinu_document* document = kinu_document_parse("{\"a\":[1,2]}", 11, &problems);
  EXPECT(document != NULL && problems == NULL);
  EXPECT(is(kinu_document_select(document, "$.a[1]", 0, NULL),
            "[{\"path\":\"$['a'][1]\",\"value\":2}]"));
  EXPECT(kinu_document_select(document, "$[", 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  EXPECT(is(kinu_document_redacted(document), "{\"a\":[1,2]}"));
  EXPECT(kinu_document_summary(document, 100, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_document_release(document);
  EXPECT(kinu_document_parse("{", 1, NULL) == NULL);

  const char* check =
      "check \"one\" {\n  plan {\n    expect_none {\n      selector = \"$.resource_changes[*]\"\n"
      "    }\n  }\n}\n";
  const char* plan = "{\"format_version\":\"1.2\",\"resource_changes\":[]}";
  document = kinu_document_parse(plan, strlen(plan), NULL);
  EXPECT(is(kinu_document_summary(document, 100, NULL), "Plan: no changes\n"));
  kinu_document_release(document);
  kinu_named_text checks = {"c.kinucheck.hcl", check, strlen(check)};
  kinu_named_text plans = {"p", plan, strlen(plan)};
  int passed = -1;
  kinu_text report = kinu_check(&checks, 1, &plans, 1, NULL, 0, 0, &passed, &problems);
  EXPECT(report.data != NULL);
  EXPECT(passed == 1);
  kinu_text_release(report);
  kinu_problems_release(problems);
}

/* Whether bytes have a text in them. */
static int has(kinu_text bytes, const char* text) {
  return memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

/* Gives a state, a damaged document, one that could not be had, and two that could not be read. */
static int next_document(void* context, kinu_named_text* out) {
  static const kinu_named_text kDocuments[] = {{"one", kState, sizeof kState - 1},
                                               {"damaged", "{", 1},
                                               {"missing", NULL, 0},
                                               {"encrypted", "no key", 6},
                                               {"unknown", NULL, 0}};
  int* at = context;
  if (*at == 5) {
    return 0;
  }
  *out = kDocuments[(*at)++];
  return *at > 3 ? 2 : 1;
}

static int released = 0;
static void release_context(void* context) {
  *(int*)context = 0;
  ++released;
}

static void test_tables(void) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  int at = 0;
  EXPECT(kinu_table_of_documents("resources", next_document, &at, release_context, 0, &stream,
                                 NULL) == 0);
  EXPECT(stream.get_schema(&stream, &schema) == 0);
  EXPECT(strcmp(schema.format, "+s") == 0 && schema.n_children == 18);
  EXPECT(strcmp(schema.children[4]->name, "address") == 0);
  EXPECT(strcmp(schema.children[4]->format, "u") == 0);
  EXPECT(strcmp(schema.children[11]->format, "l") == 0);
  schema.release(&schema);
  EXPECT(stream.get_next(&stream, &batch) == 0);
  EXPECT(batch.length == 1 && batch.n_children == 18);
  const int32_t* offsets = batch.children[4]->buffers[1];
  EXPECT(offsets[1] == 3 && memcmp(batch.children[4]->buffers[2], "t.n", 3) == 0);
  EXPECT(((const int64_t*)batch.children[11]->buffers[1])[0] == 3);
  /* A column outlives its batch. */
  struct ArrowArray column = *batch.children[4];
  batch.children[4]->release = NULL;
  batch.release(&batch);
  EXPECT(memcmp(column.buffers[2], "t.n", 3) == 0);
  column.release(&column);
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.release == NULL);
  EXPECT(stream.get_last_error(&stream) == NULL);
  stream.release(&stream);
  EXPECT(stream.release == NULL && released == 1);

  static const char kReasons[] = "it could not be readno keyit could not be read";
  EXPECT(kinu_table_of_documents("problems", next_document, &at, release_context, 0, &stream,
                                 NULL) == 0);
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.length == 4);
  offsets = batch.children[1]->buffers[1];
  EXPECT(offsets[4] - offsets[1] == sizeof kReasons - 1);
  EXPECT(memcmp((const char*)batch.children[1]->buffers[2] + offsets[1], kReasons,
                sizeof kReasons - 1) == 0);
  batch.release(&batch);
  stream.release(&stream);

  const char* paths[] = {"no such file"};
  EXPECT(kinu_table_of_files("problems", paths, 1, 0, &stream, NULL) == 0);
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.length == 1);
  batch.release(&batch);
  stream.release(&stream);

  kinu_problems* problems = NULL;
  kinu_document* document = kinu_document_parse(kState, sizeof kState - 1, NULL);
  kinu_text bytes = kinu_document_table(document, "resources", "a source", 0, &problems);
  EXPECT(problems == NULL && bytes.size > 16 && memcmp(bytes.data, "\xFF\xFF\xFF\xFF", 4) == 0);
  EXPECT(memcmp(bytes.data + bytes.size - 8, "\xFF\xFF\xFF\xFF\0\0\0\0", 8) == 0);
  EXPECT(has(bytes, "a source") && has(bytes, "t.n"));
  kinu_text_release(bytes);
  bytes = kinu_document_table(document, "problems", NULL, 0, &problems);
  EXPECT(problems == NULL && bytes.data != NULL);
  kinu_text_release(bytes);
  kinu_text same = kinu_document_table(document, "resources", "a source", 0, NULL);
  bytes = kinu_table_of_text("resources", kState, sizeof kState - 1, "a source", 0, &problems);
  EXPECT(problems == NULL && bytes.size == same.size &&
         memcmp(bytes.data, same.data, same.size) == 0);
  kinu_text_release(bytes);
  kinu_text_release(same);
  for (size_t i = 0; i < 3; ++i) {
    const char* const texts[] = {"[1]", "PK\003\004", NULL};
    EXPECT(kinu_table_of_text("changes", texts[i], i + 2, NULL, 0, &problems).data == NULL);
    EXPECT(kinu_problems_count(problems) == 1);
    kinu_problems_release(problems);
  }
  EXPECT(kinu_document_table(document, "nothing", "", 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_document_release(document);
  document = kinu_document_parse("[1]", 3, NULL);
  EXPECT(kinu_document_table(document, "resources", "", 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_document_release(document);

  EXPECT(kinu_table_of_files("nothing", paths, 1, 0, &stream, &problems) == -1);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_text tables = kinu_tables();
  EXPECT(strstr(tables.data, "\"name\":\"references\"") != NULL);
  kinu_text_release(tables);
}

/* Null where a function needs something is a failure with a problem. */
static void test_missing_arguments(void) {
  kinu_problems* problems = NULL;
  EXPECT(kinu_document_select(NULL, "$", 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_document* document = kinu_document_parse("1", 1, NULL);
  EXPECT(kinu_document_select(document, NULL, 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  kinu_document_release(document);
  EXPECT(kinu_document_redacted(NULL).data == NULL);
  EXPECT(kinu_document_text(NULL).data == NULL);
  EXPECT(kinu_document_open(NULL, NULL) == NULL);
  EXPECT(kinu_plan_file(NULL, 0, 1, NULL).data == NULL);
  EXPECT(kinu_document_summary(NULL, 1, NULL).data == NULL);
  EXPECT(kinu_load_module(NULL, NULL).data == NULL);
  EXPECT(kinu_module_values(NULL, NULL, 0, 0, NULL).data == NULL);
  EXPECT(kinu_evaluate(NULL, 0, NULL, 0, NULL, NULL).data == NULL);
  EXPECT(is(kinu_parse(NULL, NULL, 0, &problems), "{\"attributes\":{},\"blocks\":[]}"));
  kinu_problems_release(problems);
  kinu_named_text unnamed = {NULL, NULL, 0};
  kinu_text_release(kinu_check(&unnamed, 1, &unnamed, 1, NULL, 0, 0, NULL, NULL));

  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  EXPECT(kinu_document_table(NULL, "problems", "", 0, &problems).data == NULL);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  const char* paths[] = {NULL};
  EXPECT(kinu_table_of_files("problems", NULL, 1, 0, &stream, NULL) == -1);
  EXPECT(kinu_table_of_files("problems", paths, 1, 0, NULL, NULL) == -1);
  EXPECT(kinu_table_of_documents("problems", NULL, NULL, NULL, 0, &stream, &problems) == -1);
  EXPECT(kinu_problems_count(problems) == 1);
  kinu_problems_release(problems);
  EXPECT(kinu_table_of_files("problems", paths, 1, 0, &stream, NULL) == 0);
  EXPECT(stream.get_next(&stream, &batch) == 0 && batch.length == 1);
  batch.release(&batch);
  stream.release(&stream);
}

int main(int argc, char** argv) {
  EXPECT(strlen(kinu_version()) >= 5);
  test_language();
  test_modules();
  test_documents();
  test_tables();
  test_plan_files(argc > 1 ? argv[1] : ".");
  test_missing_arguments();
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
