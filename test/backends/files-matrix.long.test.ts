/** A conversation with files moves between providers at any turn: each is shown what it takes, and told the rest in words. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { anthropic } from "../../backends/anthropic/provider.ts";
import { google } from "../../backends/google/provider.ts";
import { runWithModel } from "../../backends/loop/agent.ts";
import { type Run, runAgent } from "../../backends/loop/run/run.ts";
import { openai } from "../../backends/openai/provider.ts";
import { openrouter } from "../../backends/openrouter/provider.ts";
import type { Provider } from "../../backends/provider/provider.ts";
import { fromChain } from "../../conversation/from-events.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import type { FilePart } from "../../protocol/files/attachment.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { testRun } from "../support/backends/agent-run.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";
import { playGoogle } from "../support/providers/google.ts";
import { playChat, playOpenai } from "../support/providers/openai.ts";
import type { Play, Reply } from "../support/providers/played.ts";
import { pdf, png, wav } from "../support/files/sample-files.ts";
import { startToolServer } from "../support/tool-server.ts";

const key = "sk-files-0123456789";

type Contestant = {
  play: Play;
  provider: (run: Run) => Provider;
  environment: (url: string) => Record<string, string>;
  config?: Record<string, unknown>;
  /** Whether it is shown PDFs, and sound. */
  pdfs: boolean;
  sound: boolean;
};

const contestants: Record<string, Contestant> = {
  openai: {
    play: playOpenai,
    provider: (run) => openai(run.config, run.environment),
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
    config: { openai: { api: "responses" } },
    pdfs: true,
    sound: false,
  },
  chat: {
    play: playChat,
    provider: (run) => openai(run.config, run.environment),
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
    config: { model: "local-model" },
    pdfs: false,
    sound: false,
  },
  anthropic: {
    play: playAnthropic,
    provider: (run) => anthropic(run.environment),
    environment: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    pdfs: true,
    sound: false,
  },
  google: {
    play: playGoogle,
    provider: (run) => google(run.environment),
    environment: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
    pdfs: true,
    sound: true,
  },
  // Before Gemini 3 files of tools stand behind their results.
  "google, an older model": {
    play: playGoogle,
    provider: (run) => google(run.environment),
    environment: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
    config: { model: "gemini-2.5-pro" },
    pdfs: true,
    sound: true,
  },
  openrouter: {
    play: playChat,
    provider: (run) => openrouter(run.config, run.environment),
    environment: (url) => ({ OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: url }),
    config: { model: "google/gemini-played" },
    pdfs: true,
    sound: true,
  },
};

const folder = mkdtempSync(join(tmpdir(), "cortex-files-"));
afterAll(() => rmSync(folder, { recursive: true }));
const shot = png(4, 4, 30);
const tools = await startToolServer({
  register: (server) =>
    server.registerTool("screenshot", { description: "Take a picture" }, () => ({
      content: [
        { type: "text", text: "here it is" },
        { type: "image", mimeType: "image/png", data: shot.toString("base64") },
      ],
    })),
});
afterAll(() => tools[Symbol.asyncDispose]());

const rules = { maxBytes: 25 * 1024 * 1024, kinds: ["image/*", "audio/*", "text/*", "application/pdf"] };
const contents = {
  "photo.png": png(),
  "plan.pdf": pdf(),
  "note.wav": wav(),
  "list.txt": Buffer.from("eggs and flour"),
};
const parts: FilePart[] = [];
for (const [name, content] of Object.entries(contents))
  parts.push(await storeAttachment(folder, name, [content], rules));

const replies = (who: string): Reply[] => [
  {
    turn: {
      thinking: "a tool, then",
      calls: [
        { tool: "screenshot", args: {} },
        { tool: "echo", args: { text: who } },
      ],
    },
  },
  { turn: { text: `${who} has seen it` } },
];

async function take(
  name: string,
  chain: EventBody[][],
): Promise<{ events: EventBody[]; refusals: string[]; sent: string }> {
  const prompt = `what is this? (${chain.length + 1})`;
  const request = { event: "request", prompt, backend: name, parts };
  const { play, provider, environment, config } = contestants[name] as Contestant;
  await using server = await play(replies(name));
  const run = {
    ...testRun({
      prompt,
      parts,
      attachments_folder: folder,
      backend: name,
      history: fromChain(chain),
      mcp_server_url: tools.url,
      max_tokens: 8192,
      ...config,
    }),
    environment: environment(server.url),
  };
  await runAgent(run, () => (own) => runWithModel(provider(own), own));
  return {
    events: [request, ...run.events],
    refusals: server.refusals,
    sent: JSON.stringify(server.requests.at(-1)?.body),
  };
}

const names = Object.keys(contestants);
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));
const count = (text: string, part: string) => text.split(part).length - 1;

test.each(pairs)(
  "files that came on %s are there on %s, and back again",
  { timeout: 120_000 },
  async (first, second) => {
    const chain: EventBody[][] = [];
    for (const name of [first, second, first]) {
      const { events, refusals, sent } = await take(name, chain);
      expect(refusals).toEqual([]);
      expect(events.at(-1)).toMatchObject({ event: "finish", result: `${name} has seen it` });
      const { pdfs, sound } = contestants[name] as Contestant;
      const turns = chain.length + 1;
      expect(count(sent, contents["photo.png"].toString("base64"))).toBe(turns);
      expect(count(sent, shot.toString("base64"))).toBe(turns);
      expect(count(sent, contents["plan.pdf"].toString("base64"))).toBe(pdfs ? turns : 0);
      expect(count(sent, contents["note.wav"].toString("base64"))).toBe(sound ? turns : 0);
      expect(count(sent, "eggs and flour")).toBe(turns);
      if (!sound) expect(count(sent, "[file note.wav: audio/wav, 8044 bytes")).toBe(turns);
      // What is written down names the files and has nothing of their bytes.
      const written = JSON.stringify(events);
      for (const content of [shot, ...Object.values(contents)])
        expect(written).not.toContain(content.toString("base64").slice(0, 24));
      expect(events.find(({ event, tool }) => event === "tool_end" && tool === "screenshot")).toMatchObject({
        parts: [{ type: "file", name: "image.png", mime: "image/png", size: shot.length }],
      });
      chain.push(events);
    }
  },
);

test.each(names)("a conversation on %s goes on when a file is refused, with its name alone", async (name) => {
  const { play, provider, environment, config } = contestants[name] as Contestant;
  const refusal = { status: 400, body: { error: { message: "Could not process image", status: "INVALID_ARGUMENT" } } };
  await using server = await play([refusal, { turn: { text: "a file I can't see" } }]);
  const run = {
    ...testRun({ parts, attachments_folder: folder, backend: name, ...config }),
    environment: environment(server.url),
  };
  await runAgent(run, () => (own) => runWithModel(provider(own), own));
  expect(run.events.at(-1)).toMatchObject({ event: "finish", result: "a file I can't see" });
  const [before, after] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(before).toContain(contents["photo.png"].toString("base64"));
  expect(after).not.toContain(contents["photo.png"].toString("base64"));
  expect(after).toContain("[file photo.png: image/png");
});
