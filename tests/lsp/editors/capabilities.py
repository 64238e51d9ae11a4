#!/usr/bin/env python3
"""Plays several editors with pytest-lsp, which has a file of each one's capabilities.

Run by clients.py. Every editor asks for all that its capabilities name, by the same script. What pytest-lsp itself
finds wrong in an answer, by those capabilities, is an error.
"""
import asyncio
import json
import os
import warnings

import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp.checks import LspSpecificationWarning

EDITORS = ("neovim@0.6", "neovim@0.7", "neovim@0.8", "neovim@0.9", "neovim@0.10", "neovim@0.11", "emacs@29",
           "visual-studio-code@1.65")
FOLDER = os.environ["EDITOR_WORKSPACE"]
OPTIONS = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
# Features by the capability of `textDocument` that an editor must have: the method, the file, the text whose end is
# the position (None: the whole document), more params.
QUESTIONS = (
    ("completion", "completion", "typing.tf", "typed = var.", {}),
    ("hover", "hover", "main.tf", "= local.pre", {}),
    ("signatureHelp", "signature_help", "main.tf", "format(", {}),
    ("definition", "definition", "main.tf", "var.st", {}),
    ("declaration", "declaration", "main.tf", "var.st", {}),
    ("references", "references", "variables.tf", 'variable "st', {"context": lsp.ReferenceContext(True)}),
    ("documentHighlight", "document_highlight", "main.tf", "= local.pre", {}),
    ("documentSymbol", "document_symbol", "main.tf", None, {}),
    ("codeAction", "code_action", "broken.tf", "var.sta", {"context": None}),
    ("codeLens", "code_lens", "main.tf", None, {}),
    ("documentLink", "document_link", "main.tf", None, {}),
    ("formatting", "formatting", "layout.tf", None, {"options": OPTIONS}),
    ("rangeFormatting", "range_formatting", "layout.tf", None, {"options": OPTIONS, "range": lsp.Range(
        lsp.Position(1, 0), lsp.Position(2, 0))}),
    ("onTypeFormatting", "on_type_formatting", "layout.tf", '"All."\n}', {"options": OPTIONS, "ch": "}"}),
    ("rename", "prepare_rename", "main.tf", "= local.pre", {}),
    ("rename", "rename", "main.tf", "= local.pre", {"new_name": "start"}),
    ("foldingRange", "folding_range", "main.tf", None, {}),
    ("selectionRange", "selection_range", "main.tf", "= local.pre", {}),
    ("semanticTokens", "semantic_tokens_full", "main.tf", None, {}),
    ("inlayHint", "inlay_hint", "main.tf", None, {"range": lsp.Range(lsp.Position(0, 0), lsp.Position(9, 0))}),
    ("callHierarchy", "prepare_call_hierarchy", "main.tf", 'module "ch', {}),
    ("diagnostic", "diagnostic", "broken.tf", None, {}),
)
# The classes of params, where the name of the method is not the class's.
CLASSES = {
    "references": lsp.ReferenceParams, "formatting": lsp.DocumentFormattingParams,
    "range_formatting": lsp.DocumentRangeFormattingParams, "on_type_formatting": lsp.DocumentOnTypeFormattingParams,
    "semantic_tokens_full": lsp.SemanticTokensParams, "diagnostic": lsp.DocumentDiagnosticParams,
    "prepare_call_hierarchy": lsp.CallHierarchyPrepareParams}


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as handle:
        return handle.read()


def document(name):
    return lsp.TextDocumentIdentifier("file://" + os.path.join(FOLDER, name))


def position(name, mark):
    """Where the first `mark` of a file ends; the lines up to there have only ASCII."""
    before = text_of(name)
    lines = before[:before.index(mark) + len(mark)].split("\n")
    return lsp.Position(len(lines) - 1, len(lines[-1]))


async def ask(client, method, name, mark, more):
    params = dict(more, text_document=document(name))
    if method == "code_action":
        params["context"] = lsp.CodeActionContext(client.diagnostics[document(name).uri])
        params["range"] = lsp.Range(position(name, mark), position(name, mark))
    elif method == "selection_range":
        params["positions"] = [position(name, mark)]
    elif mark is not None:
        params["position"] = position(name, mark)
    kind = CLASSES.get(method) or getattr(lsp, method.title().replace("_", "") + "Params")
    return await getattr(client, "text_document_%s_async" % method)(kind(**params))


async def calls_of(client, item):
    return {"incoming": await client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(item)),
            "outgoing": await client.call_hierarchy_outgoing_calls_async(lsp.CallHierarchyOutgoingCallsParams(item))}


def make_client():
    client = pytest_lsp.make_test_lsp_client()
    for method in (lsp.CLIENT_REGISTER_CAPABILITY, lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
                   lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH):
        client.feature(method)(lambda *_: None)
    return client


async def play(editor):
    """The answers that an editor gets, by method."""
    client = make_client()
    settings = {"inlayTypes": True, "inlayValues": True}
    client.set_configuration(settings, section="kinu")
    await client.start_io("kinu", "lsp")
    capabilities = pytest_lsp.client_capabilities(editor)
    started = await client.initialize_session(lsp.InitializeParams(
        capabilities=capabilities, initialization_options=settings, root_uri="file://" + FOLDER,
        workspace_folders=[lsp.WorkspaceFolder("file://" + FOLDER, "w")]))
    for name in ("main.tf", "variables.tf", "layout.tf", "typing.tf", "broken.tf"):
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(
            document(name).uri, "terraform", 1, text_of(name))))
    seen = {"positions": started.capabilities.position_encoding}
    for capability, method, *rest in QUESTIONS:
        pulls = capability == "diagnostic" and started.capabilities.diagnostic_provider is None
        if getattr(capabilities.text_document, "".join(
                "_" + c.lower() if c.isupper() else c for c in capability), None) is None or pulls:
            continue
        if method == "code_action":
            while not client.diagnostics.get(document("broken.tf").uri):
                await client.wait_for_notification("textDocument/publishDiagnostics")
        seen[method] = await ask(client, method, *rest)
        if method == "prepare_call_hierarchy":
            seen["calls"] = await calls_of(client, seen[method][0])
    if capabilities.workspace.symbol is not None:
        seen["workspace_symbol"] = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("sto"))
    seen["problems"] = {os.path.basename(uri): found for uri, found in client.diagnostics.items() if found}
    await client.shutdown_session()
    await client.stop()
    return client.protocol._converter.unstructure(seen)


def merged(answers):
    """Answers by method: each different one with the editors that get it."""
    result = {}
    for editor, seen in answers.items():
        for method, answer in seen.items():
            found = result.setdefault(method, [])
            same = [entry for entry in found if entry["answer"] == answer]
            if same:
                same[0]["editors"].append(editor)
            else:
                found.append({"editors": [editor], "answer": answer})
    return result


async def main():
    warnings.simplefilter("error", LspSpecificationWarning)
    return merged({editor: await play(editor) for editor in EDITORS})


with open(os.environ["EDITOR_SEEN"], "w", encoding="utf-8") as out:
    json.dump(asyncio.run(main()), out)
