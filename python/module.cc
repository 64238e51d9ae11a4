// The functions of the C interface as a Python module. kinu/__init__.py makes them convenient:
// structured results are JSON texts here.
#include <cerrno>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kinu/kinu.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

/// Problems as Python values: (is_error, summary, detail, file, start, end) each.
nb::list ToList(kinu_problems* problems) {
  nb::list out;
  kinu_problem problem;
  for (size_t i = 0; kinu_problems_at(problems, i, &problem) != 0; ++i) {
    auto text = [](kinu_text value) -> nb::object {
      return value.data == nullptr ? nb::object(nb::none())
                                   : nb::object(nb::str(value.data, value.size));
    };
    auto place = [](kinu_position at) { return nb::make_tuple(at.line, at.column, at.byte); };
    out.append(nb::make_tuple(problem.is_error != 0, text(problem.summary), text(problem.detail),
                              text(problem.file), place(problem.start), place(problem.end)));
  }
  kinu_problems_release(problems);
  return out;
}

/// Calls a function that needs no Python without the lock of the interpreter. Returns its result, a
/// str or bytes, and the problems beside it; the result is None after a failure.
template <typename Made, typename Call>
nb::tuple UnlockedAs(const Call& call) {
  kinu_problems* problems = nullptr;
  kinu_text text{};
  {
    const nb::gil_scoped_release unlocked;
    text = call(&problems);
  }
  nb::object value = nb::none();
  if (text.data != nullptr) {
    value = Made(text.data, text.size);
    kinu_text_release(text);
  }
  return nb::make_tuple(value, ToList(problems));
}

template <typename Call>
nb::tuple Unlocked(const Call& call) {
  return UnlockedAs<nb::str>(call);
}

template <typename Call>
nb::tuple UnlockedBytes(const Call& call) {
  return UnlockedAs<nb::bytes>(call);
}

/// The bytes of a `str` or `bytes` object, which must outlive the view.
std::string_view ViewOf(const nb::object& text) {
  if (nb::isinstance<nb::bytes>(text)) {
    const auto bytes = nb::borrow<nb::bytes>(text);
    return {bytes.c_str(), bytes.size()};
  }
  if (!nb::isinstance<nb::str>(text)) {
    throw nb::type_error("a text is str or bytes");
  }
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) {
    nb::raise_python_error();
  }
  return {data, static_cast<size_t>(size)};
}

/// Pairs of a name and a text.
using NamedTexts = std::vector<std::pair<std::string, nb::object>>;

std::vector<kinu_named_text> Views(const NamedTexts& texts) {
  std::vector<kinu_named_text> views;
  for (const auto& [name, text] : texts) {
    const std::string_view view = ViewOf(text);
    views.push_back({name.c_str(), view.data(), view.size()});
  }
  return views;
}

nb::tuple Check(const NamedTexts& checks, const NamedTexts& plans, const NamedTexts& states,
                bool show_sensitive) {
  const auto c = Views(checks);
  const auto p = Views(plans);
  const auto s = Views(states);
  return Unlocked([&](kinu_problems** problems) {
    return kinu_check(c.data(), c.size(), p.data(), p.size(), s.data(), s.size(),
                      show_sensitive ? 1 : 0, nullptr, problems);
  });
}

/// A document that is released with its Python object.
class Document {
 public:
  /// `path`: the name of a file; empty: `text` is the document.
  Document(const nb::object& text, const std::string& path) {
    const std::string_view view = path.empty() ? ViewOf(text) : std::string_view();
    kinu_problems* problems = nullptr;
    {
      const nb::gil_scoped_release unlocked;
      document_ = path.empty() ? kinu_document_parse(view.data(), view.size(), &problems)
                               : kinu_document_open(path.c_str(), &problems);
    }
    problems_ = ToList(problems);
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document() { kinu_document_release(document_); }

  const nb::list& problems() const { return problems_; }
  nb::tuple Select(const std::string& selector, bool show_sensitive) const {
    return Unlocked([&](kinu_problems** problems) {
      return kinu_document_select(document_, selector.c_str(), show_sensitive ? 1 : 0, problems);
    });
  }
  nb::tuple Summary(size_t bytes) const {
    return Unlocked([&](kinu_problems** problems) {
      return kinu_document_summary(document_, bytes, problems);
    });
  }
  nb::tuple Text() const {
    return Unlocked([&](kinu_problems**) { return kinu_document_text(document_); });
  }
  nb::tuple Arrow(const std::string& table, const std::string& source, bool show_sensitive) const {
    return UnlockedBytes([&](kinu_problems** problems) {
      return kinu_document_table(document_, table.c_str(), source.c_str(), show_sensitive ? 1 : 0,
                                 problems);
    });
  }
  nb::tuple Redacted() const {
    return Unlocked([&](kinu_problems**) { return kinu_document_redacted(document_); });
  }

 private:
  kinu_document* document_ = nullptr;
  nb::list problems_;
};

/// What a Python iterator gives: pairs of a name and a text; or a name, None, and the reason why
/// there is no text.
struct Documents {
  nb::object iterator;
  nb::object current;  // keeps the texts of the document that is read
  std::string name;
  std::string problem;  // why a document is not there, or why the iterator ended

