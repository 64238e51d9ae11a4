#include "json/syntax_problem.h"

#include <string>

#include <gtest/gtest.h>

namespace kinu::json {
namespace {

struct Row {
  const char* text;
  const char* problem;
};

// Each answer was given by Go's encoding/json.
constexpr Row kRows[] = {
    {"", "unexpected end of JSON input"},
    {"  ", "unexpected end of JSON input"},
    {"this", "invalid character 'h' in literal true (expecting 'r')"},
    {"tru", "invalid character ' ' in literal true (expecting 'e')"},
    {"trux", "invalid character 'x' in literal true (expecting 'e')"},
    {"fals", "invalid character ' ' in literal false (expecting 'e')"},
    {"falsx", "invalid character 'x' in literal false (expecting 'e')"},
    {"nul", "invalid character ' ' in literal null (expecting 'l')"},
    {"nuxl", "invalid character 'x' in literal null (expecting 'l')"},
    {"<html>", "invalid character '<' looking for beginning of value"},
    {"{", "unexpected end of JSON input"},
    {"{]", "invalid character ']' looking for beginning of object key string"},
    {"{a", "invalid character 'a' looking for beginning of object key string"},
    {"{\"a\"", "unexpected end of JSON input"},
    {"{\"a\" 1", "invalid character '1' after object key"},
    {"{\"a\":", "unexpected end of JSON input"},
    {"{\"a\":}", "invalid character '}' looking for beginning of value"},
    {"{\"a\":1", "unexpected end of JSON input"},
    {"{\"a\":1]", "invalid character ']' after object key:value pair"},
    {"{\"a\":1,", "unexpected end of JSON input"},
    {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
    {"{\"a\":1}x", "invalid character 'x' after top-level value"},
    {"{} {}", "invalid character '{' after top-level value"},
    {"[", "unexpected end of JSON input"},
    {"[1", "unexpected end of JSON input"},
    {"[1,", "unexpected end of JSON input"},
    {"[1,]", "invalid character ']' looking for beginning of value"},
    {"[1}", "invalid character '}' after array element"},
    {"[]]", "invalid character ']' after top-level value"},
    {"[,", "invalid character ',' looking for beginning of value"},
    {"-", "invalid character ' ' in numeric literal"},
    {"-a", "invalid character 'a' in numeric literal"},
    {"01", "invalid character '1' after top-level value"},
    {"0.", "invalid character ' ' after decimal point in numeric literal"},
    {"0.x", "invalid character 'x' after decimal point in numeric literal"},
    {"1e", "invalid character ' ' in exponent of numeric literal"},
    {"1ex", "invalid character 'x' in exponent of numeric literal"},
    {"1e+", "invalid character ' ' in exponent of numeric literal"},
    {"1e+5x", "invalid character 'x' after top-level value"},
    {"1.5.", "invalid character '.' after top-level value"},
    {"\"", "unexpected end of JSON input"},
    {"\"a", "unexpected end of JSON input"},
    {"\"\012\"", "invalid character '\\n' in string literal"},
    {"\"\\", "invalid character ' ' in string escape code"},
    {"\"\\x\"", "invalid character 'x' in string escape code"},
    {"\"\\u", "invalid character ' ' in \\u hexadecimal character escape"},
    {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape"},
    {"\"\\u1234\"", ""},
    {"'", "invalid character '\\'' looking for beginning of value"},
    {"\"a\"'", "invalid character '\\'' after top-level value"},
    {"\303\251", "invalid character '\303\203' looking for beginning of value"},
    {"\351", "invalid character '\303\251' looking for beginning of value"},
    {"\177", "invalid character '\\x7f' looking for beginning of value"},
    {"\011\013", "invalid character '\\v' looking for beginning of value"},
    {"[1 2]", "invalid character '2' after array element"},
    {"{\"a\":1 \"b\":2}", "invalid character '\"' after object key:value pair"},
    {"0", ""},
    {"-0.5e-3", ""},
    {"[[],{},\"\\n\",null,true,false]", ""},
    {"\357\273\277{}", "invalid character '\303\257' looking for beginning of value"},
    {"PK\003\004", "invalid character 'P' looking for beginning of value"},
    {"{\"\001\":1}", "invalid character '\\x01' in string literal"},
    {"\"\303\251\001\"", "invalid character '\\x01' in string literal"},
    {"// c", "invalid character '/' looking for beginning of value"},
    {"{\"a\":nope}", "invalid character 'o' in literal null (expecting 'u')"},
    {"Infinity", "invalid character 'I' looking for beginning of value"},
    {"+1", "invalid character '+' looking for beginning of value"},
    {".5", "invalid character '.' looking for beginning of value"},
    {"\"\200\"", ""},
};

TEST(SyntaxProblem, HasTheWordsOfTheReference) {
  for (const Row& row : kRows) {
    EXPECT_EQ(SyntaxProblem(row.text), row.problem) << row.text;
  }
}

TEST(SyntaxProblem, CountsNesting) {
  const std::string fits = std::string(10000, '[') + std::string(10000, ']');
  EXPECT_EQ(SyntaxProblem(fits), "");
  EXPECT_EQ(SyntaxProblem("[" + fits + "]"), "invalid character '[' exceeded max depth");
}

TEST(SyntaxProblem, SeesBytes) {
  EXPECT_EQ(SyntaxProblem(std::string_view("\0", 1)),
            "invalid character '\\x00' looking for beginning of value");
  EXPECT_EQ(SyntaxProblem(std::string_view("\"\0\"", 3)),
            "invalid character '\\x00' in string literal");
}

}  // namespace
}  // namespace kinu::json
