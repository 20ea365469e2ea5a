/** A prune that is killed while it removes stored files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAttachment } from "../../files/attachment-store.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { pruneRuns } from "../../journal/retention/retention.ts";
import { endedFile } from "../../journal/runs/run-files.ts";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";
import { pathOf, retention, run, store, write, young } from "./old-attachments.ts";
import { temporaryJournal } from "./temporary-journal.ts";

test("a prune that is killed with -9, again and again, removes what nothing names and loses nothing else", async () => {
  using journal = temporaryJournal();
  const folder = attachmentsFolder(journal.path);
  const contents = Array.from({ length: 300 }, (_, index) => `file ${index}`);
  const ids = await Promise.all(contents.map((content) => store(journal.path, content, 99)));
  const [named, unnamed] = [ids.slice(0, 100), ids.slice(100)];
  write(endedFile(journal.path, young), named.map((id) => run(young, id)).join(""));
  const left = () => unnamed.filter((id) => existsSync(pathOf(journal.path, id))).length;
  const program = `const { pruneRuns } = await import(process.argv[1]);
    await pruneRuns(process.argv[2], { delete_after_days: 90 });`;
  const source = new URL("../../journal/retention/retention.ts", import.meta.url).href;
  for (const _round of [1, 2, 3]) {
    const before = left();
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, source, journal.path]);
    const isOver = once(child, "close");
    await askUntil(
      () => left() < before || child.exitCode !== null,
      () => "nothing is removed",
      patienceMs,
    );
    child.kill("SIGKILL");
    await isOver;
  }
  await pruneRuns(journal.path, retention);
  expect(left()).toBe(0);
  const names = readdirSync(folder).flatMap((first) => readdirSync(join(folder, first)));
  expect(names.toSorted()).toEqual(named.flatMap((id) => [id, `${id}.json`]).toSorted());
  for (const [index, id] of named.entries())
    expect(await readAttachment(folder, id, 1000)).toEqual(Buffer.from(`file ${index}`));
});
