"""Random expressions, and the variables and files that they use (expressions.py)."""

import json
import random

# name: (type constraint, value in the notation of `kinu eval` or that it is unknown, flags)
UNKNOWN = object()


def text_list(*items):
    return {"list": list(items), "of": "string"}


def number(text):
    return {"number": str(text)}


VARIABLES = {
    "us": ("string", UNKNOWN, ""),
    "un": ("number", UNKNOWN, ""),
    "ub": ("bool", UNKNOWN, ""),
    "ul": ("list(string)", UNKNOWN, ""),
    "uset": ("set(string)", UNKNOWN, ""),
    "um": ("map(number)", UNKNOWN, ""),
    "uo": ("object({a=string,b=number})", UNKNOWN, ""),
    "ud": ("any", UNKNOWN, ""),
    "uss": ("string", UNKNOWN, "sensitive"),
    "ss": ("string", "secret", "sensitive"),
    "sn": ("number", number(7), "sensitive"),
    "sb": ("bool", True, "sensitive"),
    "sl": ("list(string)", text_list("x", "y"), "sensitive"),
    "sset": ("set(number)", {"set": [number(1), number(2)], "of": "number"}, "sensitive"),
    "sm": ("map(string)", {"map": {"a": "1", "b": "x"}, "of": "string"}, "sensitive"),
    "so": ("object({a=string,b=number})", {"object": {"a": "v", "b": number(2)}}, "sensitive"),
    "es": ("string", "fleeting", "ephemeral"),
    "ns": ("string", {"null": "string"}, ""),
    "nn": ("number", {"null": "number"}, ""),
    "nl": ("list(string)", {"null": ["list", "string"]}, ""),
    "nm": ("map(string)", {"null": ["map", "string"]}, ""),
    "nd": ("any", {"null": "dynamic"}, ""),
    "ls": ("list(string)", text_list("b", "a", "b", "é"), ""),
    "ln": ("list(number)", {"list": [number(3), number(1), number("2.5")], "of": "number"}, ""),
    "ll": ("list(list(string))", {"list": [text_list("a"), text_list(), text_list("b", "c")],
                                  "of": ["list", "string"]}, ""),
    "lo": ("list(object({id=string,n=number}))",
           {"list": [{"object": {"id": "i1", "n": number(1)}},
                     {"object": {"id": "i2", "n": {"null": "number"}}}],
            "of": ["object", {"id": "string", "n": "number"}]}, ""),
    "st": ("set(string)", {"set": ["a", "b", "c"], "of": "string"}, ""),
    "sto": ("set(object({k=string}))", {"set": [{"object": {"k": "x"}}, {"object": {"k": "y"}}],
                                        "of": ["object", {"k": "string"}]}, ""),
    "mp": ("map(string)", {"map": {"a": "1", "b": "two", "é": "3"}, "of": "string"}, ""),
    "mn": ("map(number)", {"map": {"x": number(10), "y": number(-1)}, "of": "number"}, ""),
    "ml": ("map(list(string))", {"map": {"k": text_list("v", "w"), "l": text_list()},
                                 "of": ["list", "string"]}, ""),
    "ob": ("object({a=string,n=number,b=bool,l=list(string)})",
           {"object": {"a": "A", "n": number("1.5"), "b": True, "l": text_list("q")}}, ""),
    "tp": ("tuple([string,number,bool])", {"tuple": ["t", number(2), False]}, ""),
    "el": ("list(string)", text_list(), ""),
    "em": ("map(number)", {"map": {}, "of": "number"}, ""),
    "est": ("set(bool)", {"set": [], "of": "bool"}, ""),
    "lnull": ("list(string)", text_list("a", {"null": "string"}, ""), ""),
}
UNKNOWN_TYPES = {
    "us": "string", "un": "number", "ub": "bool", "ul": ["list", "string"],
    "uset": ["set", "string"], "um": ["map", "number"],
    "uo": ["object", {"a": "string", "b": "number"}], "ud": "dynamic", "uss": "string",
}
FILES = {"hello.txt": "Hello, Wörld!\n", "greet.tftpl": "Hi ${name}%{ if loud }!%{ endif }\n",
         "list.tftpl": "%{ for x in items ~}\n- ${x}\n%{ endfor ~}\n", "data.json": '{"a":[1]}',
         "self.tftpl": "${templatefile(\"self.tftpl\", {})}", "raw.bin": "\udcff\udcfe",
         "dir/a.txt": "a", "dir/b.txt": "b", "dir/sub/c.md": "c"}


