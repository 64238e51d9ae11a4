-- Drives Neovim, old and new, through all that it has of language servers, and writes down what its user sees.
-- The script is a coroutine: it goes on when what it waits for has come, and Neovim acts on keys meanwhile.
local seen = {}
local script
local waiting, since = nil, nil

local function until_true(what, condition)
  waiting, since = { what = what, condition = condition }, vim.loop.now()
  coroutine.yield()
end

local function fail(text)
  io.stderr:write(text .. "\n")
  vim.cmd("cquit")
end

local function step()
  -- Neovim runs timers while the script waits for an answer inside a function of Neovim.
  if coroutine.status(script) ~= "suspended" then
    return
  end
  if waiting and not waiting.condition() then
    if vim.loop.now() - since > 20000 then
      fail("no " .. waiting.what .. "; messages: " .. vim.fn.execute("messages"))
    end
    return
  end
  waiting = nil
  local good, err = coroutine.resume(script)
  if not good then
    fail(debug.traceback(script, err))
  end
end

local function keys(text)
  vim.api.nvim_input(text)
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

local function name_of(buffer)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":.")
end

local function clients()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  local found = get()
  for _, client in pairs(found) do
    return client
  end
end

local function edit(file)
  vim.cmd("edit " .. file)
  vim.bo.autoindent = false
  vim.bo.indentexpr = ""
  until_true("attached client", function()
    local client = clients()
    return client and vim.lsp.buf_is_attached(0, client.id)
  end)
end

--- Puts the cursor behind the first `mark` of the buffer.
local function go(mark)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search("\\V" .. vim.fn.escape(mark, "\\"), "cW") > 0, mark)
  vim.fn.cursor(0, vim.fn.col(".") + #mark)
end

local function cursor()
  return string.format("%s:%d:%d", name_of(0), vim.fn.line("."), vim.fn.col("."))
end

--- The places in a quickfix or location list.
local function places(list)
  local found = {}
  for _, item in ipairs(list) do
    table.insert(found, string.format("%s:%d:%d: %s", name_of(item.bufnr), item.lnum, item.col, item.text))
  end
  table.sort(found)
  return found
end

--- Calls `ask`, and waits for the list that it fills.
local function listed(what, ask)
  vim.fn.setqflist({}, "r")
  vim.fn.setloclist(0, {}, "r")
  local window = vim.fn.win_getid()
  ask()
  until_true(what, function()
    return #vim.fn.getqflist() > 0 or #vim.fn.getloclist(window) > 0
  end)
  local list = vim.fn.getqflist()
  seen[what] = places(#list > 0 and list or vim.fn.getloclist(window))
  vim.cmd("cclose | lclose")
end

local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

--- Calls `ask`, and notes the lines of the window that it opens.
local function shown(what, ask)
  ask()
  until_true(what, floating)
  local window = floating()
  seen[what] = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true)
  vim.api.nvim_win_close(window, true)
end

--- Calls `act`, and notes the text of the buffer when it has changed.
local function changed(what, act)
  local before = vim.api.nvim_buf_get_changedtick(0)
  act()
  until_true(what, function()
    return vim.api.nvim_buf_get_changedtick(0) ~= before
  end)
  seen[what] = lines()
end

--- Types `text` in place of the second line, takes the first completion, and notes what was offered and the line.
local function completed(what, text)
  vim.fn.cursor(2, 1)
  keys("cc" .. text .. "<C-x><C-o>")
  until_true("menu of " .. what, function()
    return vim.fn.pumvisible() == 1
  end)
  local words = {}
  for _, item in ipairs(vim.fn.complete_info({ "items" }).items) do
    table.insert(words, item.abbr ~= "" and item.abbr or item.word)
  end
  keys("<C-y><Esc>")
  until_true("end of " .. what, function()
    return vim.fn.mode() == "n" and vim.fn.pumvisible() == 0
  end)
  seen[what] = { offered = words, line = vim.fn.getline(2) }
end

local function problems()
  local found = {}
  for _, problem in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, {
      problem.lnum, problem.col, problem.end_col, problem.severity, problem.source, problem.message,
    })
  end
  return found
end

--- The marks in the namespaces whose name has `part`.
local function marks(part)
  local found = {}
  for name, id in pairs(vim.api.nvim_get_namespaces()) do
    if name:find(part, 1, true) then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true })) do
        local text = ""
        for _, piece in ipairs(mark[4].virt_text or {}) do
          text = text .. piece[1]
        end
        for _, line in ipairs(mark[4].virt_lines or {}) do
          for _, piece in ipairs(line) do
            text = text .. piece[1]
          end
        end
        table.insert(found, { mark[2] + 1, mark[3] + 1, mark[4].hl_group or "", text })
      end
    end
  end
  table.sort(found, function(a, b)
    return a[1] < b[1] or a[1] == b[1] and a[2] < b[2]
  end)
  return found
end

local function marked(what, part, ask)
  ask()
  until_true(what, function()
    return #marks(part) > 0
  end)
  seen[what] = marks(part)
end

