/** `cortex workspace init`: a workspace to begin with. */
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { asTyped } from "../command/typed-command.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { threadsOf } from "./lookup/find-thread.ts";
import { chosenWorkspace, printResult, type WorkspaceLink, workspacesOf } from "./lookup/workspace-link.ts";

/** Shows the workspace of that name, and makes it where there is none. Without a name the oldest is shown. */
export async function initWorkspace(link: WorkspaceLink, name: string | undefined, json: boolean): Promise<number> {
  const { workspace, isNew } = await found(link, name);
  const agents = (await agentsOf(link, workspace.id)).filter((agent) => agent.is_active && !agent.is_system);
  return printResult(json, { created: isNew, workspace, agents: agents.map(({ slug }) => slug) }, () =>
    asTyped(`${isNew ? "the workspace" : "there already: the workspace"} "${workspace.name}", with ${agents.map(({ slug }) => `@${slug}`).join(" and ")}

  cortex thread post --new "First questions" --wait "@assistant what can you do?"
  cortex workspace invite NAME

Its agents have no tools to begin with: "tools: [journal]" in the file of cortex workspace agents export lets them read.`),
  );
}

async function found(
  link: WorkspaceLink,
  name: string | undefined,
): Promise<{ workspace: ApiRecord<"Workspace">; isNew: boolean }> {
  const workspaces = await workspacesOf(link);
  const named = name === undefined ? undefined : workspaces.find((one) => one.name === name);
  if (named) return { workspace: named, isNew: false };
  if (name === undefined) return { workspace: await chosenWorkspace(link, undefined), isNew: false };
  const [only] = workspaces;
  // The one that is made by itself at the first use gets its name here.
  if (only && workspaces.length === 1 && (await isUntouched(link, only))) {
    const params = { path: { w: only.id } };
    const workspace = await answered(link.client.PATCH("/api/v1/workspaces/{w}", { params, body: { name } }));
    return { workspace, isNew: true };
  }
  return { workspace: await answered(link.client.POST("/api/v1/workspaces", { body: { name } })), isNew: true };
}

async function isUntouched(link: WorkspaceLink, { id, page, created_at, updated_at }: ApiRecord<"Workspace">) {
  if (page !== "" || created_at !== updated_at) return false;
  return (await threadsOf(link, id, 1)).length === 0;
}
