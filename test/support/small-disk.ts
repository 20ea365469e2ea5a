/** A disk of a few KB, which a test may fill. Root alone may mount one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Why there can be none, or null. */
export const noSmallDisk = process.getuid?.() === 0 && process.platform === "linux" ? null : "needs root on Linux";

export class SmallDisk implements Disposable {
  readonly #folder: string;

  /** Mounts it over a folder, which is made. */
  constructor(folder: string, bytes: number) {
    mkdirSync(folder, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
    this.#folder = folder;
  }

  /** Leaves no room but for `bytes`. */
  fill(bytes: number): void {
    this.empty();
    const page = Buffer.alloc(4096);
    for (let size = 0; ; size += page.length) {
      try {
        writeFileSync(join(this.#folder, "ballast"), page, { flag: "a" });
      } catch {
        // Full: what was asked for is given back. Cut, not written anew: others may write meanwhile.
        truncateSync(join(this.#folder, "ballast"), Math.max(0, size - bytes));
        return;
      }
    }
  }

  /** Gives the room back. */
  empty(): void {
    rmSync(join(this.#folder, "ballast"), { force: true });
  }

  [Symbol.dispose](): void {
    execFileSync("umount", ["-l", this.#folder]);
  }
}
