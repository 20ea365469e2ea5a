/** Questions for a permission over Slack: buttons, presses, and what becomes of both. */
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { keepQuestion } from "../../../journal/permissions/questions.ts";
import { startBot, toAda } from "./slack-bot.ts";

const text = "May I call bash?\nrm *.txt <now>";
const permission = { token: "tok_1-a", text, always: true };

test("a question has buttons, only an owner's press decides, and the outcome takes their place", async () => {
  await using bot = await startBot({ allow: ["U17", "U18"] });
  const { system, api, people } = bot;
  await writeOwners(system.journal, ["slack:U17"]);
  await system.say({ ...toAda("ask", text), metadata: { permission } });
  await system.receipt("ask");
  const [shown] = api.sent;
  expect(shown?.text).toBe("May I call bash?\nrm *.txt &lt;now&gt;");
  const button = (action_id: string, label: string) =>
    expect.objectContaining({ action_id, value: "tok_1-a", text: { type: "plain_text", text: label } });
  expect(shown?.blocks).toEqual([
    { type: "section", text: { type: "plain_text", text, emoji: false } },
    {
      type: "actions",
      elements: [button("cortex_allow", "Allow"), button("cortex_always", "Always"), button("cortex_deny", "Deny")],
    },
  ]);
  people.press(shown, "cortex_allow", "tok_1-a", "U18");
  await system.until(() => api.calls.some(({ method }) => method === "chat.postEphemeral"), "the other is told");
  expect(api.calls.at(-1)?.payload).toMatchObject({ channel: "D17", user: "U18", text: "Only an owner decides this." });
  people.press(shown, "another", "tok_1-a");
  people.press(shown, "cortex_allow", "bad token");
  people.press(shown, "cortex_always", "tok_1-a");
  await system.until(() => api.calls.some(({ method }) => method === "chat.update"), "the outcome is shown");
  await system.until(() => system.decisions.length > 0, "it is decided");
  expect(system.decisions).toMatchObject([
    { token: "tok_1-a", decision: { decision: "allow", always: true, userId: "U17" } },
  ]);
  expect(shown?.blocks).toEqual([
    { type: "section", text: { type: "plain_text", text, emoji: false } },
    { type: "context", elements: [{ type: "plain_text", text: "Allowed, from now on, by slack:U17.", emoji: false }] },
  ]);
  await system.until(() => api.socket.held.length === 0, "all are acknowledged");
});

test("where Slack refuses the buttons, the question goes out as text", async () => {
  await using bot = await startBot();
  const { system, api } = bot;
  api.fail("chat.postMessage", { error: "invalid_blocks" });
  await system.say({ ...toAda("ask", text), metadata: { permission } });
  expect(await system.receipt("ask")).toMatchObject({ ok: true });
  expect(api.sent).toMatchObject([{ text: "May I call bash?\nrm *.txt &lt;now&gt;" }]);
  expect(api.sent[0]?.blocks).toBeUndefined();
});

test("the outcome is shown when a question is decided elsewhere, before a press, and while the adapter is away", async () => {
  await using bot = await startBot();
  const { system, api, people } = bot;
  const { journal } = system;
  await writeOwners(journal, ["slack:U17"]);
  const asked = async (id: string) => {
    const call = { id, tool: "bash", args: {}, why: "", run: "1736380800000", ts: Date.now(), rules: [] };
    const question = { ...call, expires: Date.now() + 600_000, channel: { type: "slack", channelId: "U17" } };
    await keepQuestion(journal, question);
    await system.say({
      ...toAda(`permission-${id}`, `May I: ${id}?`),
      metadata: { permission: { token: id, text: "" } },
    });
    await system.receipt(`permission-${id}`);
    return {
      shown: api.sent.find((one) => one.text.includes(id)),
      decide: () => keepQuestion(journal, { ...question, decision: "deny", by: "cli:main", decided: Date.now() }),
    };
  };
  const [first, second, open] = [await asked("beef"), await asked("cafe"), await asked("fade")];
  await first.decide();
  await system.until(() => first.shown?.text.includes("Denied by cli:main."), "the first one's outcome");
  expect(first.shown?.text).toBe("May I: beef?\n\nDenied by cli:main.");
  people.press(first.shown, "cortex_allow", "beef");
  await system.until(() => system.decisions.length === 1, "a late press is handed on");
  await system.until(() => api.calls.filter(({ method }) => method === "chat.update").length === 2, "and answered");
  expect(first.shown?.text).toContain("Denied by cli:main.");
  await bot.first.stop();
  await second.decide();
  await bot.start();
  await system.until(() => second.shown?.text.includes("Denied by cli:main."), "the second one's outcome");
  expect(JSON.stringify(open.shown?.blocks)).toContain("cortex_deny");
});
