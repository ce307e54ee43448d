/** Finds the page of MicroPython's documentation about a name in a program. */

/** Returns the page about `name` in this program: `Pin`, `time.sleep_ms`, `led.value`. */
export function pageAbout(name: string, program: string): string {
  const full = resolve(name.split("."), program);
  const [module = "", ...rest] = full;
  if (module === "") return `${LIBRARY}index.html`;
  if (module === "microbit") return MICROBIT;
  if (full.length === 1 && BUILTINS.has(module)) return `${LIBRARY}builtins.html#${module}`;
  if (!MODULES.has(module)) return `${SEARCH}${encodeURIComponent(full.at(-1)!)}`;
  const page = rest[0] && CLASSES[module]?.includes(rest[0]) ? `${module}.${rest[0]}` : module;
  return `${LIBRARY}${page}.html${rest.length > 0 ? `#${full.join(".")}` : ""}`;
}

/** Traces the name back to an import: `led.on` of `led = Pin(2)` of `from machine import Pin` is `machine.Pin.on`. */
export function resolve(name: string[], program: string): string[] {
  const imported = importsOf(program);
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const [first = "", ...rest] = name;
    const source = imported.get(first) ?? classOf(first, program);
    if (!source) break;
    name = [...source.split("."), ...rest];
    if (imported.has(first)) break;
  }
  // Until 1.26, CPython's module names also existed with a prefix u (docs/library/index.rst).
  const [module = "", ...rest] = name;
  const plain = /^u[a-z]/.test(module) && !MODULES.has(module) ? module.slice(1) : module;
  return [MODULES.has(plain) ? plain : module, ...rest];
}

/** Returns the meaning of each imported name. */
function importsOf(program: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, modules] of program.matchAll(/^[ \t]*import[ \t]+(.+)$/gm)) {
    for (const [, module, alias] of modules!.matchAll(/([\w.]+)(?:[ \t]+as[ \t]+(\w+))?/g)) names.set(alias ?? module!.split(".")[0]!, alias ? module! : module!.split(".")[0]!);
  }
  for (const [, module, list] of program.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w \t,]+)/gm)) {
    for (const [, name, alias] of list!.matchAll(/(\w+)(?:[ \t]+as[ \t]+(\w+))?/g)) names.set(alias ?? name!, `${module}.${name}`);
  }
  return names;
}

/** Returns the class of a variable's value, if it is obvious. */
function classOf(name: string, program: string): string | undefined {
  return /^\w+$/.test(name) ? new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*([\\w.]+)\\(`, "m").exec(program)?.[1] : undefined;
}

const SITE = "https://docs.micropython.org/en/latest/";
const LIBRARY = `${SITE}library/`;
const SEARCH = `${SITE}search.html?q=`;
const MICROBIT = "https://microbit-micropython.readthedocs.io/en/v2-docs/";
/** Limit of assignments to follow; longer chains help nobody. */
const MOST_STEPS = 3;

/** Modules with a page (MicroPython 1.27, docs/library/index.rst). */
const MODULES: ReadonlySet<string> = new Set(
  "array asyncio binascii builtins cmath collections errno gc gzip hashlib heapq io json marshal math os platform random re select socket ssl struct sys time zlib _thread bluetooth btree cryptolib deflate framebuf machine micropython neopixel network openamp uctypes vfs pyb stm lcd160cr wipy esp esp32 espnow rp2 zephyr".split(" "),
);
/** Classes with a page of their own, by module. */
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  machine: "Pin Signal ADC ADCBlock PWM UART SPI I2C I2CTarget I2S RTC Timer Counter Encoder WDT SD SDCard USBDevice".split(" "),
  network: "WLAN WLANWiPy WIZNET5K LAN PPP".split(" "),
  pyb: "Accel ADC CAN DAC ExtInt I2C LCD LED Pin RTC Servo SPI Switch Timer UART USB_HID USB_VCP".split(" "),
  rp2: "DMA Flash PIO StateMachine".split(" "),
};
const BUILTINS: ReadonlySet<string> = new Set(
  "abs all any bin bool bytearray bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec filter float frozenset getattr globals hasattr hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type zip".split(" "),
);