  /// The next pair; 0 at the end.
  int Next(kinu_named_text* out) {
    PyObject* item = PyIter_Next(iterator.ptr());
    if (item == nullptr) {
      if (PyErr_Occurred() != nullptr) {
        throw nb::python_error();
      }
      return 0;
    }
    current = nb::steal(item);
    name = nb::cast<std::string>(current[0]);
    const nb::object text = current[1];
    if (!text.is_none()) {
      const std::string_view view = ViewOf(text);
      *out = {name.c_str(), view.data(), view.size()};
      return 1;
    }
    problem = nb::len(current) > 2 ? nb::cast<std::string>(current[2]) : std::string();
    *out = {name.c_str(), problem.empty() ? nullptr : problem.data(), problem.size()};
    return 2;
  }
};

/// The type and the message of an exception.
std::string TextOf(const nb::python_error& problem) {
  const std::string name = nb::cast<std::string>(problem.type().attr("__name__"));
  const std::string message = nb::str(problem.value()).c_str();
  return message.empty() ? name : name + ": " + message;
}

/// Arrow's libraries know nothing of Python's exceptions: an interrupt is raised when they are
/// left.
void Postpone(nb::python_error& problem) {
  if (problem.matches(PyExc_KeyboardInterrupt)) {
    PyErr_SetInterrupt();
  }
}

int NextDocument(void* context, kinu_named_text* out) {
  auto& documents = *static_cast<Documents*>(context);
  const nb::gil_scoped_acquire locked;
  try {
    return documents.Next(out);
  } catch (nb::python_error& problem) {
    documents.problem = TextOf(problem);
    Postpone(problem);  // the last: what calls Python then raises the interrupt
  } catch (const std::exception& problem) {
    documents.problem = problem.what();
  }
  *out = {nullptr, documents.problem.data(), documents.problem.size()};
  return -1;
}

void ReleaseDocuments(void* context) {
  const nb::gil_scoped_acquire locked;
  delete static_cast<Documents*>(context);
}

/// A stream that an interrupt ends between two batches.
struct Interruptible {
  ArrowArrayStream inner{};
  bool interrupted = false;

  explicit Interruptible(const ArrowArrayStream& stream) : inner(stream) {}
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { inner.release(&inner); }

  static Interruptible& Of(ArrowArrayStream* stream) {
    return *static_cast<Interruptible*>(stream->private_data);
  }
  bool IsInterrupted() {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) {
      nb::python_error problem;
      Postpone(problem);
      interrupted = true;
    }
    return interrupted;
  }
};

ArrowArrayStream MakeInterruptible(const ArrowArrayStream& stream) {
  ArrowArrayStream out{};
  out.private_data = new Interruptible(stream);
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    ArrowArrayStream& inner = Interruptible::Of(self).inner;
    return inner.get_schema(&inner, schema);
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    Interruptible& stream = Interruptible::Of(self);
    return stream.IsInterrupted() ? EINTR : stream.inner.get_next(&stream.inner, array);
  };
  out.get_last_error = [](ArrowArrayStream* self) {
    Interruptible& stream = Interruptible::Of(self);
    return stream.interrupted ? "interrupted" : stream.inner.get_last_error(&stream.inner);
  };
  out.release = [](ArrowArrayStream* self) {
    delete &Interruptible::Of(self);
    self->release = nullptr;
  };
  return out;
}

/// A stream as the capsule that Arrow libraries take.
nb::object Capsule(std::unique_ptr<ArrowArrayStream> stream) {
  *stream = MakeInterruptible(*stream);
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* self) {
    auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(self, "arrow_array_stream"));
    if (held->release != nullptr) {
      held->release(held);
    }
    delete held;
  });
  if (capsule == nullptr) {
    nb::raise_python_error();
  }
  (void)stream.release();
  return nb::steal(capsule);
}

nb::object TableOfFiles(const std::string& table, const std::vector<std::string>& paths,
                        bool show_sensitive) {
  std::vector<const char*> names;
  for (const std::string& path : paths) {
    names.push_back(path.c_str());
  }
  auto stream = std::make_unique<ArrowArrayStream>();
  if (kinu_table_of_files(table.c_str(), names.data(), names.size(), show_sensitive ? 1 : 0,
                          stream.get(), nullptr) != 0) {
    throw nb::value_error(("there is no table " + table).c_str());
  }
  return Capsule(std::move(stream));
}