def quoted(text):
    """The text as a string literal."""
    out = json.dumps(text, ensure_ascii=False)
    out = out.replace("\\b", "\\u0008").replace("\\f", "\\u000c").replace("\x7f", "\\u007f")
    return out.replace("${", "$${").replace("%{", "%%{")


WORDS = ["", "a", "b", "hello", "Hello World", "  pad  ", "日本語", "e\u0301a", "👩‍👩‍👧x", "ÀÉ",
         "a-b_c.d", "x\ny", "line\r\nend\n", "\ttab", "it's", "🇩🇪🇫🇷", "a\u0300\u0301", "straße",
         "ǆ ǅ", "\u00a0x\u3000", "a,b,c", "key=value", "{}", "a.b.c", "aabbcc", "${x}", "%{if}",
         "\"q\"", "back\\slash", "0", "1", "-1", "007", "1.50", "1e3", "0x1f", "true", "false",
         "null", "TRUE", "<b>&amp;", "\u2028", "ﬁ", "İ", "ŉ", "ΑΣ", "１２３", "\u0007", "zz"]
NUMBERS = ["0", "1", "2", "3", "-1", "-2", "5", "10", "0.5", "-0.1", "1.5", "2.999", "1e3",
           "1e21", "1e-7", "255", "256", "1024", "65536", "2147483648", "9007199254740993",
           "12345678901234567890", "9223372036854775807", "-9223372036854775808", "1/3", "1e100",
           "3.14159265358979323846264338327950288", "100", "64", "16", "8", "(1/0)", "(-1/0)",
           "0.1", "0.30000000000000004", "1e400"]
SMALL = ["0", "1", "2", "3", "4", "5", "-1", "-2", "1.5", "10"]
CIDRS = ["10.0.0.0/8", "10.1.2.0/24", "192.168.0.1/16", "0.0.0.0/0", "10.0.0.0/32", "fd00::/48",
         "2001:db8::/32", "::/0", "fe80::1/64", "::ffff:10.0.0.0/104", "10.0.0/8", "10.0.0.0",
         "10.0.0.0/33", "010.0.0.0/8", "1.2.3.4/30", "fd00::/129", "fd00::1/128", "x/1"]
ADDRESSES = ["10.1.2.3", "10.1.2.0/25", "::1", "fd00::5", "256.1.1.1", "10.0.0.0/9", "192.168.1.1"]
TIMES = ["2024-02-29T12:30:45Z", "2023-01-31T23:59:59+05:30", "2006-01-02T15:04:05.999Z",
         "2023-02-29T00:00:00Z", "2023-1-2T00:00:00Z", "1969-12-31T23:59:59-11:00",
         "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-01-01T24:00:00Z", "2024-01-01",
         "2024-01-01T00:00:00", "2024-12-30T00:00:00-00:00", "2024-01-01t00:00:00z"]
SPANS = ["1h", "-1.5h", "1h30m5s", "100ms", "1us", "1µs", ".5s", "1.s", "1", "", "0", "-", "+5m",
         "1d", "9999999h", "1e3s", "2562048h", "3ns5", "48h"]
DATE_FORMATS = ["YYYY-MM-DD", "DD MMM YY hh:mm:ss ZZZ", "EEEE, D MMMM", "H:mm aa", "'at' hh''mm",
                "h 'o''clock' A", "AA ZZZZ ZZZZZ Z", "yy", "YYYYY", "E", "'x", "EEE MMM M m s",
                "hhhh", "DDD", "aaa", "YYYY-MM-DD'T'hh:mm:ssZ", "", "é"]
