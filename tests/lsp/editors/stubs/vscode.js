// What the language client and the extension use of VS Code's API, without an editor. `editor` is for tests: documents,
// settings, and what has been registered and shown.
"use strict";

const fs = require("fs");
const { fileURLToPath, pathToFileURL } = require("url");

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.slice(0, text.indexOf(":"));
  }
  static parse(text) { return new Uri(text); }
  static file(name) { return new Uri(pathToFileURL(name).href); }
  get fsPath() { return fileURLToPath(this.text); }
  get path() { return decodeURIComponent(new URL(this.text).pathname); }
  toString() { return this.text; }
}

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
  isBefore(other) { return this.line < other.line || (this.line === other.line && this.character < other.character); }
  isEqual(other) { return this.line === other.line && this.character === other.character; }
}

class Range {
  constructor(start, end, line, character) {
    this.start = typeof start === "number" ? new Position(start, end) : start;
    this.end = typeof start === "number" ? new Position(line, character) : end;
  }
}

/** A class whose constructor puts its arguments into properties of these names. */
function record(...names) {
  return class {
    constructor(...values) { names.forEach((name, index) => { this[name] = values[index]; }); }
  };
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) { return Promise.all([...this.listeners].map((listener) => listener(value))); }
  dispose() { this.listeners.clear(); }
}

class Disposable {
  constructor(end) { this.end = end; }
  static from(...parts) { return new Disposable(() => parts.forEach((part) => part.dispose())); }
  dispose() { this.end(); }
}

class CancellationTokenSource {
  constructor() {
    const emitter = new EventEmitter();
    this.token = { isCancellationRequested: false, onCancellationRequested: emitter.event };
    this.cancel = () => { this.token.isCancellationRequested = true; emitter.fire(); };
  }
  dispose() {}
}

class MarkdownString {
  constructor(value = "") { this.value = value; }
  appendMarkdown(text) { this.value += text; return this; }
  appendCodeblock(text, language) { this.value += "```" + language + "\n" + text + "\n```\n"; return this; }
}

class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
for (const [name, value] of Object.entries({
  Empty: "", QuickFix: "quickfix", Refactor: "refactor", RefactorExtract: "refactor.extract",
  RefactorInline: "refactor.inline", RefactorRewrite: "refactor.rewrite", Source: "source",
  SourceOrganizeImports: "source.organizeImports", SourceFixAll: "source.fixAll",
})) {
  CodeActionKind[name] = new CodeActionKind(value);
}

class WorkspaceEdit {
  constructor() { this.changes = []; }
  replace(uri, range, newText) {
    const known = this.changes.find((change) => change.edits && change.uri.toString() === uri.toString());
    const { edits } = known ?? this.changes[this.changes.push({ uri, edits: [] }) - 1];
    edits.push({ range, newText });
  }
  createFile(uri) { this.changes.push({ uri, created: true }); }
}

class TextDocument {
  constructor(uri, languageId, text) {
    Object.assign(this, { uri, languageId, text, version: 1, isClosed: false });
  }
  get fileName() { return this.uri.fsPath; }
  get lineCount() { return this.text.split("\n").length; }
  lineAt(line) { return { text: this.text.split("\n")[line] }; }
  offsetAt({ line, character }) {
    return this.text.split("\n").slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
  }
  positionAt(offset) {
    const lines = this.text.slice(0, offset).split("\n");
    return new Position(lines.length - 1, lines[lines.length - 1].length);
  }
  getText(range) {
    return range ? this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.text;
  }
}

const events = {};
const listen = (name) => (events[name] ??= new EventEmitter()).event;
const editor = { providers: {}, diagnostics: new Map(), shown: [], executed: [], output: [], settings: {}, commands: {} };

