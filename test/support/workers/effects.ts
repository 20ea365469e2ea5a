/** The traces that agents of `effects.sh` have left behind, counted. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const agent = fileURLToPath(new URL("../../fixtures/agents/effects.sh", import.meta.url));

/** An agent that works for so long, and writes down in a file that it does. */
export const effectsAgent = (file: string, seconds: number) => ["sh", agent, file, String(seconds)];

export type Effects = {
  /** How often each attempt was started, by `<run>/<attempt>`. */
  starts: Map<string, number>;
  /** How often the work of each run was done. */
  done: Map<string, number>;
};

export function effectsIn(file: string): Effects {
  const effects: Effects = { starts: new Map(), done: new Map() };
  for (const line of readFileSync(file, { encoding: "utf8", flag: "a+" }).split("\n")) {
    const [name = "", what] = line.split(" ");
    if (what === "started") count(effects.starts, name);
    if (what === "done") count(effects.done, name.split("/")[0] ?? "");
  }
  return effects;
}

/** Lists the traces that were counted more than once. */
export const repeated = (counts: Map<string, number>) => [...counts].filter(([, times]) => times > 1);

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
