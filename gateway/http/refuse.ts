/** An answer of our own, in the shape in which the provider would refuse. */
import type { ServerResponse } from "node:http";
import { type Dialect, type RefusalKind, refusalStatus } from "../dialects/dialect.ts";

export function refuse(
  answer: ServerResponse,
  dialect: Dialect,
  kind: RefusalKind,
  message: string,
  status = refusalStatus[kind],
): void {
  // Nobody reads the rest of a refused body: the connection goes with it.
  sendJson(answer, status, dialect.error(kind, status, message), {
    Connection: "close",
    // Clients repeat some statuses by themselves: a limit doesn't go away.
    ...(kind === "cap" && { "x-should-retry": "false" }),
  });
}

export function sendJson(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (answer.headersSent || answer.destroyed) return;
  answer.writeHead(status, { "Content-Type": "application/json", ...headers });
  answer.end(`${JSON.stringify(body)}\n`);
}
