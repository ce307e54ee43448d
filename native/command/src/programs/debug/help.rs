//! Help on typed commands.

pub(super) const HELP: &str =
    "  s(tep)               to the next line, which may be in a called function
  n(ext)               to the next line of this function
  r(eturn)             to the caller
  parts                to the next part of this line's expressions that has a value, and shows
                       the line with it (flylead debug --parts)
  c(ontinue)           to the next breakpoint; Ctrl-C stops a running program
  unt(il) [LINE]       to a later line of this function, or to LINE: out of loops
  b(reak)              lists the breakpoints
  b(reak) PLACE[, CONDITION]   a breakpoint at LINE, FILE:LINE or FUNCTION
  tbreak PLACE         a breakpoint that is removed once the program stops there
  log PLACE TEXT       prints TEXT there, with expressions in {braces}, without stopping
  condition N [EXPR]   stop at breakpoint N only where EXPR is true
  hits N >=5           stop at breakpoint N only from the fifth time on; also 5, >5, <5, %5
  ignore N COUNT       pass breakpoint N the next COUNT times
  disable N, enable N  turns breakpoint N off, and on again
  commands N           runs the commands of the next lines at each stop there, up to end
                       or a command that continues; silent hides the stop
  cl(ear) [N]          removes breakpoint N, or all
  w(here)              the stack; the arrow marks the frame that commands refer to
  u(p) [N], d(own) [N] to a caller, and back
  l(ist) [LINE|A, B]   the source around the line, or from A to B; ll the whole function
  source FUNCTION      the source of a function
  a(rgs), locals, globals
  p EXPR, pp EXPR      a value with all its items; one item per line
  whatis EXPR          its type
  display EXPR         shows it at each stop; undisplay EXPR ends that, undisplay all
  type TEXT            what the program reads from stdin when it goes on
  ! STATEMENT          Python in this frame, as is any line that is not a command
  interact             every line is Python in this frame, until `exit` or Ctrl-D
  restart              runs the program from its beginning, with the same breakpoints
  q(uit)               ends the program
  One ;; two           two commands on a line
  An empty line repeats the last command. The commands of .pdbrc, in the home folder and
  in this one, run first; flylead debug --no-rc ignores them.";

/// Returns the correct usage of a command that was mistyped, or the reason why it does not exist.
pub(super) fn usage(word: &str) -> Option<&'static str> {
    Some(match word {
        "s" | "step" => "s takes no arguments; `!s` shows a variable of this name",
        "n" | "next" => "n takes no arguments; `!n` shows a variable of this name",
        "r" | "return" => "r takes no arguments; `!r` shows a variable of this name",
        "parts" => "parts takes no arguments; `!parts` shows a variable of this name",
        "c" | "cont" | "continue" => "c takes no arguments; `!c` shows a variable of this name",
        "q" | "quit" | "exit" => "q takes no arguments; `!q` shows a variable of this name",
        "w" | "where" | "bt" => "w takes no arguments; `!w` shows a variable of this name",
        "b" | "break" | "tbreak" => {
            "break LINE, break FILE:LINE or break FUNCTION, optionally followed by `, CONDITION`"
        }
        "log" => "log LINE TEXT, with expressions in braces: log 12 x is {x}",
        "ll" | "longlist" => "ll takes no arguments; `!ll` shows a variable of this name",
        "unt" | "until" => "until or until LINE",
        "l" | "list" => "l, l LINE, l FIRST, LAST or l .",
        "u" | "up" => "up or up N",
        "d" | "down" => "down or down N",
        "source" => "source FUNCTION",
        "p" | "pp" | "print" => "p EXPRESSION",
        "whatis" => "whatis EXPRESSION",
        "cl" | "clear" => "clear or clear N, where N is a breakpoint's number",
        "condition" => "condition N EXPRESSION, where N is a breakpoint's number",
        "hits" => "hits N >=5, where N is a breakpoint's number",
        "ignore" => "ignore N COUNT, where N is a breakpoint's number",
        "enable" => "enable N, where N is a breakpoint's number",
        "disable" => "disable N, where N is a breakpoint's number",
        "commands" => "commands N, where N is a breakpoint's number; a line `end` ends them",
        "j" | "jump" => "a board cannot jump: MicroPython alone decides where a function continues",
        "retval" | "rv" => {
            "the board does not keep what a function returned; step to the line that takes it"
        }
        "restart" | "run" => {
            "restart takes no arguments: the program keeps those it was started with"
        }
        "alias" | "unalias" => {
            "aliases are not supported; use `def` to define a function in the program"
        }
        "interact" => "interact takes no arguments",
        _ => return None,
    })
}
