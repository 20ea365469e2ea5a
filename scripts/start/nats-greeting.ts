/** The greeting of a port: what a server says of itself to whoever connects. */
import { connect } from "node:net";
import { isRecord } from "../../protocol/json/json-object.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

/** NATS's own. */
export const natsPort = 4222;
const timeoutMs = 2000;
const maxGreeting = 64 * 1024;

/** Reads the greeting of a server: null if nobody is there, empty if it waits to be spoken to. */
export function greeting(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = "";
    let isConnected = false;
    const socket = connect({ host, port });
    const end = () => {
      socket.destroy();
      resolve(isConnected ? text : null);
    };
    socket.setTimeout(timeoutMs, end);
    socket.setEncoding("utf8");
    socket.on("connect", () => {
      isConnected = true;
      // A server of HTTP says nothing before it is asked: no need to wait the whole time for a greeting.
      socket.setTimeout(timeoutMs / 4);
    });
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n") || text.length > maxGreeting) end();
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

/** Parses the greeting of a nats-server; null: it is another server's. */
export function natsInfo(text: string | null): { version: string } | null {
  const [, json] = /^INFO (\{.*\})/.exec(text ?? "") ?? [];
  if (json === undefined) return null;
  try {
    const info: unknown = parseJson(json);
    return isRecord(info) ? { version: String(info["version"]).slice(0, 40) } : null;
  } catch {
    return null;
  }
}

/** Where a URL leads. */
export function addressOf(url: string, usualPort: number): { host: string; port: number } {
  const withScheme = url.includes("://") ? url : `nats://${url}`;
  if (!URL.canParse(withScheme)) return { host: shownUrl(url), port: usualPort };
  const { hostname, port } = new URL(withScheme);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || usualPort };
}
