"""Finds the names in a text of the native syntax, with what they are: for the oracles. It shares no code with the
program, and reads only what parses."""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<space>[ \t\r]+|/\*.*?\*/) | (?P<newline>\n|(?:\#|//)[^\n]*(?:\n|$))
  | (?P<heredoc><<-?[A-Za-z_][\w-]*\r?\n) | (?P<name>[^\W\d][\w-]*)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?) | (?P<quote>")
  | (?P<mark>::|=>|==|!=|<=|>=|&&|\|\||\.\.\.|.)""", re.VERBOSE | re.DOTALL)
PART = re.compile(r'\\.|\$\$\{|%%\{|(?P<open>[$%]\{~?)|(?P<close>")|(?P<line>\n)|.', re.DOTALL)
NO_NAMES = {"true", "false", "null", "for", "in", "if", "else", "endif", "endfor"}


class NotRead(Exception):
    """The text is not what this reader knows."""


@dataclass
class Name:
    """A name that stands in a text.

    `kind`: argument, block, label, root (of a reference), step (behind a dot), function, type (in a type constraint).
    """
    kind: str
    word: str
    begin: int
    blocks: tuple = ()    # (type, labels) around, outermost first; of a label: with its own block
    argument: str = ""    # in whose value it stands
    path: tuple = ()      # of a step: the names before it; None is an index
    steps: tuple = ()     # of a root: the names right behind it
    path_end: int = 0     # of a root: behind them
    bound: tuple = ()     # names of loops and iterators around
    item_end: int = 0     # of an argument or block: behind it

    @property
    def end(self):
        return self.begin + len(self.word)


class Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0
        self.names = []
        self.blocks = ()
        self.argument = ""
        self.bound = ()

    def add(self, kind, token, **more):
        name = Name(kind, token.group(), token.start(), self.blocks, self.argument, bound=self.bound, **more)
        self.names.append(name)
        return name

    # --- Tokens ---

    def peek(self, over_lines=False):
        """The next token that is no space; None at the end."""
        while self.at < len(self.text):
            token = TOKEN.match(self.text, self.at)
            if token.lastgroup == "space" or (over_lines and token.lastgroup == "newline"):
                self.at = token.end()
                continue
            return token
        return None

    def take(self, over_lines=False):
        token = self.peek(over_lines)
        if token is None:
            raise NotRead("the text ends")
        self.at = token.end()
        return token

    def next_is(self, word, over_lines=False):
        token = self.peek(over_lines)
        return token is not None and token.group() == word

    def expect(self, word, over_lines=False):
        token = self.take(over_lines)
        if token.group() != word:
            raise NotRead("%r at %d, expected %r" % (token.group(), token.start(), word))
        return token

    # --- Bodies ---

    def body(self):
        while True:
            token = self.peek(True)
            if token is None or token.group() == "}":
                return
            name = self.take(True)
            if name.lastgroup != "name":
                raise NotRead("%r begins an item at %d" % (name.group(), name.start()))
            if self.next_is("="):
                self.item(name)
            else:
                self.block(name)

    def item(self, name):
        found = self.add("argument", name)
        self.take()
        self.argument = name.group()
        self.expression()
        found.item_end = self.at
        self.argument = ""

    def block(self, name):
        found = self.add("block", name)
        labels = []
        outside, bound = self.blocks, self.bound
        while not self.next_is("{"):
            label = self.take()
            word = label.group()
            begin = label.start()
            if label.lastgroup == "quote":
                begin = self.at
                self.template('"', read=False)
                word = self.text[begin:self.at - 1]
            elif label.lastgroup != "name":
                raise NotRead("%r is no label" % word)
            self.names.append(Name("label", word, begin, outside + ((name.group(), tuple(labels)),)))
            labels.append(word)
        self.take()
        self.blocks = outside + ((name.group(), tuple(labels)),)
        if name.group() == "dynamic" and labels:
            self.bound += (labels[0],)
        self.body()
        self.expect("}", True)
        found.item_end = self.at
        self.blocks, self.bound = outside, bound

    # --- Expressions ---

    def expression(self, closers=(), over_lines=False):
        """Reads to one of the closers, or without any to the end of the line."""
        while True:
            token = self.peek(over_lines)
            if token is None or token.group() in closers or token.group() in ")]}":
                return
            if token.lastgroup == "newline":
                return
            self.take(over_lines)
            self.operand(token)

    def operand(self, token):
        word = token.group()
        if token.lastgroup == "name":
            return self.named(token)
        if token.lastgroup in ("quote", "heredoc"):
            begin = self.at
            self.template('"' if word == '"' else word.strip().lstrip("<-"))
            text = self.text[begin:self.at - 1]
            return self.steps([text if word == '"' else None])
        if word == "(":
            self.expression((")",), True)
            self.expect(")", True)
            self.steps([None])
        elif word == "[":
            self.bracket("]")
            self.steps([None])
        elif word == "{":
            self.brace()
            self.steps([None])
        return None

    def named(self, token):
        word = token.group()
        if self.next_is("::"):
            while self.next_is("::"):
                self.take()
                self.take()
            return self.call()
        if self.text.startswith("(", self.at):
            if word not in NO_NAMES:
                self.add("type" if self.in_type() else "function", token)
                return self.call()
            return None
        if word in NO_NAMES:
            return None
        if self.in_type():
            self.add("type", token)
            return None
        found = self.add("root", token)
        steps = self.steps([word])
        found.steps = tuple(steps)
        found.path_end = found.end + sum(len(step) + 1 for step in steps)
        return None

    def in_type(self):
        return self.argument == "type" and bool(self.blocks) and self.blocks[-1][0] == "variable"

    def call(self):
        self.expect("(")
        self.expression((")",), True)
        self.expect(")", True)
        self.steps([None])

    def steps(self, path):
        """Reads what stands behind an operand. Returns the names right behind it."""
        direct = []
        is_direct = True
        while self.at < len(self.text):
            if self.text.startswith("...", self.at):
                break
            if self.text[self.at] == ".":
                self.at += 1
                token = self.take()
                if token.lastgroup == "name":
                    self.add("step", token, path=tuple(path))
                    path.append(token.group())
                    if is_direct:
                        direct.append(token.group())
                    continue
                if token.lastgroup != "number" and token.group() != "*":
                    raise NotRead("%r behind a dot" % token.group())
                path.append(None)
                is_direct = False
            elif self.text[self.at] == "[":
                self.at += 1
                key = re.compile(r'\s*"([\w-]+)"\s*\]').match(self.text, self.at)
                self.expression(("]",), True)
                self.expect("]", True)
                path.append(key.group(1) if key else None)
                is_direct = False
            else:
                break
        return direct

    def loop(self):
        """`for a, b in` was not read yet: it is, and its names are bound."""
        self.take(True)
        names = []
        while not self.next_is("in", True):
            token = self.take(True)
            if token.lastgroup == "name":
                names.append(token.group())
        self.take(True)
        self.expression((":",), True)
        self.expect(":", True)
        self.bound += tuple(names)

    def bracket(self, closer):
        bound = self.bound
        if self.next_is("for", True):
            self.loop()
        self.expression((closer,), True)
        self.expect(closer, True)
        self.bound = bound

    def brace(self):
        bound = self.bound
        if self.next_is("for", True):
            self.loop()
            self.expression(("}",), True)
            self.expect("}", True)
            self.bound = bound
            return
        while not self.next_is("}", True):
            if self.next_is(",", True):
                self.take(True)
                continue
            key = self.take(True)
            if key.lastgroup == "name" and self.peek(True).group() in "=:":
                self.take(True)  # a name that stands for itself
            else:
                self.operand(key)
                self.expression(("=", ":"), True)
                self.take(True)
            self.expression((",", "}"))
            token = self.peek()
            if token is not None and token.lastgroup == "newline":
                self.peek(True)
        self.take(True)

    def template(self, closer, read=True):
        """Reads to the quote, or to the line with the mark of a heredoc."""
        while True:
            if closer != '"':
                line_end = self.text.find("\n", self.at)
                line = self.text[self.at:line_end if line_end >= 0 else len(self.text)]
                begins = self.at == 0 or self.text[self.at - 1] == "\n"
                if begins and line.strip() == closer:
                    self.at += len(line.rstrip("\r"))
                    return
            part = PART.match(self.text, self.at)
            if part is None:
                raise NotRead("a text does not end")
            if closer != '"' and part.group().startswith("\\"):
                self.at += 1
                continue
            self.at = part.end()
            if part.lastgroup == "close" and closer == '"':
                return
            if part.lastgroup == "open" and read:
                bound = self.bound
                directive = self.peek(True)
                if part.group()[0] == "%" and directive.group() == "for":
                    self.take(True)
                    names = []
                    while not self.next_is("in", True):
                        token = self.take(True)
                        if token.lastgroup == "name":
                            names.append(token.group())
                    self.take(True)
                    bound += tuple(names)  # to the end of the text; nothing depends on it
                self.expression(("}", "~"), True)
                if self.next_is("~", True):
                    self.take(True)
                self.expect("}", True)
                self.bound = bound


def names_in(text):
    """All names of a text; raises NotRead."""
    reader = Reader(text)
    reader.body()
    if reader.peek(True) is not None:
        raise NotRead("more than a body")
    return reader.names
