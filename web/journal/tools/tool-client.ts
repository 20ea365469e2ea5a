/** A client of the journal's tool server, as the owner's commands are one. */
import type { Client } from "@modelcontextprotocol/client";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import type { Machine } from "../../machine/machine.ts";
import { UnavailableError } from "../../machine/machine.ts";

export type ToolResult = {
  isError?: boolean | undefined;
  content?: unknown;
  structuredContent?: unknown;
};

/** Milliseconds that a tool may take. */
const longestCallMs = 120_000;

/** @throws UnavailableError when no tool server runs, or it doesn't answer */
export async function withTools<T>(
  { journal }: Pick<Machine, "journal">,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const url = readEndpoints(journal)?.mcp_url;
  if (url === undefined) throw new UnavailableError("the tools are away now: cortex status says why");
  // Heavy, and only for who asks.
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "cortex-page", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const authorization = `Bearer ${await commandsToken(journal)}`;
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });
  try {
    await client.connect(transport);
  } catch (error) {
    await client.close();
    throw new UnavailableError("the tools don't answer: cortex status says why", { cause: error });
  }
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

export const callTool = (machine: Pick<Machine, "journal">, name: string, args: Record<string, unknown>) =>
  withTools(machine, async (client) => {
    const called = await client.callTool({ name, arguments: args }, { timeout: longestCallMs });
    return called;
  });