/** Replaces ranges of a document, as a user or an edit of the server does. */
editor.change = (document, edits) => {
  const sorted = edits.map((edit) => ({
    range: edit.range, rangeOffset: document.offsetAt(edit.range.start), text: edit.newText,
    rangeLength: document.offsetAt(edit.range.end) - document.offsetAt(edit.range.start),
  })).sort((one, other) => other.rangeOffset - one.rangeOffset);
  for (const { rangeOffset, rangeLength, text } of sorted) {
    document.text = document.text.slice(0, rangeOffset) + text + document.text.slice(rangeOffset + rangeLength);
  }
  document.version += 1;
  return events.onDidChangeTextDocument.fire({ document, contentChanges: sorted });
};
editor.open = async (name, languageId) => {
  const document = new TextDocument(Uri.file(name), languageId, fs.readFileSync(name, "utf8"));
  workspace.textDocuments.push(document);
  await events.onDidOpenTextDocument.fire(document);
  const tab = { input: new module.exports.TabInputText(document.uri) };
  window.tabGroups.all[0].tabs.push(tab);
  await events.onDidChangeTabs.fire({ opened: [tab], changed: [], closed: [] });
  return document;
};
editor.setting = async (name, value) => {
  editor.settings[name] = value;
  await events.onDidChangeConfiguration.fire({
    affectsConfiguration: (section) => name === section || name.startsWith(section + "."),
  });
};

const matches = (filter, document) => (!filter.language || filter.language === document.languageId)
  && (!filter.scheme || filter.scheme === document.uri.scheme)
  && (!filter.pattern || /\.json$/.test(document.uri.path));

const languages = new Proxy({
  match: (selector, document) => [selector].flat().some((filter) => matches(filter, document)) ? 10 : 0,
  createDiagnosticCollection: () => ({
    set: (uri, found) => editor.diagnostics.set(uri.toString(), found),
    delete: (uri) => editor.diagnostics.delete(uri.toString()),
    clear: () => editor.diagnostics.clear(),
    dispose() {},
  }),
}, {
  // registerHoverProvider(selector, provider, ...) and the like; one of them has no selector
  get: (own, name) => own[name] ?? ((selector, provider) => {
    editor.providers[name] = provider ?? selector;
    return new Disposable(() => { delete editor.providers[name]; });
  }),
});

const workspace = {
  textDocuments: [],
  notebookDocuments: [],
  workspaceFolders: [{ uri: Uri.file(process.cwd()), name: "w", index: 0 }],
  isTrusted: true,
  getConfiguration: (section) => ({
    get: (name, fallback) => editor.settings[`${section}.${name}`] ?? fallback,
    inspect: () => undefined,
  }),
  getWorkspaceFolder: () => workspace.workspaceFolders[0],
  createFileSystemWatcher: (pattern) => {
    const [created, changed, deleted] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
    const watcher = { pattern, created, changed, deleted, onDidCreate: created.event, onDidChange: changed.event,
                      onDidDelete: deleted.event, dispose() {} };
    (editor.watchers ??= []).push(watcher);
    return watcher;
  },
  applyEdit: async () => true,
  registerTextDocumentContentProvider: () => new Disposable(() => {}),
  fs: { stat: async () => ({ type: 1 }) },
};
for (const name of ["onDidOpenTextDocument", "onDidCloseTextDocument", "onDidChangeTextDocument",
  "onDidSaveTextDocument", "onWillSaveTextDocument", "onDidChangeConfiguration", "onDidChangeWorkspaceFolders",
  "onDidCreateFiles", "onDidRenameFiles", "onDidDeleteFiles", "onWillCreateFiles", "onWillRenameFiles",
  "onWillDeleteFiles", "onDidOpenNotebookDocument", "onDidCloseNotebookDocument", "onDidChangeNotebookDocument",
  "onDidSaveNotebookDocument", "onDidGrantWorkspaceTrust"]) {
  workspace[name] = listen(name);
}

const say = async (kind, text) => { editor.shown.push(`${kind}: ${text}`); };
const window = {
  createOutputChannel: (name) => ({
    name, append: (text) => editor.output.push(text), appendLine: (text) => editor.output.push(text), clear() {},
    show: () => editor.shown.push("output"), replace() {}, hide() {}, dispose() {},
  }),
  showErrorMessage: (text) => say("error", text),
  showWarningMessage: (text) => say("warning", text),
  showInformationMessage: (text) => say("information", text),
  withProgress: (_, task) => task({ report() {} }, new CancellationTokenSource().token),
  tabGroups: { all: [{ tabs: [] }], onDidChangeTabs: listen("onDidChangeTabs"),
               onDidChangeTabGroups: listen("onDidChangeTabGroups") },
  visibleTextEditors: [],
  activeTextEditor: undefined,
  onDidChangeActiveTextEditor: listen("onDidChangeActiveTextEditor"),
  onDidChangeVisibleTextEditors: listen("onDidChangeVisibleTextEditors"),
};

