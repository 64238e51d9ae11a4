"""Random expressions of a wanted type over what a module has declared."""
import collections
import json
import re

from blocks import Expr

# What an expression may refer to. `kind` is one of KINDS, `sensitive` and `ephemeral` are what its value is, `owner` is
# the address of the object that gives it.
Reference = collections.namedtuple("Reference", "text kind sensitive ephemeral owner", defaults=(False, False, ""))
KINDS = ("string", "number", "bool", "list", "map")
LITERALS = {
    "string": ['"a"', '"b-c"', '""', '"é"', '"a b"', '"x$${y}"', '"line\\nbreak"', 'terraform.workspace', "path.module"],
    "number": ["0", "1", "2", "-3", "1.5", "1e3", "100000000000000000001"],
    "bool": ["true", "false"],
    "list": ['["a", "b"]', "[]", '["x"]', '[for s in ["p", "q"] : upper(s)]'],
    "map": ['{ a = "1", b = "2" }', "{}", '{ "k-l" = "v" }', '{ for s in ["p", "q"] : s => upper(s) }'],
}
# Ways to make one kind of others: "%s" stands for an expression of the named kind.
SHAPES = {
    "string": [("upper(%s)", "string"), ('"t-${%s}"', "string"), ("tostring(%s)", "number"), ('join(",", %s)', "list"),
               ("jsonencode(%s)", "map"), ('lookup(%s, "a", "none")', "map"), ('format("%%03d", floor(%s))', "number"),
               ('"%%{ if %s }yes%%{ else }no%%{ endif }"', "bool"), ('replace(replace(%s, "/[0-7]/", "8"), "a", "b")', "string"),
               ('try(%s, "other")', "string"), ("sha256(%s)", "string"), ('"${%s}.%%{ for x in ["u"] }${x}%%{ endfor }"', "string"),
               ("coalesce(%s, \"c\")", "string"), ("base64encode(%s)", "string"), ('trimspace(" ${%s} ")', "string"),
               ("yamlencode(%s)", "list"), ("element(concat(%s, [\"z\"]), 0)", "list"), ("nonsensitive(sensitive(%s))", "string")],
    "number": [("length(%s)", "list"), ("%s + 1", "number"), ("max(%s, 2)", "number"), ("-(%s)", "number"),
               ("%s * 2 - 1", "number"), ("ceil(%s / 3)", "number"), ("length(%s)", "map"), ("length(%s)", "string"),
               ("%s ? 1 : 2", "bool"), ("sum([%s, 4])", "number")],
    "bool": [("!%s", "bool"), ("%s > 1", "number"), ('%s == "a"', "string"), ("length(%s) > 0", "list"),
             ("can(regex(\"^k\", %s))", "string"), ("%s && true", "bool"), ('contains(%s, "a")', "list"),
             ("alltrue([%s, true])", "bool"), ('%s != null', "map")],
    "list": [("[%s]", "string"), ("keys(%s)", "map"), ("values(%s)", "map"), ("[for x in %s : upper(x)]", "list"),
             ("concat(%s, [\"z\"])", "list"), ("distinct(%s)", "list"), ("sort(%s)", "list"), ("split(\"-\", %s)", "string"),
             ("tolist(toset(%s))", "list"), ("[for i, x in %s : \"${i}\" if x != \"b\"]", "list"), ("reverse(%s)", "list"),
             ("slice(concat(%s, [\"y\"]), 0, 1)", "list"), ("[%s, \"n\"][*]", "string")],
    "map": [("{ a = %s }", "string"), ("merge(%s, { m = \"n\" })", "map"), ("{ for x in distinct(%s) : x => upper(x) }", "list"),
            ('{ for k, v in { for x in %s : x => x... } : k => join("-", v) }', "list"),
            ("zipmap([\"a\", \"b\"], [%s, \"w\"])", "string"), ("{ for k, v in %s : upper(k) => v }", "map"),
            ("tomap({ n = %s })", "string")],
}
WRONG = ["var.nope", "local.nope", "terraform_data.nope.id", "module.nope.x", "data.terraform_data.x", "each.key",
         "count.index", "self.id", "nope(1)", "path.nope", "1 / 0", '"a" + 1', "null", "kinutest_thing.nope.size",
         "terraform.nope", "ephemeral.kinutest_token.nope.token", "toset([1])[0]", "provider::kinutest::nope(1)", "{}.a", "[][0]",
         'tonumber("x")', "file(\"nope\")", "templatefile(\"nope.tpl\", {})", "var", "local", "terraform_data"]


def grouped(text):
    """An expression that may stand beside an operator."""
    return text if " " not in text or re.fullmatch(r'[\w:.]+\([^()]*\)|"[^"]*"', text) else "(%s)" % text


class Expressions:
    """Makes expressions. `wrong` is how often one is made that cannot be evaluated."""

    def __init__(self, rng, wrong=0.0, functions=()):
        self.rng, self.wrong, self.functions = rng, wrong, list(functions)
        self.scope = []

    def declare(self, text, kind, sensitive=False, ephemeral=False, owner=""):
        self.scope.append(Reference(text, kind, sensitive, ephemeral, owner))

    def references(self, kind, clear=False, ephemeral=False):
        return [one for one in self.scope
                if (one.kind == kind or kind == "any") and (ephemeral or not one.ephemeral) and not (clear and one.sensitive)]

    def is_sensitive(self, text):
        """Whether an expression refers to something sensitive."""
        return any(one.sensitive and one.text in str(text) for one in self.scope)

    def make(self, kind, depth=2, **allowed):
        """An expression as text. With clear=True it is not sensitive, with ephemeral=True it may be ephemeral."""
        rng = self.rng
        if rng.random() < self.wrong:
            return rng.choice(WRONG)
        if kind == "any":
            kind = rng.choice(KINDS)
        found = self.references(kind, **allowed)
        roll = rng.random()
        if found and roll < 0.55:
            return rng.choice(found).text
        if depth > 0 and roll < 0.8:
            shapes = SHAPES[kind] + ([(text, "string") for text in self.functions] if kind == "string" else [])
            shape, inner = rng.choice(shapes)
            return shape % grouped(self.make(inner, depth - 1, **allowed))
        if depth > 0 and roll < 0.84:
            return "(%s ? %s : %s)" % (self.make("bool", depth - 1, **allowed), self.make(kind, 0, **allowed),
                                     self.make(kind, 0, **allowed))
        return rng.choice(LITERALS[kind])

    def value(self, kind, **allowed):
        return Expr(self.make(kind, **allowed))

    def literal(self, kind):
        """A value without references, as Python has it."""
        return {"string": self.rng.choice(["a", "b", "c-d", "", "é"]), "number": self.rng.choice([0, 1, 2, 7, 2.5]),
                "bool": self.rng.random() < 0.5, "list": self.rng.choice([[], ["a"], ["a", "b"]]),
                "map": self.rng.choice([{}, {"a": "1"}, {"a": "1", "b": "2"}])}[kind]

    def text_of(self, value):
        """A value as -var and TF_VAR_ take it."""
        return value if isinstance(value, str) else json.dumps(value)
