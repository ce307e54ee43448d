/** The words that tests use about the files panel. */

export class Files {
  #app;
  #page;

  constructor(app) {
    this.#app = app;
    this.#page = app.page;
  }

  /** Opens the panel, and waits until the board's files are listed unless `list` says not to. */
  static async open(app, { list = true } = {}) {
    const files = new Files(app);
    await app.page.locator("#files-toggle").click();
    await app.page.locator("#files .strip").waitFor();
    if (list) await app.button("List the board's files again").waitFor();
    if (list) await app.page.locator("#files .space", { hasText: "free" }).waitFor();
    await app.waitForState("ready");
    return files;
  }

  tree(label = "Files on the board") {
    return this.#page.getByRole("tree", { name: label });
  }

  row(path, label) {
    return (label ? this.tree(label) : this.#page.locator("#files")).locator(`[data-path="${path}"]`).first();
  }

  async rows(label) {
    return this.tree(label).getByRole("treeitem").evaluateAll((items) => items.map((item) => item.dataset.path));
  }

  waitForRow(path, label) {
    return this.row(path, label).waitFor();
  }

  waitForNoRow(path) {
    return this.row(path).waitFor({ state: "detached" });
  }

  async newFile(name) {
    await this.#app.button("New file").click();
    await this.answer(name);
    await this.waitForRow(`/${name}`);
    await this.#tab(name).and(this.#page.locator("[aria-current]")).waitFor();
    await this.#app.waitForState("ready");
  }

  /** Types into the dialog and agrees. */
  async answer(text) {
    await this.#page.getByRole("dialog").getByRole("textbox").fill(text);
    await this.#page.keyboard.press("Enter");
  }

  #tab(name) {
    return this.#page.locator("#tabs button", { hasText: name });
  }

  async show(name) {
    await this.#tab(name).click();
    await this.#tab(name).and(this.#page.locator("[aria-current]")).waitFor();
  }

  waitForUnsaved(name) {
    return this.#page.locator("#tabs button:has(.unsaved)", { hasText: name }).waitFor();
  }

  async waitForSaved(name) {
    await this.#page.locator("#tabs button:not(:has(.unsaved))", { hasText: name }).waitFor();
    await this.#app.waitForState("ready");
  }

  upload(files) {
    return this.#page.locator("[data-is=files]").setInputFiles(files);
  }

  /** Selects a row without opening it. */
  async select(path) {
    await this.row(path).focus();
    const at = (await this.rows()).indexOf(path);
    await this.#page.keyboard.press("Home");
    for (let step = 0; step < at; step++) await this.#page.keyboard.press("ArrowDown");
  }

  async download() {
    const coming = this.#page.waitForEvent("download");
    await this.#page.getByRole("button", { name: "Download", exact: true }).click();
    return coming;
  }

  /** Drops files and folders, given by their paths and texts, on the board's tree or elsewhere, as a browser does. */
  async drop(texts, where = "[role=tree]") {
    await this.#page.evaluate(([texts, where]) => {
      const entry = (path) => ({ isFile: true, isDirectory: false, name: path.split("/").pop(), file: (give) => give(new File([texts[path]], path.split("/").pop())) });
      const folder = (prefix) => {
        const names = new Set(Object.keys(texts).filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length).split("/")[0]));
        return [...names].map((name) => {
          const path = prefix + name;
          if (path in texts) return entry(path);
          let read = false;
          const readEntries = (give) => give(read ? [] : ((read = true), folder(`${path}/`)));
          return { isFile: false, isDirectory: true, name, createReader: () => ({ readEntries }) };
        });
      };
      const event = new DragEvent("drop", { bubbles: true, cancelable: true });
      const items = folder("").map((one) => ({ webkitGetAsEntry: () => one }));
      Object.defineProperty(event, "dataTransfer", { value: { items, getData: () => "" } });
      document.querySelector(`#files ${where}`).dispatchEvent(event);
    }, [texts, where]);
  }

  /** Drags a row of one tree onto another tree. */
  async drag(path, label) {
    const from = this.row(path, label === "Files on the board" ? "Files of this computer" : "Files on the board");
    const transfer = await this.#page.evaluateHandle(() => new DataTransfer());
    await from.dispatchEvent("dragstart", { dataTransfer: transfer });
    await this.tree(label).dispatchEvent("drop", { dataTransfer: transfer });
  }

  /** Lets the person pick a folder with these files in it: a real one, of the browser's own. */
  async openFolder(texts) {
    await this.#page.evaluate(async (texts) => {
      const root = await navigator.storage.getDirectory();
      for (const [name, text] of Object.entries(texts)) {
        const stream = await (await root.getFileHandle(name, { create: true })).createWritable();
        await stream.write(text);
        await stream.close();
      }
      window.showDirectoryPicker = async () => root;
    }, texts);
    await this.#app.button("Open a folder of this computer").click();
    await this.waitForRow(`/${Object.keys(texts)[0]}`, "Files of this computer");
  }

  inFolder(name) {
    return this.#page.evaluate(async (name) => {
      const root = await navigator.storage.getDirectory();
      return (await (await root.getFileHandle(name)).getFile()).text();
    }, name);
  }
}
