import { expect, test } from "vitest";
import {
  createAgent,
  listAgents,
  listVersions,
  publishVersion,
  readAgent,
  setAgentActive,
  updateAgent,
} from "../../../workspace/agents/agents.ts";
import { removeAgent } from "../../../workspace/agents/remove-agent.ts";
import { configOfVersion } from "../../../workspace/agents/versions.ts";
import { NewAgent } from "../../../workspace/records/agent.ts";
import { cancelTask, readTask, retryTask } from "../../../workspace/tasks/tasks.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const poet = NewAgent.parse({ slug: "poet", name: "poet", display_name: "Poet", system_prompt: "You rhyme." });

describeDatabases((newTarget) => {
  async function newPoet() {
    const team = await newTeam(await newTarget());
    const agent = await createAgent(team.store, poet, team.admin);
    const { id: threadId } = await createThread(team.store, "Seeds", team.admin);
    const place = { threadId, forkId: null };
    return { ...team, agent, say: (text: string) => sendMessage(team.store, place, { text }, team.admin) };
  }

  test("an agent that is removed is nowhere any more, and its slug is free", async () => {
    await using team = await newPoet();
    const { store, admin, agent, workspaceId } = team;
    await removeAgent(store, agent.id, admin);
    expect((await listAgents(store, workspaceId)).map(({ slug }) => slug)).not.toContain("poet");
    const gone = { code: "not_found" };
    await expect(readAgent(store, agent.id, admin)).rejects.toMatchObject(gone);
    await expect(listVersions(store, agent.id, admin)).rejects.toMatchObject(gone);
    await expect(updateAgent(store, agent.id, { model: "large" }, admin)).rejects.toMatchObject(gone);
    await expect(publishVersion(store, agent.id, 1, admin)).rejects.toMatchObject(gone);
    await expect(setAgentActive(store, agent.id, true, admin)).rejects.toMatchObject(gone);
    await expect(removeAgent(store, agent.id, admin)).rejects.toMatchObject(gone);
    expect((await team.say("@poet who are you")).tasks).toEqual([]);
    const next = await createAgent(store, poet, admin);
    expect((await team.say("@poet who are you")).tasks).toMatchObject([{ agent_id: next.id, agent_version: 1 }]);
    await removeAgent(store, next.id, admin);
  });

  test("those who listen hear of it, without its prompt", async () => {
    await using team = await newPoet();
    await removeAgent(team.store, team.agent.id, team.admin);
    const [told] = (await team.store.changes.eventsAfter(team.workspaceId, 0, 10)).slice(-1);
    expect(told).toMatchObject({ event: "agent.removed", data: { agent: { id: team.agent.id, slug: "poet" } } });
    expect(JSON.stringify(told)).not.toContain("You rhyme");
  });

  test("what an agent was asked before it was removed keeps its version, and isn't asked again", async () => {
    await using team = await newPoet();
    const { store, admin, agent } = team;
    const [task] = (await team.say("@poet who are you")).tasks;
    await removeAgent(store, agent.id, admin);
    expect(await readTask(store, task?.id ?? "", admin)).toMatchObject({ agent_id: agent.id, agent_version: 1 });
    expect(await configOfVersion(store.database, agent.id, 1)).toMatchObject({ system_prompt: "You rhyme." });
    await cancelTask(store, task?.id ?? "", admin);
    const again = retryTask(store, task?.id ?? "", admin);
    await expect(again).rejects.toMatchObject({ code: "conflict", message: "the agent was removed" });
  });

  test("a member removes no agent, and nobody one that the workspace itself uses", async () => {
    await using team = await newPoet();
    const { store, admin, agent, workspaceId } = team;
    await expect(removeAgent(store, agent.id, await team.invite("Bea"))).rejects.toMatchObject({ code: "forbidden" });
    const resolver = (await listAgents(store, workspaceId)).find(({ is_system }) => is_system);
    await expect(removeAgent(store, resolver?.id ?? "", admin)).rejects.toMatchObject({ code: "conflict" });
    expect(await listAgents(store, workspaceId)).toHaveLength(4);
  });
});
