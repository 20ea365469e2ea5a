/** The failed runs that the owner has put away: a small file, `.state/put-away.json`. Bounded; a run that is gone is dropped with the next that is put away. */
import { z } from "zod";
import { readDocument } from "../../../files/json-document.ts";
import { SerialQueue } from "../../../files/locks/serial-queue.ts";
import { replaceFile } from "../../../files/writing/replace-file.ts";
import { state } from "../../../journal/config/paths.ts";
import { AgentId } from "../../../protocol/names/names.ts";

/** Failures are shown for a week: nobody puts away more of them than these by hand. */
const mostKept = 1000;

const PutAway = z.object({ runs: z.array(AgentId) });

const fileOf = (journal: string) => state(journal, "put-away.json");

export class PutAwayRuns {
  readonly #journal: string;
  readonly #isThere: (id: string) => boolean;
  readonly #writes = new SerialQueue();

  /** @param isThere whether there still is a run */
  constructor(journal: string, isThere: (id: string) => boolean) {
    this.#journal = journal;
    this.#isThere = isThere;
  }

  /** Read each time: whatever puts the file back from a backup is right. */
  get ids(): ReadonlySet<string> {
    return new Set(readDocument(fileOf(this.#journal), PutAway)?.runs);
  }

  /** Resolves when it is on the disk. */
  add(id: string): Promise<void> {
    return this.#writes.run(async () => {
      const others = [...this.ids].filter((known) => known !== id && this.#isThere(known));
      const runs = [...others, id].slice(-mostKept);
      await replaceFile(fileOf(this.#journal), JSON.stringify({ runs } satisfies z.infer<typeof PutAway>));
    });
  }
}
