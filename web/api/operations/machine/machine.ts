/** Operations on the machine as a whole: what there is now, its health, its costs, and what happens. */
import { getCost } from "../../../machine/costs/get-cost.ts";
import {
  Cost,
  CostQuery,
  Dismissal,
  Health,
  machineEvents,
  Now,
  ProgramRow,
} from "../../../machine/records/machine-records.ts";
import { listOf, operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;

export const machine = [
  operation({
    ...forOwner,
    id: "now.get",
    method: "GET",
    path: "/now",
    summary: "The first view: what needs the owner, is at work, has failed, and was done today",
    answer: Now,
    handle: ({ machine }) => machine.now.get(),
  }),
  operation({
    ...forOwner,
    id: "now.dismiss",
    method: "POST",
    path: "/now/dismissed",
    summary: "Put a run that has failed away",
    body: Dismissal,
    status: 204,
    refusals: [404],
    handle: ({ machine }, { body }) => machine.now.dismiss(body.run),
  }),
  operation({
    ...forOwner,
    id: "machine.events",
    method: "GET",
    path: "/events",
    summary: "Hear what happens on the machine",
    description:
      "Server-sent events, each with an id. A run's row is told at most four times a second. `Last-Event-ID` goes on behind that event, without it with what happens from now on; the header of that name in the answer says where it begins; where what came since isn't known any more, `reset` says that lists are to be read again. Comments are heartbeats. Whoever doesn't read is closed, and comes back.",
    events: machineEvents,
    refusals: [503],
    listen: ({ machine, lastEventId, signal }) => machine.events.listen(lastEventId, signal),
  }),
  operation({
    ...forOwner,
    id: "cost.get",
    method: "GET",
    path: "/cost",
    summary: "The usage and cost of runs, and how near the limits are",
    query: CostQuery,
    answer: Cost,
    handle: ({ machine, store }, { query }) => getCost(machine, store, query),
  }),
  operation({
    ...forOwner,
    id: "program.list",
    method: "GET",
    path: "/programs",
    summary: "The programs, and how they are",
    answer: listOf(ProgramRow),
    handle: async ({ machine }) => ({ items: machine.health.programs(), next: null }),
  }),
  operation({
    ...forOwner,
    id: "health.get",
    method: "GET",
    path: "/health",
    summary: "The problems, with the commands that fix them",
    answer: Health,
    handle: ({ machine }) => machine.health.get(),
  }),
];
