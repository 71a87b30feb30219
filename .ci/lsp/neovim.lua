-- Runs Neovim with what arbor setup neovim writes beside arbor lsp:
--     PROJECT=... nvim --headless NODE.md -S neovim.lua      PROJECT has a node "Sign-in endpoint", NODE.md is its file
local function has(text)
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find(text, 1, true)
end

local function ensure(what, is)
  if not vim.wait(20000, is, 50) then
    io.stderr:write("no " .. what .. ":\n" .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n")
    vim.cmd("cquit")
  end
  print("ok: " .. what .. " in Neovim\n")
end

local function replace(old, new)
  vim.cmd("silent %s/" .. old .. "/" .. new .. "/")
end

ensure("the server", function() return #vim.lsp.buf_get_clients(0) == 1 end)
replace("status: pending", "status: nonsense")
ensure("a finding", function()
  local found = vim.diagnostic.get(0)[1]
  return found and found.code == "STATUS_INVALID" or found and found.message:find("nonsense")
end)
replace("status: nonsense", "status: pending")
replace("what to do", "what to do, unsaved")
vim.fn.search("^title: ")
vim.lsp.buf.rename("Endpoint")
ensure("a rename in all files", function()
  return has("title: Endpoint") and vim.fn.readfile(vim.fn.expand("%"))[3] == "title: Endpoint"
end)
vim.fn.system("cd " .. vim.env.PROJECT .. " && arbor start Endpoint")
ensure("what another process committed in the unsaved text", function()
  return has("status: implementing") and has("what to do, unsaved")
end)
vim.cmd("checktime")
vim.cmd("write")
ensure("a save without a question", function()
  return table.concat(vim.fn.readfile(vim.fn.expand("%")), "\n"):find("what to do, unsaved") and not vim.bo.modified
end)
vim.cmd("qall!")
