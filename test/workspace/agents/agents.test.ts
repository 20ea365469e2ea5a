import { expect, test } from "vitest";
import { diffAgents, fileOf, readAgentsYaml, writeAgentsYaml } from "../../../workspace/agents/agents-yaml.ts";
import {
  createAgent,
  listAgents,
  listVersions,
  publishVersion,
  readAgent,
  setAgentActive,
  updateAgent,
} from "../../../workspace/agents/agents.ts";
import { configOfVersion } from "../../../workspace/agents/versions.ts";
import { seededAgents } from "../../../workspace/agents/seeds.ts";
import { createWorkspace } from "../../../workspace/workspaces.ts";
import { memberOf } from "../../../workspace/people/access.ts";
import { NewAgent } from "../../../workspace/records/agent.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const reviewer = NewAgent.parse({
  slug: "reviewer",
  name: "reviewer",
  display_name: "Reviewer",
  system_prompt: "You review.",
});

describeDatabases((newTarget) => {
  test("a workspace begins with the agents of the seed", async () => {
    await using team = await newTeam(await newTarget());
    const agents = await listAgents(team.store, team.workspaceId);
    expect(agents.map(({ slug, max_tokens, is_system, version }) => [slug, max_tokens, is_system, version])).toEqual([
      ["_fork-resolver", 1024, true, 1],
      ["assistant", 4096, false, 1],
      ["coder", 8192, false, 1],
    ]);
    expect(diffAgents(seededAgents(), agents.map(fileOf))).toEqual([]);
  });

  test("a backend whose calls no approval sees is refused to a new agent, an edit and an old version", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const refusal = { code: "invalid", message: expect.stringContaining('"claude" can\'t answer in a workspace') };
    await expect(createAgent(store, { ...reviewer, backend: "claude" }, admin)).rejects.toMatchObject(refusal);
    const { id } = await createAgent(store, { ...reviewer, backend: "my-own" }, admin);
    await expect(updateAgent(store, id, { backend: "claude" }, admin)).rejects.toMatchObject(refusal);
    expect(await updateAgent(store, id, { backend: null }, admin)).toMatchObject({ version: 2, backend: null });
    // As a version from before may be.
    await store.database
      .updateTable("agent_versions")
      .set({ config_json: JSON.stringify({ ...reviewer, backend: "claude" }) })
      .where("agent_id", "=", id)
      .where("version", "=", 1)
      .execute();
    await expect(publishVersion(store, id, 1, admin)).rejects.toMatchObject(refusal);
    expect(await readAgent(store, id, admin)).toMatchObject({ version: 2, backend: null });
  });

  test("an update makes a version, and publishing an earlier one brings it back", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id } = await createAgent(store, reviewer, admin);
    const second = await updateAgent(store, id, { system_prompt: "You review kindly.", max_tokens: 100 }, admin);
    expect(second).toMatchObject({
      version: 2,
      system_prompt: "You review kindly.",
      max_tokens: 100,
      slug: "reviewer",
    });
    expect(await publishVersion(store, id, 1, admin)).toMatchObject({ version: 1, system_prompt: "You review." });
    expect(await updateAgent(store, id, { model: "large" }, admin)).toMatchObject({ version: 3, max_tokens: 4096 });
    expect((await listVersions(store, id, admin)).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(await configOfVersion(store.database, id, 2)).toMatchObject({ system_prompt: "You review kindly." });
    await expect(publishVersion(store, id, 4, admin)).rejects.toMatchObject({ code: "not_found" });
  });

  test("an update of a version that isn't the published one any more is refused, and one that was sent twice isn't", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id } = await createAgent(store, reviewer, admin);
    const mine = { version: 1, max_tokens: 100 };
    expect(await updateAgent(store, id, mine, admin)).toMatchObject({ version: 2, max_tokens: 100 });
    expect(await updateAgent(store, id, mine, admin)).toMatchObject({ version: 2 });
    const refusal = { code: "conflict", message: expect.stringContaining("version 2") };
    await expect(updateAgent(store, id, { version: 1, model: "large" }, admin)).rejects.toMatchObject(refusal);
    await expect(updateAgent(store, id, { version: 1, slug: "critic" }, admin)).rejects.toMatchObject(refusal);
    expect(await readAgent(store, id, admin)).toMatchObject({ version: 2, slug: "reviewer", model: null });
    expect(await updateAgent(store, id, { version: 2, model: "large" }, admin)).toMatchObject({ version: 3 });
  });

  test("of two updates of the same version at once one is made", async () => {
    await using team = await newTeam(await newTarget());
    const { id } = await createAgent(team.store, reviewer, team.admin);
    const updated = await Promise.allSettled(
      [1, 2, 3].map((max_tokens) => updateAgent(team.store, id, { version: 1, max_tokens }, team.admin)),
    );
    expect(updated.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(await listVersions(team.store, id, team.admin)).toHaveLength(2);
  });

  test("updates at once make a version each", async () => {
    await using team = await newTeam(await newTarget());
    const { id } = await createAgent(team.store, reviewer, team.admin);
    const updated = await Promise.all(
      [1, 2, 3, 4, 5].map((max_tokens) => updateAgent(team.store, id, { max_tokens }, team.admin)),
    );
    expect(updated.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
  });

  test("a slug is unique within a workspace, and free in another one", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    await createAgent(store, reviewer, admin);
    await expect(createAgent(store, reviewer, admin)).rejects.toMatchObject({ code: "conflict" });
    const other = await createWorkspace(store, "Other", admin.userId);
    const there = await memberOf(store, other.id, admin.userId);
    const { id } = await createAgent(store, reviewer, there);
    await expect(readAgent(store, id, admin)).rejects.toMatchObject({ code: "not_found" });
    await expect(updateAgent(store, id, { max_tokens: 1 }, admin)).rejects.toMatchObject({ code: "not_found" });
  });

  test("an agent's slug is changed to a free one, but for a system agent's", async () => {
    await using team = await newTeam(await newTarget());
    const { store, admin } = team;
    const { id } = await createAgent(store, reviewer, admin);
    await expect(updateAgent(store, id, { slug: "coder" }, admin)).rejects.toMatchObject({ code: "conflict" });
    expect(await updateAgent(store, id, { slug: "critic" }, admin)).toMatchObject({ slug: "critic", version: 1 });
    const [told] = (await store.changes.eventsAfter(team.workspaceId, 0, 10)).slice(-1);
    expect(told).toMatchObject({ event: "agent.updated", data: { agent: { slug: "critic" } } });
    expect((await createAgent(store, reviewer, admin)).slug).toBe("reviewer");
    const resolver = (await listAgents(store, team.workspaceId)).find(({ is_system }) => is_system);
    const renamed = updateAgent(store, resolver?.id ?? "", { slug: "sums" }, admin);
    await expect(renamed).rejects.toMatchObject({ code: "conflict" });
  });

  test("a member reads agents with their prompts, and changes none", async () => {
    await using team = await newTeam(await newTarget());
    const member = await team.invite("Bea");
    const { id } = await createAgent(team.store, reviewer, team.admin);
    expect(await readAgent(team.store, id, member)).toMatchObject({ system_prompt: "You review." });
    const forbidden = { code: "forbidden" };
    await expect(createAgent(team.store, reviewer, member)).rejects.toMatchObject(forbidden);
    await expect(updateAgent(team.store, id, {}, member)).rejects.toMatchObject(forbidden);
    await expect(publishVersion(team.store, id, 1, member)).rejects.toMatchObject(forbidden);
    await expect(setAgentActive(team.store, id, false, member)).rejects.toMatchObject(forbidden);
  });

  test("events of an agent don't have its prompt", async () => {
    await using team = await newTeam(await newTarget());
    await createAgent(team.store, reviewer, team.admin);
    const events = await team.store.changes.eventsAfter(team.workspaceId, 0, 10);
    expect(events).toMatchObject([{ event: "agent.updated", data: { agent: { slug: "reviewer", version: 1 } } }]);
    expect(JSON.stringify(events)).not.toContain("You review");
  });

  test("agents written as YAML and read again are the same, and a difference is named by field", async () => {
    await using team = await newTeam(await newTarget());
    await createAgent(team.store, reviewer, team.admin);
    const agents = await listAgents(team.store, team.workspaceId);
    const files = readAgentsYaml(writeAgentsYaml(agents));
    expect(diffAgents(agents.map(fileOf), files)).toEqual([]);
    const changed = files
      .filter(({ slug }) => slug !== "coder")
      .map((agent) => (agent.slug === "reviewer" ? { ...agent, max_tokens: 1, is_active: false } : agent));
    expect(diffAgents(files, [...changed, { ...reviewer, slug: "writer", is_active: true, is_system: false }])).toEqual(
      [
        { slug: "coder", change: "removed" },
        { slug: "reviewer", change: "changed", fields: ["max_tokens", "is_active"] },
        { slug: "writer", change: "added" },
      ],
    );
  });
});

test.each(["", "Poet", "a b", "a_b", "poet-", "-poet", "p".repeat(64)])("%j is no slug", (slug) => {
  expect(NewAgent.safeParse({ ...reviewer, slug }).success).toBe(false);
});

test.each([
  ["agents: 3", "array"],
  ["agents: [{slug: x}]", "system_prompt"],
  ["agents: [&a {slug: x}, *a]", "Alias"],
  ["agents: [", "agents' file"],
  [`agents:\n${"  - {slug: x, name: x, display_name: X, system_prompt: x}\n".repeat(2)}`, "twice"],
])("the agents' file %j is refused", (text, said) => {
  expect(() => readAgentsYaml(text)).toThrow(said);
});
