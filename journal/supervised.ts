/** What the supervisor knows of its programs, `.run/supervisor.json`: for commands, and for the supervisor after it. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { runtime } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";

export const Supervised = z.looseObject({
  pid: z.number().int(),
  programs: z.array(
    z.looseObject({
      name: z.string(),
      state: z.enum(["starting", "ready", "stopping", "stopped", "failed"]),
      identity: z.object({ pid: z.number().int(), boot: z.string(), start: z.string() }).nullable(),
      restarts: z.number().int(),
      since: z.number(),
    }),
  ),
});
export type Supervised = z.infer<typeof Supervised>;

const supervisedFile = (journal: string) => runtime(journal, "supervisor.json");

export const writeSupervised = (journal: string, supervised: Supervised) =>
  replaceFile(supervisedFile(journal), JSON.stringify(supervised));

/** The last word of the last supervisor, or null. */
export function readSupervised(journal: string): Supervised | null {
  try {
    return Supervised.safeParse(JSON.parse(readFileSync(supervisedFile(journal), "utf8"))).data ?? null;
  } catch {
    return null;
  }
}
