/** Orphans: processes of an earlier supervisor, found by what it recorded, and told from strangers that have their pids now. */
import { findByEnvMarker, hasEnvMarker } from "../../proc/processes/env-marker.ts";
import { type ProcessIdentity, identifyProcess, isAlive } from "../../proc/processes/identity.ts";
import { leadsGroup, membersOf } from "../../proc/processes/process-group.ts";
import { Service } from "../../proc/programs/service.ts";
import { nonceName } from "../../proc/programs/program-nonce.ts";

/** The record of a process: its env marker from before the start, its identity from after it. */
export type RecordedProcess = { nonce: string | null; identity: ProcessIdentity | null };

/** The recorded process, if it lives. A stranger with its pid is not it. */
export function findRecorded({ nonce, identity }: RecordedProcess): ProcessIdentity | null {
  if (nonce === null) return null;
  if (identity) return isAlive(identity) && hasEnvMarker(identity.pid, nonceName, nonce) !== false ? identity : null;
  // Its supervisor was killed during the start. Its own children have the marker too, but lead no group.
  const pid = findByEnvMarker(nonceName, nonce).find(leadsGroup);
  return pid === undefined ? null : identifyProcess(pid);
}

/** Kills the orphans that an exited process left in its group. */
export async function killOrphans({ nonce, identity }: RecordedProcess): Promise<void> {
  if (nonce === null || !identity || isAlive(identity)) return;
  // The system doesn't reuse a group's number while it has members, so one with the marker vouches for all.
  const isOurs = membersOf(identity.pid).some((pid) => hasEnvMarker(pid, nonceName, nonce));
  if (isOurs) await Service.adopt(identity).stop("SIGKILL", 0);
}