local function reading()
  edit("main.tf")
  go("= local.pre")
  shown("hover", vim.lsp.buf.hover)
  marked("highlight", "references", vim.lsp.buf.document_highlight)
  vim.lsp.buf.clear_references()
  for what, jump in pairs({ definition = vim.lsp.buf.definition, declaration = vim.lsp.buf.declaration }) do
    vim.cmd("edit main.tf")
    go("var.st")
    jump()
    until_true(what, function()
      return name_of(0) == "variables.tf"
    end)
    seen[what] = cursor()
  end
  listed("references", function() vim.lsp.buf.references() end)
  vim.cmd("edit main.tf")
  listed("document symbols", function() vim.lsp.buf.document_symbol() end)
  listed("workspace symbols", function() vim.lsp.buf.workspace_symbol("sto") end)
  vim.cmd("edit child/main.tf")
  vim.fn.cursor(1, 1)
  listed("incoming calls", vim.lsp.buf.incoming_calls)
  vim.cmd("silent! only")
  vim.cmd("edit main.tf")
  go("format(")
  shown("signature", vim.lsp.buf.signature_help)
  marked("lenses", "codelens", function() vim.lsp.codelens.refresh({ bufnr = 0 }) end)
end

local function fixing()
  edit("broken.tf")
  until_true("problems", function()
    return #vim.diagnostic.get(0) > 0
  end)
  seen["problems"] = problems()
  vim.diagnostic.setqflist({ open = false })
  seen["problems in the list"] = places(vim.fn.getqflist())
  local titles = {}
  vim.ui.select = function(items, options, take)
    for _, item in ipairs(items) do
      local title = options.format_item(item)
      table.insert(titles, title)
    end
    take(items[1], 1)
  end
  go("var.sta")
  changed("code action", vim.lsp.buf.code_action)
  seen["titles of code actions"] = titles
  until_true("end of the problems", function()
    return #vim.diagnostic.get(0) == 0
  end)
end

local function writing()
  edit("typing.tf")
  completed("completion", "  typed = var.")
  completed("completion of a function", "  typed = timeadd")
  edit("main.tf")
  go("= local.pre")
  changed("rename", function() vim.lsp.buf.rename("start") end)
  edit("layout.tf")
  changed("format", vim.lsp.buf.format or vim.lsp.buf.formatting)
  vim.cmd("undo")
  vim.fn.cursor(2, 1)
  if vim.lsp.buf.format then
    changed("format lines", function()
      vim.lsp.buf.format({ range = { start = { 2, 0 }, ["end"] = { 2, 5 } } })
    end)
  else
    changed("format lines", function() vim.lsp.buf.range_formatting({}, { 2, 0 }, { 2, 5 }) end)
  end
end

--- What only newer versions have.
local function colours()
  edit("main.tf")
  until_true("tokens", function()
    return #marks("semantic_tokens") > 0
  end)
  local found = {}
  for _, place in ipairs({ { 0, 0 }, { 4, 0 }, { 5, 3 }, { 6, 16 }, { 13, 15 }, { 15, 14 } }) do
    for _, token in ipairs(vim.lsp.semantic_tokens.get_at_pos(0, place[1], place[2]) or {}) do
      table.insert(found, { place, token.type, vim.tbl_keys(token.modifiers) })
    end
  end
  seen["tokens"] = found
  vim.lsp.inlay_hint.enable(true)
  until_true("hints", function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  found = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    table.insert(found, { hint.inlay_hint.position.line, hint.inlay_hint.position.character, hint.inlay_hint.label })
  end
  seen["hints"] = found
  vim.wo.foldmethod = "expr"
  vim.wo.foldexpr = "v:lua.vim.lsp.foldexpr()"
  until_true("folds", function()
    return vim.fn.foldlevel(5) > 0
  end)
  found = {}
  for line = 1, vim.fn.line("$") do
    table.insert(found, vim.fn.foldlevel(line))
  end
  seen["folds"] = found
  vim.wo.foldenable = false
end

--- The menu of 0.11 opens by itself, and knows snippets.
local function typed_menu()
  edit("typing.tf")
  vim.lsp.completion.enable(true, clients().id, 0, { autotrigger = true })
  vim.fn.cursor(2, 1)
  keys("cc  typed = var.")
  until_true("menu while typing", function()
    return vim.fn.pumvisible() == 1
  end)
  keys("<C-y><Esc>")
  until_true("end of the menu", function()
    return vim.fn.mode() == "n"
  end)
  seen["menu while typing"] = vim.fn.getline(2)
end

script = coroutine.create(function()
  vim.o.completeopt = "menuone,noinsert"
  edit("broken.tf")
  reading()
  if vim.lsp.inlay_hint then
    colours()
  end
  fixing()
  writing()
  if vim.lsp.completion then
    typed_menu()
  end
  local file = assert(io.open(vim.env.EDITOR_SEEN, "w"))
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd("qall!")
end)

vim.api.nvim_create_autocmd("VimEnter", {
  callback = function()
    vim.loop.new_timer():start(0, 10, vim.schedule_wrap(step))
  end,
})
