/**
 * Requests of the stateless protocol: over HTTP their headers repeat what the body says, and one is cancelled by hanging up, where
 * on stdio a message says so.
 */
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { isRecord } from "../../protocol/json/json-object.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** The parameter that a header repeats, by method. */
const named: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** The headers of a request; null: it isn't one of the stateless protocol. */
export function statelessHeaders(message: JSONRPCMessage): Record<string, string> | null {
  if (!isJSONRPCRequest(message) || !isRecord(message.params) || !isRecord(message.params["_meta"])) return null;
  const version = message.params["_meta"][versionKey];
  if (typeof version !== "string") return null;
  const key = named[message.method];
  const name = key === undefined ? undefined : message.params[key];
  return {
    "mcp-protocol-version": headerText(version),
    "mcp-method": headerText(message.method),
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

/** Requests under way that are cancelled by hanging up. */
export class StatelessRequests {
  readonly #underWay = new Map<string | number, { gone: AbortController; isListening: boolean }>();

  /** Begins a request. @returns undefined for a message of another kind */
  begin(message: JSONRPCMessage): ({ signal: AbortSignal } & Disposable) | undefined {
    if (!isJSONRPCRequest(message) || statelessHeaders(message) === null) return undefined;
    const { id, method } = message;
    const gone = new AbortController();
    const request = { gone, isListening: method === "subscriptions/listen" };
    this.#underWay.set(id, request);
    const end = () => void (this.#underWay.get(id) === request && this.#underWay.delete(id));
    return { signal: gone.signal, [Symbol.dispose]: end };
  }

  /** Hangs up, if the message cancels a request that is under way. */
  cancelledBy(message: JSONRPCMessage): boolean {
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return false;
    const id = message.params?.["requestId"];
    const request = typeof id === "string" || typeof id === "number" ? this.#underWay.get(id) : undefined;
    request?.gone.abort();
    return request !== undefined;
  }

  /** Ends the requests that would wait for word of changes for ever. */
  endListening(): void {
    for (const { gone, isListening } of this.#underWay.values()) if (isListening) gone.abort();
  }
}

/** A text as the value of a header: as it is where that is safe. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
