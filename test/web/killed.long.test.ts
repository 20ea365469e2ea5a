/**
 * Programs of a system are killed with -9 by turns while people post, agents answer and others listen: nothing posted is lost or
 * there twice, each question is answered once, all who listen hear the same, and a bound group sees the thread as it is.
 */
import { expect, test } from "vitest";
import { webToken } from "../../journal/access/token-file.ts";
import type { CreatedBinding } from "../../workspace/records/binding.ts";
import type { Member, Workspace } from "../../workspace/records/people.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Message, Thread } from "../../workspace/records/thread.ts";
import { BotApi, botToken } from "../channels/telegram/bot-api.ts";
import type { SentEvent } from "../channels/sse.ts";
import { UpJournal } from "../supervisor/up-process.ts";
import { askUntil } from "../support/ask-until.ts";
import { killByTurns } from "../support/workers/kill-by-turns.ts";
import { patienceMs } from "../support/patience.ts";
import { startAnthropic } from "../support/providers/anthropic.ts";
import { describeDatabases } from "../workspace/temporary-store.ts";
import { WebCaller } from "./web-caller.ts";

/** Its runs and restarts take a minute of two cores; a busy machine has a fourth of them for it. */
const longestMs = 8 * patienceMs;
const victims = ["channel-web", "cortex", "nats-server", "agents"];
const listeners = 40;
const people = 20;
const group = { chat: { id: -100500, type: "supergroup", title: "Garden" } };

