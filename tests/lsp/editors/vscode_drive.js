// Drives the extension for VS Code with a stand-in for the editor (stubs/vscode.js): asks the providers that the
// extension registers, as the editor does, and writes down what comes back in the editor's own types.
"use strict";

const fs = require("fs");
const path = require("path");
const vscode = require("vscode");

const { editor } = vscode;
const extension = require(process.argv[2]);
const manifest = require(path.join(process.argv[2], "package.json"));
const context = { subscriptions: [] };
const token = new vscode.CancellationTokenSource().token;
const seen = {};

async function until(what, condition) {
  const end = Date.now() + 20000;
  for (let found; Date.now() < end; await new Promise((done) => setTimeout(done, 10))) {
    if ((found = condition())) {
      return found;
    }
  }
  throw new Error(`no ${what}; shown: ${editor.shown}; output: ${editor.output.join("")}`);
}

const provider = (name) => until(name, () => editor.providers[`register${name}Provider`]);
const spot = ({ line, character }) => `${line + 1}:${character + 1}`;
const span = (range) => `${spot(range.start)}-${spot(range.end)}`;
const named = (uri) => path.basename(uri.path);
const textOf = (document) => document.getText().split("\n").slice(0, -1);
const texts = (content) => [content].flat().map((each) => each.value ?? each);

/** The position behind the first `mark` of a document. */
function at(document, mark) {
  return document.positionAt(document.getText().indexOf(mark) + mark.length);
}

function place(found) {
  return found.targetUri ? `${named(found.targetUri)}:${span(found.targetSelectionRange)}`
    : `${named(found.uri)}:${span(found.range)}`;
}

async function apply(edit, documents) {
  for (const { uri, edits } of edit.changes) {
    const document = documents.find((each) => each.uri.toString() === uri.toString());
    await editor.change(document, edits);
  }
}

async function missingProgram() {
  for (const [name, { default: value }] of Object.entries(manifest.contributes.configuration.properties)) {
    editor.settings[name] = value;
  }
  editor.settings["kinu.path"] = "no-such-program";
  await extension.activate(context);
  seen["missing program"] = [...editor.shown];
  seen["nothing runs"] = Object.keys(editor.providers);
  editor.shown.length = 0;
  await editor.setting("kinu.path", "kinu");
  await until("server", () => editor.providers.registerHoverProvider);
}

async function reading(main, variables, broken) {
  const hover = await (await provider("Hover")).provideHover(main, at(main, "= local.pre"), token);
  seen.hover = texts(hover.contents);
  const signature = await (await provider("SignatureHelp")).provideSignatureHelp(
    main, at(main, "format("), token, { triggerKind: 1, isRetrigger: false });
  seen.signature = signature.signatures.map((each) => [each.label, each.parameters.map(({ label }) => label)]);
  const use = at(main, "var.st");
  seen.definition = (await (await provider("Definition")).provideDefinition(main, use, token)).map(place);
  seen.declaration = (await (await provider("Declaration")).provideDeclaration(main, use, token)).map(place);
  seen.references = (await (await provider("Reference")).provideReferences(
    variables, at(variables, 'variable "st'), { includeDeclaration: true }, token)).map(place);
  seen.highlights = (await (await provider("DocumentHighlight")).provideDocumentHighlights(
    main, at(main, "= local.pre"), token)).map((each) => [span(each.range), each.kind]);
  const outline = (symbols) => symbols.map(({ name, kind, children }) => [name, kind, outline(children)]);
  seen.outline = outline(await (await provider("DocumentSymbol")).provideDocumentSymbols(main, token));
  seen["workspace symbols"] = (await (await provider("WorkspaceSymbol")).provideWorkspaceSymbols("sto", token))
    .map(({ name, location }) => [name, place(location)]);
  seen.links = (await (await provider("DocumentLink")).provideDocumentLinks(main, token))
    .map(({ range, target }) => [span(range), named(target)]);
  seen.folds = (await (await provider("FoldingRange")).provideFoldingRanges(main, {}, token))
    .map(({ start, end }) => [start, end]);
  const [selection] = await (await provider("SelectionRange")).provideSelectionRanges(main, [use], token);
  seen.selections = [];
  for (let each = selection; each; each = each.parent) {
    seen.selections.push(span(each.range));
  }
  await calls(main);
  await until("problems", () => editor.diagnostics.get(broken.uri.toString())?.length);
  seen.problems = editor.diagnostics.get(broken.uri.toString())
    .map(({ range, message, severity, source }) => [span(range), severity, source, message]);
}

async function calls(main) {
  const hierarchy = await provider("CallHierarchy");
  const [item] = await hierarchy.prepareCallHierarchy(main, at(main, 'module "ch'), token);
  seen["call hierarchy"] = item.name;
  seen["incoming calls"] = (await hierarchy.provideCallHierarchyIncomingCalls(item, token))
    .map(({ from, fromRanges }) => [from.name, fromRanges.map(span)]);
  seen["outgoing calls"] = await hierarchy.provideCallHierarchyOutgoingCalls(item, token);
}

