/** Runs on the backend `anthropic` against a played server, in this process. */
import { anthropic } from "../../../backends/anthropic/provider.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { runScript, type TestRun, testRun } from "./agent-run.ts";
import { type PlayedAnthropic, startAnthropic } from "../providers/anthropic.ts";
import type { PlayedRequest, Reply } from "../providers/played.ts";

export const key = "sk-ant-api03-of-nobody";

export const environmentOf = (played: { url: string }) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: played.url });

/** Runs it to its terminal event. */
export async function runOn(
  played: { url: string },
  config: Record<string, unknown> = {},
  onEvent?: (event: EventBody) => void,
): Promise<TestRun> {
  const run = testRun(config, onEvent);
  await runScript(run, anthropic(environmentOf(played)));
  return run;
}

export type Played = { run: TestRun; played: PlayedAnthropic; last: EventBody | undefined };

/** Runs it against the replies. The server is gone afterwards; what it heard is kept. */
export async function runWith(replies: Reply[], config: Record<string, unknown> = {}): Promise<Played> {
  await using played = await startAnthropic(replies);
  const run = await runOn(played, config);
  return { run, played, last: run.events.at(-1) };
}

/** A stream written by hand: the events and their data. */
export function rawStream(...events: [event: string, data: string | Record<string, unknown>][]): Reply {
  const lines = events.map(
    ([event, data]) =>
      `event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify({ type: event, ...data })}\n\n`,
  );
  return { status: 200, headers: { "content-type": "text/event-stream" }, body: lines.join("") };
}

/** The events of an answer that stops for a reason. */
export function stoppedStream(stop_reason: string | null, ...content: Parameters<typeof rawStream>): Reply {
  return rawStream(
    ["message_start", { message: { usage: { input_tokens: 3, output_tokens: 1 } } }],
    ...content,
    ["message_delta", { delta: { stop_reason }, usage: { output_tokens: 7 } }],
    ["message_stop", {}],
  );
}

export const textEvents = (text: string, index = 0): Parameters<typeof rawStream> => [
  ["content_block_start", { index, content_block: { type: "text", text: "" } }],
  ["content_block_delta", { index, delta: { type: "text_delta", text } }],
  ["content_block_stop", { index }],
];

export const callEvents = (id: string, name: string, json: string, index = 0): Parameters<typeof rawStream> => [
  ["content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }],
  ["content_block_delta", { index, delta: { type: "input_json_delta", partial_json: json } }],
  ["content_block_stop", { index }],
];

type Body = {
  max_tokens: number;
  messages: { role: string; content: Record<string, unknown>[] }[];
  [field: string]: unknown;
};

/** The body of a request. */
export const body = (request: PlayedRequest | undefined) => request?.body as Body;

/** A request's messages without the markers of the cache. */
export const messages = (request: PlayedRequest | undefined) =>
  body(request).messages.map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      Object.fromEntries(Object.entries(block).filter(([name]) => name !== "cache_control")),
    ),
  }));
