/** Button that mounts the opened folder on the board, and unmounts it. */

import { AT } from "../../boards/connection/mounted.ts";
import { texts } from "../../texts/tools/files.ts";
import type { FolderPlace } from "../../places/folder.ts";

export class MountButton {
  readonly #button: HTMLElement;
  #folder: FolderPlace | undefined;
  #mounted: FileSystemDirectoryHandle | undefined;
  #canMount = false;

  constructor(button: HTMLElement) {
    this.#button = button;
  }

  /** True if the opened folder is mounted on the board. */
  get isMounted(): boolean {
    return this.#mounted !== undefined && this.#mounted === this.#folder?.handle;
  }

  /** Handles the opening of another folder. */
  open(folder: FolderPlace): void {
    this.#folder = folder;
    this.#draw();
  }

  /** Shows the mounted folder, and whether mounting is possible. */
  show(mounted: FileSystemDirectoryHandle | undefined, canMount: boolean): void {
    [this.#mounted, this.#canMount] = [mounted, canMount];
    this.#draw();
  }

  #draw(): void {
    const [button, folder] = [this.#button, this.#folder];
    button.hidden = !folder;
    if (!folder) return;
    button.ariaDisabled = String(!this.#canMount);
    button.ariaPressed = String(this.isMounted);
    button.textContent = this.isMounted ? texts.mounted({ at: AT }) : texts.mount;
    button.title = this.isMounted ? texts.unmountTitle : texts.mountTitle({ at: AT });
  }
}
