/**
 * MCP on stdio for a client that starts its servers itself: each message goes to the running server, and its answers come
 * back. The bridge keeps no connection, so that a restart of the server is a short wait; it writes nothing else on stdout.
 */
import { PassThrough } from "node:stream";
import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  isSpecType,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "../../files/errors/error-message.ts";
import { isDeeper } from "../../protocol/json/cut-depth.ts";
import { JsonDepthError, maxJsonDepth } from "../../protocol/json/parse-json.ts";
import { type Conversation, exchange, lostMessage } from "./mcp-exchange.ts";
import { StatelessRequests } from "./stateless-requests.ts";

export type BridgeOptions = {
  journal: string;
  /** Packs and names of tools to be offered; undefined: all. */
  tools: string | undefined;
  /** For what isn't for the client: lines on stderr. */
  printLine: (line: string) => void;
};

/** For a whole message. Ours are shorter, and a client that sends more has gone wrong. */
const maxBufferSize = 16 * 1024 * 1024;

/** JSON-RPC leaves this code to servers. */
const serverError = -32_000;

/** Serves stdin until it ends and everything that came in was answered. */
export async function bridge({ journal, tools, printLine: say }: BridgeOptions): Promise<void> {
  // At its end the SDK's transport would send no more answers.
  const endless = process.stdin.pipe(new PassThrough(), { end: false });
  const stdio = new StdioServerTransport(endless, process.stdout, { maxBufferSize });
  const conversation: Conversation = { journal, tools, headers: {} };
  const pending = new Set<Promise<void>>();
  const ended = Promise.withResolvers<void>();
  stdio.onerror = (error) => say(`not a message: ${error.message.slice(0, 200)}`);
  stdio.onclose = ended.resolve;
  process.stdin.once("end", ended.resolve);
  const stateless = new StatelessRequests();
  stdio.onmessage = (message) => {
    if (stateless.cancelledBy(message)) return;
    const done = forward(message).finally(() => pending.delete(done));
    pending.add(done);
  };
  await stdio.start();
  await ended.promise;
  stateless.endListening();
  await Promise.all(pending);

  async function forward(message: JSONRPCMessage): Promise<void> {
    let isAnswered = false;
    using request = stateless.begin(message);
    try {
      if (isDeeper(message)) throw new JsonDepthError(maxJsonDepth);
      for await (const answer of exchange(conversation, message, request?.signal)) {
        if (isJSONRPCResultResponse(answer) && isInitialize(message)) keepVersion(conversation, answer.result);
        isAnswered ||= "id" in answer && !("method" in answer);
        await stdio.send(answer);
      }
      if (!isAnswered && isJSONRPCRequest(message)) throw new Error(lostMessage(message));
    } catch (error) {
      // Whoever cancelled it waits for nothing more.
      if (request?.signal.aborted) return;
      const why = messageOf(error);
      say(why);
      if (isJSONRPCRequest(message) && !isAnswered)
        await stdio.send({ jsonrpc: "2.0", id: message.id, error: { code: serverError, message: why } });
    }
  }
}

const isInitialize = (message: JSONRPCMessage) => isJSONRPCRequest(message) && message.method === "initialize";

function keepVersion({ headers }: Conversation, result: unknown): void {
  if (isSpecType.InitializeResult(result)) headers["mcp-protocol-version"] = result.protocolVersion;
}
