/**
 * Files work the same for whoever a run is for: one that is asked once, one that is scheduled, a long-lived agent on Telegram and
 * in the chat, and its task. All on one `cortex up`, with a model that is played.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { startAnthropic } from "../support/providers/anthropic.ts";
import type { PlayedTurn } from "../support/providers/played.ts";
import { noisyPng } from "../support/files/sample-files.ts";
import { Terminal } from "../support/terminal/terminal.ts";
import { UpJournal } from "../supervisor/up-process.ts";
import { BotApi, botToken } from "../channels/telegram/bot-api.ts";
import { runCortex } from "../scripts/run-command.ts";

type Said = { role: string; content: string | { type: string; [field: string]: unknown }[] };

/** The next steps of the model in each conversation, by a word of its first message and how often it has spoken. */
const scripts: Record<string, ((said: string) => PlayedTurn)[]> = {
  ALONE: [(said) => reads(`attachment:${idIn(said)}`), () => ({ text: "A roof." })],
  ALBUM: [
    () => reads("roof.png"),
    () => ({ calls: [{ tool: "save", args: { path: "roof.png", as: "album/roof.png", day: "20250109" } }] }),
    () => ({ text: "Saved." }),
  ],
  TELEGRAM: [
    (said) => ({
      calls: [
        {
          tool: "spawn_subagent",
          args: { description: "look", input: `TASK: what is attachment:${idIn(said)}?`, type: "explore" },
        },
      ],
    }),
    () => ({ text: "Sent off." }),
    (said) => ({
      calls: [
        {
          tool: "reply",
          args: { text: "A roof.", channelId: "17", channelType: "telegram", attachments: [{ id: idIn(said) }] },
        },
      ],
    }),
    () => ({ text: "Said." }),
  ],
  CHAT: [
    () => ({ calls: [{ tool: "write", args: { path: "list.txt", content: "roofs" } }] }),
    (said) => ({
      calls: [
        {
          tool: "reply",
          args: {
            text: "Two roofs.",
            channelId: /\[channel: cli[^\]]*id: ([\w-]+)/.exec(said)?.[1] ?? "",
            channelType: "cli",
            attachments: [{ path: "list.txt" }, { path: "20250109/notes.md" }],
          },
        },
      ],
    }),
    () => ({ text: "Said." }),
  ],
  TASK: [(said) => reads(`attachment:${idIn(said)}`), () => ({ text: "It is a roof." })],
};
const bin = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));
const reads = (path: string): PlayedTurn => ({ calls: [{ tool: "read", args: { path } }] });
const idIn = (said: string) => /attachment:([0-9a-f]{64})/.exec(said)?.[1] ?? "";

type Asked = { system: unknown; messages: Said[] };

function nextOf({ system, messages }: Asked): PlayedTurn {
  const said = JSON.stringify(messages);
  const word = Object.keys(scripts).find((one) => JSON.stringify([system, messages[0]]).includes(one)) ?? "";
  const turn = scripts[word]?.[messages.filter(({ role }) => role === "assistant").length];
  return turn?.(said) ?? { text: "I have nothing more to do." };
}

