/** A photo that is sent over Telegram is described by a model of each provider, and the answer goes back with a file. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesWith } from "../../support/files/files-with.ts";
import { patienceMs } from "../../support/patience.ts";
import { playAnthropic } from "../../support/providers/anthropic.ts";
import { playGoogle } from "../../support/providers/google.ts";
import { playOpenai } from "../../support/providers/openai.ts";
import type { Play } from "../../support/providers/played.ts";
import { noisyPng, png } from "../../support/files/sample-files.ts";
import { UpJournal } from "../../supervisor/up-process.ts";
import { BotApi, botToken } from "./bot-api.ts";

const providers: [string, Play, (url: string) => Record<string, string>, Record<string, unknown>][] = [
  ["anthropic", playAnthropic, (url) => ({ ANTHROPIC_API_KEY: "sk-nobody", ANTHROPIC_BASE_URL: url }), {}],
  [
    "openai",
    playOpenai,
    (url) => ({ OPENAI_API_KEY: "sk-nobody", OPENAI_BASE_URL: url }),
    { openai: { api: "responses" } },
  ],
  ["google", playGoogle, (url) => ({ GEMINI_API_KEY: "nobody", GOOGLE_GEMINI_BASE_URL: url }), {}],
];

test.each(providers)(
  "a photo is described by %s, and the answer goes back with a file",
  { timeout: 3 * patienceMs },
  async (name, play, env, more) => {
    const photo = noisyPng(80);
    const chart = png(9, 9, 77);
    const answer = {
      text: "A cat on a roof.",
      channelId: "17",
      channelType: "telegram",
      attachments: [{ path: "20250109/chart.png" }, { path: "20250109/notes.md" }],
    };
    await using model = await play([
      { turn: { calls: [{ tool: "reply", args: answer }] } },
      { turn: { text: "Said." } },
    ]);
    await using api = await BotApi.start();
    api.files.set("big", photo);
    await using journal = new UpJournal(
      {
        default_backend: name,
        channels: {
          web: { enabled: false },
          telegram: { token_file: "bot-token", api_url: api.root, allow: ["17"] },
        },
        agents: { join_window_ms: 0, owners: ["telegram:17"] },
        ...more,
      },
      env(model.url),
    );
    writeFileSync(join(journal.path, "bot-token"), `${botToken}\n`, { mode: 0o600 });
    mkdirSync(join(journal.path, "20250109"));
    writeFileSync(join(journal.path, "20250109/chart.png"), chart);
    writeFileSync(join(journal.path, "20250109/notes.md"), "# Notes\n");
    const up = journal.start();
    await up.isUp();
    api.write("", {
      caption: "What is this?",
      photo: [{ file_id: "big", file_unique_id: "b", width: 80, height: 80 }],
    });
    await journal.until(() => api.sentFiles.length === 2, "the files are sent");
    expect(api.texts).toEqual(["A cat on a roof."]);
    expect(api.sentFiles).toEqual([
      { chat_id: "17", method: "sendPhoto", name: "chart.png", content: chart },
      { chat_id: "17", method: "sendDocument", name: "notes.md", content: Buffer.from("# Notes\n") },
    ]);
    expect(model.refusals).toEqual([]);
    const [asked] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(asked).toContain("What is this?");
    expect(asked).toContain(photo.toString("base64"));
    // The bytes are in the store, and in nothing else that is kept.
    expect(filesWith(journal.path, photo.toString("base64").slice(60, 120))).toEqual([]);
  },
);
