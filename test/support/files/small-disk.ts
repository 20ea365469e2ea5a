/** A disk of a few KB, which a test may fill. Root alone may mount one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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

  /** Leaves no room but for `bytes`. At once: between a disk with room and a full one nobody sees it fill up. */
  fill(bytes: number): void {
    this.empty();
    const { bavail, bsize } = statfsSync(this.#folder);
    try {
      writeFileSync(join(this.#folder, "ballast"), Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
    } catch {
      // Others wrote meanwhile: it is full.
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
