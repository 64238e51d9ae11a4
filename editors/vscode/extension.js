// Starts the language server `kinu lsp` for configurations of OpenTofu and Terraform.
"use strict";

const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const manifest = require("./package.json");

const LANGUAGES = ["opentofu", "terraform", "terraform-vars"];
const JSON_FILES = "**/*.{tf.json,tofu.json,tfvars.json,tftest.json,tofutest.json}";
const SHOW_REFERENCES = "kinu.showReferences";
// Settings of the extension; the others are the server's.
const OWN_SETTINGS = ["path", "trace.server"];

let client;
let output;

/** The settings that the server knows. */
function serverSettings() {
  const section = vscode.workspace.getConfiguration("kinu");
  const names = Object.keys(manifest.contributes.configuration.properties)
    .map((name) => name.slice("kinu.".length))
    .filter((name) => !OWN_SETTINGS.includes(name));
  return Object.fromEntries(names.map((name) => [name, section.get(name)]));
}

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The file of the program that the settings name; undefined if there is none. */
function findProgram(name) {
  if (path.isAbsolute(name)) {
    return isProgram(name) ? name : undefined;
  }
  const endings = process.platform === "win32" ? [".exe", ""] : [""];
  return (process.env.PATH || "").split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => endings.map((ending) => path.join(folder, name + ending)))
    .find(isProgram);
}

/** Tells the server that a click on a lens can show a list of places. */
const lensFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = { ...capabilities.experimental, showReferencesCommandId: SHOW_REFERENCES };
  },
  initialize() {},
  getState: () => ({ kind: "static" }),
  clear() {},
  dispose() {},
};

function clientOptions() {
  return {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ scheme: "file", language })),
      ...LANGUAGES.map((language) => ({ scheme: "untitled", language })),
      { scheme: "file", pattern: JSON_FILES },
    ],
    outputChannel: output,
    initializationOptions: serverSettings(),
    synchronize: { configurationSection: "kinu" },
    middleware: {
      workspace: {
        configuration: (params) => params.items.map((item) => (item.section === "kinu" ? serverSettings() : null)),
        didChangeConfiguration: () => client?.sendNotification(
          "workspace/didChangeConfiguration", { settings: { kinu: serverSettings() } }),
      },
    },
  };
}

async function sayMissing(name) {
  const open = "Open the settings";
  const text = `The program "${name}" was not found. Install kinu, or say where it is in the setting kinu.path.`;
  output.appendLine(text);
  if (await vscode.window.showErrorMessage(text, open) === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "kinu.path");
  }
}

async function start() {
  const name = vscode.workspace.getConfiguration("kinu").get("path") || "kinu";
  const command = findProgram(name);
  if (command === undefined) {
    sayMissing(name);
    return;
  }
  const started = new LanguageClient("kinu", "kinu", { command, args: ["lsp"] }, clientOptions());
  started.registerFeature(lensFeature);
  client = started;
  try {
    await started.start();
  } catch (error) {
    output.appendLine(`${command} lsp: ${error.message || error}`);
    vscode.window.showErrorMessage(`"${command} lsp" did not start. The output of kinu says more.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old?.needsStop()) {
    await old.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

/** The command of a lens: the arguments are the server's. */
function showReferences(uri, position, locations) {
  const convert = client.protocol2CodeConverter;
  return vscode.commands.executeCommand("editor.action.showReferences", convert.asUri(uri),
    convert.asPosition(position), locations.map((location) => convert.asLocation(location)));
}

exports.activate = async (context) => {
  output = vscode.window.createOutputChannel("kinu");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("kinu.restart", restart),
    vscode.commands.registerCommand("kinu.showOutput", () => output.show()),
    vscode.commands.registerCommand(SHOW_REFERENCES, showReferences),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("kinu.path") && restart()),
  );
  await start();
};

exports.deactivate = stop;
