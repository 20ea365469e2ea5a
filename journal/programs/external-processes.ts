/** Which programs mcp-tools has started, `.run/outside/<name>.json`: what a killed one leaves behind is found again by these. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

/** A process by its pid, its boot and its start. */
const Noted = z.object({ pid: z.number().int().positive(), boot: z.string(), start: z.string() });
type Noted = z.infer<typeof Noted>;

const folder = (journal: string) => runtime(journal, "outside");

export const noteExternalProcess = (journal: string, name: string, process: Noted) =>
  replaceFile(join(folder(journal), `${name}.json`), `${JSON.stringify(Noted.parse(process))}\n`);

export const forgetExternalProcess = (journal: string, name: string) =>
  rm(join(folder(journal), `${name}.json`), { force: true });

/** Lists the processes that were noted, by name. */
export function externalProcesses(journal: string): { name: string; process: Noted }[] {
  if (!isRuntimeOwn(journal)) return [];
  const names = filesOf(folder(journal)).filter((file) => file.endsWith(".json"));
  return names.flatMap((file) => {
    const process = readDocument(join(folder(journal), file), Noted);
    return process ? [{ name: file.slice(0, -".json".length), process }] : [];
  });
}

function filesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
