/** Texts that would do something if the page took them for more than texts. Each would call `out`, leave the page, or change what it has. */

export const TEXTS = [
  "<script>out()</script>",
  "<img src=x onerror=out()>",
  "<svg onload=out()>",
  '"><img src=x onerror=out()>',
  "'><img src=x onerror=out()>",
  "</textarea><img src=x onerror=out()>",
  "</title><script>out()</script>",
  '<iframe srcdoc="<script>parent.out()</script>">',
  "<iframe src=javascript:parent.out()>",
  "<input autofocus onfocus=out()>",
  "<details open ontoggle=out()>",
  "<a href=javascript:out() id=run>Run</a>",
  "[Run](javascript:out())",
  "![x](https://evil.invalid/x.png)",
  "<base href=https://evil.invalid/>",
  "<link rel=stylesheet href=https://evil.invalid/x.css>",
  "<style>*{background:url(https://evil.invalid/x)}</style>",
  "<meta http-equiv=refresh content='0;url=https://evil.invalid/'>",
  "<form action=https://evil.invalid/><button id=stop>",
  "<object data=https://evil.invalid/x>",
  "<template shadowrootmode=open><img src=x onerror=out()></template>",
  "javascript:out()",
  "${out()}{{out()}}<%= out() %>",
  "__proto__",
  "constructor",
  "\u202eyp.tuo",
];

/** Output of a board that a terminal may obey. */
export const SEQUENCES = [
  "\x1b]0;taken over\x07",
  "\x1b]2;taken over\x1b\\",
  "\x1b]52;c;b3V0\x07",
  "\x1b]8;;javascript:out()\x07click\x1b]8;;\x07",
  "\x1b]8;;https://evil.invalid/\x07click\x1b]8;;\x07",
  "\x1b]1337;File=inline=1:PHNjcmlwdD4=\x07",
  "\x1b]7;file://evil.invalid/\x07",
  "\x1bPtmux;\x1b\x1b]52;c;b3V0\x07\x1b\\",
  "\x1bP$q\"p\x1b\\",
  "\x1b[21t",
  "\x1b[3;1000;1000t",
  "\x1b[8;1;1t",
  "\x1b[?1003h",
  "\x1b[?1049h",
  "\x1b[99999999999999999999A",
  "\x1b[38;2;999;999;999m",
  "\x1b_Gf=100;AAAA\x1b\\",
  "https://evil.invalid/?a=<img src=x onerror=out()>",
];

/** Names that a file may have on a board: any text without a slash. */
export const NAMES = TEXTS.filter((text) => !text.includes("/"));

/** Packages of an index, whose metadata is a stranger's: words for a person, and places for files. */
export const PACKAGES = TEXTS.slice(0, 12).map((text, n) => ({ name: `guest${n}`, version: text, description: text, license: text }));
export const PATHS = ["../../boot.py", "/boot.py\0.txt", "lib/../../boot.py", "", "x".repeat(5000), "__proto__"];

/** Replies that an LLM may have been talked into. */
export const REPLIES = [
  ...TEXTS.slice(0, 10).map((text) => `[MESSAGE]\n${text}\n[/MESSAGE]\n[CREATE_FILE path="note.txt"]\n${text}\n[/CREATE_FILE]\n`),
  '[CREATE_FILE path="../../etc/passwd"]\nx\n[/CREATE_FILE]\n',
  '[CREATE_FILE path="<img src=x onerror=out()>.txt"]\n<img src=x onerror=out()>\n[/CREATE_FILE]\n',
];
