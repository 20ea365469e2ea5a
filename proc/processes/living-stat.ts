/** The fields that Linux tells of a process that lives. */
import { readFileSync } from "node:fs";

/** Where fields stand behind the name; see proc_pid_stat(5), which counts them from 1 and the name as the second. */
const field = { state: 0, group: 2, threads: 17, start: 19 } as const;

export type LivingStat = { group: number; start: string };

/** Null for a process that has gone, and for a zombie: whoever should have asked for it may never do so. */
export function livingStat(pid: number | string): LivingStat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The name in parentheses may hold anything, so fields are counted from behind its last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[field.state] ?? "X";
  // A first thread ends as a zombie while others are still at work, or still hold the ports and files of a killed program.
  const isGone = state === "X" || (state === "Z" && Number(fields[field.threads]) <= 1);
  return isGone ? null : { group: Number(fields[field.group]), start: fields[field.start] ?? "" };
}
