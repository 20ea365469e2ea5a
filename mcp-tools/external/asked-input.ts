/** The requests of an external server in the course of a call: handed on to the caller as they are, an error where nobody can be asked. */
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ProtocolEra,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { CallerAbilities } from "../tool/tool.ts";
import { cleanText } from "./usable-tools.ts";

/** Characters of what is asked at once, as JSON, and of the state that is kept for the next round. */
const maxAsked = 256 * 1024;
const maxState = 64 * 1024;
const maxMessage = 500;

/** The things that a server can ask for, by method and by capability, in words. */
const inWords = new Map([
  ["elicitation/create", "a form that a person fills in"],
  ["sampling/createMessage", "an answer of its client's own model"],
  ["roots/list", "its client's folders"],
  ["elicitation", "a form that a person fills in"],
  ["sampling", "an answer of its client's own model"],
  ["roots", "its client's folders"],
]);

/** Nothing else may be asked for. What each says beside its method is for the client to judge. */
const Asked = z.record(
  z.string(),
  z.looseObject({
    method: z.enum(["elicitation/create", "sampling/createMessage", "roots/list"]),
    params: z.looseObject({ message: z.unknown().optional() }).optional(),
  }),
);

type CallRound = { _meta?: Record<string, unknown>; inputResponses?: Record<string, unknown>; requestState?: string };

/**
 * The parameters of a call beside its arguments. In the stateless protocol each request says what its client can do: here, what the
 * caller can. In the older one a connection says it once, for all callers: there it is nothing.
 */
export function roundOf(caller: CallerAbilities | undefined, era: ProtocolEra | undefined): CallRound {
  if (era !== "modern" || !caller?.asks) return {};
  const { asks, answers, state } = caller;
  return {
    _meta: { [CLIENT_CAPABILITIES_META_KEY]: asks },
    ...(answers && { inputResponses: answers }),
    ...(state !== undefined && { requestState: state }),
  };
}

/** The requests of a server, for a caller who can be asked; for another the error that says what is missing. */
export function passedOn(
  tool: string,
  { inputRequests = {}, requestState }: InputRequiredResult,
  caller: CallerAbilities | undefined,
): CallToolResult | InputRequiredResult {
  const { data } = Asked.safeParse(inputRequests);
  if (!data) return failure(`${tool} failed: it asks for something that the protocol doesn't know`);
  if (!caller?.asks) return failure(`${tool} ${missing(Object.values(data).map(wordsFor))}`);
  if (JSON.stringify(inputRequests).length > maxAsked || (requestState ?? "").length > maxState)
    return failure(`${tool} failed: it asks for more than is passed on, ${maxAsked} characters`);
  return { resultType: "input_required", inputRequests, ...(requestState !== undefined && { requestState }) };
}

/**
 * The answer where the server refuses a client that can't be asked; null for another error.
 * @throws MissingRequiredClientCapabilityError for a caller who can be asked: it is theirs to read
 */
export function refusedFor(tool: string, error: unknown, caller: CallerAbilities | undefined): CallToolResult | null {
  if (!(error instanceof MissingRequiredClientCapabilityError)) return null;
  const { requiredCapabilities, message } = error;
  if (!caller?.asks)
    return failure(`${tool} ${missing(Object.keys(requiredCapabilities).map((name) => inWords.get(name) ?? name))}`);
  if (JSON.stringify(requiredCapabilities).length > maxState) return null;
  const text = `${tool}: ${cleanText(message, maxMessage)}`;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, text);
}

function wordsFor({ method, params }: z.infer<typeof Asked>[string]): string {
  const asked = inWords.get(method) ?? method;
  return typeof params?.message === "string" ? `${asked} (${JSON.stringify(params.message)})` : asked;
}

function missing(asked: string[]): string {
  const what = cleanText(asked.join(", "), maxMessage) || "to be called again later";
  return `isn't done: it asks for ${what}, and nobody can be asked in this call. Go on without it, or have the user call it in an MCP client that can be asked.`;
}

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });
