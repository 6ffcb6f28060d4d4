// Starts ttmlir-lsp-server for MLIR files, and for kernels ttlang-sim --dap (Python) or tilewright sim --dap (MLIR, binaries); the settings
// tilewright.server, tilewright.debugger and tilewright.simulator name them.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const kernels = {
  createDebugAdapterDescriptor: (session) => {
    const names = vscode.workspace.getConfiguration("tilewright");
    return /\.(mlir|ttm)$/.test(session.configuration.program)
      ? new vscode.DebugAdapterExecutable(names.get("simulator"), ["sim", "--dap"])
      : new vscode.DebugAdapterExecutable(names.get("debugger"), ["--dap"]);
  },
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
