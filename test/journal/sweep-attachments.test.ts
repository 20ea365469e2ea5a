import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readAttachment, storeAttachment, storedAttachment } from "../../files/attachment-store.ts";
import { removeUnused } from "../../files/attachment-use.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { pruneRuns } from "../../journal/retention/retention.ts";
import { activeFile, compressedFile, endedFile } from "../../journal/runs/run-files.ts";
import {
  ago,
  dayMs,
  idsOf,
  now,
  pathOf,
  retention,
  rules,
  run,
  store,
  usedAgo,
  write,
  young,
} from "./old-attachments.ts";
import { temporaryJournal } from "./temporary-journal.ts";

const agent = "agents/tz4a98xxat96iws9zmbrgj3a";
const placed: [string, string, (journal: string, id: string) => void][] = [
  ["a run that has ended", "kept", (journal, id) => write(endedFile(journal, young), run(young, id))],
  ["a compressed run", "kept", (journal, id) => write(compressedFile(journal, young), gzipSync(run(young, id)))],
  [
    "a run in progress",
    "kept",
    (journal, id) => write(activeFile(journal, ago(99)), run(ago(99), id).split("\n")[0] ?? ""),
  ],
  [
    "a run's output that nobody has read yet",
    "kept",
    (journal, id) => write(join(journal, ".run/runs/1/1/stdout"), `{"id":"${id}`),
  ],
  [
    "a request that waits in the bus's store",
    "kept",
    (journal, id) => write(join(journal, ".state/bus/msgs/1.blk"), `\0\x03{"id":"${id}"}`),
  ],
  [
    "a request that waits on another host's bus",
    "kept",
    (journal, id) => write(join(journal, ".run/status.json"), `{"waiting":[{"attachments":["${id}"]}]}`),
  ],
  [
    "an agent's inbox",
    "kept",
    (journal, id) => write(join(journal, agent, "inbox.jsonl"), `{"attachments":[{"id":"${id}"}]}\n`),
  ],
  [
    "an agent's history",
    "kept",
    (journal, id) => write(join(journal, agent, "history.jsonl"), `{"text":"a line\\b${id}"}\n`),
  ],
  [
    "an agent's archive",
    "kept",
    (journal, id) => write(join(journal, agent, "archive/1.jsonl"), `${" ".repeat(262_144 - 30)}${id}\n`),
  ],
  [
    "the memory",
    "kept",
    (journal, id) => write(join(journal, "memory/people/anna.md"), `Her photo is attachment:${id}.\n`),
  ],
  ["a run that goes with it", "deleted", (journal, id) => write(endedFile(journal, ago(99)), run(ago(99), id), 99)],
  ["a file in somebody's work folder", "deleted", (journal, id) => write(join(journal, agent, "work/list.txt"), id)],
  [
    "something else with a run's name",
    "deleted",
    (journal) => void mkdirSync(endedFile(journal, young), { recursive: true }),
  ],
  ["nothing", "deleted", () => {}],
];

test.each(placed)("an old file that is named by %s is %s", async (_where, state, name) => {
  using journal = temporaryJournal();
  const id = await store(journal.path, "old", 99);
  name(journal.path, id);
  const preview = await pruneRuns(journal.path, { ...retention, dryRun: true });
  expect(idsOf(preview.attachments.deleted)).toEqual(state === "kept" ? [] : [id]);
  expect(existsSync(pathOf(journal.path, id))).toBe(true);
  expect((await pruneRuns(journal.path, { compress_after_days: 1 })).attachments).toEqual({ deleted: [] });
  const { attachments } = await pruneRuns(journal.path, retention);
  expect(attachments).toEqual({ deleted: state === "kept" ? [] : [{ id, freed_bytes: 3 }] });
  for (const path of [pathOf(journal.path, id), `${pathOf(journal.path, id)}.json`])
    expect(existsSync(path)).toBe(state === "kept");
});

