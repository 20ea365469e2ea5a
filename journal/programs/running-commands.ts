/**
 * The runs whose commands are running, as the tools' program notes them in `.run/commands/`. Where a run's changes are taken,
 * its commands have to be over: they end when its token does, which that program sees a moment later.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { runtime } from "../config/paths.ts";

const folderOf = (journal: string) => runtime(journal, "commands");
const noteOf = (journal: string, run: string) => runtime(journal, "commands", run);

export function noteCommands(journal: string, run: string, areRunning: boolean): void {
  if (!areRunning) return rmSync(noteOf(journal, run), { force: true });
  mkdirSync(folderOf(journal), { recursive: true, mode: 0o700 });
  writeFileSync(noteOf(journal, run), "");
}

/** Forgets those of a program that was killed: they have ended with it. */
export function forgetCommands(journal: string): void {
  rmSync(folderOf(journal), { recursive: true, force: true });
}

/** Waits until none of a run's commands runs any more. @param ms how long at most: that program may be dead, or hang */
export async function commandsEnded(journal: string, run: string, ms = 5_000): Promise<void> {
  const last = performance.now() + ms;
  while (existsSync(noteOf(journal, run)) && performance.now() < last) await pause(lookEveryMs);
}

const lookEveryMs = 20;
