/** A journal in a temporary folder, for one test. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { lineHash } from "../../journal/chain/hash-chain.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";

export function temporaryJournal(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "cortex-journal-"));
  makePrivateFolders(path);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A run's id, and its UTC day. */
export const agentId = "1736380800000";
export const day = "20250109";

export const event = (seq: number, name: string, fields: Record<string, unknown> = {}): AgentEvent => ({
  event: name,
  ts: Number(agentId) + seq,
  agent_id: agentId,
  seq,
  ...fields,
});

export const line = (seq: number, name: string, fields: Record<string, unknown> = {}): string =>
  JSON.stringify(event(seq, name, fields));

/** The lines of events, each with the hash of the one before. */
export function chained(events: AgentEvent[]): string[] {
  const lines: string[] = [];
  for (const { event: name, ts, agent_id, seq, ...fields } of events) {
    const before = lines.at(-1);
    const prev = before === undefined ? {} : { prev: lineHash(before) };
    lines.push(JSON.stringify({ event: name, ts, agent_id, seq, ...prev, ...fields }));
  }
  return lines;
}
