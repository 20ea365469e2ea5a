/** A question's files last a power cut with their names: the folder is synced before anybody goes on. */
import { mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import {
  keepQuestion,
  noteBegun,
  readQuestion,
  removeQuestion,
  wasBegun,
} from "../../../journal/permissions/questions.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const id = "decade00".repeat(4);
const question = { id, tool: "fetch", args: {}, why: "", rules: [], run: "1736380800000", ts: 1, expires: 2 };

afterEach(() => vi.restoreAllMocks());

/** The paths of what is really synced from now on, in order, below a folder. */
async function syncsBelow(journal: string, onSync = () => {}): Promise<string[]> {
  await using some = await open(journal, "r");
  const methods = Object.getPrototypeOf(some) as Pick<FileHandle, "sync">;
  const sync = methods.sync;
  const synced: string[] = [];
  vi.spyOn(methods, "sync").mockImplementation(async function (this: FileHandle) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    await sync.call(this);
    onSync();
    synced.push(path.slice(realpathSync(journal).length + 1));
  });
  return synced;
}

const folder = ".state/permissions";

test.runIf(process.platform === "linux")("a call that begins is noted in a folder that was synced", async () => {
  using journal = temporaryJournal();
  const synced = await syncsBelow(journal.path);
  expect(await noteBegun(journal.path, id)).toBe(true);
  expect(synced[0]).toBe(`${folder}/${id}.begun`);
  // And the folder that this one was made in.
  expect(synced.slice(1).toSorted()).toEqual([".state", folder]);
  expect(await noteBegun(journal.path, id)).toBe(false);
});

test.runIf(process.platform === "linux")("a question and its answer are kept in a folder that was synced", async () => {
  using journal = temporaryJournal();
  for (const decided of [{}, { decision: "allow" as const, by: "cli:main" }]) {
    const synced = await syncsBelow(journal.path);
    await keepQuestion(journal.path, { ...question, ...decided });
    expect(synced[0]).toContain(`${folder}/`);
    expect(synced.slice(1).toSorted()).toEqual([".state", folder]);
    expect(readQuestion(journal.path, id)).toMatchObject(decided);
    vi.restoreAllMocks();
  }
});

test.runIf(process.platform === "linux")(
  "a question that is removed goes before the note that its call has begun",
  async () => {
    using journal = temporaryJournal();
    await keepQuestion(journal.path, { ...question, decision: "allow" });
    await noteBegun(journal.path, id);
    const left: unknown[] = [];
    const synced = await syncsBelow(journal.path, () =>
      left.push([readQuestion(journal.path, id), wasBegun(journal.path, id)]),
    );
    await removeQuestion(journal.path, id);
    expect(synced.toSorted()).toEqual([".state", folder]);
    expect(left).toEqual([
      [null, true],
      [null, true],
    ]);
    expect([readQuestion(journal.path, id), wasBegun(journal.path, id)]).toEqual([null, false]);
  },
);

test("a note that can't be made lets no call begin", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, folder, `${id}.begun`), { recursive: true });
  expect(await noteBegun(journal.path, id)).toBe(false);
});
