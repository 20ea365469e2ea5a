/** The phone numbers that have asked to get no more messages, `.state/channels/<type>-stopped.json`: kept for good, over restarts. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasCode } from "../../files/errors/errno.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { state } from "../config/paths.ts";

/** By number: since when, in ms, and the service's word for it where the number itself didn't say so. */
const Stopped = z.record(z.string(), z.object({ since: z.number(), error: z.string().optional() }));
type Stopped = z.infer<typeof Stopped>;

export class StoppedNumbers {
  readonly #path: string;
  readonly #writes = new SerialQueue();
  #stopped: Readonly<Stopped>;

  /** @throws Error when the file is there and can't be read: nobody gets messages again because of a broken file */
  constructor(journal: string, type: string) {
    this.#path = state(journal, "channels", `${type}-stopped.json`);
    this.#stopped = read(this.#path);
  }

  has(number: string): boolean {
    return Object.hasOwn(this.#stopped, number);
  }

  /** Resolves when it is on the disk. @param error of the service that says so */
  add(number: string, error?: string): Promise<void> {
    if (this.has(number)) return this.#writes.idle();
    const one = { since: Date.now(), ...(error === undefined ? {} : { error }) };
    return this.#replace((now) => ({ ...now, [number]: one }));
  }

  /** Resolves when it is on the disk. */
  remove(number: string): Promise<void> {
    return this.#replace((now) => Object.fromEntries(Object.entries(now).filter(([one]) => one !== number)));
  }

  #replace(change: (now: Readonly<Stopped>) => Stopped): Promise<void> {
    return this.#writes.run(async () => {
      const next = change(this.#stopped);
      await replaceFile(this.#path, `${JSON.stringify(next, null, 1)}\n`);
      this.#stopped = next;
    });
  }
}

function read(path: string): Stopped {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
  const parsed = Stopped.safeParse(parseOwnJson(text));
  if (!parsed.success) throw new Error(`${path} isn't a list of stopped numbers: mend it, or move it away`);
  return parsed.data;
}
