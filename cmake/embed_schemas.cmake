# Writes a C++ source with the table of JSON Schemas: the name and text of each file.
# Usage: cmake -DOUT=x.cc "-DFILES=a.json;b.json" -P embed_schemas.cmake
set(text "#include \"cli/commands/schema.h\"\n\nnamespace kinu::cli {\n\nnamespace {\n\n")
string(APPEND text "constexpr JsonSchema kSchemas[] = {\n")
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" content)
  string(APPEND text "{\"${name}\", R\"schema(${content})schema\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const JsonSchema> JsonSchemas() {\n")
string(APPEND text "  return kSchemas;\n}\n\n}  // namespace kinu::cli\n")
file(WRITE "${OUT}" "${text}")
