/** `anthropic`: Claude, by the Messages API. */
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { messageWithCauses } from "../provider/failure.ts";
import { brokenConnection, httpFailure } from "../provider/http-failure.ts";
import { costUsd } from "../provider/prices.ts";
import type { ModelCall, Provider } from "../provider/provider.ts";
import { secretHider } from "../provider/secrets.ts";
import { UnreadableError } from "../provider/unreadable-error.ts";
import { toChunks } from "./chunks.ts";
import { openClient } from "./client.ts";
import { failureOf, refusalOf } from "./failure.ts";
import { isTaken } from "./media-blocks.ts";
import { contextWindow } from "./models.ts";
import { isReasoning } from "./reasoning-block.ts";
import { toRequest } from "./request.ts";
import { searchIdOf } from "./search-blocks.ts";
import { UnsupportedParameters } from "./unsupported-parameters.ts";
import { builtInBackends } from "../../protocol/settings/backends.ts";

/** Settings' `default_model` comes first. */
const defaultModel = "claude-sonnet-5";

/** The last version of the API that takes a temperature. Later ones refuse any, whatever the model. */
const versionWithTemperature = { "anthropic-version": "2023-06-01" };

const nothingUsed = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };

type Events = AsyncIterable<Anthropic.RawMessageStreamEvent>;

export function anthropic(environment: NodeJS.ProcessEnv): Provider {
  const hide = secretHider(environment);
  const unsupported = new UnsupportedParameters();
  let client: Anthropic | undefined;
  return {
    name: "anthropic",
    defaultModel,
    takes: isTaken,
    summaryModel: builtInBackends.anthropic.cheap,
    contextWindow: (model, signal) => contextWindow(environment, model, signal),
    async *stream(call, signal) {
      client ??= openClient(environment);
      const [events] = await Promise.all([
        open(client, call, unsupported, signal, hide),
        // The price list takes its time to load. It is wanted at the answer's first event.
        costUsd("anthropic", call.model, nothingUsed),
      ]);
      yield* chunksOf(read(events, hide), call);
    },
  };
}

/** Sends the call, again where a refusal taught something. The stream's headers have come when it resolves. */
async function open(
  client: Anthropic,
  call: ModelCall,
  unsupported: UnsupportedParameters,
  signal: AbortSignal,
  hide: (text: string) => string,
): Promise<Events> {
  for (;;) {
    const request = toRequest(call, unsupported);
    const headers = request.temperature === undefined ? {} : versionWithTemperature;
    try {
      const { data, response } = await client.messages.create(request, { signal, headers }).withResponse();
      await checkStream(response, hide);
      return data;
    } catch (error) {
      signal.throwIfAborted();
      const isRefusal = error instanceof APIError && (error.status === 400 || (error.status === 403 && call.search));
      const blocks = request.messages.flatMap(({ content }) => content);
      const [reasoning, searches] = [blocks.filter(isReasoning), blocks.flatMap(searchIdOf)];
      if (!isRefusal || !unsupported.learn(refusalOf(error), call, reasoning, searches)) throw failureOf(error, hide);
    }
  }
}

/** A proxy may answer with a page and status 200, in which the SDK would find no event. */
async function checkStream(response: Response, hide: (text: string) => string): Promise<void> {
  const { headers, status } = response;
  if (headers.get("content-type")?.includes("text/event-stream")) return;
  throw httpFailure({
    backend: "anthropic",
    keyName: "ANTHROPIC_API_KEY",
    status,
    headers,
    message: hide(await response.text()) || "nothing",
    isTooLong: false,
  });
}

/** Chunks of the events. One of another shape than the API's is none of ours to be wrong about. */
async function* chunksOf(events: AsyncIterable<Anthropic.RawMessageStreamEvent>, call: ModelCall) {
  try {
    yield* toChunks(events, call);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const cause = new UnreadableError("an event that can't be read", { cause: error });
    throw brokenConnection("anthropic", messageWithCauses(cause), cause);
  }
}

/** The events, their failures told. Leaving it closes the connection. */
async function* read(events: Events, hide: (text: string) => string): AsyncGenerator<Anthropic.RawMessageStreamEvent> {
  try {
    yield* events;
  } catch (error) {
    throw failureOf(error, hide);
  }
}
