/* kinu for C, and for every language that calls C: HCL, the JSON documents of plans and states, and
 * their tables as Arrow streams.
 *
 * Memory: a function that returns a kinu_text or a handle gives it to the caller, who releases it
 * with the function of its type. What a handle returns as const belongs to the handle. Texts that
 * are passed in are read during the call alone. Texts are UTF-8 with their sizes, and a zero byte
 * stands behind each that is returned.
 *
 * Problems: functions that can fail take `problems`, which may be null. A new list of problems is
 * stored there, also after success (warnings), or null if there are none; the caller releases it. A
 * null handle or a kinu_text without data means failure; without an error in the list, memory was
 * exhausted. No exception leaves the library.
 *
 * Threads: different handles may be used at the same time, and one handle by several threads, if
 * none of them releases it. A stream belongs to one thread at a time.
 */
#ifndef KINU_KINU_H
#define KINU_KINU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KINU_API __attribute__((visibility("default")))
#else
#define KINU_API
#endif

/** A text. `data` is null after a failure. */
typedef struct kinu_text {
  const char* data;
  size_t size;
} kinu_text;

KINU_API void kinu_text_release(kinu_text text);

/** The version of the library, such as "1.2.3". */
KINU_API const char* kinu_version(void);

/* --- Problems --- */

typedef struct kinu_problems kinu_problems;

/** A place in a text: lines and columns count from 1, bytes from 0. */
typedef struct kinu_position {
  uint32_t line;
  uint32_t column;
  uint32_t byte;
} kinu_position;

/** An error or a warning. Its texts belong to the list. */
typedef struct kinu_problem {
  int is_error;
  kinu_text summary;
  kinu_text detail;
  kinu_text file; /**< without data: no place is known */
  kinu_position start;
  kinu_position end;
} kinu_problem;

KINU_API size_t kinu_problems_count(const kinu_problems* problems);
/** Fills `out`. Returns 0 if there is no problem at that index. */
KINU_API int kinu_problems_at(const kinu_problems* problems, size_t index, kinu_problem* out);
KINU_API void kinu_problems_release(kinu_problems* problems);

/* --- The language --- */

/** A file as JSON: {"attributes":{NAME:{"text":…,"references":[…],"value":…}},
 *  "blocks":[{"type":…,"labels":[…],"line":…,"body":…}]}; `value` only of what needs no variables.
 *  The native syntax alone. */
KINU_API kinu_text kinu_parse(const char* name, const char* text, size_t size,
                              kinu_problems** problems);
/** The value of an expression as JSON. `variables`: a JSON object, or null. All functions of the
 *  language without side effects can be called; paths are relative to `directory` (null: "."). */
KINU_API kinu_text kinu_evaluate(const char* expression, size_t size, const char* variables,
                                 size_t variables_size, const char* directory,
                                 kinu_problems** problems);
/** A file of the native syntax in canonical layout. */
KINU_API kinu_text kinu_format(const char* text, size_t size);
/** A file in the syntax `to`: "json" or "native". The end of the name says what the file is: of a
 *  module (".tf", ".tofu"), values of variables (".tfvars"), or of another language. The result means
 *  the same; warnings name comments that are lost. */
KINU_API kinu_text kinu_convert(const char* name, const char* text, size_t size, const char* to,
                                kinu_problems** problems);

/* --- Modules --- */

/** What the files of a directory declare, overrides merged, as JSON: "directory", "files",
 *  "overrides", "required_providers", "variables", "locals", "outputs", "module_calls" and
 *  "resources". Expressions are as in kinu_parse. Called modules, providers and networks are not
 *  needed. */
KINU_API kinu_text kinu_load_module(const char* directory, kinu_problems** problems);
/** The values of a module as JSON: {"variables":{…},"locals":{…},"outputs":{…}}. `variables`: a JSON
 *  object, or null; each value is converted to the type of its variable and checked by its rules, and
 *  the others have their defaults. Local values and outputs that need more than variables and
 *  functions are left out. */
KINU_API kinu_text kinu_module_values(const char* directory, const char* variables,
                                      size_t variables_size, int show_sensitive,
                                      kinu_problems** problems);

/* --- Documents --- */

typedef struct kinu_document kinu_document;

/** A JSON document: a plan, a state, or any other. A plan file stands for the document that
 *  `show -json` makes of it, here and wherever the text of a plan is given; without the schemas that
 *  plan files of kinu have, a problem says what to do. */
KINU_API kinu_document* kinu_document_parse(const char* text, size_t size,
                                            kinu_problems** problems);
