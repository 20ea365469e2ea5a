/** The files of messages to the bot: stored, or not fetched at all. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOwners } from "../../../journal/agents/owners.ts";
import { contentPath } from "../../../protocol/files/attachment.ts";
import { png } from "../../support/files/sample-files.ts";
import { botToken } from "./bot-api.ts";
import { startBot } from "./telegram-bot.ts";

test("photos and documents are stored in the journal under harmless names, and what can't be had is said", async () => {
  await using bot = await startBot({ allow: ["17"] });
  bot.api.files.set("small", Buffer.from("tiny"));
  bot.api.files.set("large", png());
  bot.api.files.set("doc", Buffer.from("a document"));
  bot.api.files.set("lies", Buffer.alloc(21 * 1024 * 1024));
  const photo = bot.api.write("", {
    caption: "look",
    photo: [
      { file_id: "small", file_unique_id: "s", width: 1, height: 1, file_size: 4 },
      { file_id: "large", file_unique_id: "l", width: 9, height: 9, file_size: 7 },
    ],
  });
  bot.api.write("", {
    document: {
      file_id: "doc",
      file_unique_id: "d",
      file_name: "../../cortex.json",
      mime_type: "text/plain",
      file_size: 10,
    },
  });
  bot.api.write("", { document: { file_id: "lies", file_unique_id: "x", file_name: "lies.bin", file_size: 5 } });
  bot.api.write("", { document: { file_id: "nowhere", file_unique_id: "y", file_name: "gone.txt" } });
  bot.api.write("", {
    document: { file_id: "huge", file_unique_id: "z", file_name: "huge.iso", file_size: 99_000_000 },
  });
  bot.api.write("", { document: { file_id: "doc", file_unique_id: "d", file_name: `${"報告".repeat(100)}.pdf` } });
  await bot.system.until(() => bot.system.messages.length === 6, "all");
  const [first, second, ...rest] = bot.system.messages;
  const [last] = rest.pop()?.attachments ?? [];
  const stored = (id = "") => readFileSync(join(bot.system.journal, "attachments", contentPath(id)));
  expect(last?.name).toMatch(/^(報告)+報?\.pdf$/);
  expect(stored(last?.id).toString()).toBe("a document");
  const [shown] = first?.attachments ?? [];
  expect(first).toMatchObject({ id: bot.api.idOf(photo), text: "look" });
  expect(shown).toEqual({
    id: shown?.id,
    name: expect.stringMatching(/^photo-\d+\.jpg$/),
    mime: "image/png",
    size: png().length,
  });
  expect(stored(shown?.id)).toEqual(png());
  expect(second?.attachments?.[0]).toEqual({ id: last?.id, name: "cortex.json", mime: "application/json", size: 10 });
  expect(rest.map(({ attachments }) => attachments?.[0]?.["problem"])).toEqual([
    "larger than 20 MiB",
    expect.stringContaining("couldn't be fetched"),
    "larger than 20 MiB",
  ]);
  expect(rest.every(({ attachments }) => attachments?.[0]?.id === undefined)).toBe(true);
  expect(bot.first.log).not.toContain(botToken);
});

test("a stranger's file isn't fetched, and that is said with the message; one who was paired sends files", async () => {
  await using bot = await startBot();
  bot.api.files.set("doc", Buffer.from("a document"));
  const document = { file_id: "doc", file_unique_id: "d", file_name: "a.txt", file_size: 10 };
  bot.api.write("", { caption: "read this", document });
  await bot.system.until(() => bot.system.messages.length === 1, "the message");
  expect(bot.system.messages[0]).toMatchObject({ text: "read this" });
  expect(bot.system.messages[0]?.attachments).toEqual([
    { name: "a.txt", size: 10, problem: "files of people whom I don't know aren't stored" },
  ]);
  expect(existsSync(join(bot.system.journal, "attachments"))).toBe(false);
  await writeOwners(bot.system.journal, ["telegram:17"]);
  bot.api.write("", { document });
  await bot.system.until(() => bot.system.messages.length === 2, "the second");
  expect(bot.system.messages[1]?.attachments).toMatchObject([{ name: "a.txt", mime: "text/plain", size: 10 }]);
});
