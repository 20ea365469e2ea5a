/** Operations on agents and their versions. */
import { z } from "zod";
import {
  createAgent,
  listAgents,
  listVersions,
  publishVersion,
  readAgent,
  setAgentActive,
  updateAgent,
} from "../../../../workspace/agents/agents.ts";
import { removeAgent } from "../../../../workspace/agents/remove-agent.ts";
import { schemaOf } from "../../../journal/access/schema-of.ts";
import { Agent, AgentSchema, AgentUpdate, AgentVersion, NewAgent } from "../../../../workspace/records/agent.ts";
import { pageOfAll } from "../../../../workspace/records/page.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

/** Room for the longest prompt, however it is escaped. */
const maxBodyBytes = 1024 * 1024;

const ActiveState = Agent.pick({ is_active: true });
const VersionChoice = AgentVersion.pick({ version: true });

const read = { subject: "agents", role: "member", method: "GET" } as const;
const change = { subject: "agents", role: "admin", answer: Agent } as const;

/** Newest first, in the order of a text. */
const versionKey = ({ version }: AgentVersion) => String(Number.MAX_SAFE_INTEGER - version).padStart(16, "0");

export const agents = [
  operation({
    id: "agent.list",
    method: "GET",
    path: "/workspaces/{w}/agents",
    summary: "The agents of a workspace, in the order of their slugs",
    subject: "workspaces",
    role: "member",
    query: pageQuery,
    answer: listOf(Agent),
    handle: async ({ store, actor }, { query }) =>
      pageOfAll(await listAgents(store, actor.workspaceId), query, ({ slug }) => slug),
  }),
  operation({
    id: "agent.create",
    method: "POST",
    path: "/workspaces/{w}/agents",
    summary: "Make an agent",
    subject: "workspaces",
    role: "admin",
    body: NewAgent,
    maxBodyBytes,
    status: 201,
    answer: Agent,
    handle: ({ store, actor }, { body }) => createAgent(store, body, actor),
  }),
  operation({
    id: "agent.schema",
    method: "GET",
    path: "/workspaces/{w}/agents/schema",
    summary: "The schema of what an agent is made of, for forms",
    subject: "workspaces",
    role: "member",
    answer: AgentSchema,
    handle: async () => ({ schema: schemaOf(NewAgent) }),
  }),
  operation({
    ...read,
    id: "agent.get",
    path: "/agents/{id}",
    summary: "An agent as it is published, with its prompt",
    answer: Agent,
    handle: ({ store, actor }, { id }) => readAgent(store, id, actor),
  }),
  operation({
    ...change,
    id: "agent.update",
    method: "PATCH",
    path: "/agents/{id}",
    summary: "Make a version with these fields changed, and publish it",
    description: "With the `version` that was read it is refused when another one is published by now.",
    body: AgentUpdate as z.ZodType<AgentUpdate>,
    maxBodyBytes,
    refusals: [409],
    handle: ({ store, actor }, { id, body }) => updateAgent(store, id, body, actor),
  }),
  operation({
    ...change,
    id: "agent.toggleActive",
    method: "POST",
    path: "/agents/{id}/toggle-active",
    summary: "Let an agent be mentioned, or not",
    body: ActiveState,
    handle: ({ store, actor }, { id, body }) => setAgentActive(store, id, body.is_active, actor),
  }),
  operation({
    ...read,
    id: "agent.versions",
    path: "/agents/{id}/versions",
    summary: "The versions of an agent, newest first",
    query: pageQuery,
    answer: listOf(AgentVersion),
    handle: async ({ store, actor }, { id, query }) =>
      pageOfAll(await listVersions(store, id, actor), query, versionKey),
  }),
  operation({
    ...change,
    id: "agent.publish",
    method: "POST",
    path: "/agents/{id}/publish",
    summary: "Publish an earlier version, or a later one",
    description: "Tasks keep the version that they began with.",
    body: VersionChoice,
    handle: ({ store, actor }, { id, body }) => publishVersion(store, id, body.version, actor),
  }),
  operation({
    id: "agent.remove",
    method: "DELETE",
    path: "/agents/{id}",
    summary: "Remove an agent; what it has said stays",
    description: "One that the workspace itself uses can't be removed.",
    subject: "agents",
    role: "admin",
    status: 204,
    refusals: [409],
    handle: ({ store, actor }, { id }) => removeAgent(store, id, actor),
  }),
];
