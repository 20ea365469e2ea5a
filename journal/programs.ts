/** What a program of ours tells the others when it is ready, `.run/programs/<name>.json`: its pid, and where it listens. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { runtime } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";

export const ProgramRecord = z.looseObject({ pid: z.number().int().positive(), url: z.string().optional() });
export type ProgramRecord = z.infer<typeof ProgramRecord>;

const recordFile = (journal: string, name: string) => runtime(journal, "programs", `${name}.json`);

/** Says that a program is ready. The record stays when the program ends: whoever reads it checks the pid. */
export async function writeProgramRecord(journal: string, name: string, record: ProgramRecord): Promise<void> {
  await replaceFile(recordFile(journal, name), `${JSON.stringify(record)}\n`);
}

/** The last record that a program wrote; none, or one that can't be read: undefined. */
export async function readProgramRecord(journal: string, name: string): Promise<ProgramRecord | undefined> {
  try {
    return ProgramRecord.parse(JSON.parse(await readFile(recordFile(journal, name), "utf8")));
  } catch {
    return undefined;
  }
}
