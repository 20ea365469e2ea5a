/** `cortex workspace`: a team's workspace, its members, their tokens and notifications, its agents and what they ask. */
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { answered } from "../../../web/client/workspace-client.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { agentsAction } from "../../workspace/agents/agents-action.ts";
import { approvalsAction } from "../../workspace/approvals-action.ts";
import { shortId } from "../../workspace/lookup/find-record.ts";
import { initWorkspace } from "../../workspace/init-workspace.ts";
import { invite, membersAction, tokensAction } from "../../workspace/members-actions.ts";
import { notificationsAction } from "../../workspace/notifications-action.ts";
import { pageAction } from "../../workspace/page-action.ts";
import { setAction } from "../../workspace/set-action.ts";
import {
  chosenWorkspace,
  explained,
  openLink,
  printResult,
  type WorkspaceLink,
  workspacesOf,
} from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex workspace init [NAME] [--json]
       cortex workspace list [--json]
       cortex workspace page [FILE | -] [--json]
       cortex workspace set [KEY [VALUE | -]] [--json]
       cortex workspace invite NAME [--role admin|member] [--json]
       cortex workspace members [list | role MEMBER admin|member | notify MEMBER all|mentions|none | identify MEMBER [telegram:ID,…|none] | remove MEMBER] [--json]
       cortex workspace tokens [list | make | revoke TOKEN] [--member MEMBER] [--json]
       cortex workspace notifications [list [-n COUNT] | read MESSAGE | read --all] [--json]
       cortex workspace approvals [list [--all] | allow APPROVAL [REASON] | deny APPROVAL [REASON]] [--json]
       cortex workspace agents [list | export [FILE] | diff FILE | import FILE [--dry-run] | versions AGENT | publish AGENT VERSION | remove AGENT] [--json]

A workspace is where a team talks in threads: cortex thread. The first one is there from the first use on.

  init      make a workspace of that name, or show it where it is there
  list      the workspaces that you are a member of
  page      what every agent is told of the team: show it, or replace it by a file
  set       what the workspace is set to: all of it, one key, or another value for it. For admins.
            name, trust_level (0 to 3), budget (USD a day, JSON, or none), resolver (an agent's name),
            approval_rules (JSON, or none), personas, thread_summaries, fork_suggestions (on or off)
  invite    make a member; prints their token, this once
  members   the members; an admin sets roles, who they are on channels, and removes; each member sets what they are told of
  tokens    your tokens, or a member's: list, make another one, end one
  notifications
            what you want to be told of (members notify) and haven't read, the newest first (50, or -n). read notes that
            you have read all up to a MESSAGE, by its id or a part of it, or --all that there is
  approvals what agents ask before they do it: list those that are open (--all: also those that were), allow or deny one;
            a reason is for the others, and for the agent
  agents    the agents; as YAML, to keep beside your code: export, compare (exit 1 where they differ) and import.
            An agent that the file doesn't have is left as it is. versions shows what one was before, publish makes a
            version the one that answers, remove takes an agent away for good: what it has said stays

  --workspace NAME   another workspace than the oldest, by its name or id
  --member MEMBER    whose tokens, by their name or id. For an admin of all workspaces of that member

On another machine, or as somebody else: CORTEX_WEB_URL and CORTEX_WEB_TOKEN.
Exit codes: 0 done, 1 failed, 2 usage, 3 refused, 69 nothing runs here.
`;

const options = {
  json: { type: "boolean" },
  workspace: { type: "string" },
  role: { type: "string" },
  member: { type: "string" },
  all: { type: "boolean" },
  count: { type: "string", short: "n" },
  "dry-run": { type: "boolean" },
} as const;

/** How many words each action takes behind its name. */
const words = {
  init: 1,
  list: 0,
  page: 1,
  set: 2,
  invite: 1,
  members: 3,
  tokens: 2,
  notifications: 2,
  approvals: 3,
  agents: 3,
} as const;
type Action = keyof typeof words;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex workspace");
    const [action, ...rest] = positionals;
    if (action === undefined || !Object.hasOwn(words, action))
      throw unknownName("action", action, Object.keys(words), "cortex workspace");
    const more = rest.slice(words[action as Action]);
    if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}"`, "see: cortex workspace --help");
    const { json = false, workspace, role, member } = values;
    const link = openLink(readEnvironment());
    return explained(async () => {
      if (action === "init") return initWorkspace(link, rest[0], json);
      if (action === "list") return list(link, json);
      const chosen = await chosenWorkspace(link, workspace);
      const { id } = chosen;
      if (action === "set") return setAction(link, chosen, rest, json);
      if (action === "page") return pageAction(link, id, rest[0], json);
      if (action === "members") return membersAction(link, id, rest, json);
      if (action === "tokens") return tokensAction(link, id, rest, { member, json });
      if (action === "notifications")
        return notificationsAction(link, id, rest, { isAll: values.all ?? false, count: countOf(values.count), json });
      if (action === "approvals") return approvalsAction(link, id, rest, { isAll: values.all ?? false, json });
      if (action === "agents") return agentsAction(link, id, rest, { json, isDryRun: values["dry-run"] ?? false });
      const [name] = rest;
      if (name === undefined) throw usageError("NAME is missing", 'for example: cortex workspace invite "Ada"');
      return invite(link, id, { name, role, json });
    });
  },
};

const usualCount = 50;

function countOf(given: string | undefined): number {
  const count = given === undefined ? usualCount : Number(given);
  if (!Number.isSafeInteger(count) || count < 1)
    throw usageError(`-n "${given}": expected a whole number from 1`, "for example: -n 20");
  return count;
}

async function list(link: WorkspaceLink, json: boolean): Promise<number> {
  const workspaces = await workspacesOf(link);
  const me = await answered(link.client.GET("/api/v1/me"));
  const roleIn = (id: string) => me.memberships.find((one) => one.workspace_id === id)?.role ?? "";
  return printResult(json, { workspaces }, () =>
    columns([["ID", "NAME", "YOU ARE"], ...workspaces.map(({ id, name }) => [shortId(id), name, roleIn(id)])]),
  );
}
