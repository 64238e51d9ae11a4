// Files and paths: abspath basename dirname file filebase64 … fileexists fileset pathexpand
// templatefile templatestring.
#include "base/files.h"

#include <algorithm>
#include <cerrno>

#include <sys/stat.h>

#include "base/environment.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "functions/families.h"
#include "functions/glob.h"
#include "functions/support.h"
#include "text/unicode.h"

namespace kinu::functions {

bool ReadableFiles::Allows(const std::string& path) const {
  if (all_) {
    return true;
  }
  // A file that is not there is where its directory is.
  const Result<std::string> directory = EvaluateLinks(DirName(path));
  const std::string found =
      EvaluateLinks(path).value_or(directory ? JoinPath(*directory, BaseName(path)) : path);
  return std::ranges::any_of(directories_, [&](const std::string& allowed) {
    const std::string real = EvaluateLinks(allowed).value_or(allowed);
    return found == real || found.starts_with(real == "/" ? real : real + "/");
  });
}

namespace {

// Replaces a leading ~ by the home directory.
std::expected<std::string, CallError> ExpandHome(std::string_view path) {
  if (!path.starts_with('~')) {
    return std::string(path);
  }
  if (path.size() > 1 && path[1] != '/') {
    return CallFail("the home directory of another user is not known");
  }
  const std::string_view home = Environment("HOME");
  if (home.empty()) {
    return CallFail("there is no home directory: HOME is not set");
  }
  return path.size() == 1 ? std::string(home) : JoinPath(home, path.substr(1));
}

/// The path in the surroundings; an error if it may not be read.
std::expected<std::string, CallError> Allowed(std::string_view path, const CallContext& context) {
  std::string full =
      path.starts_with('/') ? CleanPath(path) : JoinPath(context.surroundings.base_dir, path);
  if (!context.surroundings.readable.Allows(full)) {
    return std::unexpected<CallError>(
        CallError{.message = "the file may not be read", .withheld = true});
  }
  return full;
}

std::expected<std::string, CallError> FullPath(std::string_view path, const CallContext& context) {
  KINU_TRY(const std::string expanded, ExpandHome(path));
  return Allowed(expanded, context);
}

std::expected<std::string, CallError> ReadArgument(const Value& path, const CallContext& context,
                                                   int argument) {
  auto full = FullPath(path.AsString(), context);
  if (!full) {
    full.error().argument = argument;
    return std::unexpected(std::move(full).error());
  }
  Result<std::string> content = ReadFile(*full);
  if (content) {
    return *std::move(content);
  }
  if (content.error().code == ErrorCode::kNotFound) {
    return CallFail("no file exists at " + ShowText(path.AsString(), path.marks()) +
                        "; this function works only with files that are distributed as part of "
                        "the configuration source code, so if this file will be created by a "
                        "resource in this configuration you must instead obtain this result from "
                        "an attribute of that resource",
                    argument);
  }
  return CallFail("the file " + ShowText(path.AsString(), path.marks()) + " cannot be read",
                  argument);
}

CallResult File(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const std::string content, ReadArgument(args[0], context, 0));
  if (!text::IsUtf8(content)) {
    return CallFail("contents of " + ShowText(args[0].AsString(), args[0].marks()) +
                    " are not valid UTF-8; use the filebase64 function to obtain the Base64 "
                    "encoded contents or the other file functions (e.g. filemd5, filesha256) to "
                    "obtain file hashing results instead");
  }
  return Value::String(content).WithMarks(args[0].marks());
}

CallResult FileBase64(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const std::string content, ReadArgument(args[0], context, 0));
  return Value::String(EncodeBase64(content)).WithMarks(args[0].marks());
}

template <HashKind kKind>
CallResult FileHexHash(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const std::string content, ReadArgument(args[0], context, -1));
  return Value::String(HexDigest(kKind, content));
}

template <HashKind kKind>
CallResult FileBase64Hash(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const std::string content, ReadArgument(args[0], context, -1));
  return Value::String(EncodeBase64(Digest(kKind, content)));
}

CallResult FileExistsAt(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const std::string path, FullPath(args[0].AsString(), context));
  struct stat info{};
  const std::string shown = ShowText(args[0].AsString(), args[0].marks());
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) {
      return Value::False().WithMarks(args[0].marks());
    }
    return CallFail("failed to stat " + shown);
  }
  if (!S_ISREG(info.st_mode)) {
    return CallFail(
        shown + (S_ISDIR(info.st_mode) ? " is a directory, not a file" : " is not a regular file"));
  }
  return Value::True().WithMarks(args[0].marks());
}

// What the names of files in a directory begin with.
std::string PrefixOf(const std::string& directory) {
  if (directory == ".") {
    return "";
  }
  return directory.ends_with('/') ? directory : directory + "/";
}

