/** The events' stream doesn't wait for the disk; where that can't be had, cortex goes on all the same. */
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { keepEventsQuick } from "../../../cortex/replication/quick-events.ts";
import { writeBusStore } from "../../../journal/access/bus-store.ts";
import { state } from "../../../journal/config/paths.ts";
import { logOf } from "../../../proc/logging/log.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

test("a store on a disk that isn't there is said to be slow, and ends nobody", async () => {
  using journal = temporaryJournal();
  await writeBusStore(journal.path, { version: "2.9.10", synced_by: "folder", problem: null });
  const store = state(journal.path, "jetstream");
  mkdirSync(dirname(store), { recursive: true });
  symlinkSync(join(journal.path, "not-mounted"), store);
  const said: string[] = [];
  await keepEventsQuick(journal.path, logOf("test", { write: (line) => void said.push(line) }, true));
  expect(said.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "each event waits for the disk", err: { code: expect.stringMatching(/^E/) } },
  ]);
});
