/** `cortex workspace invite|members|tokens`: who belongs to a workspace, and by which tokens they speak. */
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { allOf, answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { columns } from "../command/layout/columns.ts";
import { unknownName, usageError } from "../command/command.ts";
import { asTyped } from "../command/typed-command.ts";
import { oneOf, shortId } from "./lookup/find-record.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type Member = ApiRecord<"Member">;

const roles = ["member", "admin"] as const;

export async function invite(
  { client, addressOf }: WorkspaceLink,
  workspaceId: string,
  { name, role, json }: { name: string; role: string | undefined; json: boolean },
): Promise<number> {
  const body = { name, role: roleOf(role) ?? "member" };
  const invited = await answered(
    client.POST("/api/v1/workspaces/{w}/members", { params: { path: { w: workspaceId } }, body }),
  );
  if (!json) process.stderr.write(howToSpeak(name, addressOf()?.url));
  return printResult(json, invited, () => invited.token);
}

const howToSpeak = (name: string, url = "") =>
  asTyped(`the token of ${name}, shown this once; with it ${name} speaks by any command here:
  CORTEX_WEB_URL=${url} CORTEX_WEB_TOKEN=… cortex thread list
`);

export const membersOf = ({ client }: WorkspaceLink, workspaceId: string): Promise<Member[]> =>
  allOf((query) => client.GET("/api/v1/workspaces/{w}/members", { params: { path: { w: workspaceId }, query } }));

const memberActions = ["list", "role", "notify", "identify", "remove"] as const;

/** `members list`, `members role MEMBER ROLE`, `members notify MEMBER LEVEL`, `members identify MEMBER IDENTITIES`, `members remove MEMBER`. */
export async function membersAction(
  link: WorkspaceLink,
  workspaceId: string,
  [action = "list", given, value]: string[],
  json: boolean,
): Promise<number> {
  if (!(memberActions as readonly string[]).includes(action))
    throw unknownName("action", action, memberActions, "cortex workspace members");
  const members = await membersOf(link, workspaceId);
  if (action === "list") return printResult(json, { members }, () => memberTable(members));
  const member = memberNamed(members, given);
  const path = { id: member.id };
  if (action === "remove") {
    await answered(link.client.DELETE("/api/v1/members/{id}", { params: { path } }));
    return printResult(
      json,
      { ok: true, removed: member },
      () => `${member.name} is no longer a member; their messages stay`,
    );
  }
  if (action === "identify") return identify(link, member, value, json);
  const body = action === "role" ? { role: roleOf(value ?? "") ?? "member" } : { notifications: levelOf(value) };
  const updated = await answered(link.client.PATCH("/api/v1/members/{id}", { params: { path }, body }));
  return printResult(json, updated, () => memberTable([updated]));
}

/** Sets who a member is on channels, `telegram:17,sms:5` or `none`; shows it without. */
async function identify({ client }: WorkspaceLink, { id, name }: Member, given: string | undefined, json: boolean) {
  const params = { path: { id } };
  const identities = given === "none" ? [] : (given ?? "").split(",").map((one) => one.trim());
  const answer = await answered(
    given === undefined
      ? client.GET("/api/v1/members/{id}/identities", { params })
      : client.POST("/api/v1/members/{id}/identities", { params, body: { identities } }),
  );
  return printResult(json, answer, () => `${name}: ${answer.identities.join(", ") || "nobody on any channel"}`);
}

function memberTable(members: readonly Member[]): string {
  const rows = members.map(({ id, name, role, notifications }) => [shortId(id), name, role, notifications]);
  return columns([["ID", "NAME", "ROLE", "NOTIFIED OF"], ...rows]);
}

/** @throws CommandError */
function memberNamed(members: readonly Member[], given: string | undefined): Member {
  if (given === undefined) throw usageError("MEMBER is missing", "names and ids: cortex workspace members");
  const named = members.filter(({ name }) => name === given);
  const [only] = named;
  return only && named.length === 1 ? only : oneOf("member", given, members, "cortex workspace members");
}

function roleOf(given: string | undefined): (typeof roles)[number] | undefined {
  const role = roles.find((one) => one === given);
  if (given !== undefined && !role) throw unknownName("role", given, roles, "cortex workspace");
  return role;
}

const levels = ["all", "mentions", "none"] as const;

function levelOf(given: string | undefined): (typeof levels)[number] {
  const level = levels.find((one) => one === given);
  if (!level) throw unknownName("level", given, levels, "cortex workspace");
  return level;
}

const tokenActions = ["list", "make", "revoke"] as const;

/** `tokens list`, `tokens make`, `tokens revoke TOKEN`: one's own, or those of the member that `--member` names. */
export async function tokensAction(
  link: WorkspaceLink,
  workspaceId: string,
  [action = "list", given]: string[],
  { member: name, json }: { member: string | undefined; json: boolean },
): Promise<number> {
  if (!(tokenActions as readonly string[]).includes(action))
    throw unknownName("action", action, tokenActions, "cortex workspace tokens");
  const { client } = link;
  const members = await membersOf(link, workspaceId);
  const member = name === undefined ? await oneself(link, members) : memberNamed(members, name);
  const params = { path: { id: member.id } };
  if (action === "make") {
    const made = await answered(client.POST("/api/v1/members/{id}/tokens", { params }));
    if (!json) process.stderr.write(howToSpeak(member.name, link.addressOf()?.url));
    return printResult(json, made, () => made.token);
  }
  const { items: tokens } = await answered(client.GET("/api/v1/members/{id}/tokens", { params }));
  if (action === "list")
    return printResult(json, { member, tokens }, () =>
      tokens.length === 0
        ? `${member.name} has no tokens`
        : columns([["TOKEN", "OF", "MADE"], ...tokens.map(({ id, created_at }) => [id, member.name, created_at])]),
    );
  const token = tokens.find(({ id }) => id === given);
  if (!token) throw usageError(`${member.name} has no token "${given ?? ""}"`, "see: cortex workspace tokens list");
  const body = { token_id: token.id };
  await answered(client.POST("/api/v1/members/{id}/tokens/revoke", { params, body }));
  printResult(json, { ok: true, revoked: token }, () => `the token ${token.id} of ${member.name} is no longer valid`);
  return exitCodes.done;
}

/** The member who asks. @throws CommandError where they are none */
export async function oneself({ client }: WorkspaceLink, members: readonly Member[]): Promise<Member> {
  const me = await answered(client.GET("/api/v1/me"));
  const own = members.find(({ user_id }) => user_id === me.id);
  if (!own) throw usageError("you are not a member of that workspace", "see: cortex workspace list");
  return own;
}
