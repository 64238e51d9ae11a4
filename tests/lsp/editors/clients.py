"""How each client of the language server is started (editors.py).

A client is a function of a session and of the setups in docs/lsp.md, and a list of texts: problems in the client's own
messages that are no fault of the server.
"""
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

EXTENSION = os.path.join(ROOT, "editors", "vscode")


class Unavailable(Exception):
    pass


def program(name):
    found = shutil.which(name)
    if found is None:
        raise Unavailable("%s is not installed" % name)
    return found


def installed(folder, sources, install):
    """`folder`, into which `install(folder)` has put what the files `sources` pin; anew when one of them changes."""
    digest = hashlib.sha256()
    for source in sources:
        with open(source, "rb") as handle:
            digest.update(handle.read())
    mark = os.path.join(folder, "installed")
    if not os.path.exists(mark) or open(mark, encoding="utf-8").read() != digest.hexdigest():
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            install(folder)
        except (OSError, subprocess.SubprocessError) as error:
            raise Unavailable("%s could not be installed" % os.path.basename(folder)) from error
        with open(mark, "w", encoding="utf-8") as handle:
            handle.write(digest.hexdigest())
    return folder


def python_packages(session):
    """A virtual environment with the packages of requirements.txt. Returns its folder of programs."""
    requirements = os.path.join(HERE, "requirements.txt")

    def install(folder):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        subprocess.run([os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q",
                        "--disable-pip-version-check", "--no-compile", "--require-hashes", "-r", requirements],
                       check=True, capture_output=True)
    return os.path.join(installed(os.path.join(session.work, "python"), [requirements], install), "bin")


def pytest_lsp(session, _):
    session.run([os.path.join(python_packages(session), "python"), os.path.join(HERE, "capabilities.py")])


def neovim(session, command, setup):
    """`command` edits with `setup` in its configuration, driven by neovim.lua."""
    init = session.config("init.lua", setup + "dofile(vim.env.EDITOR_HERE .. '/neovim.lua')\n")
    session.run([command, "--headless", "-n", "-i", "NONE", "-u", init])


def neovim_0_7(session, snippet):
    neovim(session, program("nvim"), snippet("Neovim", 1))


def neovim_0_11(session, snippet):
    neovim(session, os.path.join(python_packages(session), "nvim"), snippet("Neovim"))


def helix(session, snippet):
    program("hx")
    program("tmux")
    session.config(".config/helix/languages.toml", snippet("Helix"))
    session.run([sys.executable, os.path.join(HERE, "helix_drive.py")])


def node_packages(session):
    """The environment of a Node program that finds the packages of the extension for VS Code."""
    program("node")
    npm = program("npm")
    sources = [os.path.join(EXTENSION, name) for name in ("package.json", "package-lock.json")]

    def install(folder):
        for source in sources:
            shutil.copy(source, folder)
        subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True,
                       capture_output=True)
    found = installed(os.path.join(session.work, "node"), sources, install)
    return {"NODE_PATH": os.pathsep.join([os.path.join(found, "node_modules"), os.path.join(HERE, "stubs")])}


def vscode(session, _):
    session.run(["node", os.path.join(HERE, "vscode_drive.js"), EXTENSION], **node_packages(session))


def emacs(session, package, driver, setup):
    """Emacs edits with the package and `setup` in its configuration, driven by a file of Lisp."""
    command = program("emacs")
    found = subprocess.run([command, "--batch", "--eval", "(package-initialize)", "--eval",
                            "(kill-emacs (if (locate-library \"%s\") 0 1))" % package],
                           env=session.environment, capture_output=True)
    if found.returncode != 0:
        raise Unavailable("%s is not installed" % package)
    init = session.config("setup.el", setup)
    session.run([command, "--batch", "-q", "-l", os.path.join(HERE, driver)], EDITOR_SETUP=init)


def eglot(session, snippet):
    emacs(session, "eglot", "eglot.el", snippet("Emacs"))


def lsp_mode(session, snippet):
    emacs(session, "lsp-mode", "lsp_mode.el", snippet("Emacs", 1))


# Capabilities of the next version of the protocol.
LATER = ("CodeLensClientCapabilities has no resolveSupport", "DiagnosticClientCapabilities has no tagSupport")
CLIENTS = {
    "pytest_lsp": (pytest_lsp, LATER),
    "neovim_0_7": (neovim_0_7, ("WorkspaceSymbolClientCapabilities has no hierarchicalWorkspaceSymbolSupport",
                                "ClientCapabilities has no callHierarchy")),
    "neovim_0_11": (neovim_0_11, LATER),
    "helix": (helix, ("WorkspaceClientCapabilities has no diagnostic",)),
    "eglot": (eglot, ()),
    "lsp_mode": (lsp_mode, ("has no resolveAdditionalTextEditsSupport", ": None is no ", "shutdown: it has no params")),
    "vscode": (vscode, ()),
}
