/** `google`: the Gemini API, by its SDK. */
import {
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerateContentResponse,
} from "@google/genai/web";
import { type Chunk, type ModelCall, type Provider, ProviderError, searchTool } from "../provider/provider.ts";
import { chunksOf } from "./answer.ts";
import { type Client, openClient } from "./client.ts";
import { contentsOf } from "./contents.ts";
import { learnFrom, type UnsupportedParameters, unsupportedBy } from "./unsupported-parameters.ts";
import { contextWindow } from "./models.ts";
import { type Tools, toolsOf } from "./tools.ts";
import { builtInBackends } from "../../protocol/settings/backends.ts";

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
    summaryModel: builtInBackends.google.cheap,
    contextWindow: (model, signal) => contextWindow(environment, model, signal),
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
  // In the place of our tool of that name, for as long as the API takes it.
  const searching = toolsOf(call.tools.filter(({ name }) => name !== searchTool));
  const plain = toolsOf(call.tools);
  const leaving = new AbortController();
  try {
    for (;;) {
      const unsupported = unsupportedBy(model);
      const maySearch = call.search === true && unsupported.search === "asked";
      const tools = maySearch ? searching : plain;
      const request = requestOf(call, tools, unsupported, maySearch);
      let hasBegun = false;
      try {
        const responses = ask(client, request, AbortSignal.any([signal, leaving.signal]));
        for await (const chunk of chunksOf(responses, model, tools.toolOf)) {
          hasBegun = true;
          yield chunk;
        }
        return;
      } catch (error) {
        const budget = request.config?.thinkingConfig?.thinkingBudget !== undefined;
        if (hasBegun || signal.aborted || !learnFrom(error, model, { budget, search: maySearch })) throw error;
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

function requestOf(
  call: ModelCall,
  tools: Tools,
  unsupported: UnsupportedParameters,
  maySearch: boolean,
): GenerateContentParameters {
  const { model, messages, toolChoice, max_tokens: maxOutputTokens, temperature } = call;
  // The instruction first: it is the same from run to run, and what comes before a difference is cached.
  const system = [call.instruction, call.context].filter((text) => text.trim() !== "").map((text) => ({ text }));
  const thinkingConfig = thinkingOf(call, unsupported);
  const config: GenerateContentConfig = {
    // The SDK would ask again by itself for a stream that breaks off.
    automaticContinuation: false,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...toolFields(tools, toolChoice, maySearch),
    ...(thinkingConfig && { thinkingConfig }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
  const hasSearches = maySearch && tools.declarations.length > 0;
  return {
    model,
    contents: contentsOf(messages, unsupported.signatures, tools.nameOf, { model, hasSearches }),
    config,
  };
}

/**
 * Beside functions the API's own search has to be asked for together with its calls, which go back then. Which mode it wants
 * with them is the API's to say: `AUTO` isn't taken.
 */
function toolFields(
  { declarations }: Tools,
  toolChoice: ModelCall["toolChoice"],
  maySearch: boolean,
): Pick<GenerateContentConfig, "tools" | "toolConfig"> {
  const functions = declarations.length > 0 ? [{ functionDeclarations: declarations }] : [];
  const tools = [...functions, ...(maySearch ? [{ googleSearch: {} }] : [])];
  if (tools.length === 0) return {};
  const functionCallingConfig = { mode: modes[toolChoice] };
  if (functions.length === 0) return { tools };
  if (!maySearch) return { tools, toolConfig: { functionCallingConfig } };
  const mode = toolChoice === "none" && { functionCallingConfig };
  return { tools, toolConfig: { includeServerSideToolInvocations: true, ...mode } };
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