describeDatabases((newTarget) => {
  test("kills by turns lose nothing, double nothing, and leave one order for all", { timeout: longestMs }, async () => {
    const target = await newTarget();
    await using api = await BotApi.start();
    await using model = await startAnthropic([], {
      answer: (body) => {
        const [question] = /question \d+ of \w+(?!.*question \d+ of)/s.exec(JSON.stringify(body)) ?? [""];
        return { turn: { text: `An answer to ${question}.` } };
      },
    });
    await using up = new UpJournal(
      {
        default_backend: "anthropic",
        channels: { telegram: { token_env: "BOT_TOKEN", api_url: api.root } },
        workspace: { tasks_at_once: 16 },
      },
      {
        ANTHROPIC_API_KEY: "sk-ant-of-nobody",
        ANTHROPIC_BASE_URL: model.url,
        BOT_TOKEN: botToken,
        ...("url" in target ? { DATABASE_URL: target.url } : {}),
      },
    );
    await up.start().isUp();
    const web = new WebCaller(up.path, await webToken(up.path));
    const { items } = await web.call<{ items: [Workspace] }>("GET", "/workspaces");
    const workspace = `/workspaces/${items[0].id}`;
    const thread = await web.call<Thread>("POST", `${workspace}/threads`, { title: "Seeds" });
    const members = await web.call<{ items: [Member] }>("GET", `${workspace}/members`);
    await web.call("POST", `/members/${members.items[0].id}/identities`, { identities: ["telegram:17"] });
    const { code } = await web.call<CreatedBinding>("POST", `/threads/${thread.id}/bindings`, { type: "telegram" });
    api.write(code, group, 17);
    await up.until(() => api.texts.some((text) => text.startsWith("Bound to")), "the group is bound");

    const stopping = new AbortController();
    const heard = Array.from({ length: listeners }, (): SentEvent[] => []);
    const listening = heard.map((events) => web.listen(`${workspace}/events`, events, stopping.signal));
    let killed = 0;
    let answered = 0;
    let isPosting = true;
    // What was posted before the last kill is done, and something since: a slow machine would only be killed again and again.
    const hasGoneOn = () => answered > killed * people || !isPosting;
    const killing = killByTurns(
      victims.map((name) => ({
        kill: async () => {
          // The bus's death may have ended it as well.
          await up.until(() => up.isReady(name) && hasGoneOn(), `${name} is there, and posts are answered`);
          up.kill(name);
          killed++;
        },
        start: async () => void (await up.until(() => up.isReady(name), `${name} is back`)),
      })),
      { everyMs: 700, downMs: () => 0, roll: Math.random },
    );
    const path = `/threads/${thread.id}/messages`;
    let inGroup = 0;
    // All post at once, and again when the next program was killed: each is killed while there is something to lose.
    const posting = Array.from({ length: people }, async (_, person) => {
      const posted: { message: Message; tasks: Task[] }[] = [];
      for (let turn = 0; turn < victims.length; turn++) {
        const text = `@coder question ${turn} of p${person}`;
        posted.push(await web.call("POST", path, { text }, `p${person}-${turn}`));
        answered++;
        api.write(`group ${inGroup++}`, group, 17);
        await up.until(() => killed > turn, `kill ${turn + 1}`);
      }
      return posted;
    });
    const posted = (await Promise.all(posting)).flat();
    isPosting = false;
    const taskOf = (id: string) => web.call<Task>("GET", `/tasks/${id}`);
    let open: Task[] = [];
    const hasEnded = async () => {
      const tasks = await Promise.all(posted.map(({ tasks: [task] }) => taskOf(task?.id ?? "")));
      open = tasks.filter(({ status }) => status === "queued" || status === "running");
      return open.length === 0 && tasks;
    };
    const kills = await killing.stop();
    const stuck = () => open.map(({ id, status, run_id }) => [id, status, run_id, run_id && up.file(run_id).at(-1)]);
    const tasks = await askUntil(hasEnded, () => `all tasks ended: ${JSON.stringify(stuck())}`, 4 * patienceMs);
    const count = posted.length;
    const groupTexts = (messages: Message[]) =>
      messages.flatMap(({ text }) => (/^group \d+$/.test(text) ? [text] : []));
    const messages = await askUntil(
      async () => {
        const all = await web.messages(thread.id);
        return groupTexts(all).length >= count && all;
      },
      () => "all of the group in the thread",
      patienceMs,
    );

    expect(kills).toBeGreaterThanOrEqual(victims.length);
    // What was posted is there once, in each person's order; so is what the group said.
    const questions = messages.filter(({ text }) => text.startsWith("@coder"));
    expect(questions.map(({ id }) => id).toSorted()).toEqual(posted.map(({ message }) => message.id).toSorted());
    const sentByGroup = api.written(group.chat.id);
    expect(groupTexts(messages)).toEqual(sentByGroup.filter((text) => text.startsWith("group")));
    // Each question has one task and one answer.
    expect(tasks.map(({ status, error }) => [status, error])).toEqual(tasks.map(() => ["completed", null]));
    const answers = messages.filter(({ author_type }) => author_type === "agent");
    expect(answers.map(({ metadata }) => metadata.taskId ?? "").toSorted()).toEqual(
      tasks.map(({ id }) => id).toSorted(),
    );
    expect(answers.map(({ text }) => text).toSorted()).toEqual(
      questions.map(({ text }) => `An answer to ${text.slice("@coder ".length)}.`).toSorted(),
    );
    // All who listen have heard all events, once, in one order.
    const last = () => Math.max(...heard.map((events) => Number(events.at(-1)?.id ?? 0)));
    await up.until(() => heard.every((events) => Number(events.at(-1)?.id) === last()), "all have heard all");
    stopping.abort();
    await Promise.all(listening);
    const [first = [], ...others] = heard;
    expect(first.map(({ id }) => Number(id))).toEqual(first.map((_, index) => Number(first[0]?.id) + index));
    for (const other of others) expect(other).toEqual(first);
    // The group has seen each post and each answer, once.
    const expected = [
      ...questions.map(({ text }) => `Owner: ${text}`),
      ...answers.map(({ text }) => `Coder (AI): ${text}`),
    ];
    const unsent = () => JSON.stringify(expected.filter((text) => !api.texts.includes(text)));
    await askUntil(
      () => api.sent.length > expected.length,
      () => `the group has all, also ${unsent()}`,
      patienceMs,
    );
    expect(api.texts.slice(1).toSorted()).toEqual(expected.toSorted());
    const said = api.texts.filter((text) => text.startsWith("Owner: "));
    expect(said).toEqual(questions.map(({ text }) => `Owner: ${text}`));
  });
});