nb::object TableOfDocuments(const std::string& table, nb::object iterator, bool show_sensitive) {
  auto documents = std::make_unique<Documents>(Documents{std::move(iterator), nb::none(), {}});
  auto stream = std::make_unique<ArrowArrayStream>();
  if (kinu_table_of_documents(table.c_str(), NextDocument, documents.get(), ReleaseDocuments,
                              show_sensitive ? 1 : 0, stream.get(), nullptr) != 0) {
    throw nb::value_error(("there is no table " + table).c_str());
  }
  (void)documents.release();
  return Capsule(std::move(stream));
}

}  // namespace

NB_MODULE(_kinu, m) {
  using namespace nb::literals;
  m.def("version", [] { return std::string(kinu_version()); });
  m.def(
      "parse",
      [](const std::string& name, const nb::object& given) {
        const std::string_view text = ViewOf(given);
        return Unlocked([&](kinu_problems** problems) {
          return kinu_parse(name.c_str(), text.data(), text.size(), problems);
        });
      },
      "name"_a, "text"_a);
  m.def(
      "evaluate",
      [](std::string_view expression, std::optional<std::string> variables,
         const std::string& directory) {
        const std::string_view given = variables ? std::string_view(*variables) : "";
        return Unlocked([&](kinu_problems** problems) {
          return kinu_evaluate(expression.data(), expression.size(), given.data(), given.size(),
                               directory.c_str(), problems);
        });
      },
      "expression"_a, "variables"_a.none(), "directory"_a);
  m.def(
      "format",
      [](const nb::object& given) {
        const std::string_view text = ViewOf(given);
        return Unlocked([&](kinu_problems**) { return kinu_format(text.data(), text.size()); });
      },
      "text"_a);
  m.def(
      "convert",
      [](const std::string& name, const nb::object& given, const std::string& to) {
        const std::string_view text = ViewOf(given);
        return Unlocked([&](kinu_problems** problems) {
          return kinu_convert(name.c_str(), text.data(), text.size(), to.c_str(), problems);
        });
      },
      "name"_a, "text"_a, "to"_a);
  m.def(
      "load_module",
      [](const std::string& directory) {
        return Unlocked([&](kinu_problems** problems) {
          return kinu_load_module(directory.c_str(), problems);
        });
      },
      "directory"_a);
  m.def(
      "module_values",
      [](const std::string& directory, std::optional<std::string> variables, bool show_sensitive) {
        const std::string_view given = variables ? std::string_view(*variables) : "";
        return Unlocked([&](kinu_problems** problems) {
          return kinu_module_values(directory.c_str(), given.data(), given.size(),
                                    show_sensitive ? 1 : 0, problems);
        });
      },
      "directory"_a, "variables"_a.none(), "show_sensitive"_a);
  m.def(
      "plan_file",
      [](const nb::object& given, bool show_sensitive) {
        const std::string_view bytes = ViewOf(given);
        return Unlocked([&](kinu_problems** problems) {
          return kinu_plan_file(bytes.data(), bytes.size(), show_sensitive ? 1 : 0, problems);
        });
      },
      "bytes"_a, "show_sensitive"_a);
  m.def("check", &Check, "checks"_a, "plans"_a, "states"_a, "show_sensitive"_a);
  m.def("tables", [] { return Unlocked([](kinu_problems**) { return kinu_tables(); }); });
  m.def("table_of_files", &TableOfFiles, "table"_a, "paths"_a, "show_sensitive"_a);
  m.def("table_of_documents", &TableOfDocuments, "table"_a, "documents"_a, "show_sensitive"_a);
  m.def(
      "table_of_text",
      [](const std::string& table, const nb::object& given, const std::string& source,
         bool show_sensitive) {
        const std::string_view text = ViewOf(given);
        return UnlockedBytes([&](kinu_problems** problems) {
          return kinu_table_of_text(table.c_str(), text.data(), text.size(), source.c_str(),
                                    show_sensitive ? 1 : 0, problems);
        });
      },
      "table"_a, "text"_a, "source"_a, "show_sensitive"_a);
  nb::class_<Document>(m, "Document")
      .def(nb::init<const nb::object&, const std::string&>(), "text"_a.none(), "path"_a = "")
      .def_prop_ro("problems", &Document::problems)
      .def("select", &Document::Select, "selector"_a, "show_sensitive"_a)
      .def("summary", &Document::Summary, "bytes"_a)
      .def("text", &Document::Text)
      .def("redacted", &Document::Redacted)
      .def("arrow", &Document::Arrow, "table"_a, "source"_a, "show_sensitive"_a);
}