/** The same of a file. A large one is mapped: do not shorten it while the document exists. */
KINU_API kinu_document* kinu_document_open(const char* path, kinu_problems** problems);
KINU_API void kinu_document_release(kinu_document* document);
/** What a JSONPath selector (RFC 9535) finds: a JSON array of {"path":…,"value":…}. */
KINU_API kinu_text kinu_document_select(const kinu_document* document, const char* selector,
                                        int show_sensitive, kinu_problems** problems);
/** The changes of a plan as a text of at most `bytes` bytes: their numbers, then a line for each, those
 *  that destroy first, then how many are left out. No values of attributes. */
KINU_API kinu_text kinu_document_summary(const kinu_document* document, size_t bytes,
                                         kinu_problems** problems);
/** The document as compact JSON, sensitive values included: of a plan file what `show -json` prints. */
KINU_API kinu_text kinu_document_text(const kinu_document* document);
/** The document as compact JSON, its sensitive values replaced. */
KINU_API kinu_text kinu_document_redacted(const kinu_document* document);
/** What a plan file holds besides the values of resources, as JSON; schemas are not needed:
 *  "terraform_version", "timestamp", "errored", "has_schemas", "changes" and "drift" (addresses,
 *  actions, reasons), "outputs", "backend", "sources" (the files of the configuration) and "lock_file".
 *  What may be secret is left out unless `show_sensitive`: "variables", "prior_state", the settings of
 *  the backend and values of sensitive outputs. */
KINU_API kinu_text kinu_plan_file(const char* bytes, size_t size, int show_sensitive,
                                  kinu_problems** problems);

/** A text with its name. */
typedef struct kinu_named_text {
  const char* name;
  const char* text;
  size_t size;
} kinu_named_text;

/** Runs check files on plans (documents or plan files) and states, as `kinu check -json` does, and
 *  returns what that prints. `passed`: whether all checks ran and passed; may be null. */
KINU_API kinu_text kinu_check(const kinu_named_text* checks, size_t checks_count,
                              const kinu_named_text* plans, size_t plans_count,
                              const kinu_named_text* states, size_t states_count,
                              int show_sensitive, int* passed, kinu_problems** problems);

/* --- Tables --- */

/* The Arrow C Data Interface and C Stream Interface, as their specification defines them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

/** Gives a stream its next document: fills `out` and returns 1, or returns 0 at the end and -1 to
 *  end the stream with an error, whose reason may be in `out->text`. 2: the document `out->name` cannot
 *  be read, and `out->text` may be the reason; it is a row of the table "problems", as a document
 *  without a text is. The texts stay valid until the next call. */
typedef int (*kinu_next_document)(void* context, kinu_named_text* out);

/** The names of the tables and their columns, with types and descriptions, as JSON. */
KINU_API kinu_text kinu_tables(void);
/** A table of files (plan files, state files, and documents of plans and states) as a stream of Arrow
 *  batches. Files are read when they are needed, one at a time; one that cannot be read is a row of
 *  the table "problems" and nothing in the others. Returns 0, and the caller releases `out`; -1 if
 *  there is no such table. */
KINU_API int kinu_table_of_files(const char* table, const char* const* paths, size_t count,
                                 int show_sensitive, struct ArrowArrayStream* out,
                                 kinu_problems** problems);
/** The same of documents that `next` gives. `release`: called with `context` when the stream ends;
 *  may be null. */
KINU_API int kinu_table_of_documents(const char* table, kinu_next_document next, void* context,
                                     void (*release)(void* context), int show_sensitive,
                                     struct ArrowArrayStream* out, kinu_problems** problems);
/** A table of a plan or a state as a stream of Arrow IPC, the bytes that `kinu export -to=arrow` writes,
 *  for files and other processes. `source`: the first column of each row; null: empty. It is a failure
 *  if the document is no plan and no state. */
KINU_API kinu_text kinu_document_table(const kinu_document* document, const char* table,
                                       const char* source, int show_sensitive,
                                       kinu_problems** problems);
/** The same of a text: a document, a state file, or the bytes of a plan file, of which only what the
 *  table needs is read. It costs less than a kinu_document that nothing else is asked of. It is a failure
 *  too if `text` is null or a plan file cannot be read. */
KINU_API kinu_text kinu_table_of_text(const char* table, const char* text, size_t size,
                                      const char* source, int show_sensitive,
                                      kinu_problems** problems);

#ifdef __cplusplus
}
#endif

#endif /* KINU_KINU_H */
