/**
 * The notice of a program of ours that it is ready, `.run/programs/<name>.json`: its pid, and where it listens. Its
 * time says that the program lives.
 */
import { stat, utimes } from "node:fs/promises";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

export const ProgramRecord = z.looseObject({ pid: z.number().int().positive(), url: z.string().optional() });
export type ProgramRecord = z.infer<typeof ProgramRecord>;

const recordFile = (journal: string, name: string) => runtime(journal, "programs", `${name}.json`);

/** Milliseconds after which a program shows again that its event loop turns. */
const beatEveryMs = 1000;
let beating: NodeJS.Timeout | undefined;

/**
 * Says that this program is ready, and from then on, every second, that its event loop turns: the record's time is set anew.
 * The record stays when the program ends: whoever reads it checks the pid.
 */
export async function writeProgramRecord(journal: string, name: string, record: ProgramRecord): Promise<void> {
  const file = recordFile(journal, name);
  await replaceFile(file, `${JSON.stringify(record)}\n`);
  clearInterval(beating);
  beating = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {}); // who waits for a beat notices that there is none
  }, beatEveryMs).unref();
}

/** When a program last showed that it lives, in ms; undefined: never. */
export async function lastBeat(journal: string, name: string): Promise<number | undefined> {
  return stat(recordFile(journal, name)).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** The last record that a program wrote; none, or one that can't be read: undefined. */
export async function readProgramRecord(journal: string, name: string): Promise<ProgramRecord | undefined> {
  return (isRuntimeOwn(journal) && readDocument(recordFile(journal, name), ProgramRecord)) || undefined;
}
