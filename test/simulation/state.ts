/** The state of a simulation, on disks and on the bus: what the rules for it look at. */
import type { StoredClaim } from "../../bus/claims/claims.ts";
import type { ChildRecord, RunRecord } from "../../cortex/plan/run-record.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";

/** An event of a run, as a line says it. */
export type SimEvent = { seq: number; name: string; line: string; event: AgentEvent };

export type Attempt = {
  isStarted: boolean;
  /** The output that it has printed, and how far the run's file has come in it. */
  out: string;
  cursor: string;
  /** Whether it has been asked to stop. */
  isAsked: boolean;
  code: number | null;
  stop: string | null;
  agent: { isAlive: boolean } | null;
};

/** The files that a run has on a disk. */
export type RunDisk = {
  hasFolder: boolean;
  file: SimEvent[] | null;
  isCommitted: boolean;
  record: RunRecord | null;
  child: ChildRecord | null;
  attempts: Map<number, Attempt>;
};

/** A machine: its disk, and the tokens that hold there, each with its run. */
export type HostState = {
  readonly name: string;
  readonly runs: ReadonlyMap<string, RunDisk>;
  readonly tokens: ReadonlyMap<string, string>;
  disk: (agentId: string) => RunDisk;
};

/** A stored request. @field deliveries how often it was delivered */
export type StoredRequest = { streamSeq: number; data: Uint8Array; isAcked: boolean; deliveries: number };

export type BusState = {
  readonly claims: ReadonlyMap<string, StoredClaim>;
  readonly events: ReadonlyMap<string, SimEvent[]>;
  readonly requests: readonly StoredRequest[];
};
