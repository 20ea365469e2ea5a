/**
 * Says which lines a regular expression fits, which somebody else has written: in a thread of its own, since one such as
 * (a+)+$ may need longer than the world will stand, and nobody else shall wait for it.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../files/error-message.ts";

/** A pattern that can't be read, fails, or needs too long. */
export class PatternError extends Error {
  override name = "PatternError";
}

/** How long all that is asked of one matcher may take, in ms. A sound pattern goes through all that we read within one of ten. */
const budgetMs = 10_000;
const heapMb = 256;

/** As a text: bundled or not, there is no file to be found. */
const program = `
  const { parentPort, workerData: { source, flags } } = require("node:worker_threads");
  const pattern = new RegExp(source, flags);
  parentPort.on("message", ({ lines, most }) => {
    const found = [];
    for (let at = 0; at < lines.length && found.length < most; at++) if (pattern.test(lines[at])) found.push(at);
    parentPort.postMessage(found);
  });
`;

export class LineMatcher implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  #leftMs: number;

  private constructor(worker: Worker, leftMs: number, signal: AbortSignal | undefined) {
    this.#worker = worker;
    this.#leftMs = leftMs;
    this.#signal = signal;
  }

  /** @throws PatternError for a pattern that can't be read */
  static async start(source: string, { leftMs = budgetMs, signal }: { leftMs?: number; signal?: AbortSignal } = {}) {
    const worker = new Worker(program, {
      eval: true,
      workerData: { source, flags: flagsFor(source) },
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      env: {},
      execArgv: [],
    });
    // Of one that dies while nobody waits for it; who waits hears it as well.
    worker.on("error", () => {});
    // Before its program runs, the time that it takes is ours.
    await once(worker, "online");
    return new LineMatcher(worker, leftMs, signal);
  }

  /**
   * The indices of the first lines that fit.
   * @throws PatternError
   */
  async matching(lines: readonly string[], most: number): Promise<number[]> {
    const started = performance.now();
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(this.#leftMs)));
    const signal = this.#signal ? AbortSignal.any([timeout, this.#signal]) : timeout;
    this.#worker.postMessage({ lines, most });
    try {
      const [found] = (await once(this.#worker, "message", { signal })) as [number[]];
      this.#leftMs -= performance.now() - started;
      return found;
    } catch (error) {
      await this.#worker.terminate();
      if (timeout.aborted)
        throw new PatternError(
          "the pattern needs too long: make it simpler, without repetitions within repetitions, or search fewer files",
        );
      throw new PatternError("the pattern can't be used on these files: make it simpler", { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Unicode where the pattern allows it: it is stricter about what may be escaped. */
function flagsFor(source: string): string {
  try {
    new RegExp(source, "u");
    return "u";
  } catch {}
  try {
    new RegExp(source);
    return "";
  } catch (error) {
    throw new PatternError(messageOf(error), { cause: error });
  }
}
