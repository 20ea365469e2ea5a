/** Operations on approvals: calls of agents' tools that wait for a person. */
import { decideApproval, listApprovals } from "../../../../workspace/approvals/approvals.ts";
import { Approval, ApprovalDecision } from "../../../../workspace/records/approval.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

export const approvals = [
  operation({
    id: "approval.list",
    method: "GET",
    path: "/workspaces/{w}/approvals",
    summary: "The calls that wait for a person, and those that did, newest first",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Approval),
    handle: ({ store, actor }, { query }) => listApprovals(store, actor, query),
  }),
  operation({
    id: "approval.decide",
    method: "POST",
    path: "/approvals/{id}",
    summary: "Allow or deny a call",
    description: "For whom the approval names in `requires`. The first decision counts.",
    subject: "approvals",
    role: "member",
    body: ApprovalDecision,
    answer: Approval,
    handle: ({ store, actor }, { id, body }) => decideApproval(store, id, body, actor),
  }),
];
