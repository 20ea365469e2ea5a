import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeBusAccess, readBusAccess, readEndpoints, writeEndpoints } from "../../../journal/access/endpoints.ts";
import { isOriginalThere, markOwn, standingOf } from "../../../journal/config/folder-mark.ts";
import { runtime, state } from "../../../journal/config/paths.ts";
import { makeOwn, setStateAside } from "../../../journal/backup/start-clean.ts";
import { readStoreHolder, writeStoreHolder } from "../../../journal/access/store-holder.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const endpoints = { nats_url: "nats://127.0.0.1:4222", nats_user: "client", nats_token: "t", pid: 1 };
const holder = { nonce: "n", identity: { pid: 1, boot: "b", start: "s" } };

/** A folder for journals, with one that is marked, and how each other one in it stands. */
async function oneMarked() {
  const folder = mkdtempSync(join(tmpdir(), "cortex-marks-"));
  const journal = join(folder, "journal");
  for (const part of [runtime(journal), state(journal)]) mkdirSync(part, { recursive: true });
  await makeOwn(journal, false);
  await writeEndpoints(journal, endpoints);
  await writeBusAccess(journal, { url: endpoints.nats_url, server_name: "s", passwords: {} });
  await writeStoreHolder(journal, holder);
  return { folder, journal, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

test("a journal without a mark is believed, as one that was just made", () => {
  using journal = temporaryJournal();
  expect(standingOf(journal.path, runtime(journal.path))).toEqual({ state: "unmarked" });
});

test("a copy's .run isn't believed, nor the holder of its store", async () => {
  using one = await oneMarked();
  const copy = join(one.folder, "copy");
  cpSync(one.journal, copy, { recursive: true });
  expect(readEndpoints(one.journal)).toEqual(endpoints);
  expect(readStoreHolder(one.journal)).toMatchObject(holder);
  expect(readEndpoints(copy)).toBe(null);
  expect(readBusAccess(copy)).toBe(null);
  expect(readStoreHolder(copy)).toBe(null);
  expect(standingOf(copy, state(copy))).toEqual({ state: "copied", from: one.journal });
  expect(isOriginalThere(copy, state(copy))).toBe(true);
});

test("a journal that was renamed is itself, and its mark follows it", async () => {
  using one = await oneMarked();
  const renamed = join(one.folder, "renamed");
  renameSync(one.journal, renamed);
  expect(readEndpoints(renamed)).toEqual(endpoints);
  markOwn(renamed, runtime(renamed));
  const copy = join(one.folder, "copy");
  cpSync(renamed, copy, { recursive: true });
  expect(standingOf(copy, runtime(copy))).toEqual({ state: "copied", from: renamed });
});

test("a copy without its .run is told from its original by its .state", async () => {
  using one = await oneMarked();
  const copy = join(one.folder, "copy");
  cpSync(one.journal, copy, { recursive: true });
  rmSync(runtime(copy), { recursive: true });
  mkdirSync(runtime(copy));
  const found = setStateAside(copy, false);
  expect(found).toMatchObject({ from: one.journal, aside: expect.stringContaining(".state.copied-") });
  // Killed here, the next start still knows.
  expect(standingOf(copy, runtime(copy)).state).toBe("copied");
  await makeOwn(copy, false);
  expect(setStateAside(copy, false)).toBe(null);
});