PATTERNS = ["a*b", "(a|b)+c?", "[a-c]+", "(?i)AB", "\\bx", "^a|b$", "(a)(?P<n>b)",
            "(?P<n>.)(?P<m>.)?", "a{2,3}", "\\pL+", "[[:digit:]]", "(?:x)", "\\", "(", "a**",
            "[z-a]", "(?P<n>a)(?P<n>b)", "(?<n>a)", "\\Q.\\E", ".", "\\s+", "(?m)^.", "\\x61",
            "[^\\n]", "\\z", "(?=a)", "a??", "x|", "", "(\\d+)-(\\d+)", "[a-z]+", "é", "(l+)",
            "a{1001}", "(a{100}){100}", "(?s).", "\\C", "\\p{Greek}", "(?P<1>a)", "\\d{2,}", "[]a]"]
REPLACEMENTS = ["", "x", "$1", "${1}", "$n-", "$$", "$0$0", "${n}", "\\1", "$", "é"]
FORMATS = ["%d", "%5d", "%-5d|", "%+d", "%05d", "%x", "%#x", "%o", "%#o", "%b", "%e", "%.3e", "%f",
           "%.0f", "%10.2f", "%-10.2f|", "%g", "%.3g", "%G", "%s", "%10s", "%-10s|", "%.2s", "%q",
           "%v", "%#v", "%t", "%%", "%[1]d", "%[2]d", "%d%d", "%", "%z", "%5", "% d", "%+.2e",
           "%08.3f", "%+08d", "%X", "%.5d", "%5.3d", "%E", "%020.10g", "%+v", "%5v", "%-5v|",
           "%05v", "%05s", "%5q", "%5t", "%.1f", "%.20f", "%.0e", "%#b", "%#X", "a %s b %s",
           "%[2]s%[1]s", "%[0]s", "%[9]s", "é%s", "%é", "%*d", "%-05d", "%.v", "%.0v", "plain"]
JSONS = ['{"a":[1,2.5e3,null],"b":{"c":"d"}}', '[true,false,"x"]', '"s\\u00e9"', "-0", "1e400",
         '[1,"1",{"a":1,"a":"b"}]', "123456789012345678901234567890.123", "{}", "[]", " null ",
         '{"a":1,"a":2}', "nul", "[1,]", "[1] ]", '"\\ud800"', "1 2", "", "[[[[]]]]", '{"":0}',
         "0.1", "1E+2", "01", "+1", ".5", "\"\n\"", "tru", "truex"]
YAMLS = ["a: 1\nb: [x, y]\n", "- 1\n- two\n- {k: v}\n", "k: |\n  text\n  more\n",
         "k: >-\n  f\n  g\n", "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", "\"q\": 's'\n", "? a\n: b\n",
         "2001-12-14 1:2:3\n", "- 2001-1-1T1:2:3Z\n- 12:30\n- 1e3\n- 0o17\n- .inf\n- -.INF\n",
         "!!str 5\n", "!!int \"7\"\n", "# c\n---\na: ~\n...\n", "[a, [b, c], {d: e}]",
         "a:\n- b\n-  c: d\n   e: f\n", "!!float 3\n", "- !!binary aGk=\n- !!bool yes\n",
         "{a: b, 1: 2, ~: 3}", "- \"a\\tb\"\n- 'it''s'\n", "a: b: c\n", "\ta: b\n",
         "- |+\n  keep\n\n- z\n", "x: *y\n", "1_000", "0x1F", "+1", "-", "~", "", "yes: no\n",
         "0b11", "017", "1:30", "a: 1\na: 2\n", "--- 1\n--- 2\n", "!x y", "=", "<<: 1", "%YAML 1.2"]
CSVS = ["a,b\n1,2\n", "h\n\"x \"\"y\"\" z\"\n", "a,b\r\n1,\"2\r\n3\"\r\n", "a,a\n1,2\n",
        "a,b\n1\n", "\n\na\n\nb\n", "a\n\"x\n", "é,b\nx,y", "", "a", "a,b\n1,2,3", "a,\n1,2", "a\"b\n1"]
