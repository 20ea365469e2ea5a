/** The files of agents, damaged while everything is stopped: who starts next reads them. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../simulation/engine.ts";
import { hostileLines } from "../hostile.ts";

const names = ["descriptor.json", "state.json", "inbox.jsonl", "history.jsonl"];
/** Share of all files. */
const damagedShare = 0.3;

/** Damages some of them. Returns which. */
export function damageAgents(journal: string, engine: Engine): string[] {
  const folder = join(journal, "agents");
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder).flatMap((agent) => names.map((name) => join(folder, agent, name)));
  const damaged = paths.filter((path) => existsSync(path) && engine.chance(damagedShare));
  for (const path of damaged) writeFileSync(path, hostileLines(engine, readFileSync(path, "utf8")));
  return damaged;
}
