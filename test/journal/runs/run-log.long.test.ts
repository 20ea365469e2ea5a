/** A run's file that was cut at each of its bytes. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { lineHash } from "../../../journal/chain/hash-chain.ts";
import { verifyRun } from "../../../journal/ended-runs/verify-run.ts";
import { activeFile } from "../../../journal/runs/run-files.ts";
import { RunLog } from "../../../journal/runs/run-log.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { agentId, chained, event, temporaryJournal } from "../temporary-journal.ts";

test("cut at every byte, a file is taken up again, and its chain holds", async () => {
  using journal = temporaryJournal();
  const path = activeFile(journal.path, agentId);
  mkdirSync(dirname(path), { recursive: true });
  const texts = ["é€😀".repeat(20), "\u2028\r\ud800", "plain ".repeat(20), '"\\\n'.repeat(10)];
  const events = [event(1, "request"), event(2, "start"), ...texts.map((text, at) => event(3 + at, "text", { text }))];
  const lines = chained(events);
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  expect(bytes.length).toBeGreaterThan(700);
  for (let cut = 0; cut <= bytes.length; cut++) {
    writeFileSync(path, bytes.subarray(0, cut));
    const { log, events: kept } = await resume(journal.path);
    const whole = bytes.subarray(0, cut).filter((byte) => byte === 10).length;
    expect([kept.length, log.nextSeq, log.head]).toEqual([
      whole,
      whole + 1,
      whole === 0 ? null : lineHash(lines[whole - 1] ?? ""),
    ]);
    const { event: name, ts, agent_id, seq } = event(log.nextSeq, "finish");
    await log.append([JSON.stringify({ event: name, ts, agent_id, seq, ...(log.head ? { prev: log.head } : {}) })]);
    await log.release();
    const report = await verifyRun(path, agentId);
    expect([report?.state, report?.problems]).toEqual([whole === 0 ? "not_chained" : "intact", []]);
    expect(readFileSync(path, "utf8").startsWith(lines.slice(0, whole).join("\n"))).toBe(true);
  }
});

async function resume(journal: string) {
  const events: AgentEvent[] = [];
  const log = await RunLog.resume(journal, agentId, "fast", (said) => events.push(said));
  return { log, events };
}
