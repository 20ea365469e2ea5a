/** Operations on decisions: what waits for the owner. */
import { Decision, DecisionId, DecisionMade } from "../../../machine/records/decision-records.ts";
import { listOf, operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner", isOutside: true } as const;

export const decisions = [
  operation({
    ...forOwner,
    id: "decision.list",
    method: "GET",
    path: "/decisions",
    summary: "The decisions that wait for the owner, oldest first: of runs, long-lived agents and workspaces",
    answer: listOf(Decision),
    handle: async ({ machine }) => ({ items: await machine.decisions.list(), next: null }),
  }),
  operation({
    ...forOwner,
    id: "decision.decide",
    method: "POST",
    path: "/decisions/{id}",
    pathId: DecisionId,
    summary: "Allow or deny",
    description: "The first decision counts; whoever comes second gets 409, which says who was first.",
    body: DecisionMade,
    answer: Decision,
    refusals: [409],
    handle: ({ machine, store, request }, { id, body }) => machine.decisions.decide(id, body, { request, store }),
  }),
];
