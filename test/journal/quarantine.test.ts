import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { state } from "../../journal/config/paths.ts";
import {
  dropQuarantined,
  findQuarantined,
  listQuarantine,
  Quarantine,
  quarantineBounds,
  releaseQuarantined,
} from "../../journal/quarantine/quarantine.ts";
import { itemFile, quarantineFolder, quarantineId, recordFile } from "../../journal/quarantine/quarantine-records.ts";
import { runCortex, runCortexJson } from "../scripts/run-command.ts";
import { temporaryJournal } from "./temporary-journal.ts";

const bytes = { bytes: '{"text": "poison"}' };

/** Fails three times, each time as a program that was started again. */
async function failThrice(journal: string, store: string, key: string, item: Parameters<Quarantine["failed"]>[2]) {
  const verdicts: string[] = [];
  for (let n = 0; n < 3; n++)
    verdicts.push(await new Quarantine(journal, store).failed(key, new Error(`no ${n}`), item));
  return verdicts;
}

test("the third failure puts an item away, also when its reader was started again in between", async () => {
  using journal = temporaryJournal();
  expect(await failThrice(journal.path, "inbox", "line 4", bytes)).toEqual(["retry", "retry", "quarantined"]);
  const quarantine = new Quarantine(journal.path, "inbox");
  expect([quarantine.has("line 4"), quarantine.has("line 5")]).toEqual([true, false]);
  expect(await quarantine.failed("line 4", "again", bytes)).toBe("quarantined");
  const [entry, ...more] = listQuarantine(journal.path);
  expect(more).toEqual([]);
  expect(entry?.record).toMatchObject({ store: "inbox", key: "line 4", failures: 3, error: "no 2", size: 18 });
  expect(readFileSync(entry?.item ?? "", "utf8")).toBe(bytes.bytes);
  expect(statSync(entry?.item ?? "").mode & 0o777).toBe(0o600);
});

test("an item that goes well is forgotten, and one store's keys are not another's", async () => {
  using journal = temporaryJournal();
  const inbox = new Quarantine(journal.path, "inbox");
  await inbox.failed("a", "no", bytes);
  await inbox.failed("a", "no", bytes);
  await new Quarantine(journal.path, "outbox").failed("a", "no", bytes);
  inbox.succeeded("a");
  expect(await inbox.failed("a", "no", bytes)).toBe("retry");
  expect(listQuarantine(journal.path)).toEqual([]);
});

test("a file is moved away and comes back, or stays where it is", async () => {
  using journal = temporaryJournal();
  const moved = join(journal.path, "moved.json");
  const left = join(journal.path, "left.json");
  for (const path of [moved, left]) writeFileSync(path, "poison");
  await failThrice(journal.path, "state", moved, { moveFile: moved });
  await failThrice(journal.path, "state", left, { leaveFile: left });
  expect([existsSync(moved), existsSync(left)]).toEqual([false, true]);
  const quarantine = new Quarantine(journal.path, "state");
  expect([quarantine.has(moved), quarantine.has(left)]).toEqual([true, true]);
  for (const one of listQuarantine(journal.path)) releaseQuarantined(journal.path, one);
  expect(readFileSync(moved, "utf8")).toBe("poison");
  expect([quarantine.has(moved), quarantine.has(left)]).toEqual([false, false]);
  expect(await quarantine.failed(left, "no", { leaveFile: left })).toBe("retry");
});

test("a file that stands at its place again is not written over, and drop removes what was kept", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "state.json");
  writeFileSync(path, "poison");
  await failThrice(journal.path, "state", path, { moveFile: path });
  writeFileSync(path, "new");
  const [one] = listQuarantine(journal.path);
  if (!one) throw new Error("nothing was put away");
  expect(() => releaseQuarantined(journal.path, one)).toThrow(/is there again/);
  dropQuarantined(journal.path, one);
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readdirSync(quarantineFolder(journal.path))).toEqual([]);
});

