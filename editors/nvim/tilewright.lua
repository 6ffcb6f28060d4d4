-- Language server for MLIR files in Neovim 0.7 and later: copy this file to ~/.config/nvim/plugin/.
-- vim.g.tilewright_server names the server where it is not on PATH.
vim.cmd("autocmd BufRead,BufNewFile *.mlir setfiletype mlir")

-- Neovim 0.7 has no vim.lsp.start.
local start = vim.lsp.start or function(config)
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(config))
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = "mlir",
  callback = function()
    local server = vim.g.tilewright_server or "ttmlir-lsp-server"
    if vim.fn.executable(server) == 0 then
      vim.notify("tilewright: no program '" .. server .. "'; install the package, or set vim.g.tilewright_server", vim.log.levels.WARN)
      return
    end
    local git = vim.fn.finddir(".git", vim.fn.expand("%:p:h") .. ";")
    start({ name = "tilewright", cmd = { server }, root_dir = git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or vim.fn.getcwd() })
    vim.bo.commentstring = "// %s"
  end,
})
