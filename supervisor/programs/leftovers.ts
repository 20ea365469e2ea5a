/** What an earlier supervisor left behind: found by what it wrote down, told from strangers that have its pid now. */
import { findMarked, carriesMark } from "../../proc/os/mark.ts";
import { type Identity, identify, isAlive } from "../../proc/os/identity.ts";
import { leadsGroup, membersOf } from "../../proc/os/process-group.ts";
import { Service } from "../../proc/programs/service.ts";
import { nonceName } from "./program.ts";

/** What was written down of a process: its mark before it was made, who it is afterwards. */
export type Noted = { nonce: string | null; identity: Identity | null };

/** The process that was noted, if it lives. A stranger with its pid is none. */
export function findNoted({ nonce, identity }: Noted): Identity | null {
  if (nonce === null) return null;
  if (identity) return isAlive(identity) && carriesMark(identity.pid, nonceName, nonce) !== false ? identity : null;
  // It was about to be made when its supervisor was killed. What it started itself bears the mark too, but leads no group.
  const pid = findMarked(nonceName, nonce).find(leadsGroup);
  return pid === undefined ? null : identify(pid);
}

/** Kills what a noted process that has gone itself left in its group. */
export async function clearNoted({ nonce, identity }: Noted): Promise<void> {
  if (nonce === null || !identity || isAlive(identity)) return;
  // As long as a group has members its number isn't given away, so one that bears the mark vouches for all.
  const isOurs = membersOf(identity.pid).some((pid) => carriesMark(pid, nonceName, nonce));
  if (isOurs) await Service.adopt(identity).stop("SIGKILL", 0);
}
