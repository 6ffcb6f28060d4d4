// Starts ttmlir-lsp-server for MLIR files; the setting tilewright.server names it.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function () {
  const command = vscode.workspace.getConfiguration("tilewright").get("server");
  client = new LanguageClient("tilewright", "Tilewright", { command }, { documentSelector: [{ language: "mlir" }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `Tilewright: cannot start '${command}': ${error.message}. Install the package (pip install .), or set tilewright.server.`);
  }
};

exports.deactivate = () => client && client.stop();
