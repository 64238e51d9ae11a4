// Colours files with the grammar of the extension for VS Code, by the libraries that VS Code has for that, and writes
// down: the scopes in a sample, and what is wrong in other files (marks of errors, ends inside of a block or text).
"use strict";

const fs = require("fs");
const path = require("path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const [extension, sample, ...files] = process.argv.slice(2);
const SCOPE = "source.opentofu";

async function loadGrammar() {
  const main = require.resolve("vscode-oniguruma");
  await oniguruma.loadWASM(fs.readFileSync(path.join(path.dirname(main), "onig.wasm")).buffer);
  const file = path.join(extension, "syntaxes", "opentofu.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar(SCOPE);
}

/** Each token of a text: its line, its text, its scopes without the first one; and the depth at the end. */
function tokensOf(grammar, text) {
  let stack = textmate.INITIAL;
  const tokens = [];
  text.split("\n").forEach((line, number) => {
    const answer = grammar.tokenizeLine(line, stack);
    stack = answer.ruleStack;
    for (const token of answer.tokens) {
      tokens.push([number + 1, line.slice(token.startIndex, token.endIndex), token.scopes.slice(1)]);
    }
  });
  return { tokens, depth: stack.depth };
}

async function main() {
  const grammar = await loadGrammar();
  const shorten = (scopes) => scopes.map((scope) => scope.replace(/\.opentofu$/, "")).join(" ");
  const seen = {
    scopes: tokensOf(grammar, fs.readFileSync(sample, "utf8")).tokens
      .filter(([, text]) => text.trim())
      .map(([line, text, scopes]) => `${line}: ${text.trim()}: ${shorten(scopes)}`),
    faults: [],
  };
  for (const file of files) {
    const { tokens, depth } = tokensOf(grammar, fs.readFileSync(file, "utf8"));
    const bad = tokens.find(([, , scopes]) => scopes.some((scope) => scope.startsWith("invalid")));
    const bare = tokens.find(([, text, scopes]) => text.trim() && scopes.length === 0);
    for (const token of [bad, bare]) {
      if (token) {
        seen.faults.push(`${file}:${token[0]}: ${token[1].trim()}`);
      }
    }
    if (depth !== 1) {
      seen.faults.push(`${file}: the end is ${depth} deep`);
    }
  }
  fs.writeFileSync(process.env.EDITOR_SEEN, JSON.stringify(seen));
}

main();