CallResult FileSet(Arguments args, const Type&, const CallContext& context) {
  const MarkSet marks = args[0].marks().Union(args[1].marks());
  const std::string_view given = args[0].AsString();
  KINU_TRY(const std::string base, Allowed(given, context));
  if (args[1].AsString().contains("..")) {
    // What the pattern leads to is looked at, too.
    if (auto outside = Allowed(JoinPath(base, args[1].AsString()), context); !outside) {
      return std::unexpected(std::move(outside).error());
    }
  }
  const auto matches = Glob(JoinPath(base, args[1].AsString()));
  if (!matches) {
    return CallFail("failed to glob pattern " + ShowText(args[1].AsString(), marks) + ": " +
                    matches.error());
  }
  std::vector<Value> files;
  const std::string prefix = PrefixOf(base);
  for (const std::string& match : *matches) {
    struct stat info{};
    if (stat(match.empty() ? "." : match.c_str(), &info) != 0) {
      return CallFail("failed to stat " + ShowText(match, marks) + ": " + SystemMessage(errno));
    }
    if (!S_ISREG(info.st_mode)) {
      continue;
    }
    std::string relative = match;
    if (relative.starts_with(prefix)) {
      relative.erase(0, prefix.size());
    } else {
      // The pattern leaves the base by "..": prefixes a "../" for each level up to a common parent.
      std::string up;
      std::string directory = base;
      while (directory != "." && directory != "/" && !match.starts_with(directory + "/")) {
        directory = DirName(directory);
        up += "../";
      }
      relative = up + match.substr(PrefixOf(directory).size());
    }
    files.push_back(Value::String(relative));
  }
  return Value::Set(Type::String(), std::move(files)).WithMarks(marks);
}

CallResult BaseNameOf(Arguments args, const Type&, const CallContext&) {
  return Value::String(BaseName(args[0].AsString()));
}

CallResult DirNameOf(Arguments args, const Type&, const CallContext&) {
  return Value::String(DirName(args[0].AsString()));
}

CallResult AbsPath(Arguments args, const Type&, const CallContext&) {
  return Value::String(AbsolutePath(std::string(args[0].AsString())));
}

CallResult PathExpand(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const std::string path, ExpandHome(args[0].AsString()));
  return Value::String(path);
}

CallResult Render(std::string_view source, std::string_view name, const Value& variables,
                  std::string_view function, const CallContext& context) {
  if (!context.render) {
    return CallFail("templates cannot be rendered here");
  }
  return context.render(source, name, variables, function);
}

CallResult TemplateFile(Arguments args, const Type&, const CallContext& context) {
  KINU_TRY(const Value source, File(args, Type::String(), context));
  const std::string name(args[0].AsString());
  KINU_TRY(const Value result, Render(source.AsString(), name, args[1], "templatefile", context));
  return result.WithMarks(args[0].marks());
}

CallResult TemplateString(Arguments args, const Type&, const CallContext& context) {
  // The file name of such templates in diagnostics. Ref: templateStringFilename.
  constexpr std::string_view kName = "NoFileNeeded";
  KINU_TRY(const Value result,
           Render(args[0].AsString(), kName, args[1].Unmark(), "templatestring", context));
  return result.WithMarks(args[0].marks()).WithMarks(args[1].marks());
}

constexpr Parameter kPath = {.name = "path", .type = &Type::String};
constexpr Parameter kMarkedPath = {.name = "path", .type = &Type::String, .allow_marked = true};
constexpr std::string_view kRef = "opentofu internal/lang/funcs/filesystem.go";

constexpr FunctionSpec FileHash(std::string_view name, decltype(FunctionSpec::impl) impl,
                                std::string_view doc, List<Example, 6> examples) {
  return {.name = name,
          .params = {kPath},
          .result_type = &Returns<&Type::String>,
          .impl = impl,
          .refine = &NeverNull,
          .doc = doc,
          .examples = examples,
          .ref = "opentofu internal/lang/funcs/crypto.go"};
}

