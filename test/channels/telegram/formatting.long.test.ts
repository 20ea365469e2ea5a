/** Answers in Markdown, as Telegram gets them. */
import { expect, test } from "vitest";
import { startBot, toAda } from "./telegram-bot.ts";

const code = Array.from({ length: 300 }, (_, n) => `  if (a[${n}] < b && c) return "<${n}>";`).join("\n");

test("an answer goes out with its markup, a long block of code in parts that are each whole", async () => {
  await using bot = await startBot();
  await bot.system.say(toAda("r1", `**Done**, see [the page](https://x.test/?a&b):\n\n\`\`\`js\n${code}\n\`\`\``));
  expect(await bot.system.receipt("r1")).toMatchObject({ ok: true });
  const [first] = bot.api.sent;
  expect(first?.entities.slice(0, 2)).toEqual([
    { tag: "b", text: "Done" },
    { tag: "a", text: "the page", href: "https://x.test/?a&b" },
  ]);
  expect(bot.api.sent.length).toBeGreaterThan(2);
  const blocks = bot.api.sent.flatMap(({ entities }) => entities.filter(({ tag }) => tag === "code"));
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["js"]));
  expect(blocks.map(({ text }) => text).join("\n")).toBe(code);
});

test("markup that Telegram refuses is left out of that part alone", async () => {
  await using bot = await startBot();
  bot.api.fail("sendMessage", { error_code: 400, description: "Bad Request: can't parse entities: byte offset 7" });
  await bot.system.say(toAda("r1", `[a](https://x.test) **b** ${"c ".repeat(1500)}\n\n${"c ".repeat(1500)}**d**`));
  expect(await bot.system.receipt("r1")).toMatchObject({ ok: true });
  expect(bot.api.sent).toMatchObject([{ entities: [] }, { entities: [{ tag: "b", text: "d" }] }]);
  expect(bot.api.texts[0]).toMatch(/^a \(https:\/\/x\.test\) b c c/);
  expect(bot.api.calls[1]?.payload).not.toHaveProperty("parse_mode");
});

test("a question shows its call as it is, without markup", async () => {
  await using bot = await startBot();
  const text = 'May I call bash?\n{"command": "rm **/*_old*"}';
  await bot.system.say({ ...toAda("ask", text), metadata: { permission: { token: "tok", text } } });
  await bot.system.receipt("ask");
  expect(bot.api.sent).toMatchObject([{ text, entities: [] }]);
});
