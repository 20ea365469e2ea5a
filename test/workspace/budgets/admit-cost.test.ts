import { expect, test } from "vitest";
import { listAgents, updateAgent } from "../../../workspace/agents/agents.ts";
import { admitCost, type CostAdmission } from "../../../workspace/budgets/admit-cost.ts";
import type { TaskTable } from "../../../workspace/database/tables/tables.ts";
import type { Budget } from "../../../workspace/records/people.ts";
import { setTask } from "../../../workspace/tasks/task-rows.ts";
import { createFork } from "../../../workspace/threads/forks.ts";
import { listMessages, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { describeDatabases, newTeam, type Team } from "../temporary-store.ts";

const today = { name: "20261123", start: Date.UTC(2026, 10, 23) };
const tomorrow = { name: "20261124", start: today.start + 24 * 3_600_000 };
const noon = today.start + 12 * 3_600_000;

describeDatabases((newTarget) => {
  async function newThread(budget: Budget) {
    const team = await newTeam(await newTarget());
    const { store, admin, workspaceId } = team;
    await updateWorkspace(store, workspaceId, { budget }, admin);
    for (const { id } of await listAgents(store, workspaceId))
      await updateAgent(store, id, { limits: { max_cost_usd: 1 } }, admin);
    const { id } = await createThread(store, "Seeds", admin);
    return { ...team, place: { threadId: id, forkId: null as string | null } };
  }

  /** Asks an agent. */
  async function ask(
    team: Team,
    place: { threadId: string; forkId: string | null },
    agent: string,
  ): Promise<TaskTable> {
    const { tasks } = await sendMessage(team.store, place, { text: `@${agent} go` }, team.admin);
    return team.store.database
      .selectFrom("tasks")
      .selectAll()
      .where("id", "=", tasks[0]?.id ?? "")
      .executeTakeFirstOrThrow();
  }

  /** Begins an answer, as far as the budget lets it. */
  async function begin({ store, workspaceId }: Team, task: TaskTable, day = today): Promise<CostAdmission> {
    return store.changes.make(workspaceId, async (change) => {
      const admission = await admitCost(change, task, day);
      if (admission.kind === "granted") await setTask(change, task, { status: "running", started_at: noon });
      return admission;
    });
  }

  async function end({ store, workspaceId }: Team, task: TaskTable, cost_usd: number): Promise<void> {
    await store.changes.make(workspaceId, async (change) => {
      await setTask(change, task, { status: "completed", is_open: 0, cost_usd, completed_at: noon });
    });
  }

  test("what has ended and what runs is counted: an answer waits for the others, then begins or is refused", async () => {
    await using team = await newThread({ max_cost_usd: 1.5 });
    const [first, second, third] = [
      await ask(team, team.place, "coder"),
      await ask(team, team.place, "assistant"),
      await ask(team, team.place, "coder"),
    ];
    expect(await begin(team, first)).toEqual({ kind: "granted", maxCostUsd: 1 });
    expect(await begin(team, second)).toEqual({ kind: "waits" });
    await end(team, first, 0.75);
    expect(await begin(team, second)).toEqual({ kind: "granted", maxCostUsd: 0.75 });
    await end(team, second, 0.75);
    expect(await begin(team, third)).toMatchObject({
      kind: "refused",
      error: expect.stringContaining("this workspace's agents for today ($1.5) is used up"),
    });
    expect(await begin(team, third, tomorrow)).toEqual({ kind: "granted", maxCostUsd: 1 });
  });

  test("an agent's own budget stops that agent alone, and is told of by its name", async () => {
    await using team = await newThread({ max_cost_usd_per_agent: 0.5 });
    const first = await ask(team, team.place, "coder");
    await begin(team, first);
    await end(team, first, 0.5);
    const refused = await begin(team, await ask(team, team.place, "coder"));
    expect(refused).toMatchObject({ kind: "refused", error: expect.stringContaining("The budget of Coder") });
    expect(await begin(team, await ask(team, team.place, "assistant"))).toMatchObject({ kind: "granted" });
  });

  test("a used up budget is said once a day in each place, not at each mention", async () => {
    await using team = await newThread({ max_cost_usd: 0 });
    const { store, place, admin } = team;
    const asked = await ask(team, place, "coder");
    const limits = async (where: typeof place) => {
      const { items } = await listMessages(store, where, { limit: 50, cursor: null });
      return items.filter(({ metadata }) => metadata.kind === "limit");
    };
    for (const day of [today, today, tomorrow]) await begin(team, asked, day);
    const said = await limits(place);
    expect(said).toHaveLength(2);
    expect(said[0]).toMatchObject({
      author_type: "system",
      parent_id: asked.trigger_message_id,
      text: "The budget of this workspace's agents for today ($0) is used up. Ask again tomorrow, or have an admin raise it.",
    });
    const fork = await createFork(
      store,
      place.threadId,
      { messageId: asked.trigger_message_id, description: "Beans" },
      admin,
    );
    const inFork = { ...place, forkId: fork.id };
    for (const day of [today, today]) await begin(team, await ask(team, inFork, "coder"), day);
    expect(await limits(inFork)).toHaveLength(1);
    expect(await limits(place)).toHaveLength(2);
  });

  test("answers that ask to begin at once are granted no more than the budget together", async () => {
    await using team = await newThread({ max_cost_usd: 2.5 });
    const tasks: TaskTable[] = [];
    for (let turn = 0; turn < 5; turn++) tasks.push(await ask(team, team.place, "coder"));
    const admissions = await Promise.all(tasks.map((task) => begin(team, task)));
    expect(admissions.map(({ kind }) => kind).toSorted()).toEqual(["granted", "granted", "waits", "waits", "waits"]);
  });
});
