/** The index of runs while a large journal is read for the first time. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { endedFile } from "../../../../journal/runs/run-files.ts";
import { logOf } from "../../../../proc/logging/log.ts";
import { OpenedIndex } from "../../../../web/machine/runs/opened-index.ts";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";

/** A run whose file takes so many megabytes. */
function write(journal: string, id: string, megabytes: number): void {
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const line = (seq: number, more: object) => `${JSON.stringify({ ts: Number(id), agent_id: id, seq, ...more })}\n`;
  const texts = Array.from({ length: megabytes }, (_, at) =>
    line(at + 2, { event: "text", text: "x".repeat(1_000_000) }),
  );
  writeFileSync(path, [line(1, { event: "request", prompt: "long ago" }), ...texts].join(""));
}

test("a list that is told before all runs have been read is followed by the word that they are, once", async () => {
  using journal = temporaryJournal();
  write(journal.path, "1736380800000", 100);
  const allRead = Promise.withResolvers<void>();
  let times = 0;
  const onAllRead = () => {
    times++;
    allRead.resolve();
  };
  using index = new OpenedIndex({ journal: journal.path, log: logOf("test"), onChange: () => {}, onAllRead });
  const early = await index.fresh();
  expect(early.count({})).toBeNull();
  await allRead.promise;
  expect((await index.fresh()).count({})).toBe(1);
  expect(times).toBe(1);
});

test("a small journal is told as a whole, and nothing follows", async () => {
  using journal = temporaryJournal();
  write(journal.path, "1736380800000", 0);
  const onAllRead = () => expect.fail("nothing was told in part");
  using index = new OpenedIndex({ journal: journal.path, log: logOf("test"), onChange: () => {}, onAllRead });
  expect((await index.fresh()).count({})).toBe(1);
});
