/** A model with a window, over each wire format: real providers against played servers, which refuse what the real ones would. */
import { anthropic } from "../../../backends/anthropic/provider.ts";
import { google } from "../../../backends/google/provider.ts";
import { openaiEndpoint } from "../../../backends/openai/endpoint/endpoint.ts";
import { openaiAt } from "../../../backends/openai/provider.ts";
import type { ModelCall, Provider } from "../../../backends/provider/provider.ts";
import { textTokens } from "../../../conversation/size/text-tokens.ts";
import { RunConfig } from "../../../protocol/runs/run-config.ts";
import { playAnthropic } from "../../support/providers/anthropic.ts";
import { playGoogle } from "../../support/providers/google.ts";
import { playChat, playOpenai } from "../../support/providers/openai.ts";
import type { Play, PlayedTurn, Reply } from "../../support/providers/played.ts";

const key = "sk-window-0123456789";
const config = RunConfig.parse({ prompt: "", model: "m-1" });

type Wire = { play: Play; provider: (url: string) => Provider; tooLong: (tokens: number, most: number) => Reply };

const openaiTooLong = (tokens: number, most: number): Reply => ({
  status: 400,
  body: {
    error: {
      code: "context_length_exceeded",
      type: "invalid_request_error",
      message: `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens.`,
    },
  },
});

const openai = (url: string, seller: "openai" | null) => {
  const endpoint = openaiEndpoint({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url });
  return openaiAt({ ...endpoint, seller }, config);
};

export const wires: Record<"anthropic" | "google" | "responses" | "chat", Wire> = {
  anthropic: {
    play: playAnthropic,
    provider: (url) => anthropic({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    tooLong: (tokens, most) => ({
      status: 400,
      body: {
        type: "error",
        error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${most} maximum` },
      },
    }),
  },
  google: {
    play: playGoogle,
    provider: (url) => google({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
    tooLong: (tokens, most) => ({
      status: 400,
      body: {
        error: {
          code: 400,
          status: "INVALID_ARGUMENT",
          message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${most}).`,
        },
      },
    }),
  },
  responses: { play: playOpenai, provider: (url) => openai(url, "openai"), tooLong: openaiTooLong },
  chat: { play: playChat, provider: (url) => openai(url, null), tooLong: openaiTooLong },
};

export type WindowedModel = Provider & {
  /** The calls that it answered, those for summaries apart. */
  calls: ModelCall[];
  summaries: ModelCall[];
  /** The calls that were too long. */
  refused: number;
  /** The faults that the server found in a request: each is a failure of the test. */
  faults: string[];
};

/**
 * @param window tokens that it takes
 * @param answer what it says to a call that it takes
 * @param countsUsage whether it tells how many tokens it was sent
 */
export function windowedModel(
  wire: Wire,
  window: number,
  answer: (call: ModelCall, number: number) => PlayedTurn,
  { countsUsage = true } = {},
): WindowedModel {
  const real = wire.provider("http://127.0.0.1:9");
  const model: WindowedModel = {
    name: real.name,
    defaultModel: real.defaultModel,
    isLocal: true,
    takes: (mime, of) => real.takes?.(mime, of) ?? false,
    calls: [],
    summaries: [],
    refused: 0,
    faults: [],
    async *stream(call, signal) {
      model.faults.push(...faultsOf(call));
      const tokens = sizeOf(call);
      const isSummary = call.instruction.startsWith("You sum up");
      let reply: Reply;
      if (tokens > window) {
        model.refused++;
        reply = wire.tooLong(tokens, window);
      } else {
        (isSummary ? model.summaries : model.calls).push(structuredClone(call));
        reply = { turn: isSummary ? { text: summaryOf(call) } : answer(call, model.calls.length) };
      }
      await using played = await wire.play([reply]);
      try {
        for await (const chunk of wire.provider(played.url).stream(call, signal)) {
          if (chunk.type === "usage" && countsUsage)
            yield { type: "usage", usage: { ...chunk.usage, input_tokens: tokens } };
          else if (chunk.type !== "usage") yield chunk;
        }
      } finally {
        model.faults.push(...played.refusals);
      }
    },
  };
  return model;
}

/** Facts are kept by the summary, as a good model does. */
function summaryOf({ messages }: ModelCall): string {
  const text = messages.map((message) => message.text ?? "").join("\n");
  return `Goal: read all pages.\nFiles and ids: ${factsIn(text).join(" ")}`;
}

export const factsIn = (text: string): string[] => [...new Set(text.match(/FACT-\d+-[a-z]+/g))];

/** As such a model would count it: everything that is sent, but for images. */
export function sizeOf({ instruction, context, messages, tools }: ModelCall): number {
  const bare = messages.map((message) => ({ ...message, media: undefined, parts: undefined, reasoning: undefined }));
  const images = messages.reduce((sum, { media = [] }) => sum + media.length * 700, 0);
  return textTokens(`${instruction}${context}${JSON.stringify(bare)}${JSON.stringify(tools)}`) + images;
}

/** Calls without their results, and results without calls. */
function faultsOf({ messages }: ModelCall): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool" && message.call_id === open[0]) open.shift();
    else if (message.role === "tool") faults.push(`a result without its call: ${message.call_id}`);
    else {
      if (open.length > 0) faults.push(`calls without results: ${open.join()}`);
      open = (message.calls ?? []).map(({ call_id }) => call_id);
    }
  }
  return open.length > 0 ? [...faults, `calls without results: ${open.join()}`] : faults;
}
