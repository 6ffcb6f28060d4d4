"""docs/editors.md: the extension's files are valid and name the server; Neovim, where it is installed, shows its diagnostics."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from native import BUILD

ROOT = Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
SERVER = Path(os.path.abspath(BUILD / "bin/ttmlir-lsp-server"))


def test_extension_names_files_and_settings_that_exist():
    package = json.loads((EDITORS / "vscode/package.json").read_text())
    source = (EDITORS / "vscode" / package["main"]).read_text()
    language = package["contributes"]["languages"][0]
    json.loads((EDITORS / "vscode" / language["configuration"]).read_text())
    assert f'language: "{language["id"]}"' in source
    settings = package["contributes"]["configuration"]["properties"]
    for setting, program in (("tilewright.server", "ttmlir-lsp-server"), ("tilewright.debugger", "ttlang-sim"), ("tilewright.simulator", "tilewright")):
        section, name = setting.split(".")
        assert f'getConfiguration("{section}")' in source and f'.get("{name}")' in source
        assert settings.pop(setting)["default"] == program and (SERVER.parent / program).exists()
    assert not settings
    debugger, = package["contributes"]["debuggers"]
    assert f'Factory("{debugger["type"]}"' in source and f"onDebugResolve:{debugger['type']}" in package["activationEvents"]


def test_extension_starts_the_server(tmp_path):
    """With stand-ins for the editor's modules: the command is run, and answers."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node")
    modules = tmp_path / "node_modules"
    (modules / "vscode").mkdir(parents=True)
    (modules / "vscode-languageclient").mkdir()
    (modules / "vscode/index.js").write_text(f"""exports.workspace = {{ getConfiguration: () => ({{ get: () => {str(SERVER)!r} }}) }};
exports.window = {{ showErrorMessage: (text) => console.log(text) }};
exports.DebugAdapterExecutable = class {{ constructor(command, options) {{ Object.assign(this, {{ command, options }}); }} }};
exports.debug = {{
  registerDebugAdapterDescriptorFactory: (type, made) => ["a.py", "a.mlir", "a.ttm"].forEach((program) =>
    console.log(type, made.createDebugAdapterDescriptor({{ configuration: {{ program }} }}).options)),
  registerDebugConfigurationProvider: (type, made) => console.log(made.resolveDebugConfiguration(null, {{}}).program),
}};""")
    (modules / "vscode-languageclient/node.js").write_text("""const { spawnSync } = require("child_process");
exports.LanguageClient = class {
  constructor(id, name, server, client) { Object.assign(this, { server, client }); }
  async start() {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {} } });
    const done = spawnSync(this.server.command, { input: `Content-Length: ${text.length}\\r\\n\\r\\n${text}` });
    if (done.error) throw done.error;
    console.log(done.stdout.toString(), this.client.documentSelector[0].language);
  }
};""")
    shutil.copy(EDITORS / "vscode/extension.js", tmp_path)
    run = [node, "-e", "require('./extension.js').activate({ subscriptions: [] })"]
    said = subprocess.run(run, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "hoverProvider" in said and said.rstrip().endswith("mlir")
    assert said.startswith("tilewright [ '--dap' ]\n" + "tilewright [ 'sim', '--dap' ]\n" * 2 + "${file}\n")
    vscode = modules / "vscode/index.js"
    vscode.write_text(vscode.read_text().replace(str(SERVER), "/nowhere/server"))
    said = subprocess.run(run, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "cannot start '/nowhere/server'" in said and "tilewright.server" in said


def neovim(tmp_path, *commands):
    if not shutil.which("nvim"):
        pytest.skip("no nvim")
    file = tmp_path / "wrong.mlir"
    file.write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n")
    env = dict(os.environ, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}", HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path))
    lines = [word for command in commands for word in ("-c", command)]
    done = subprocess.run(["nvim", "--headless", "-u", EDITORS / "nvim/tilewright.lua", file, *lines, "-c", "qa!"], env=env, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def test_neovim_shows_diagnostics(tmp_path):
    said = neovim(tmp_path, "lua vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)",
                  "lua for _, d in ipairs(vim.diagnostic.get(0)) do io.stdout:write(d.lnum + 1 .. ': ' .. d.message) end")
    assert said.startswith("2: use of undeclared"), said


def test_neovim_without_the_server(tmp_path):
    said = neovim(tmp_path, "let g:tilewright_server = '/nowhere/server'", "doautocmd FileType")
    assert "no program '/nowhere/server'" in said, said