async function colours(main) {
  const whole = await provider("DocumentSemanticTokens");
  const first = await whole.provideDocumentSemanticTokens(main, token);
  seen.tokens = first.data.length / 5;
  await editor.change(main, [{ range: new vscode.Range(0, 0, 0, 0), newText: "# 🚀\n" }]);
  const edits = await whole.provideDocumentSemanticTokensEdits(main, first.resultId, token);
  seen["changed tokens"] = edits.edits.map(({ start, deleteCount, data }) => [start, deleteCount, [...data]]);
  const part = await (await provider("DocumentRangeSemanticTokens")).provideDocumentRangeSemanticTokens(
    main, new vscode.Range(0, 0, 2, 0), token);
  seen["tokens of a range"] = [...part.data];
  await editor.change(main, [{ range: new vscode.Range(0, 0, 1, 0), newText: "" }]);
  const range = new vscode.Range(0, 0, 9, 0);
  const hints = await provider("InlayHints");
  seen["hints at first"] = await hints.provideInlayHints(main, range, token);
  await editor.setting("kinu.inlayTypes", true);
  seen.hints = (await hints.provideInlayHints(main, range, token))
    .map(({ position, label }) => [position.line, position.character, label]);
  const lenses = await (await provider("CodeLens")).provideCodeLenses(main, token);
  seen.lenses = lenses.map(({ range: found, command }) => [span(found), command.title]);
  const { command, arguments: args } = lenses[0].command;
  editor.executed.length = 0;
  await vscode.commands.executeCommand(command, ...args);
  const [name, uri, position, locations] = editor.executed[1];
  seen["click on a lens"] = [name, named(uri), position, locations.map(place)];
  await editor.setting("kinu.referenceLenses", false);
  seen["lenses switched off"] = await (await provider("CodeLens")).provideCodeLenses(main, token);
}

async function complete(document, text) {
  await editor.change(document, [{ range: new vscode.Range(1, 0, 1, document.lineAt(1).text.length), newText: text }]);
  const found = await (await provider("CompletionItem")).provideCompletionItems(
    document, new vscode.Position(1, text.length), token, { triggerKind: 0 });
  const items = found.items ?? found;
  const item = items.find(({ filterText, label }) => (filterText ?? label).startsWith(/\w*$/.exec(text)[0]));
  return [item.label, item.insertText.value ?? item.insertText, item.insertText.value !== undefined,
    span(item.range.replacing ?? item.range)];
}

async function writing(documents) {
  const [main, , broken, layout, typing] = documents;
  const problems = await until("problems", () => editor.diagnostics.get(broken.uri.toString()));
  const actions = await (await provider("CodeActions")).provideCodeActions(
    broken, problems[0].range, { diagnostics: problems, triggerKind: 1 }, token);
  seen.actions = actions.map(({ title, kind, isPreferred }) => [title, kind.value, isPreferred]);
  await apply(actions[0].edit, documents);
  seen["code action"] = textOf(broken);
  await until("end of the problems", () => !editor.diagnostics.get(broken.uri.toString())?.length);
  seen.completion = await complete(typing, "  typed = var.");
  seen["completion of a function"] = await complete(typing, "  typed = timeadd");
  const renames = await provider("Rename");
  const { range, placeholder } = await renames.prepareRename(main, at(main, "= local.pre"), token);
  seen["name to change"] = [span(range), placeholder];
  await apply(await renames.provideRenameEdits(main, at(main, "= local.pre"), "start", token), documents);
  seen.rename = textOf(main);
  const options = { tabSize: 2, insertSpaces: true };
  const before = layout.getText();
  const typed = await (await provider("OnTypeFormattingEdit")).provideOnTypeFormattingEdits(
    layout, new vscode.Position(3, 1), "}", options, token);
  await editor.change(layout, typed);
  seen["format while typing"] = textOf(layout);
  await editor.change(layout, [{
    range: new vscode.Range(new vscode.Position(0, 0), layout.positionAt(layout.getText().length)), newText: before }]);
  const lines = await (await provider("DocumentRangeFormattingEdit")).provideDocumentRangeFormattingEdits(
    layout, new vscode.Range(1, 0, 1, 5), options, token);
  seen["format lines"] = lines.map((each) => [span(each.range), each.newText]);
  await editor.change(layout, await (await provider("DocumentFormattingEdit")).provideDocumentFormattingEdits(
    layout, options, token));
  seen.format = textOf(layout);
}

async function restarting(main) {
  const old = editor.providers.registerHoverProvider;
  await vscode.commands.executeCommand("kinu.restart");
  await until("new server", () => ![undefined, old].includes(editor.providers.registerHoverProvider));
  const hover = await (await provider("Hover")).provideHover(main, at(main, "= local.sta"), token);
  seen["hover after a restart"] = texts(hover.contents);
  await vscode.commands.executeCommand("kinu.showOutput");
  seen.shown = editor.shown;
  seen["unknown settings"] = editor.output.filter((line) => line.includes("no setting"));
}

async function main() {
  await missingProgram();
  const documents = [];
  for (const name of ["main.tf", "variables.tf", "broken.tf", "layout.tf", "typing.tf"]) {
    documents.push(await editor.open(path.join(process.env.EDITOR_WORKSPACE, name), "terraform"));
  }
  await reading(...documents);
  await colours(documents[0]);
  await writing(documents);
  await restarting(documents[0]);
  await extension.deactivate();
  fs.writeFileSync(process.env.EDITOR_SEEN, JSON.stringify(seen));
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