BASE64 = ["aGVsbG8=", "", "w6k=", "/w==", "!!", "aGVsbG8", "YQ==", "SABpAA==",
          "H4sIAAAAAAAA/ypJLS4BAAAA//8BAAD//wx+f9gEAAAA", "YWJj\nZGVm", "YR=="]
PATHS = ["a/b/c.txt", "/abs/x", "", ".", "..", "a//b/", "./a/../b", "~/x", "~", "/", "a\\b", "../../x"]
FILE_NAMES = list(FILES) + ["missing.txt", "", "dir", "./hello.txt", "dir/../hello.txt"]
GLOBS = ["*.txt", "**", "dir/*", "**/*.md", "{hello,data}.*", "[a-h]*.txt", "x*", "", "dir/**",
         "?*.json", "[", "{a", "dir/{a,b}.txt"]
TEMPLATES = ["hi ${name}", "${a}${b}", "%{ if x }y%{ endif }", "plain", "${", "${nosuch}",
             "%{ for k, v in m }${k}=${v};%{ endfor }", "${upper(a)}", "$${esc}",
             "${templatestring(\"x\", {})}", "${a + 1}", "${l[0]}"]
TEMPLATE_VARIABLES = ["{name = \"n\", a = \"1\", b = true, x = false, m = {k = \"v\"}, l = [1]}",
                      "{}", "{name = var.us}", "{a = var.ss, b = 2}", "{name = null}",
                      "{\"not ok\" = 1}", "tomap({a = \"x\", b = \"y\"})", "[]", "null",
                      "{l = [], m = {}, x = true, a = [1]}", "{x = \"true\", a = 1, b = 1.50}"]
ENCODINGS = ["UTF-8", "UTF-16LE", "utf-16be", "ISO-8859-1", "windows-1252", "Shift_JIS", "cp437",
             "nosuch", "", "US-ASCII", "gb18030", "EUC-KR", "KOI8-R", "macintosh", "UTF-16"]
KEYS = ["a", "b", "k", "x", "é", "nosuch", "0", "1", "id", ""]
KEYWORDS = ["true", "false"]

# Parameters of each function, one letter group per argument. "|" separates variants, and a trailing
# star repeats the last argument. Generator.argument explains the codes.
FUNCTIONS = {
    "abs": "num", "abspath": "path", "alltrue": "lb|l", "anytrue": "lb|l", "base64decode": "b64",
    "base64encode": "s", "base64gunzip": "b64", "base64sha256": "s", "base64sha512": "s",
    "basename": "path", "can": "x", "ceil": "num", "chomp": "s", "chunklist": "l i",
    "cidrcontains": "cidr ip|cidr cidr", "cidrhost": "cidr num|cidr i", "cidrnetmask": "cidr",
    "cidrsubnet": "cidr i i|cidr i num", "cidrsubnets": "cidr i *", "coalesce": "p *|s *|x *",
    "coalescelist": "l *", "compact": "ls", "concat": "l *", "contains": "l p|ls s|set p",
    "csvdecode": "csv", "dirname": "path", "distinct": "l", "element": "l i", "endswith": "s s",
    "file": "file", "filebase64": "file", "filebase64sha256": "file", "filebase64sha512": "file",
    "fileexists": "file", "filemd5": "file", "fileset": "dir glob", "filesha1": "file",
    "filesha256": "file", "filesha512": "file", "flatten": "ll|x|l", "floor": "num",
    "format": "fmt p *|fmt p|fmt p p|fmt", "formatdate": "dfmt time",
    "formatlist": "fmt p|fmt ls|fmt l p|fmt ls ls", "indent": "i s", "index": "l p|ls s",
    "join": "s ls|s l|s l *", "jsondecode": "json", "jsonencode": "x", "keys": "m",
    "length": "x|l|m|s", "log": "num num|num i", "lookup": "m key p|m key", "lower": "s",
    "map": "", "list": "", "matchkeys": "l ls ls|ls ls ls", "max": "num *", "md5": "s",
    "merge": "m *", "min": "num *", "nonsensitive": "x|sens", "one": "l|set",
    "parseint": "int base", "pathexpand": "path", "pow": "num i|num num", "range": "i|i i|i i i|num",
    "regex": "re s", "regexall": "re s", "replace": "s s s|s rre repl", "reverse": "l",
    "rsadecrypt": "b64 s", "sensitive": "x", "setintersection": "set *", "setproduct": "l l|set l|l *",
    "setsubtract": "set set", "setunion": "set *", "sha1": "s", "sha256": "s", "sha512": "s",
    "signum": "num|i", "slice": "l i i", "sort": "ls", "split": "s s", "startswith": "s s",
    "strcontains": "s s", "strrev": "s", "substr": "s i i", "sum": "ln|l", "templatefile": "file tv",
    "templatestring": "tpl tv", "textdecodebase64": "b64 enc", "textencodebase64": "s enc",
    "timeadd": "time span", "timecmp": "time time", "title": "s", "tobool": "x|s|b",
    "tolist": "l|x", "tomap": "m|x", "tonumber": "x|s|num", "toset": "l|x", "tostring": "x|p",
    "transpose": "mls", "trim": "s s", "trimprefix": "s s", "trimspace": "s", "trimsuffix": "s s",
    "try": "x *", "upper": "s", "urldecode": "url", "urlencode": "s", "uuidv5": "uns s",
    "values": "m", "yamldecode": "yaml", "yamlencode": "x", "zipmap": "ls l|ls ls",
    "issensitive": "x|sens", "ephemeralasnull": "x", "base64gzip": "s", "cidrhosts": "cidr",
    "nosuch": "s", "core::upper": "s", "core::nosuch": "s", "type": "x",
}


