import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { listAgents } from "../../../workspace/agents/agents.ts";
import { configOfVersion } from "../../../workspace/agents/versions.ts";
import { PreparedContext } from "../../../workspace/answers/beginning/prepared-context.ts";
import type { AnswerDeps } from "../../../workspace/answers/deps/answer-deps.ts";
import { queueSummary, wantedOf } from "../../../workspace/background/queue-summary.ts";
import { threadSummarized } from "../../../workspace/background/thread-summarized.ts";
import { assembleContext, type ContextSize } from "../../../workspace/context/assemble-context.ts";
import { contextSources } from "../../../workspace/context/context-sources.ts";
import { requestResolution } from "../../../workspace/forks/resolve-fork.ts";
import { createFork } from "../../../workspace/threads/forks.ts";
import { addMessage, sendMessage } from "../../../workspace/threads/messages.ts";
import { createThread, updateThread } from "../../../workspace/threads/threads.ts";
import { updateWorkspace } from "../../../workspace/workspaces.ts";
import { png } from "../../support/files/sample-files.ts";
import { describeDatabases, newTeam } from "../temporary-store.ts";

const file = { type: "file", id: "a".repeat(64), name: "plan.png", mime: "image/png", size: 3 } as const;

describeDatabases((newTarget) => {
  async function newThread() {
    const team = await newTeam(await newTarget());
    const { store, admin, workspaceId } = team;
    const { id: threadId } = await createThread(store, "Seeds", admin);
    const place = { threadId, forkId: null as string | null };
    const agents = await listAgents(store, workspaceId);
    const agent = (slug: string) => agents.find((each) => each.slug === slug)?.id ?? "";
    const row = (id: string) =>
      store.database.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    return {
      ...team,
      place,
      agent,
      say: (text: string, actor = admin, where = place) => sendMessage(store, where, { text }, actor),
      answer: (slug: string, name: string, text: string, where = place) =>
        store.changes.make(workspaceId, (change) =>
          addMessage(change, workspaceId, {
            ...where,
            parent_id: null,
            author_type: slug === "" ? "system" : "agent",
            author_id: slug === "" ? null : agent(slug),
            author_name: name,
            text,
            parts: [],
            metadata: {},
          }),
        ),
      row,
      context: async (taskId: string, size: ContextSize = "whole") =>
        assembleContext(await contextSources(store.database, await row(taskId), "You are it."), size),
    };
  }
  const texts = ({ turns }: { turns: { role: string; text: string }[] }) =>
    turns.map(({ role, text }) => `${role}: ${text}`);

  test("an agent is shown what people and agents said before the message that asks, and nothing that came after it", async () => {
    await using team = await newThread();
    const bea = await team.invite("Bea");
    await team.say("Beans or peas?");
    await team.answer("assistant", "Assistant", "Peas.");
    await team.answer("coder", "Coder", "Beans.");
    await team.answer("", "System", "Coder couldn't respond.");
    await sendMessage(team.store, team.place, { text: "", parts: [file] }, team.admin);
    const { tasks, message } = await team.say("@coder which?", bea);
    await team.say("Too late.");
    const context = await team.context(tasks[0]?.id ?? "");
    expect(texts(context)).toEqual([
      "user: [Ada]: Beans or peas?",
      "user: [Assistant (AI)]: Peas.",
      "assistant: Beans.",
      "user: [Ada]: ",
      "user: The person asking is Bea (role: member).\n\n@coder which?",
    ]);
    expect(context.turns[3]?.parts).toEqual([file]);
    expect(context.messageIds).toHaveLength(5);
    expect(context.messageIds.at(-1)).toBe(message.id);
    expect(context.instruction).not.toMatch(/Beans|Peas|which/);
  });

  test("the last 50 messages are those of people and agents, whatever else stands between them", async () => {
    await using team = await newThread();
    for (let index = 0; index < 60; index++) await team.say(`n${index}`);
    for (let index = 0; index < 15; index++) await team.answer("", "System", "A failure.");
    for (let index = 0; index < 3; index++) await team.answer("assistant", "Assistant", "");
    const { tasks } = await team.say("@coder which?");
    const context = await team.context(tasks[0]?.id ?? "");
    expect(context.turns).toHaveLength(51);
    expect(context.turns[0]?.text).toBe("[Ada]: n10");
    expect(texts(await team.context(tasks[0]?.id ?? "", "recent"))[0]).toBe("user: [Ada]: n40");
  });

  test("the workspace's page and its wish to be brief are in the system text", async () => {
    await using team = await newThread();
    await updateWorkspace(team.store, team.workspaceId, { page: "We grow beans." }, team.admin);
    await updateThread(team.store, team.place.threadId, { is_brief: true }, team.admin);
    const { tasks } = await team.say("@coder which?");
    const { instruction } = await team.context(tasks[0]?.id ?? "");
    expect(instruction).toMatch(/^You are it\.\n\n/);
    expect(instruction).toContain("Be brief.");
    expect(instruction).toContain("We grow beans.");
  });

  test("the second of two agents is shown the answer of the first, before the message that asks both", async () => {
    await using team = await newThread();
    const { tasks } = await team.say("@coder write it, then @assistant review it");
    const answer = await team.answer("coder", "Coder", "Written.");
    const { database } = team.store;
    const done = { status: "completed", output_message_id: answer.id } as const;
    await database
      .updateTable("tasks")
      .set(done)
      .where("id", "=", tasks[0]?.id ?? "")
      .execute();
    const context = await team.context(tasks[1]?.id ?? "", "least");
    expect(texts(context)).toEqual([
      "user: [Coder (AI)]: Written.",
      "user: The person asking is Ada (role: admin).\n\n@coder write it, then @assistant review it",
    ]);
    expect(context.messageIds).toContain(answer.id);
  });

  test("in a fork the agent is shown all of the fork and where it began, and of the thread nothing else", async () => {
    await using team = await newThread();
    await team.say("Of the thread alone.");
    const { message } = await team.say(`Beans or peas? ${"x".repeat(300)}`);
    const asked = { messageId: message.id, description: "which is hardier" };
    const fork = await createFork(team.store, team.place.threadId, asked, team.admin);
    const inFork = { threadId: team.place.threadId, forkId: fork.id };
    for (let index = 0; index < 55; index++) await team.say(`n${index}`, team.admin, inFork);
    const { tasks } = await team.say("@coder which?", team.admin, inFork);
    const context = await team.context(tasks[0]?.id ?? "");
    expect(context.turns).toHaveLength(57);
    expect(context.turns[0]?.text).toContain(`"which is hardier"`);
    expect(context.turns[0]?.text).toMatch(/\[Ada\]: Beans or peas\? x{185}…$/);
    expect(context.messageIds[0]).toBe(message.id);
    expect(JSON.stringify(context)).not.toContain("Of the thread alone.");
  });

  test("whoever drafts a resolution is shown all of the fork, and asked by the workspace", async () => {
    await using team = await newThread();
    const { message } = await team.say("Beans or peas?");
    const asked = { messageId: message.id, description: "which is hardier" };
    const fork = await createFork(team.store, team.place.threadId, asked, team.admin);
    const inFork = { threadId: team.place.threadId, forkId: fork.id };
    for (let index = 0; index < 60; index++) await team.say(`n${index}`, team.admin, inFork);
    const task = await requestResolution(team.store, fork.id, team.admin);
    const context = await team.context(task.id);
    expect(context.turns).toHaveLength(62);
    expect(context.turns.at(-1)?.text).toContain("Sum it up for the thread");
    expect(context.turns.at(-1)?.text).not.toContain("The person asking");
  });

  test("whoever sums up a thread for the first time is shown all of it, and then what came last", async () => {
    await using team = await newThread();
    const { store, workspaceId, place } = team;
    for (let index = 0; index < 80; index++) await team.say(`n${index}`);
    const settings = { thread_summaries: true };
    await updateWorkspace(store, workspaceId, { settings }, team.admin);
    const sum = async () => {
      const wanted = await wantedOf(store, workspaceId);
      if (wanted) await queueSummary(store, workspaceId, place.threadId, wanted);
      const tasks = store.database.selectFrom("tasks").selectAll().orderBy("id", "desc");
      return tasks.executeTakeFirstOrThrow();
    };
    const first = await sum();
    expect((await team.context(first.id)).turns).toHaveLength(81);
    await store.database.updateTable("tasks").set({ is_open: 0, status: "completed" }).execute();
    await store.changes.make(workspaceId, (change) => threadSummarized(change, first, "They count."));
    for (let index = 80; index < 110; index++) await team.say(`n${index}`);
    const second = await sum();
    expect(second.id).not.toBe(first.id);
    expect((await team.context(second.id)).turns).toHaveLength(51);
  });

  test("of very long messages no more are read than a request could have use for", async () => {
    await using team = await newThread();
    for (let index = 0; index < 12; index++) await team.say(`n${index} ${"x".repeat(1_000_000)}`);
    const { tasks } = await team.say("@coder which?");
    const { earlier } = await contextSources(team.store.database, await team.row(tasks[0]?.id ?? ""), "You are it.");
    expect(earlier.map(({ text }) => text.split(" ")[0])).toEqual(["n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11"]);
  });

  test("images are as large for a model's window as they are stored", async () => {
    await using team = await newThread();
    const attachmentsFolder = mkdtempSync(join(tmpdir(), "cortex-sources-"));
    onTestFinished(() => rmSync(attachmentsFolder, { recursive: true }));
    const rules = { maxBytes: 1e6, kinds: ["*"] };
    const photo = await storeAttachment(attachmentsFolder, "a.png", [png(400, 300)], rules);
    for (let index = 0; index < 12; index++)
      await sendMessage(team.store, team.place, { text: `n${index}`, parts: [photo] }, team.admin);
    const { tasks } = await team.say("@coder which?");
    const task = await team.row(tasks[0]?.id ?? "");
    const config = await configOfVersion(team.store.database, task.agent_id, task.agent_version);
    const models = () => ({
      defaultBackend: "anthropic",
      defaultModels: { anthropic: "m" },
      windows: { m: 12_000 },
      summary: undefined,
    });
    const deps: Partial<AnswerDeps> = { models, bus: { connection: {} } as Bus, attachmentsFolder };
    const prepared = new PreparedContext(deps as AnswerDeps, team.workspaceId, () => false);
    const own = { ...config, backend: null, model: null, max_tokens: 1000 };
    // Twelve images of 160 tokens; of 1600, where their sizes aren't known.
    expect(await prepared.fitting(team.store.database, task, own, "whole")).toMatchObject({ size: "whole" });
  });

  test("somebody who has left is a guest", async () => {
    await using team = await newThread();
    const bea = await team.invite("Bea");
    const { tasks } = await team.say("@coder which?", bea);
    await team.store.database.deleteFrom("members").where("id", "=", bea.memberId).execute();
    expect((await team.context(tasks[0]?.id ?? "")).turns.at(-1)?.text).toMatch(
      /^The person asking is Bea \(role: guest\)/,
    );
  });
});