constexpr FunctionSpec kRows[] = {
    {.name = "abspath",
     .params = {kPath},
     .result_type = &Returns<&Type::String>,
     .impl = &AbsPath,
     .refine = &NeverNull,
     .doc = "The path made absolute against the working directory, and cleaned.",
     .examples = {Example{R"(abspath("/a/../b"))", R"("/b")"},
                  Example{R"(startswith(abspath("x"), "/"))", "true"}},
     .ref = kRef},
    {.name = "basename",
     .params = {kPath},
     .result_type = &Returns<&Type::String>,
     .impl = &BaseNameOf,
     .refine = &NeverNull,
     .doc = "The last element of a path.",
     .examples = {Example{R"(basename("foo/bar/baz.txt"))", R"("baz.txt")"},
                  Example{R"(basename(""))", R"(".")"}},
     .ref = kRef},
    {.name = "dirname",
     .params = {kPath},
     .result_type = &Returns<&Type::String>,
     .impl = &DirNameOf,
     .refine = &NeverNull,
     .doc = "The path without its last element.",
     .examples = {Example{R"(dirname("foo/bar/baz.txt"))", R"("foo/bar")"},
                  Example{R"(dirname("x"))", R"(".")"}},
     .ref = kRef},
    {.name = "file",
     .params = {kMarkedPath},
     .result_type = &Returns<&Type::String>,
     .impl = &File,
     .refine = &NeverNull,
     .doc = "The content of a file, which must be text in UTF-8.",
     .examples = {Example{R"(file("/dev/null"))", R"("")"},
                  Example{R"(can(file("/no/such/file")))", "false"}},
     .ref = kRef},
    {.name = "filebase64",
     .params = {kMarkedPath},
     .result_type = &Returns<&Type::String>,
     .impl = &FileBase64,
     .refine = &NeverNull,
     .doc = "The content of a file in base64.",
     .examples = {Example{R"(filebase64("/dev/null"))", R"("")"},
                  Example{R"(can(filebase64("/no/such/file")))", "false"}},
     .ref = kRef},
    FileHash("filebase64sha256", &FileBase64Hash<HashKind::kSha256>,
             "The SHA-256 digest of a file, in base64.",
             {Example{R"(filebase64sha256("/dev/null"))", R"(base64sha256(""))"},
              Example{R"(can(filebase64sha256("/no/such/file")))", "false"}}),
    FileHash("filebase64sha512", &FileBase64Hash<HashKind::kSha512>,
             "The SHA-512 digest of a file, in base64.",
             {Example{R"(filebase64sha512("/dev/null"))", R"(base64sha512(""))"},
              Example{R"(can(filebase64sha512("/no/such/file")))", "false"}}),
    {.name = "fileexists",
     .params = {kMarkedPath},
     .result_type = &Returns<&Type::Bool>,
     .impl = &FileExistsAt,
     .refine = &NeverNull,
     .doc = "Whether there is a regular file at a path.",
     .examples = {Example{R"(fileexists("/no/such/file"))", "false"},
                  Example{R"(can(fileexists("/")))", "false"}},
     .ref = kRef},
    FileHash("filemd5", &FileHexHash<HashKind::kMd5>, "The MD5 digest of a file, in hexadecimal.",
             {Example{R"(filemd5("/dev/null"))", R"(md5(""))"},
              Example{R"(can(filemd5("/no/such/file")))", "false"}}),
    {.name = "fileset",
     .params = {kMarkedPath,
                Parameter{.name = "pattern", .type = &Type::String, .allow_marked = true}},
     .result_type = &Returns<&SetOfString>,
     .impl = &FileSet,
     .refine = &NeverNull,
     .doc = "The regular files below a path whose relative names match a pattern: * ? [a-z] {a,b}, "
            "and ** for any directories.",
     .examples = {Example{R"(fileset("/no/such/directory", "*"))", "toset([])"},
                  Example{R"(can(fileset(".", "{")))", "false"}},
     .ref = kRef},
    FileHash("filesha1", &FileHexHash<HashKind::kSha1>,
             "The SHA-1 digest of a file, in hexadecimal.",
             {Example{R"(filesha1("/dev/null"))", R"(sha1(""))"},
              Example{R"(can(filesha1("/no/such/file")))", "false"}}),
    FileHash("filesha256", &FileHexHash<HashKind::kSha256>,
             "The SHA-256 digest of a file, in hexadecimal.",
             {Example{R"(filesha256("/dev/null"))", R"(sha256(""))"},
              Example{R"(can(filesha256("/no/such/file")))", "false"}}),
    FileHash("filesha512", &FileHexHash<HashKind::kSha512>,
             "The SHA-512 digest of a file, in hexadecimal.",
             {Example{R"(filesha512("/dev/null"))", R"(sha512(""))"},
              Example{R"(can(filesha512("/no/such/file")))", "false"}}),
    {.name = "pathexpand",
     .params = {kPath},
     .result_type = &Returns<&Type::String>,
     .impl = &PathExpand,
     .refine = &NeverNull,
     .doc = "The path with a leading ~ replaced by the home directory.",
     .examples = {Example{R"(pathexpand("/etc/resolv.conf"))", R"("/etc/resolv.conf")"},
                  Example{R"(pathexpand("a/~"))", R"("a/~")"}},
     .ref = kRef},
    {.name = "templatefile",
     .params = {kMarkedPath, Parameter{.name = "vars"}},
     .result_type = &Returns<&Type::Dynamic>,
     .impl = &TemplateFile,
     .doc = "A template file rendered with the given variables.",
     .examples = {Example{R"(templatefile("/dev/null", {}))", R"("")"},
                  Example{R"(can(templatefile("/no/such/file", {})))", "false"}},
     .ref = kRef},
    {.name = "templatestring",
     .params = {Parameter{.name = "data", .type = &Type::String, .allow_marked = true},
                Parameter{.name = "vars", .allow_marked = true}},
     .result_type = &Returns<&Type::Dynamic>,
     .impl = &TemplateString,
     .doc = "A string that is a template, rendered with the given variables.",
     .examples = {Example{R"(templatestring("Hi $${name}!", {name = "Ander"}))", R"("Hi Ander!")"},
                  Example{R"(can(templatestring("$${missing}", {})))", "false"}},
     .ref = "opentofu internal/lang/funcs/string.go MakeTemplateStringFunc"},
};

}  // namespace

std::span<const FunctionSpec> FileFunctions() {
  return kRows;
}

}  // namespace kinu::functions