test("damaged files of its own are shown, and stop neither counting nor putting away", async () => {
  using journal = temporaryJournal();
  writeFileSync(state(journal.path, "quarantine"), "a file in place of the folder");
  expect(await failThrice(journal.path, "inbox", "a", bytes)).toEqual(["retry", "retry", "quarantined"]);
  const id = quarantineId("inbox", "a");
  for (const torn of ["", '{"store":"inb', "[]", "[".repeat(200_000), '{"store":"inbox"}']) {
    writeFileSync(recordFile(journal.path, id), torn);
    expect(findQuarantined(journal.path, id)).toMatchObject({ record: null, item: itemFile(journal.path, id) });
    expect(await failThrice(journal.path, "inbox", "a", bytes)).toEqual(["retry", "retry", "quarantined"]);
  }
  rmSync(recordFile(journal.path, id));
  mkdirSync(recordFile(journal.path, id));
  expect(new Quarantine(journal.path, "inbox").has("a")).toBe(false);
  expect(await failThrice(journal.path, "inbox", "a", bytes)).toEqual(["retry", "retry", "quarantined"]);
});

test("copies stay within their bounds, the newest are kept, and a moved file is never removed", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "mine.jsonl");
  writeFileSync(path, "the user's");
  await failThrice(journal.path, "run-file", path, { moveFile: path });
  const large = { bytes: Buffer.alloc(2 * quarantineBounds.oneCopyBytes, 1) };
  const most = quarantineBounds.copyBytes / quarantineBounds.oneCopyBytes;
  for (let n = 0; n < most + 5; n++) await failThrice(journal.path, "inbox", String(n), large);
  const kept = listQuarantine(journal.path).filter(({ item }) => item !== null);
  const copies = kept.filter(({ record }) => record?.store === "inbox");
  const sizes = copies.map(({ item }) => statSync(item ?? "").size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(quarantineBounds.copyBytes);
  expect(kept.map(({ record }) => record?.key)).toContain(String(most + 4));
  expect(kept.map(({ record }) => record?.key)).toContain(path);
});

test("doctor shows each with its reason, and a person looks at it, has it tried again or drops it", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "state.json");
  writeFileSync(path, "poison");
  expect(await failThrice(journal.path, "agent-state", path, { moveFile: path })).toContain("quarantined");
  await failThrice(journal.path, "inbox", "line 4\u001b[2J", bytes);
  const { document } = await runCortexJson(journal.path, ["doctor"]);
  const checks = document["checks"] as { name: string }[];
  expect(checks.find(({ name }) => name === "quarantine")).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/^2 in quarantine .*no 2/),
    remedy: expect.stringMatching(/cortex quarantine show ID.*retry ID.*drop ID/),
    items: [
      { store: "agent-state", key: path, error: "no 2", failures: 3 },
      { store: "inbox", error: "no 2" },
    ],
  });
  const listed = await runCortex(journal.path, ["quarantine", "list"]);
  expect(listed.stdout).toContain("no 2");
  expect(listed.stdout).not.toContain("\u001b");
  const ids = [quarantineId("agent-state", path), quarantineId("inbox", "line 4\u001b[2J")] as const;
  expect((await runCortex(journal.path, ["quarantine", "show", ids[0]])).stdout).toContain(path);
  expect((await runCortex(journal.path, ["quarantine", "retry", ids[1]])).code).toBe(2);
  expect((await runCortex(journal.path, ["quarantine", "drop", ids[1]])).code).toBe(0);
  expect((await runCortexJson(journal.path, ["quarantine", "retry", ids[0]])).document).toEqual({
    ok: true,
    id: ids[0],
  });
  expect(readFileSync(path, "utf8")).toBe("poison");
  expect((await runCortex(journal.path, ["quarantine", "drop", "../../x"])).code).toBe(2);
  expect((await runCortex(journal.path, ["quarantine"])).stdout).toBe("nothing is in quarantine");
});
