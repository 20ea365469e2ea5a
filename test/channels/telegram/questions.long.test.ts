/** Questions for a permission over Telegram: buttons, presses, and what becomes of both. */
import { expect, test } from "vitest";
import { answerHint } from "../../../agents/permissions/question-text.ts";
import { keepQuestion } from "../../../journal/permissions/questions.ts";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { startBot, toAda } from "./telegram-bot.ts";

test("a question for a permission has buttons, and an owner's press is said with who pressed it", async () => {
  await using bot = await startBot();
  await writeOwners(bot.system.journal, ["telegram:17"]);
  await bot.system.say({ ...toAda("ask", "May I?"), metadata: { permission: { token: "tok_1-a", text: "May I?" } } });
  await bot.system.receipt("ask");
  expect(bot.api.calls[0]?.payload["reply_markup"]).toEqual({
    inline_keyboard: [
      [
        { text: "Allow", callback_data: "allow:tok_1-a" },
        { text: "Deny", callback_data: "deny:tok_1-a" },
      ],
    ],
  });
  const [shown] = bot.api.sent;
  const press = (data: string) =>
    bot.api.happen({
      callback_query: {
        id: `q-${data}`,
        from: { id: 17, is_bot: false, first_name: "Ada" },
        message: { message_id: shown?.message_id, chat: { id: 17, type: "private" }, date: 1 },
        chat_instance: "1",
        data,
      },
    });
  press("nonsense");
  press("allow:bad token");
  press("deny:tok_1-a");
  await bot.system.until(() => bot.system.decisions.length > 0, "it is decided");
  expect(bot.system.decisions).toMatchObject([{ token: "tok_1-a", decision: { decision: "deny", userId: "17" } }]);
  await bot.system.until(() => bot.api.calls.some(({ method }) => method === "editMessageReplyMarkup"), "no buttons");
  expect(bot.api.calls.at(-1)).toEqual({
    method: "editMessageReplyMarkup",
    payload: { chat_id: 17, message_id: shown?.message_id },
  });
  expect(bot.api.calls.at(-2)).toMatchObject({
    method: "answerCallbackQuery",
    payload: { callback_query_id: "q-deny:tok_1-a", text: "Denied." },
  });
});

test("a question that a rule could answer says which, and a press of Always decides for always", async () => {
  await using bot = await startBot();
  await writeOwners(bot.system.journal, ["telegram:17"]);
  const call = { id: "c0ffee", tool: "bash", args: {}, why: "", run: "1736380800000", ts: 1, expires: 2 };
  const question = { ...call, rules: [{ tool: "bash", match: "npm test", decide: "allow" as const }] };
  const text = `May I call bash?\n${answerHint(question)}`;
  await bot.system.say({ ...toAda("ask", text), metadata: { permission: { token: "c0ffee", text, always: true } } });
  await bot.system.receipt("ask");
  const [asked] = bot.api.calls;
  expect(asked?.payload["text"]).toContain('keeps: [{"tool":"bash","match":"npm test","decide":"allow"}]');
  expect(JSON.stringify(asked?.payload["reply_markup"])).toContain('{"text":"Always","callback_data":"always:c0ffee"}');
  const [shown] = bot.api.sent;
  bot.api.happen({
    callback_query: {
      id: "q-always",
      from: { id: 17, is_bot: false, first_name: "Ada" },
      message: { message_id: shown?.message_id, chat: { id: 17, type: "private" }, date: 1 },
      chat_instance: "1",
      data: "always:c0ffee",
    },
  });
  await bot.system.until(() => bot.system.decisions.length > 0, "it is decided");
  expect(bot.system.decisions).toEqual([
    expect.objectContaining({
      token: "c0ffee",
      decision: expect.objectContaining({ decision: "allow", always: true }),
    }),
  ]);
  await bot.system.until(() => bot.api.calls.some(({ method }) => method === "editMessageReplyMarkup"), "no buttons");
  expect(bot.api.calls.at(-2)?.payload).toMatchObject({ text: "Allowed, from now on." });
});

test("a press that comes after another answer is told which one counts", async () => {
  await using bot = await startBot();
  await writeOwners(bot.system.journal, ["telegram:17"]);
  const call = { id: "beef", tool: "bash", args: {}, why: "", run: "1736380800000", ts: 1, expires: 2, rules: [] };
  await keepQuestion(bot.system.journal, { ...call, decision: "deny", by: "cli:main", decided: 2 });
  bot.api.happen({
    callback_query: {
      id: "q-late",
      from: { id: 17, is_bot: false, first_name: "Ada" },
      message: { message_id: 5, chat: { id: 17, type: "private" }, date: 1 },
      chat_instance: "1",
      data: "allow:beef",
    },
  });
  await bot.system.until(() => bot.api.calls.some(({ method }) => method === "editMessageReplyMarkup"), "no buttons");
  expect(bot.api.calls.at(-2)?.payload).toMatchObject({ text: "Decided before: denied by cli:main." });
});

