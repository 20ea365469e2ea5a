/**
 * The ports of cortex: time, files, processes and the bus, as the orchestration of runs uses them. Everything that it does to
 * the world goes through one of them, so a simulation that stands in their place drives the same steps in the same order.
 */
import type { Ledger } from "../../bus/claims/ledger.ts";
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import type { EventPublisher } from "../../bus/events/events.ts";
import type { Clock } from "../model/clock.ts";
import type { BusRequests } from "./bus-requests.ts";
import type { RunFiles } from "./run-files.ts";
import type { RunProcesses } from "./run-processes.ts";

export type Ports = {
  clock: Clock;
  files: RunFiles;
  processes: RunProcesses;
  requests: BusRequests;
  publisher: RunPublisher;
  ledger: RunLedger;
  leases: RunLeases;
};

export type RunPublisher = Pick<
  EventPublisher,
  | "isOpen"
  | "losses"
  | "maxRequestBytes"
  | "publish"
  | "publishPassing"
  | "paced"
  | "catchUp"
  | "confirmed"
  | "onMissing"
>;

export type RunLedger = Pick<
  Ledger,
  | "record"
  | "entry"
  | "change"
  | "assign"
  | "assigned"
  | "reassign"
  | "countDelivery"
  | "claimChild"
  | "childOf"
  | "replaceChild"
>;

export type RunLeases = Pick<WorkerLeases, "isFresh" | "isAlone" | "leaseMs" | "all">;