class Generator:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, items):
        return self.rng.choice(items)

    def chance(self, share):
        return self.rng.random() < share

    def mutated(self, text, alphabet):
        """The text, sometimes with one or two characters changed."""
        if not self.chance(0.3):
            return text
        chars = list(text)
        for _ in range(self.rng.randint(1, 2)):
            at = self.rng.randrange(len(chars) + 1)
            if self.chance(0.4) and at < len(chars):
                del chars[at]
            else:
                chars.insert(at, self.pick(alphabet))
        return "".join(chars)

    # --- values by type ---

    def text(self, depth):
        kind = self.rng.randrange(14)
        if kind < 7 or depth <= 0:
            word = self.pick(WORDS)
            return quoted(word + self.pick(WORDS) if self.chance(0.2) else word)
        if kind == 7:
            return self.template(depth - 1)
        if kind == 8:
            return self.variable("us", "ss", "uss", "es", "ns")
        if kind == 9:
            return self.call(self.pick(["upper", "join", "format", "substr", "replace", "jsonencode",
                                        "trimspace", "tostring", "strrev", "title"]), depth - 1)
        if kind == 10:
            return "var.ob.a"
        if kind == 11:
            return "var.ls[%s]" % self.pick(SMALL)
        return self.number(0)

    def template(self, depth):
        parts = []
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.randrange(6)
            if kind < 2:
                parts.append(quoted(self.pick(WORDS))[1:-1])
            elif kind == 2:
                parts.append("${%s%s%s}" % (self.pick(["", "~"]), self.value(depth - 1),
                                            self.pick(["", "~"])))
            elif kind == 3:
                parts.append("%%{ if %s }%s%%{ else }%s%%{ endif }" % (
                    self.boolean(depth - 1), "yes", self.pick(["no", "${%s}" % self.text(0)])))
            elif kind == 4:
                parts.append("%%{ for x in %s }<${x}>%%{ endfor }" % self.sequence(depth - 1))
            else:
                parts.append("${%s}" % self.text(0))
        return '"%s"' % "".join(parts)

    def variable(self, *names):
        return "var." + self.pick(names)

    def number(self, depth):
        kind = self.rng.randrange(12)
        if kind < 7 or depth <= 0:
            return self.pick(NUMBERS if self.chance(0.5) else SMALL)
        if kind == 7:
            return self.variable("un", "sn", "nn", "sn")
        if kind == 8:
            return "(%s %s %s)" % (self.number(depth - 1), self.pick(["+", "-", "*", "/", "%"]),
                                   self.number(depth - 1))
        if kind == 9:
            return quoted(self.pick(["1", "2.5", "-3", "x", "1e2", " 4", "0x10"]))
        if kind == 10:
            return self.call(self.pick(["length", "abs", "max", "floor", "sum", "parseint"]),
                             depth - 1)
        return "-" + self.number(depth - 1)

    def boolean(self, depth):
        kind = self.rng.randrange(10)
        if kind < 3 or depth <= 0:
            return self.pick(KEYWORDS)
        if kind == 3:
            return self.variable("ub", "sb", "nd")
        if kind == 4:
            return "(%s %s %s)" % (self.value(depth - 1), self.pick(["==", "!="]),
                                   self.value(depth - 1))
        if kind == 5:
            return "(%s %s %s)" % (self.number(depth - 1), self.pick(["<", "<=", ">", ">="]),
                                   self.number(depth - 1))
        if kind == 6:
            return "(%s %s %s)" % (self.boolean(depth - 1), self.pick(["&&", "||"]),
                                   self.boolean(depth - 1))
        if kind == 7:
            return "!" + self.boolean(depth - 1)
        if kind == 8:
            return self.pick(['"true"', '"false"', '"1"', "0", '"True"'])
        return self.call(self.pick(["contains", "can", "alltrue", "startswith", "issensitive"]),
                         depth - 1)

    def items(self, make, depth, most=4):
        return ", ".join(make(depth) for _ in range(self.rng.randint(0, most)))

    def sequence(self, depth):
        kind = self.rng.randrange(14)
        if kind < 4 or depth <= 0:
            return "[%s]" % self.items(self.pick([self.text, self.number, self.value]),
                                       min(depth, 1) - 1)
        if kind < 7:
            return self.variable("ls", "ln", "ll", "lo", "st", "el", "lnull", "tp", "ul", "sl",
                                 "uset", "sset", "nl", "sto", "est")
        if kind == 7:
            return self.pick(["tolist", "toset"]) + "(%s)" % self.sequence(depth - 1)
        if kind == 8:
            return self.for_sequence(depth - 1)
        if kind == 9:
            return self.splat(depth - 1)
        if kind == 10:
            return "[%s]" % self.items(self.sequence, depth - 1, 3)
        return self.call(self.pick(["concat", "distinct", "flatten", "sort", "reverse", "split",
                                    "keys", "values", "range", "slice", "setunion", "compact",
                                    "regexall"]), depth - 1)

    def texts(self, depth):
        kind = self.rng.randrange(6)
        if kind < 3 or depth <= 0:
            return "[%s]" % self.items(self.text, 0)
        if kind == 3:
            return self.variable("ls", "st", "el", "lnull", "ul", "sl", "uset")
        return self.sequence(depth)

    def numbers(self, depth):
        return "[%s]" % self.items(self.number, depth - 1) if self.chance(0.6) \
            else self.variable("ln", "sset", "ln", "ls")

    def a_set(self, depth):
        return "toset(%s)" % self.sequence(depth - 1) if self.chance(0.5) \
            else self.sequence(depth)

    def mapping(self, depth):
        kind = self.rng.randrange(12)
        if kind < 5 or depth <= 0:
            entries = []
            for _ in range(self.rng.randint(0, 3)):
                key = self.pick(["a", "b", "c", "id", '"k y"', "(var.us)" if self.chance(0.1) else
                                 "n", "(\"%s\")" % self.pick("ab"), "1"])
                entries.append("%s %s %s" % (key, self.pick("=:"), self.value(min(depth, 2) - 1)))
            return "{%s}" % ", ".join(entries)
        if kind < 8:
            return self.variable("mp", "mn", "ml", "ob", "em", "um", "uo", "sm", "so", "nm")
        if kind == 8:
            return "tomap(%s)" % self.mapping(depth - 1)
        if kind == 9:
            return self.for_mapping(depth - 1)
        if kind == 10:
            return "zipmap([%s], [%s])" % (self.items(self.text, 0, 2), self.items(self.value, 0, 2))
        return self.call(self.pick(["merge", "jsondecode", "yamldecode", "transpose"]), depth - 1)

    def for_sequence(self, depth):
        head = self.pick(["x", "i, x"])
        body = self.pick(["x", "upper(x)", "\"${x}!\"", "[x, 1]", "x + 1", "{v = x}",
                          self.value(depth - 1)])
        where = " if %s" % self.pick(["x != \"a\"", "true", "x > 1", "length(x) > 0",
                                      self.boolean(depth - 1)]) if self.chance(0.3) else ""
        return "[for %s in %s : %s%s]" % (head, self.collection(depth), body, where)

    def for_mapping(self, depth):
        key = self.pick(["x", "k", "\"k${k}\"", "tostring(k)", "upper(x)", "x.id"])
        body = self.pick(["x", "k", "[x]", "x == k", self.value(depth - 1)])
        group = "..." if self.chance(0.3) else ""
        where = " if %s" % self.pick(["k != \"a\"", "x != null", "true"]) if self.chance(0.3) else ""
        return "{for k, x in %s : %s => %s%s%s}" % (self.collection(depth), key, body, group, where)

    def splat(self, depth):
        base = self.pick(["var.lo", "var.sto", "var.ob", "var.nd", "var.ll", "var.uo", "var.ul",
                          "var.so", "[{a = 1}, {a = \"x\"}]", "(%s)" % self.value(depth - 1), "null"])
        return base + self.pick(["[*]", ".*", "[*].id", ".*.id", "[*].n", "[*].a", "[*][0]", ".*.a",
                                 "[*].k"])

    def collection(self, depth):
        return self.sequence(depth) if self.chance(0.5) else self.mapping(depth)

    def index(self, depth):
        base = self.pick([self.sequence, self.mapping, self.value])(depth - 1)
        if base.startswith("-") or base.startswith("!"):
            base = "(%s)" % base
        how = self.rng.randrange(5)
        if how == 0:
            return "%s[%s]" % (base, self.number(depth - 1))
        if how == 1:
            return "%s[%s]" % (base, quoted(self.pick(KEYS)))
        if how == 2:
            return "%s.%s" % (base, self.pick(["a", "b", "id", "n", "k", "0", "nosuch"]))
        if how == 3:
            return "%s[%s]" % (base, self.value(depth - 1))
        return "%s[%s]" % (base, self.pick(SMALL))

    def value(self, depth):
        kind = self.rng.randrange(24)
        if depth <= 0:
            return self.pick([self.text, self.number, self.boolean])(0) if kind < 16 else (
                "null" if kind < 19 else self.any_variable())
        makers = [self.text, self.text, self.text, self.number, self.number, self.boolean,
                  self.boolean, self.sequence, self.sequence, self.mapping, self.mapping,
                  self.conditional, self.conditional, self.index, self.index, self.splat,
                  self.any_call, self.any_call, self.any_call, self.any_call]
        if kind < len(makers):
            return makers[kind](depth)
        return "null" if kind == 20 else self.any_variable()

    def any_variable(self, _=0):
        return "var." + self.pick(list(VARIABLES))

    def conditional(self, depth):
        return "(%s ? %s : %s)" % (self.boolean(depth - 1), self.value(depth - 1),
                                   self.value(depth - 1))

    # --- calls ---

    def any_call(self, depth):
        return self.call(self.pick(list(FUNCTIONS)), depth)

    def odd(self, depth):
        return self.pick(["null", "[]", "{}", "\"\"", "0", "-1", "true", "1e30", "[null]", "{a = null}",
                          "toset([])", "tomap({})", "tolist([])", "[[]]", self.any_variable(),
                          self.any_variable(), self.any_variable(), self.value(depth - 1)])

    def call(self, name, depth):
        codes = self.pick(FUNCTIONS[name].split("|")).split()
        args = []
        for i, code in enumerate(codes):
            if code == "*":
                args += [self.argument(codes[i - 1], depth) for _ in range(self.rng.randint(0, 3))]
            else:
                args.append(self.argument(code, depth))
        if args and self.chance(0.02):
            args.pop()
        if self.chance(0.02):
            args.append(self.odd(0))
        if args and self.chance(0.03):
            args[-1] = "[%s]..." % args[-1] if self.chance(0.7) else args[-1] + "..."
        text = "%s(%s)" % (name, ", ".join(args))
        # Different compressors write different texts with the same content.
        return "base64gunzip(%s)" % text if name == "base64gzip" else text

    def argument(self, code, depth):
        if self.chance(0.12):
            return self.odd(depth)
        pools = {"path": PATHS, "cidr": CIDRS, "ip": ADDRESSES, "time": TIMES, "span": SPANS,
                 "dfmt": DATE_FORMATS, "re": PATTERNS, "repl": REPLACEMENTS, "fmt": FORMATS,
                 "json": JSONS, "yaml": YAMLS, "csv": CSVS, "b64": BASE64, "enc": ENCODINGS,
                 "file": FILE_NAMES, "glob": GLOBS, "tpl": TEMPLATES, "key": KEYS,
                 "dir": [".", "dir", "nosuch", "", "./dir/"],
                 "url": ["a+b%20c", "%e9", "%zz", "%", "a%2Fb", "é", "%E2%98%83", "a=b&c"],
                 "int": ["ff", "FF", "-101", "zz", "aA", "1e3", "", "0x1", "+5", "1_0", "é", "007"],
                 "uns": ["dns", "url", "oid", "x500", "nosuch",
                         "6ba7b810-9dad-11d1-80b4-00c04fd430c8", ""]}
        alphabets = {"json": '{}[]:,"0123-+.eEnultrsfa\\u ', "yaml": 'ab:1-[]{}\n ,#&*!|>?~."\'',
                     "csv": 'ab,"\n\r ', "dfmt": "YMDEhHAamsZ' -", "re": "ab()[]*+?|^$.{}1,\\",
                     "span": "0159.hmsnu-+", "cidr": "0123456789./:af", "fmt": "%d0# -+s.5v[1]q"}
        if code in pools:
            if self.chance(0.03):
                return self.variable("us", "ss", "uss", "es")
            text = self.pick(pools[code])
            return quoted(self.mutated(text, alphabets[code]) if code in alphabets else text)
        if code == "rre":
            return quoted("/%s/" % self.pick(PATTERNS))
        if code == "tv":
            return self.pick(TEMPLATE_VARIABLES)
        if code == "base":
            return self.pick(["2", "8", "10", "16", "36", "62", "63", "1", "0", "-2", "1.5"])
        if code == "i":
            return self.pick(SMALL)
        if code == "lb":
            return "[%s]" % self.items(self.boolean, depth - 1, 3)
        if code == "p":
            return self.pick([self.text, self.number, self.boolean])(depth - 1)
        if code == "sens":
            return self.variable("ss", "sn", "sl", "sset", "sm", "so", "uss", "es")
        if code == "mls":
            return self.pick(["var.ml", "{a = [\"x\", \"y\"], b = [\"y\"]}", "{a = []}",
                              self.mapping(depth - 1)])
        makers = {"s": self.text, "num": self.number, "b": self.boolean, "l": self.sequence,
                  "ls": self.texts, "ln": self.numbers, "ll": self.sequence, "set": self.a_set,
                  "m": self.mapping, "x": self.value}
        return makers[code](depth - 1)

    def expression(self, number):
        """The number selects the function, so that each function appears equally often."""
        names = list(FUNCTIONS)
        if number % 3 == 0:
            return self.call(names[number // 3 % len(names)], self.rng.randint(1, 3))
        if number % 3 == 1 and self.chance(0.08):
            return "type(%s)" % self.value(self.rng.randint(1, 3))
        return self.value(self.rng.randint(2, 4))


def comparable(expression):
    return len(expression) < 4000 and "\n" not in expression


def generate(seed, count):
    rng = random.Random(seed)
    generator = Generator(rng)
    expressions = []
    seen = set()
    number = 0
    while len(expressions) < count:
        expression = generator.expression(number)
        number += 1
        if comparable(expression) and expression not in seen:
            seen.add(expression)
            expressions.append(expression)
    return expressions