test("a press that another answer overtakes is told which one counts", async () => {
  await using bot = await startBot();
  const { journal } = bot.system;
  await writeOwners(journal, ["telegram:17"]);
  const call = { id: "beef", tool: "bash", args: {}, why: "", run: "1736380800000", ts: 1, expires: 2, rules: [] };
  await keepQuestion(journal, call);
  bot.api.happen({
    callback_query: {
      id: "q-overtaken",
      from: { id: 17, is_bot: false, first_name: "Ada" },
      message: { message_id: 5, chat: { id: 17, type: "private" }, date: 1 },
      chat_instance: "1",
      data: "allow:beef",
    },
  });
  await bot.system.until(() => bot.system.decisions.length > 0, "the press is handed on");
  await keepQuestion(journal, { ...call, decision: "deny", by: "web:token", decided: 2 });
  await bot.system.until(() => bot.api.calls.some(({ method }) => method === "editMessageReplyMarkup"), "no buttons");
  expect(bot.api.calls.at(-2)?.payload).toMatchObject({ text: "Decided before: denied by web:token." });
});

test("the buttons of a question go when it is decided elsewhere, also while the adapter is away", async () => {
  await using bot = await startBot();
  const { journal } = bot.system;
  const asked = async (id: string) => {
    const call = { id, tool: "bash", args: {}, why: "", run: "1736380800000", ts: Date.now(), rules: [] };
    const question = { ...call, expires: Date.now() + 60_000, channel: { type: "telegram", channelId: "17" } };
    await keepQuestion(journal, question);
    const permission = { token: id, text: "May I?", always: false };
    await bot.system.say({ ...toAda(`permission-${id}`, "May I?"), metadata: { permission } });
    await bot.system.receipt(`permission-${id}`);
    const messageId = bot.api.sent.at(-1)?.message_id;
    const decide = () => keepQuestion(journal, { ...question, decision: "deny", by: "cli:main", decided: Date.now() });
    return { messageId, decide };
  };
  const removed = () =>
    bot.api.calls.flatMap(({ method, payload }) =>
      method === "editMessageReplyMarkup" ? [[payload["chat_id"], payload["message_id"]]] : [],
    );
  const [first, second, open] = [await asked("beef"), await asked("cafe"), await asked("fade")];
  await first.decide();
  await bot.system.until(() => removed().length > 0, "the first one's buttons are gone");
  expect(removed()).toEqual([["17", first.messageId]]);
  await bot.first.stop();
  await second.decide();
  await bot.start();
  await bot.system.until(() => removed().some(([, id]) => id === second.messageId), "the second one's are gone");
  expect(removed().map(([, id]) => id)).not.toContain(open.messageId);
});

test("a press of somebody who isn't an owner is answered, decides nothing, and the buttons stay", async () => {
  await using bot = await startBot({ allow: ["17", "18"] });
  await writeOwners(bot.system.journal, ["telegram:17"]);
  const press = (userId: number) =>
    bot.api.happen({
      callback_query: {
        id: `q-${userId}`,
        from: { id: userId, is_bot: false, first_name: "Ada" },
        message: { message_id: 5, chat: { id: -7, type: "group", title: "Harbor" }, date: 1 },
        chat_instance: "1",
        data: "allow:tok_2",
      },
    });
  const answered = () => bot.api.calls.filter(({ method }) => method === "answerCallbackQuery");
  press(18);
  await bot.system.until(() => answered().length === 1, "the press is answered");
  expect(answered()[0]?.payload).toEqual({
    callback_query_id: "q-18",
    text: "Only an owner decides this.",
    show_alert: true,
  });
  press(17);
  await bot.system.until(() => bot.api.calls.some(({ method }) => method === "editMessageReplyMarkup"), "no buttons");
  expect(bot.api.calls.map(({ method }) => method)).toEqual([
    "answerCallbackQuery",
    "answerCallbackQuery",
    "editMessageReplyMarkup",
  ]);
  await bot.system.until(() => bot.system.decisions.length > 0, "it is decided");
  expect(bot.system.decisions).toMatchObject([{ token: "tok_2", decision: { decision: "allow", userId: "17" } }]);
});
