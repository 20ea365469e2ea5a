/** `google`: the Gemini API, by its SDK. */
import {
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerateContentResponse,
} from "@google/genai/web";
import { type Chunk, type ModelCall, type Provider, ProviderError } from "../provider/provider.ts";
import { chunksOf } from "./answer.ts";
import { type Client, openClient } from "./client.ts";
import { contentsOf } from "./contents.ts";
import { learnFrom, type UnsupportedParameters, unsupportedBy } from "./unsupported-parameters.ts";
import { type Tools, toolsOf } from "./tools.ts";

const defaultModel = "gemini-3.8-flash";

/** Types of files that are taken inline, from the API's guides to images, documents and sound. */
const taken = new Set(
  ["image/png", "image/jpeg", "image/webp", "image/heic", "application/pdf"].concat(
    ["wav", "mpeg", "aac", "ogg", "flac"].map((kind) => `audio/${kind}`),
  ),
);

const modes = { auto: FunctionCallingConfigMode.AUTO, none: FunctionCallingConfigMode.NONE } as const;

export function google(environment: NodeJS.ProcessEnv): Provider {
  return {
    name: "google",
    defaultModel,
    takes: (mime) => taken.has(mime),
    stream: (call, signal) => stream(environment, call, signal),
  };
}

async function* stream(environment: NodeJS.ProcessEnv, call: ModelCall, signal: AbortSignal): AsyncGenerator<Chunk> {
  const client = openClient(environment);
  const { model } = call;
  // The SDK puts it into the address.
  if (!/^[\w.:/-]+$/.test(model) || model.includes(".."))
    throw new ProviderError(`google has no model "${model.slice(0, 100)}": a model's name has no such signs`, {
      reason: "config",
    });
  const tools = toolsOf(call.tools);
  const leaving = new AbortController();
  try {
    for (;;) {
      const request = requestOf(call, tools, unsupportedBy(model));
      let hasBegun = false;
      try {
        const responses = ask(client, request, AbortSignal.any([signal, leaving.signal]));
        for await (const chunk of chunksOf(responses, model, tools.toolOf)) {
          hasBegun = true;
          yield chunk;
        }
        return;
      } catch (error) {
        const hadBudget = request.config?.thinkingConfig?.thinkingBudget !== undefined;
        if (hasBegun || signal.aborted || !learnFrom(error, model, hadBudget)) throw error;
      }
    }
  } finally {
    // The SDK lets go of a stream that isn't read to its end, but leaves the connection open.
    leaving.abort();
  }
}

async function* ask(
  client: Client,
  request: GenerateContentParameters,
  abortSignal: AbortSignal,
): AsyncGenerator<GenerateContentResponse> {
  const config = { ...request.config, abortSignal };
  const responses = await client.models.generateContentStream({ ...request, config });
  try {
    yield* responses;
  } catch (error) {
    throw abortSignal.aborted ? error : client.broken(error);
  }
}

function requestOf(call: ModelCall, tools: Tools, unsupported: UnsupportedParameters): GenerateContentParameters {
  const { model, messages, toolChoice, max_tokens: maxOutputTokens, temperature } = call;
  // The instruction first: it is the same from run to run, and what comes before a difference is cached.
  const system = [call.instruction, call.context].filter((text) => text.trim() !== "").map((text) => ({ text }));
  const thinkingConfig = thinkingOf(call, unsupported);
  const config: GenerateContentConfig = {
    // The SDK would ask again by itself for a stream that breaks off.
    automaticContinuation: false,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...(tools.declarations.length > 0 && {
      tools: [{ functionDeclarations: tools.declarations }],
      toolConfig: { functionCallingConfig: { mode: modes[toolChoice] } },
    }),
    ...(thinkingConfig && { thinkingConfig }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
  return { model, contents: contentsOf(messages, unsupported.signatures, tools.nameOf), config };
}

function thinkingOf(
  { thinking_budget: thinkingBudget }: ModelCall,
  { thinking }: UnsupportedParameters,
): GenerateContentConfig["thinkingConfig"] {
  if (thinking === "none") return undefined;
  if (thinking === "own" || thinkingBudget === undefined) return { includeThoughts: true };
  // Thoughts that aren't thought can't be included: asking for both is refused.
  return thinkingBudget === 0 ? { thinkingBudget } : { includeThoughts: true, thinkingBudget };
}
