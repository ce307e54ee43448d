--- A session of nvim-dap in Neovim, which has no other plugins. NVIM_DAP names the plugin's folder, FLYLEAD the command, BOARD the board's port, PROGRAM the program.

local function say(word)
  io.stderr:write(word .. '\n')
end

--- Waits until `condition` gives something, which is `what` the session waits for, and gives it back.
local function await(what, condition)
  local found
  vim.wait(60000, function()
    found = condition()
    return found
  end, 20)
  if not found then
    say('never ' .. what)
    vim.cmd('cquit 1')
  end
  return found
end

vim.opt.runtimepath:append(vim.env.NVIM_DAP)
local dap = require('dap')

dap.adapters.flylead = {
  type = 'executable',
  command = vim.env.FLYLEAD,
  args = { '--port', vim.env.BOARD, 'debug', '--dap' },
}

local output, code = '', nil
dap.listeners.after.event_output['test'] = function(_, body)
  if body.category == 'stdout' then
    output = output .. body.output
  end
end
dap.listeners.after.event_exited['test'] = function(_, body)
  code = body.exitCode
end

--- The frame that nvim-dap shows, if the program is stopped at this line.
local function frame_at(line)
  local session = dap.session()
  local frame = session and session.stopped_thread_id and session.current_frame
  return frame and frame.line == line and frame
end

--- The value of a variable of the frame, as its scopes have it.
local function variable(name)
  local frame = dap.session().current_frame
  for _, scope in ipairs(frame and frame.scopes or {}) do
    local found = (scope.variables or {})[name]
    for _, it in pairs(scope.variables or {}) do
      if it.name == name then
        found = it
      end
    end
    if found then
      return found.value
    end
  end
end

vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.PROGRAM))
vim.fn.search('# here')
dap.set_breakpoint()
dap.run({ type = 'flylead', request = 'launch', name = 'on the board', program = vim.env.PROGRAM })
say('stopped in ' .. await('stopped', function() return frame_at(2) end).name)
say('n is ' .. await('variables', function() return variable('n') end))
dap.step_over()
await('stepped', function() return frame_at(3) end)
say('m is ' .. await('variables', function() return variable('m') end))
dap.continue()
await('exited', function() return code end)
await('over', function() return not dap.session() end)
say('over with ' .. code .. ' and ' .. vim.trim(output))
vim.cmd('qall!')
