/** The boards that there are, and the one that is in use. */

import * as vscode from "vscode";

/** Time between two looks at the USB ports, in milliseconds. */
const PERIOD = 2_000;
/** Key of the workspace's state under which the board in use is kept. */
const CHOSEN = "flylead.board";

/** A board, by its address. */
export interface Board {
  /** Address in the form that `flylead -p` takes. */
  readonly address: string;
  readonly name: string;
  /** Maker and product by its USB descriptors. */
  readonly about: string;
}

/** Use of a board, for the list. */
export interface Uses {
  /** Returns the board's use in a few words. */
  words(address: string): string | undefined;
  /** Returns more about it, a line each. */
  details(address: string): readonly string[];
}

/** The list of boards, which follows what is plugged in while anybody looks. */
export class Boards implements vscode.TreeDataProvider<Board>, vscode.Disposable {
  #boards: readonly Board[] = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #drawn = new vscode.EventEmitter<void>();
  readonly #timer: ReturnType<typeof setInterval>;
  #looking: Promise<void> | undefined;
  /** Uses of the boards as they were drawn. */
  #drawnUses = "";
  /** Other boards are there, or another one is in use. */
  readonly onDidChange = this.#changed.event;
  readonly onDidChangeTreeData = this.#drawn.event;

  constructor(
    private readonly find: () => Promise<readonly Board[]>,
    private readonly state: vscode.Memento,
    private readonly uses: Uses,
  ) {
    this.#timer = setInterval(() => void (vscode.window.state.focused && this.look().catch(() => {})), PERIOD);
  }

  /** Addresses of all boards. */
  get all(): readonly Board[] {
    return this.#boards;
  }

  /** The board in use: the one that was chosen, or the only one. No other one takes the place of a chosen one that is away. */
  get current(): Board | undefined {
    const chosen = this.state.get<string>(CHOSEN);
    if (chosen) return this.#boards.find((board) => board.address === chosen);
    return this.#boards.length === 1 ? this.#boards[0] : undefined;
  }

  /** The board at an address, which may be away. */
  at(address: string): Board {
    return this.#boards.find((board) => board.address === address) ?? network(address);
  }

  /** Draws the list again, as what is done on boards has changed. */
  redraw(): void {
    this.#drawn.fire();
  }

  async choose(board: Board): Promise<void> {
    await this.state.update(CHOSEN, board.address);
    this.#changed.fire();
    this.#drawn.fire();
  }

  /** Returns the board in use, or asks which. */
  async require(): Promise<Board> {
    if (this.current) return this.current;
    await this.look();
    if (this.current) return this.current;
    if (this.#boards.length === 0) throw new Error("No board is plugged in. One in the network is named in the setting flylead.addresses.");
    const picked = await vscode.window.showQuickPick(
      this.#boards.map((board) => ({ label: board.name, description: board.about, board })),
      { title: "Which board?" },
    );
    if (!picked) throw new vscode.CancellationError();
    await this.choose(picked.board);
    return picked.board;
  }

  /** Looks what is plugged in; one look at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const named = vscode.workspace.getConfiguration("flylead").get<string[]>("addresses", []);
    const found = [...(await this.find()), ...named.map(network)];
    const uses = JSON.stringify(found.map(({ address }) => this.uses.words(address)));
    const isOtherUse = uses !== this.#drawnUses;
    this.#drawnUses = uses;
    if (JSON.stringify(found) === JSON.stringify(this.#boards)) {
      if (isOtherUse) this.#drawn.fire();
      return;
    }
    this.#boards = found;
    await vscode.commands.executeCommand("setContext", "flylead.hasBoard", found.length > 0);
    this.#changed.fire();
    this.#drawn.fire();
  }

  getChildren(): Board[] {
    return [...this.#boards];
  }

  getTreeItem(board: Board): vscode.TreeItem {
    const item = new vscode.TreeItem(board.name);
    const isUsed = board.address === this.current?.address;
    item.id = board.address;
    item.description = [this.uses.words(board.address) ?? (isUsed ? "in use" : ""), board.about].filter(Boolean).join(" · ");
    item.tooltip = [board.name, ...this.uses.details(board.address)].join("\n");
    item.iconPath = new vscode.ThemeIcon(isUsed ? "circuit-board" : "circle-outline");
    item.command = { command: "flylead.choose", title: "Use This Board", arguments: [board] };
    return item;
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#changed.dispose();
    this.#drawn.dispose();
  }
}

/** A password in the address is not shown. */
function network(address: string): Board {
  return { address, name: address.replace(/\/\/:[^@]*@/, "//"), about: "named in the settings" };
}
