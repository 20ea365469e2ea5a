/**
 * System texts that runs' models were sent: `.state/prompts/<day>.jsonl` has a line a run, `.state/prompts/texts/<sha256>` each
 * instruction once, since most runs share theirs with others. Personas and folders change; this is what a run really got.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { namesIfThere } from "../../files/folder-entries.ts";
import { parseLines } from "../../files/lines/text-records.ts";
import { appendNow } from "../../files/writing/append-whole.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { state } from "../config/paths.ts";
import { runDay, runsFolder } from "../runs/run-files.ts";

/** @field context what is about the run itself: the day and time, the facet */
export type SentPrompt = { instruction: string; context: string };

const Noted = z.object({
  id: AgentId,
  instruction: z.string().regex(/^[0-9a-f]{64}$/),
  context: z.string(),
});

/** Characters of an instruction that are kept at most. */
const mostText = 1024 * 1024;
/** A text that was used so lately may be a run's whose line isn't written yet, in ms. */
const settledMs = 86_400_000;

const folder = (journal: string) => state(journal, "prompts");
const dayFile = (journal: string, day: string) => join(folder(journal), `${day}.jsonl`);
const textsFolder = (journal: string) => join(folder(journal), "texts");

/** Notes what a run is sent. Of two notes of a run the first counts. */
export function noteSentPrompt(journal: string, id: string, { instruction, context }: SentPrompt): void {
  mkdirSync(textsFolder(journal), { recursive: true, mode: 0o700 });
  const text = instruction.slice(0, mostText);
  const hash = createHash("sha256").update(text).digest("hex");
  const path = join(textsFolder(journal), hash);
  if (existsSync(path)) utimesSync(path, new Date(), new Date());
  else writeFileSync(path, text, { mode: 0o600 });
  appendNow(dayFile(journal, runDay(id)), `${JSON.stringify({ id, instruction: hash, context })}\n`, 0o600);
}

/** Reads the first messages sent to a run's model; null: nobody has noted them here. */
export function sentPrompt(journal: string, id: string): SentPrompt | null {
  const noted = notedOn(journal, runDay(id)).find((one) => one.id === id);
  const path = noted && join(textsFolder(journal), noted.instruction);
  if (!path || !existsSync(path)) return null;
  return { instruction: readFileSync(path, "utf8"), context: noted.context };
}

function notedOn(journal: string, day: string): z.infer<typeof Noted>[] {
  const path = dayFile(journal, day);
  return existsSync(path) ? parseLines(readFileSync(path), Noted) : [];
}

/** Drops the notes of days of which no run is left, and the texts that no other day has. */
export function sweepSentPrompts(journal: string, now: number): void {
  const names = namesIfThere(folder(journal)).filter((name) => name.endsWith(".jsonl"));
  const days = names.map((name) => name.slice(0, -".jsonl".length));
  const gone = days.filter((day) => !hasRuns(journal, day));
  if (gone.length === 0) return;
  for (const day of gone) rmSync(dayFile(journal, day), { force: true });
  const kept = days.filter((day) => !gone.includes(day));
  const used = new Set(kept.flatMap((day) => notedOn(journal, day).map(({ instruction }) => instruction)));
  for (const name of namesIfThere(textsFolder(journal))) {
    const path = join(textsFolder(journal), name);
    const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (!used.has(name) && now - usedAt > settledMs) rmSync(path, { force: true });
  }
}

/** Tests for a day with runs. Deleted ones leave `pruned.jsonl` in the day's folder. */
const hasRuns = (journal: string, day: string) =>
  namesIfThere(join(runsFolder(journal), day)).some((name) => /^\d{13}/.test(name));
