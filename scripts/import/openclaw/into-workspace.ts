/** An OpenClaw agent in a workspace: made where its slug is free, and the page where it is empty. Nothing there is changed. */
import { answered } from "../../../web/client/workspace-client.ts";
import { agentsOf } from "../../workspace/agents/agents-file.ts";
import type { WorkspaceLink } from "../../workspace/lookup/workspace-link.ts";
import type { CarriedFile } from "./carry-out.ts";
import type { PlannedAgent } from "./planned-agent.ts";

/** @throws ApiError, UnreachableError */
export async function carryIntoWorkspace(
  link: WorkspaceLink,
  workspaceId: string,
  { agent, page }: PlannedAgent,
  isDryRun: boolean,
): Promise<CarriedFile[]> {
  const params = { path: { w: workspaceId } };
  const workspace = await answered(link.client.GET("/api/v1/workspaces/{w}", { params }));
  const there = (await agentsOf(link, workspaceId)).find(({ slug }) => slug === agent.slug);
  const isSame = there?.system_prompt === agent.system_prompt && there.display_name === agent.display_name;
  const carried: CarriedFile[] = [
    row("agent", "SOUL.md, IDENTITY.md, AGENTS.md, TOOLS.md", `@${agent.slug} in ${workspace.name}`, {
      isFree: !there,
      isSame,
      why: "another agent has this slug: choose another one with --name",
    }),
  ];
  if (!there && !isDryRun) await answered(link.client.POST("/api/v1/workspaces/{w}/agents", { params, body: agent }));
  if (page === null) return carried;
  carried.push(
    row("page", "KNOWLEDGE-MAP.md", `the page of ${workspace.name}`, {
      isFree: workspace.page === "",
      isSame: workspace.page === page,
      why: "the page has a text already: cortex workspace page shows it",
    }),
  );
  if (workspace.page === "" && !isDryRun)
    await answered(link.client.PATCH("/api/v1/workspaces/{w}", { params, body: { page } }));
  return carried;
}

type Found = { isFree: boolean; isSame: boolean; why: string };

function row(what: "agent" | "page", from: string, to: string, { isFree, isSame, why }: Found): CarriedFile {
  if (isFree) return { what, from, to, state: "new" };
  return isSame ? { what, from, to, state: "there" } : { what, from, to, state: "conflict", why };
}
