/** `cortex workspace approvals`: calls of agents' tools that wait for a person of the workspace, and the decision on one. */
import { allOf, answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { unknownName, usageError } from "../command/command.ts";
import { duration, shorten } from "../command/layout/text.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { isWholeId, oneOf, shortId } from "./lookup/find-record.ts";
import { membersOf } from "./members-actions.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

const actions = ["list", "allow", "deny"] as const;

/** How many of the newest are looked through: older ones have been decided, or have run out. */
const mostApprovals = 1000;

export async function approvalsAction(
  link: WorkspaceLink,
  workspaceId: string,
  [action = "list", given, reason]: string[],
  { isAll, json }: { isAll: boolean; json: boolean },
): Promise<number> {
  const known = actions.find((one) => one === action);
  if (!known) throw unknownName("action", action, actions, "cortex workspace approvals");
  if (known === "list") return listApprovals(link, workspaceId, isAll, json);
  if (given === undefined) throw usageError("APPROVAL is missing", "ids: cortex workspace approvals");
  const id = isWholeId(given)
    ? given.toLowerCase()
    : oneOf("approval", given, await approvalsOf(link, workspaceId), "cortex workspace approvals").id;
  const body = { decision: known, ...(reason !== undefined && { reason }) };
  const decided = await answered(link.client.POST("/api/v1/approvals/{id}", { params: { path: { id } }, body }));
  return printResult(json, decided, () => `${decided.tool} is ${decided.status}`);
}

const approvalsOf = ({ client }: WorkspaceLink, workspaceId: string): Promise<ApiRecord<"Approval">[]> =>
  allOf(
    (query) => client.GET("/api/v1/workspaces/{w}/approvals", { params: { path: { w: workspaceId }, query } }),
    mostApprovals,
  );

async function listApprovals(link: WorkspaceLink, workspaceId: string, isAll: boolean, json: boolean): Promise<number> {
  const all = await approvalsOf(link, workspaceId);
  const approvals = isAll ? all : all.filter(({ status }) => status === "open");
  if (json) return printResult(json, { approvals }, () => "");
  if (approvals.length === 0) return printResult(json, {}, () => (isAll ? "no agent has asked yet" : "no agent asks"));
  const [agents, members] = await Promise.all([agentsOf(link, workspaceId), membersOf(link, workspaceId)]);
  const agentName = (id: string) => agents.find((agent) => agent.id === id)?.display_name ?? shortId(id);
  const userName = (id: string | null) => members.find(({ user_id }) => user_id === id)?.name ?? "another member";
  const who = ({ requires, user_id }: ApiRecord<"Approval">) =>
    ({ any_member: "any member", admin: "an admin", specific_user: userName(user_id) })[requires];
  const state = (approval: ApiRecord<"Approval">) =>
    approval.status === "open" ? `for ${who(approval)}, ${leftOf(approval)}` : approval.status;
  const rows = approvals.map((one) => [
    shortId(one.id),
    agentName(one.agent_id),
    one.tool,
    shorten(JSON.stringify(one.args) ?? "", 200),
    state(one),
    shorten(one.why, 200),
  ]);
  return printResult(json, {}, () => columns([["ID", "AGENT", "TOOL", "CALL", "STATE", "WHY"], ...rows]));
}

const leftOf = ({ expires_at: end }: ApiRecord<"Approval">) =>
  `${duration(Math.max(0, Date.parse(end) - Date.now()))} left`;