test("a file stays as long after its last use as a run does, whether it was stored again or asked for", async () => {
  using journal = temporaryJournal();
  const folder = attachmentsFolder(journal.path);
  const [again, asked, left] = [
    await store(journal.path, "again", 99),
    await store(journal.path, "asked", 99),
    await store(journal.path, "left", 99),
  ];
  await storeAttachment(folder, "again.txt", [Buffer.from("again")], rules);
  await storedAttachment(folder, asked);
  expect(idsOf((await pruneRuns(journal.path, retention)).attachments.deleted)).toEqual([left]);
  expect(await storedAttachment(folder, left)).toBe(null);
  for (const id of [again, asked]) usedAgo(journal.path, id, 91);
  expect(idsOf((await pruneRuns(journal.path, retention)).attachments.deleted)).toEqual([again, asked].toSorted());
});

test("a file whose last use is in the future, by a clock that was set back, counts as used now", async () => {
  using journal = temporaryJournal();
  const id = await store(journal.path, "tomorrow", -400);
  expect((await pruneRuns(journal.path, retention)).attachments.deleted).toEqual([]);
  expect(statSync(pathOf(journal.path, id)).mtimeMs).toBeLessThanOrEqual(Date.now());
  expect(idsOf((await pruneRuns(journal.path, { ...retention, now: now + 91 * dayMs })).attachments.deleted)).toEqual([
    id,
  ]);
});

test("a remover that is killed at any step has lost nothing, and the next one ends its work", async () => {
  using journal = temporaryJournal();
  const folder = attachmentsFolder(journal.path);
  const [read, used, left, twice] = [
    await store(journal.path, "read", 99),
    await store(journal.path, "used", 99),
    await store(journal.path, "left", 99),
    await store(journal.path, "twice", 99),
  ];
  for (const id of [read, used, left, twice]) {
    const path = pathOf(journal.path, id);
    renameSync(path, `${path}.unused`);
    if (id !== read) rmSync(`${path}.json`);
  }
  expect(await readAttachment(folder, read, 1000)).toEqual(Buffer.from("read"));
  expect(await storedAttachment(folder, used)).toMatchObject({ id: used, mime: "text/plain" });
  await store(journal.path, "twice", 0);
  const { attachments } = await pruneRuns(journal.path, retention);
  expect(attachments.deleted).toEqual(expect.arrayContaining([{ id: left, freed_bytes: 4 }]));
  expect(idsOf(attachments.deleted)).toEqual([read, left].toSorted());
  for (const id of [used, twice]) expect(await readAttachment(folder, id, 1000)).not.toBe(null);
});

test("of a use and a removal at once one wins: what was found is there to be read", async () => {
  using journal = temporaryJournal();
  const folder = attachmentsFolder(journal.path);
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => store(journal.path, `file ${index}`, 99)));
  const outcomes = await Promise.all(
    ids.map(async (id, index) => {
      const using = async () =>
        index % 2 ? storedAttachment(folder, id) : storeAttachment(folder, "a", [Buffer.from(`file ${index}`)], rules);
      const [found, freed] = await Promise.all([using(), removeUnused(folder, id, Date.now() - dayMs)]);
      return { id, isFound: found !== null, freed };
    }),
  );
  for (const { id, isFound } of outcomes) expect((await readAttachment(folder, id, 1000)) !== null, id).toBe(isFound);
});

test("while a run can't be read no file goes, since that run may name it, and the report says which run it is", async () => {
  using journal = temporaryJournal();
  const id = await store(journal.path, "old", 99);
  const whole = gzipSync(run(young, id));
  write(compressedFile(journal.path, young), whole.subarray(0, whole.length - 20));
  const { attachments } = await pruneRuns(journal.path, retention);
  expect(attachments).toEqual({ deleted: [], error: expect.stringContaining(`${young}.jsonl.gz can't be unpacked`) });
  expect(existsSync(pathOf(journal.path, id))).toBe(true);
});
