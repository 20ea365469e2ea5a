/**
 * Failures that a service tells of after it has accepted a message, `.state/channels/<type>-late.json`: the newest, beside the
 * outbox, in which the message stands as sent.
 */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { state } from "../config/paths.ts";

const LateFailure = z.object({
  /** The message's id, and that of its part outside. */
  id: z.string(),
  external_id: z.string(),
  status: z.string(),
  error: z.string(),
  ts: z.number(),
});
export type LateFailure = z.infer<typeof LateFailure>;

const mostKept = 200;

const file = (journal: string, type: string) => state(journal, "channels", `${type}-late.json`);

/** The newest last. */
export const readLateFailures = (journal: string, type: string): LateFailure[] =>
  readDocument(file(journal, type), z.array(LateFailure)) ?? [];

export class LateFailures {
  readonly #journal: string;
  readonly #type: string;
  readonly #writes = new SerialQueue();

  constructor(journal: string, type: string) {
    this.#journal = journal;
    this.#type = type;
  }

  /** Notes one, once. Resolves when it is on the disk. @returns whether it is new */
  note(failure: LateFailure): Promise<boolean> {
    return this.#writes.run(async () => {
      const known = readLateFailures(this.#journal, this.#type);
      if (known.some(({ external_id }) => external_id === failure.external_id)) return false;
      const kept = [...known, failure].slice(-mostKept);
      await replaceFile(file(this.#journal, this.#type), `${JSON.stringify(kept, null, 1)}\n`);
      return true;
    });
  }
}
