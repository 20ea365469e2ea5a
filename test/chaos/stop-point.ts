/** Where cortex is to stop: told by a file, whatever process of it comes there first. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Failpoint } from "../../proc/programs/failpoint.ts";
import { textOf } from "../support/journal-processes.ts";

export class StopPoint implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "chaos-"));
  readonly #file = join(this.#folder, "stopped");

  /** The variables for cortex's environment. */
  get env(): Record<string, string> {
    return { CORTEX_STOP_FILE: this.#file };
  }

  /** Cortex stops when it comes to this point for the n-th time. */
  set(point: Failpoint, times: number): void {
    rmSync(this.#file, { force: true });
    writeFileSync(`${this.#file}.at`, `${point}:${times}`);
  }

  /** Whether it stands there: it says so first, and stops then. */
  isReached(): boolean {
    return textOf(this.#file).endsWith("\n") && this.#isStopped;
  }

  /** Nobody stops any more. Before anything is killed: whoever comes next would stop there too. */
  clear(): void {
    rmSync(`${this.#file}.at`, { force: true });
  }

  /** Lets a stopped program go on. */
  letGo(): void {
    if (this.#isStopped) process.kill(this.#pid, "SIGCONT");
  }

  [Symbol.dispose](): void {
    this.clear();
    this.letGo();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #pid(): number {
    return Number.parseInt(textOf(this.#file), 10);
  }

  get #isStopped(): boolean {
    return /\) T /.test(textOf(`/proc/${this.#pid}/stat`));
  }
}
