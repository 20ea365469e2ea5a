/** Bodies and headers sent to the three HTTP servers: the webhook, the page's, and the tools'. None may be a fault of the server's own. */
import type { Engine } from "../../simulation/engine.ts";
import { signedHeaders } from "../../../channels/webhook/signature.ts";
import type { Entrance, Reaction } from "../entrance.ts";
import { hostileJson, hostileText } from "../hostile.ts";
import { toolCall } from "./tool-calls.ts";

const answeredWithinMs = 60_000;
/** The status of refusals that say "later", such as a full store. */
const statusLater = 503;

export const webhookBody: Entrance = {
  name: "webhook",
  attack(system, engine) {
    const id = system.nextId();
    const sample = {
      id: `w${id}`,
      text: "Order",
      userId: engine.pick(["shop", "other"]),
      channelId: "main",
      metadata: {},
    };
    const body = hostileJson(engine, sample);
    const headers = signedHeaders(system.webhookSecret, { id: `w${id}`, body }, Date.now());
    if (engine.chance(0.1)) headers["webhook-signature"] = headerText(engine);
    return post(system.clients.addresses.webhook, body, headers);
  },
};

export const webBody: Entrance = {
  name: "web",
  attack(system, engine) {
    const { web, webToken } = system.clients.addresses;
    const sample = { text: "Good morning", channelId: "main", replyTo: "t", id: `b${system.nextId()}` };
    const authorization = engine.chance(0.9) ? `Bearer ${webToken}` : headerText(engine);
    const type = engine.chance(0.9) ? "application/json" : headerText(engine);
    const path = engine.pick([
      "/v1/messages",
      "/v1/messages",
      "/v1/messages",
      "/v1/nothing",
      `/${encodeURIComponent(hostileText(engine).toWellFormed()).slice(0, 4000)}`,
    ]);
    return post(web + path, hostileJson(engine, sample), { authorization, "content-type": type });
  },
};

export const mcpBody: Entrance = {
  name: "tool call",
  attack(system, engine) {
    const { mcp, mcpToken } = system.clients.addresses;
    const body = hostileJson(engine, toolCall(engine));
    return post(mcp, body, {
      authorization: `Bearer ${mcpToken}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": headerText(engine),
    });
  },
};

export async function post(url: string, body: Buffer, headers: Record<string, string>): Promise<Reaction> {
  const signal = AbortSignal.timeout(answeredWithinMs);
  const response = await fetch(url, { method: "POST", body: new Uint8Array(body), headers, signal });
  const text = await response.text();
  if (response.status >= 500 && response.status !== statusLater)
    throw new Error(`${response.status} ${text.slice(0, 300)}`);
  return response.ok ? "taken" : "refused";
}

/** A header's value is visible ASCII. */
const headerText = (engine: Engine) =>
  hostileText(engine)
    .replaceAll(/[^ -~]/g, "")
    .trim()
    .slice(0, 2_000);
