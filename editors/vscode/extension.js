// Starts ttmlir-lsp-server for MLIR files, and ttlang-sim --dap for kernels; the settings tilewright.server and tilewright.debugger name them.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const kernels = {
  createDebugAdapterDescriptor: () =>
    new vscode.DebugAdapterExecutable(vscode.workspace.getConfiguration("tilewright").get("debugger"), ["--dap"]),
  // "Run and Debug" on a file without a launch.json
  resolveDebugConfiguration: (folder, asked) =>
    asked.type ? asked : { type: "tilewright", request: "launch", name: "Kernel", program: "${file}" },
};

exports.activate = async function (context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("tilewright", kernels),
    vscode.debug.registerDebugConfigurationProvider("tilewright", kernels));
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
