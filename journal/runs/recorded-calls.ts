/** Recorded exchanges of a run with its models, `runs/<day>/<id>.calls/<n>.json`: each once, numbered as they ended. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { callsFolder } from "./run-files.ts";

/** An exchange, without any key: bodies as JSON where they are JSON, else as text. */
export type Exchange = {
  ts: number;
  call: string;
  provider: string;
  request: { method: string; path: string; headers: Record<string, string>; body: unknown };
  /** Null: none came. `cut`: it was longer than is kept, or broke off. */
  response: { status: number; headers: Record<string, string>; body: unknown; cut?: true } | null;
  usage: unknown;
};

/** Keeps an exchange under the next number. */
export async function keepExchange(journal: string, agentId: string, exchange: Exchange): Promise<void> {
  const folder = callsFolder(journal, agentId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify(exchange, null, 2)}\n`;
  const names = await readdir(folder);
  for (let n = Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0)) + 1; ; n++)
    try {
      return await writeFile(join(folder, `${n}.json`), text, { mode: 0o600, flag: "wx" });
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error; // another call has ended at the same time
    }
}
