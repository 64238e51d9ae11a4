#include "c/arrow_stream.h"

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "api/plan_document.h"

namespace kinu::c {
namespace {

const char* FormatOf(table::ColumnType type) {
  switch (type) {
    case table::ColumnType::kText:
      return "u";
    case table::ColumnType::kInteger:
      return "l";
    case table::ColumnType::kNumber:
      return "g";
    case table::ColumnType::kBool:
      return "b";
  }
  return "u";
}

// --- Schemas ---

/// The memory of a schema, and of those of its columns.
struct SchemaContent {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> places;
};

void ReleaseSchema(ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (schema->children[i]->release != nullptr) {
      schema->children[i]->release(schema->children[i]);
    }
  }
  delete static_cast<SchemaContent*>(schema->private_data);
  schema->release = nullptr;
}

void FillSchema(ArrowSchema* out, const char* format, std::string_view name) {
  auto content = std::make_unique<SchemaContent>();
  content->name = name;
  *out = {};
  out->format = format;
  out->name = content->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
  out->release = ReleaseSchema;
  out->private_data = content.release();
}

void FillSchema(ArrowSchema* out, std::span<const table::ColumnSpec> columns) {
  FillSchema(out, "+s", "");
  out->flags = 0;
  auto& content = *static_cast<SchemaContent*>(out->private_data);
  content.children.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    FillSchema(&content.children[i], FormatOf(columns[i].type), columns[i].name);
    content.places.push_back(&content.children[i]);
  }
  out->n_children = static_cast<int64_t>(columns.size());
  out->children = content.places.data();
}

// --- Arrays ---

/// The memory of an array: the whole batch, which its columns share.
struct ArrayContent {
  std::shared_ptr<const table::Batch> batch;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> places;
};

void ReleaseArray(ArrowArray* array) {
  for (int64_t i = 0; i < array->n_children; ++i) {
    if (array->children[i]->release != nullptr) {
      array->children[i]->release(array->children[i]);
    }
  }
  delete static_cast<ArrayContent*>(array->private_data);
  array->release = nullptr;
}

ArrayContent& FillArray(ArrowArray* out, std::shared_ptr<const table::Batch> batch) {
  auto content = std::make_unique<ArrayContent>();
  content->batch = std::move(batch);
  *out = {};
  out->length = static_cast<int64_t>(content->batch->rows);
  out->n_buffers = 1;
  out->buffers = content->buffers.data();
  out->release = ReleaseArray;
  out->private_data = content.get();
  return *content.release();
}

void FillColumn(ArrowArray* out, std::shared_ptr<const table::Batch> batch, size_t index) {
  const table::Column& column = batch->columns[index];
  ArrayContent& content = FillArray(out, batch);
  out->null_count = column.nulls;
  out->n_buffers = 2;
  content.buffers[0] = column.valid.data();
  switch (batch->specs[index].type) {
    case table::ColumnType::kText:
      out->n_buffers = 3;
      content.buffers[1] = column.offsets.data();
      content.buffers[2] = column.bytes.data();
      break;
    case table::ColumnType::kInteger:
      content.buffers[1] = column.integers.data();
      break;
    case table::ColumnType::kNumber:
      content.buffers[1] = column.numbers.data();
      break;
    case table::ColumnType::kBool:
      content.buffers[1] = column.bools.data();
      break;
  }
}

void FillBatch(ArrowArray* out, table::Batch rows) {
  const auto batch = std::make_shared<const table::Batch>(std::move(rows));
  ArrayContent& content = FillArray(out, batch);
  content.children.resize(batch->columns.size());
  for (size_t i = 0; i < batch->columns.size(); ++i) {
    FillColumn(&content.children[i], batch, i);
    content.places.push_back(&content.children[i]);
  }
  out->n_children = static_cast<int64_t>(batch->columns.size());
  out->children = content.places.data();
}

// --- Streams ---

class Stream {
 public:
  Stream(const table::TableSpec& table, const table::SourceOptions& options, DocumentSource next)
      : table_(table),
        next_(std::move(next)),
        reader_(
            table, options,
            [this](table::Batch&& batch) {
              ready_.push_back(std::move(batch));
              return true;
            },
            [](std::string_view, std::string_view) {}) {}

  int GetSchema(ArrowSchema* out) {
    FillSchema(out, table_.columns);
    return 0;
  }

  int GetNext(ArrowArray* out) {
    while (ready_.empty() && !ended_ && error_.empty()) {
      ReadOne();
    }
    *out = {};
    if (!ready_.empty()) {
      FillBatch(out, std::move(ready_.front()));
      ready_.pop_front();
      return 0;
    }
    return error_.empty() ? 0 : EIO;
  }

  const char* LastError() const { return error_.empty() ? nullptr : error_.c_str(); }
  void Fail(const char* message) { error_ = message; }

 private:
  void ReadOne() {
    NextDocument document = next_();
    switch (document.status) {
      case NextDocument::Status::kDocument:
        Add(std::move(document.name), std::move(document.text));
        break;
      case NextDocument::Status::kProblem:
        reader_.AddProblem(document.name, document.text);
        break;
      case NextDocument::Status::kEnd:
        reader_.Finish();
        ended_ = true;
        break;
      case NextDocument::Status::kFailed:
        error_ = document.text.empty() ? "the documents ended with an error" : document.text;
        break;
    }
  }

  void Add(const std::string& name, std::string text) {
    if (const auto problem = ProblemOfPlanFile(text, table_)) {
      reader_.AddProblem(name, *problem);
    } else {
      reader_.Add(name, std::move(text));
    }
  }

  const table::TableSpec& table_;
  DocumentSource next_;
  std::deque<table::Batch> ready_;
  table::TableReader reader_;
  bool ended_ = false;
  std::string error_;
};

/// Calls a function of the stream; memory that is exhausted is its error.
template <typename Body>
int Run(ArrowArrayStream* handle, const Body& body) noexcept {
  auto& stream = *static_cast<Stream*>(handle->private_data);
  try {
    return body(stream);
  } catch (...) {
    stream.Fail("no memory");  // short enough to need none
    return ENOMEM;
  }
}

}  // namespace

std::optional<std::string> ProblemOfPlanFile(std::string& text, const table::TableSpec& table) {
  v1::Diagnostics problems;
  if (api::ReadPlanFile(
          text, problems,
          table.reads_configuration ? view::PlanParts::kAll : view::PlanParts::kChanges)) {
    return std::nullopt;
  }
  return problems.empty() ? "" : problems.front().detail;
}

void OpenStream(const table::TableSpec& table, const table::SourceOptions& options,
                DocumentSource next, ArrowArrayStream* out) {
  *out = {};
  out->private_data = new Stream(table, options, std::move(next));
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    return Run(self, [&](Stream& stream) { return stream.GetSchema(schema); });
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    return Run(self, [&](Stream& stream) { return stream.GetNext(array); });
  };
  out->get_last_error = [](ArrowArrayStream* self) {
    return static_cast<const Stream*>(self->private_data)->LastError();
  };
  out->release = [](ArrowArrayStream* self) {
    delete static_cast<Stream*>(self->private_data);
    self->release = nullptr;
  };
}

}  // namespace kinu::c