const commands = {
  registerCommand: (name, run) => {
    editor.commands[name] = run;
    return new Disposable(() => { delete editor.commands[name]; });
  },
  executeCommand: async (name, ...args) => {
    editor.executed.push([name, ...args]);
    return editor.commands[name]?.(...args);
  },
};

module.exports = {
  editor, languages, workspace, window, commands, version: "1.91.0",
  env: { appName: "stub", language: "en", uriScheme: "vscode" },
  Uri, Position, Range, Selection: Range, EventEmitter, Disposable, CancellationTokenSource, MarkdownString,
  CodeActionKind, WorkspaceEdit,
  CancellationError: class extends Error {},
  Location: record("uri", "range"),
  Diagnostic: record("range", "message", "severity"),
  DiagnosticRelatedInformation: record("location", "message"),
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
  CompletionItem: record("label", "kind"),
  CompletionItemKind: { Text: 0, Folder: 18 },
  CompletionItemTag: { Deprecated: 1 },
  CompletionList: record("items", "isIncomplete"),
  CompletionTriggerKind: { Invoke: 0, TriggerCharacter: 1, TriggerForIncompleteCompletions: 2 },
  SnippetString: record("value"),
  TextEdit: class extends record("range", "newText") {
    static replace(range, text) { return new this(range, text); }
  },
  Hover: record("contents", "range"),
  SignatureHelp: record(),
  SignatureInformation: record("label", "documentation"),
  ParameterInformation: record("label", "documentation"),
  SignatureHelpTriggerKind: { Invoke: 1, TriggerCharacter: 2, ContentChange: 3 },
  DocumentHighlight: record("range", "kind"),
  DocumentHighlightKind: { Text: 0, Read: 1, Write: 2 },
  DocumentSymbol: class extends record("name", "detail", "kind", "range", "selectionRange") { children = []; },
  SymbolInformation: record("name", "kind", "containerName", "location"),
  SymbolKind: {},
  SymbolTag: { Deprecated: 1 },
  CodeAction: record("title", "kind"),
  CodeActionTriggerKind: { Invoke: 1, Automatic: 2 },
  CodeLens: record("range", "command"),
  DocumentLink: record("range", "target"),
  FoldingRange: record("start", "end", "kind"),
  FoldingRangeKind: { Comment: 1, Imports: 2, Region: 3 },
  SelectionRange: record("range", "parent"),
  SemanticTokens: record("data", "resultId"),
  SemanticTokensEdit: record("start", "deleteCount", "data"),
  SemanticTokensEdits: record("edits", "resultId"),
  SemanticTokensLegend: record("tokenTypes", "tokenModifiers"),
  InlayHint: record("position", "label", "kind"),
  InlayHintLabelPart: record("value"),
  InlayHintKind: { Type: 1, Parameter: 2 },
  CallHierarchyItem: record("kind", "name", "detail", "uri", "range", "selectionRange"),
  CallHierarchyIncomingCall: record("from", "fromRanges"),
  CallHierarchyOutgoingCall: record("to", "fromRanges"),
  TypeHierarchyItem: record("kind", "name", "detail", "uri", "range", "selectionRange"),
  LinkedEditingRanges: record("ranges", "wordPattern"),
  Color: record("red", "green", "blue", "alpha"),
  ColorInformation: record("range", "color"),
  ColorPresentation: record("label"),
  EvaluatableExpression: record("range", "expression"),
  InlineValueText: record("range", "text"),
  InlineValueVariableLookup: record("range", "variableName", "caseSensitiveLookup"),
  InlineValueEvaluatableExpression: record("range", "expression"),
  RelativePattern: record("baseUri", "pattern"),
  TextDocumentSaveReason: { Manual: 1, AfterDelay: 2, FocusOut: 3 },
  TextDocumentChangeReason: { Undo: 1, Redo: 2 },
  FileType: { Unknown: 0, File: 1, Directory: 2 },
  ProgressLocation: { Window: 10, Notification: 15 },
  ViewColumn: { One: 1 },
  TabInputText: record("uri"),
  TabInputTextDiff: record("original", "modified"),
  TabInputNotebook: record("uri"),
  NotebookCellKind: { Markup: 1, Code: 2 },
};