const photos = realpathSync(mkdtempSync(join(tmpdir(), "cortex-photos-")));
const [alone, album, chat] = [noisyPng(40), noisyPng(41), noisyPng(42)];
const [telegram, pasted] = [noisyPng(43), noisyPng(44)];
writeFileSync(join(photos, "alone.png"), alone);
writeFileSync(join(photos, "roof.png"), album);
writeFileSync(join(photos, "chat.png"), chat);
writeFileSync(join(photos, "pasted.png"), pasted);
const model = await startAnthropic([], {
  answer: (body) => ({ turn: nextOf(body as Asked) }),
});
const api = await BotApi.start();
api.files.set("big", telegram);
const journal = new UpJournal(
  {
    default_backend: "anthropic",
    folders: [photos],
    sandbox: "off",
    channels: { web: { enabled: false }, telegram: { token_file: "bot-token", api_url: api.root, allow: ["17"] } },
    agents: { join_window_ms: 0, owners: ["telegram:17"] },
  },
  { ANTHROPIC_API_KEY: "sk-nobody", ANTHROPIC_BASE_URL: model.url },
);
writeFileSync(join(journal.path, "bot-token"), `${botToken}\n`, { mode: 0o600 });
mkdirSync(join(journal.path, "20250109"));
writeFileSync(join(journal.path, "20250109/notes.md"), "# Notes\n");
mkdirSync(join(journal.path, "personas"));
writeFileSync(join(journal.path, "personas/talker.txt"), "You talk.");
writeFileSync(join(journal.path, "personas/talker.json"), '{"tools": "files"}');
writeFileSync(join(journal.path, "personas/album.txt"), "ALBUM: keep the photos of a day.");
writeFileSync(
  join(journal.path, "personas/album.json"),
  JSON.stringify({ schedule: "daily", tools: "files", folder: photos, prompt: "ALBUM" }),
);
await journal.start().isUp();
afterAll(async () => {
  await journal[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  rmSync(photos, { recursive: true });
});

/** Whether the model was shown a content, in a message of the user's or in a tool's result. */
function wasShown(content: Buffer, within: "user" | "tool_result"): boolean {
  const data = content.toString("base64");
  const blocks = model.requests.flatMap(({ body }) =>
    (body as Asked).messages.flatMap(({ content: blocks }) => (Array.isArray(blocks) ? blocks : [])),
  );
  const images = blocks.flatMap((block) =>
    block.type === "tool_result" && within === "tool_result" ? (block["content"] as object[]) : [block],
  );
  return images.some((block) => JSON.stringify(block).includes(`"data":"${data}"`));
}

test("a run that is asked once is shown the file that came with it, and reads it again by its name", async () => {
  const args = ["--tools", "files", "--attach", join(photos, "alone.png"), "ALONE: what is this?"];
  expect(await runCortex(journal.path, ["request", ...args])).toMatchObject({ code: 0, stdout: "A roof." });
  expect([wasShown(alone, "user"), wasShown(alone, "tool_result")]).toEqual([true, true]);
});

test("a scheduled run is shown what it reads in its folder, and saves it into the journal", async () => {
  const ran = await runCortex(journal.path, ["schedule", "run", "--persona", "album", "--day", "20250109"]);
  expect(ran).toMatchObject({ code: 0 });
  const saved = join(journal.path, "20250109/album/roof.png");
  await journal.until(() => model.requests.length > 0 && existsSync(saved), "the photo is saved");
  expect(readFileSync(saved)).toEqual(album);
  expect(wasShown(album, "tool_result")).toBe(true);
});

test("an agent is shown a photo of Telegram, its task reads it by its name, and the answer goes back with the photo", async () => {
  api.write("", {
    caption: "TELEGRAM: what is this?",
    photo: [{ file_id: "big", file_unique_id: "b", width: 43, height: 43 }],
  });
  await journal.until(() => api.sentFiles.length > 0, "the photo goes back");
  expect(api.texts).toEqual(["A roof."]);
  expect(api.sentFiles).toEqual([{ chat_id: "17", method: "sendPhoto", name: expect.any(String), content: telegram }]);
  expect([wasShown(telegram, "user"), wasShown(telegram, "tool_result")]).toEqual([true, true]);
  expect(model.refusals).toEqual([]);
});

test("an agent is shown what was attached in the chat and a path that was pasted there, and files come back", async () => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: journal.path, JOURNAL_PATH: journal.path, TERM: "xterm" };
  await using terminal = new Terminal([process.execPath, bin, "chat", "-p", "talker"], env, 120);
  await terminal.until((text) => text.endsWith("\n>"), "it is there");
  terminal.type(`/attach ${join(photos, "chat.png")}\r`);
  await terminal.until((text) => text.includes("attached chat.png (image/png"), "it is attached");
  terminal.paste(join(photos, "pasted.png"));
  terminal.type("\r");
  await terminal.until((text) => text.includes("attached pasted.png (image/png"), "it is attached as well");
  terminal.type("CHAT: what are these?\r");
  await terminal.until(
    (text) => /Two roofs\.[^]*list\.txt[^]*notes\.md[^]*attachments/.test(text),
    "the answer is there, with a file of the work folder and one of the journal",
  );
  expect([wasShown(chat, "user"), wasShown(pasted, "user")]).toEqual([true, true]);
  terminal.type("/quit\r");
  expect(await terminal.exited).toBe(0);
});
