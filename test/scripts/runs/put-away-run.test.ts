import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { endedFile } from "../../../journal/runs/run-files.ts";
import { state } from "../../../journal/config/paths.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { runCortex } from "../run-command.ts";

function write(journal: string, id: string, last: object): void {
  const path = endedFile(journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const lines = [{ event: "request", prompt: "beans?" }, last];
  const text = lines.map((line, index) => JSON.stringify({ ts: Number(id), agent_id: id, seq: index + 1, ...line }));
  writeFileSync(path, `${text.join("\n")}\n`);
}

test("a run that failed is put away by its id's end, one that finished is refused", async () => {
  using journal = temporaryJournal();
  write(journal.path, "1736380800001", { event: "error", error: "no", reason: "provider" });
  write(journal.path, "1736380800002", { event: "finish", result: "done" });
  const away = await runCortex(journal.path, ["runs", "put-away", "00001"]);
  expect([away.code, away.stdout]).toEqual([0, "put away: 1736380800001"]);
  expect(JSON.parse(readFileSync(state(journal.path, "put-away.json"), "utf8"))).toEqual({ runs: ["1736380800001"] });
  const refused = await runCortex(journal.path, ["runs", "put-away", "00002"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("hasn't failed")]);
});
