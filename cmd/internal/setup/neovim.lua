-- Starts `arbor lsp` for Markdown files.
local command = { "{{COMMAND}}", "lsp" }
local roots = { "arbor.toml", ".tanmi-workspace", ".git" }

-- At a save Neovim asks whether to overwrite a file that has changed on the disk, also with `!`. For these buffers the
-- server has put the change into the text already, and Arbor joins whatever a save still lacks: this does not ask.
local function answer(buf)
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(ev)
      if ev.match ~= vim.api.nvim_buf_get_name(buf) or vim.bo[buf].fileformat == "mac" then
        vim.cmd("noautocmd write " .. vim.fn.fnameescape(ev.match))
        return
      end
      vim.api.nvim_exec_autocmds("BufWritePre", { buffer = buf, modeline = false })
      local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      if vim.bo[buf].fileformat == "dos" then
        lines = vim.tbl_map(function(line) return line .. "\r" end, lines)
      end
      if vim.bo[buf].bomb then
        lines[1] = "\239\187\191" .. lines[1]
      end
      local whole = vim.bo[buf].endofline or vim.bo[buf].fixendofline
      if vim.fn.writefile(lines, ev.match, whole and "" or "b") == 0 then
        vim.bo[buf].modified = false
        vim.api.nvim_exec_autocmds("BufWritePost", { buffer = buf, modeline = false })
      end
    end,
  })
  vim.api.nvim_create_autocmd("FileChangedShell", {
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = vim.bo[buf].modified and "" or "reload"
    end,
  })
end

local function attached(client, buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if client and client.name == "arbor" and (name:find("/nodes/.*/Node%.md$") or name:find("/Workspace%.md$")) then
    answer(buf)
  end
end

if vim.lsp.config and vim.lsp.enable then
  vim.lsp.config("arbor", { cmd = command, filetypes = { "markdown" }, root_markers = roots })
  vim.lsp.enable("arbor")
elseif vim.lsp.start then -- before 0.11
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "markdown",
    callback = function(ev)
      local found = vim.fs.find(roots, { upward = true, path = vim.fs.dirname(ev.file) })[1]
      if found then
        vim.lsp.start({ name = "arbor", cmd = command, root_dir = vim.fs.dirname(found) })
      end
    end,
  })
else -- before 0.8
  local id
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "markdown",
    callback = function(ev)
      id = id or vim.lsp.start_client({ name = "arbor", cmd = command, root_dir = vim.fn.getcwd(), on_attach = attached })
      vim.lsp.buf_attach_client(ev.buf, id)
    end,
  })
end

if vim.lsp.start then
  vim.api.nvim_create_autocmd("LspAttach", {
    callback = function(ev)
      attached(vim.lsp.get_client_by_id(ev.data.client_id), ev.buf)
    end,
  })
end
