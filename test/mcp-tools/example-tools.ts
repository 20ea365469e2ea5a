/** The real program on a copy of the example journal, and a client with the commands' token, for all tests of a file. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll } from "vitest";
import { commandsToken } from "../../journal/access/tokens.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "./tools-server.ts";

/** Started before the file's first test and stopped behind its last. The journal is there at once, and is the file's own. */
export function exampleTools(env: Record<string, string> = {}) {
  const folder = makeJournal("example");
  let server: ToolsServer;
  let client: Client & AsyncDisposable;
  beforeAll(async () => {
    server = await startTools(folder.journal, env);
    client = await connect(server.url, await commandsToken(folder.journal));
    // From here on the client holds every answer against the tool's output schema.
    await client.listTools();
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return {
    journal: folder.journal,
    /** Only in a test. */
    get url(): string {
      return server.url;
    },
    /** Only in a test. */
    get client(): Client {
      return client;
    },
    call: (name: string, args: Record<string, unknown>) => callTool(client, name, args),
  };
}
