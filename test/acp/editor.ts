/** An editor: the SDK's own client, and `cortex acp`, which it has started on stdio. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { Readable as NodeReadable, Writable as NodeWritable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  client,
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type InitializeResponse,
  methods,
  ndJsonStream,
  type PromptResponse,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";

const bin = fileURLToPath(new URL("../../bin/cortex.js", import.meta.url));

export type Asked = { request: RequestPermissionRequest; signal: AbortSignal };

/** The answer of the user to a question; it may never come. */
export type User = (asked: Asked) => Promise<RequestPermissionResponse>;

export const picks =
  (optionId: string): User =>
  async () => ({ outcome: { outcome: "selected", optionId } });
export const isSilent: User = () => new Promise(() => {});

export class Editor implements AsyncDisposable {
  /** All that was told, by session. */
  readonly updates = new Map<string, SessionUpdate[]>();
  readonly asked: Asked[] = [];
  user: User = isSilent;
  readonly agent: ClientContext;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Its stderr. */
  log = "";
  /** The lines of its stdout. */
  stdout = "";
  initialized!: InitializeResponse;
  readonly #close: () => void;
  readonly #exited: Promise<unknown>;

  private constructor(journal: string, args: string[]) {
    const env = { PATH: process.env["PATH"] ?? "", HOME: journal, JOURNAL_PATH: journal };
    this.child = spawn(process.execPath, [bin, "acp", ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.child, "close");
    this.child.stderr.on("data", (data: Buffer) => (this.log += data.toString()));
    this.child.stdout.on("data", (data: Buffer) => (this.stdout += data.toString()));
    // Its end is seen by the client; what is still on its way to it is lost.
    this.child.stdin.on("error", () => {});
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.of(params.sessionId).push(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        const asked = { request: params, signal };
        this.asked.push(asked);
        return this.user(asked);
      });
    const input = NodeReadable.toWeb(this.child.stdout) as unknown as ReadableStream<Uint8Array>;
    const output = NodeWritable.toWeb(this.child.stdin) as WritableStream<Uint8Array>;
    const connection = app.connect(ndJsonStream(output, input));
    this.agent = connection.agent;
    this.#close = () => connection.close();
  }

  static async start(
    journal: string,
    { args = [], clientCapabilities = {} }: { args?: string[]; clientCapabilities?: ClientCapabilities } = {},
  ): Promise<Editor> {
    const editor = new Editor(journal, args);
    editor.initialized = await editor.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
      clientInfo: { name: "test", version: "1" },
    });
    return editor;
  }

  /** Leaves, as an editor that is closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    this.child.stdin.end();
    await this.#exited;
  }

  /** Kills `cortex acp` with -9. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#exited;
  }

  /** The updates of a session, in order. */
  of(sessionId: string): SessionUpdate[] {
    const known = this.updates.get(sessionId) ?? [];
    this.updates.set(sessionId, known);
    return known;
  }

  /** The updates of one kind. */
  kind<K extends SessionUpdate["sessionUpdate"]>(sessionId: string, kind: K) {
    return this.of(sessionId).filter(
      (update): update is Extract<SessionUpdate, { sessionUpdate: K }> => update.sessionUpdate === kind,
    );
  }

  /** All text that was told of one kind. */
  text(sessionId: string, kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string {
    return this.kind(sessionId, kind)
      .map(({ content }) => (content.type === "text" ? content.text : `<${content.type}>`))
      .join("");
  }

  async newSession(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  async choose(sessionId: string, configId: string, value: string) {
    return this.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
  }

  prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    const blocks: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  async until<T>(ask: () => T, what: string): Promise<NonNullable<Exclude<T, false>>> {
    return askUntil(ask, () => `${what}\n${this.log}`, patienceMs);
  }
}

/** The run that has answered. */
export const runOf = ({ _meta: meta }: PromptResponse): string => String(meta?.["run"]);
