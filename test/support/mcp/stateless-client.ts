/** Requests of the stateless protocol, message by message: for what the official client doesn't know, such as tasks. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export const stateless = "2026-07-28";

export type Answered = { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };

/** Sends requests with a token, as a client of these capabilities. */
export class StatelessClient {
  readonly #url: string;
  readonly #token: string;
  readonly #capabilities: object;

  constructor(url: string, token: string, capabilities: object = {}) {
    this.#url = url;
    this.#token = token;
    this.#capabilities = capabilities;
  }

  async ask(method: string, params: Record<string, unknown> = {}): Promise<Answered> {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": stateless,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": this.#capabilities,
    };
    const name = params["name"] ?? params["taskId"];
    const response = await fetch(this.#url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        Authorization: `Bearer ${this.#token}`,
        "MCP-Protocol-Version": stateless,
        "Mcp-Method": method,
        ...(typeof name === "string" && { "Mcp-Name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    });
    return (await response.json()) as Answered;
  }

  /** The result of a request. @throws Error where it is refused */
  async resultOf(method: string, params?: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { result, error } = await this.ask(method, params);
    if (!result) throw new Error(`${method} was refused: ${JSON.stringify(error)}`);
    return result;
  }

  call(name: string, args: Record<string, unknown>, more: Record<string, unknown> = {}) {
    return this.resultOf("tools/call", { name, arguments: args, ...more });
  }
}

/** The official client, which speaks nothing older. @param fillIn fills in the forms that it is shown; absent: it shows none */
export async function connectStateless(
  url: string,
  token: string,
  fillIn?: (message: string) => ReadonlyMap<string, string | number>,
): Promise<Client & AsyncDisposable> {
  const capabilities = fillIn ? { elicitation: {} } : {};
  const options = { capabilities, versionNegotiation: { mode: { pin: stateless } } };
  const client = new Client({ name: "test", version: "1" }, options);
  if (fillIn)
    client.setRequestHandler("elicitation/create", ({ params }) => ({
      action: "accept",
      content: Object.fromEntries(fillIn(params.message)),
    }));
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
