import { expect, test } from "vitest";
import type { PersonaSettings } from "../../../protocol/settings/persona.ts";
import { createAgent, listAgents, setAgentActive } from "../../../workspace/agents/agents.ts";
import { NewAgent } from "../../../workspace/records/agent.ts";
import { sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

describeDatabases((newTarget) => {
  async function newTeamWith(files: Record<string, { instruction: string; settings: PersonaSettings }>) {
    const team = await newTeam(await newTarget(), (name) => files[name]);
    const { store, admin, workspaceId } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    return {
      ...team,
      files,
      allow: (personas: boolean) => updateWorkspace(store, workspaceId, { settings: { personas } }, admin),
      say: async (text: string) => (await sendMessage(store, { threadId, forkId: null }, { text }, admin)).tasks,
      agent: async (slug: string) => (await listAgents(store, workspaceId)).find((one) => one.slug === slug),
    };
  }
  const plan = { instruction: "You plan.", settings: { title: "Planner", model: "m-1", tools: "todo, web" } };

  test("a persona is mentioned where the workspace allows it, and the task names its agent", async () => {
    await using team = await newTeamWith({ plan });
    expect(await team.say("@plan the garden")).toEqual([]);
    await team.allow(true);
    const [task] = await team.say("@plan the garden");
    const agent = await team.agent("plan");
    expect(agent).toMatchObject({
      persona: "plan",
      display_name: "Planner",
      system_prompt: "You plan.",
      model: "m-1",
      tools: ["todo", "web"],
      version: 1,
    });
    expect(task).toMatchObject({ agent_id: agent?.id, agent_version: 1, status: "queued" });
    expect(await team.say("@Plan again, then @coder")).toMatchObject([{ agent_id: agent?.id, agent_version: 1 }, {}]);
    await team.allow(false);
    expect(await team.say("@plan the garden")).toEqual([]);
  });

  test("a persona's agent follows its file, version by version", async () => {
    await using team = await newTeamWith({ plan });
    await team.allow(true);
    await team.say("@plan one");
    team.files["plan"] = { ...plan, instruction: "You plan well." };
    expect(await team.say("@plan two")).toMatchObject([{ agent_version: 2 }]);
    expect((await team.agent("plan"))?.system_prompt).toBe("You plan well.");
    delete team.files["plan"];
    expect(await team.say("@plan three")).toEqual([]);
  });

  test("an agent of that slug wins over the persona, and one that isn't active isn't mentioned", async () => {
    await using team = await newTeamWith({ plan, coder: plan });
    await team.allow(true);
    await team.say("@plan one");
    const own = (await team.agent("plan"))?.id ?? "";
    await setAgentActive(team.store, own, false, team.admin);
    expect(await team.say("@plan two")).toEqual([]);
    const [ofCoder] = await team.say("@coder three");
    expect(ofCoder?.agent_id).toBe((await team.agent("coder"))?.id);
    expect((await team.agent("coder"))?.persona).toBeNull();
    const file = { slug: "poet", name: "poet", display_name: "Poet", system_prompt: "Rhyme." };
    await createAgent(team.store, NewAgent.parse(file), team.admin);
    team.files["poet"] = plan;
    await team.say("@poet four");
    expect((await team.agent("poet"))?.system_prompt).toBe("Rhyme.");
  });
});
