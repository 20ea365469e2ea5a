/** Connection to a coding agent: its program, the protocol on its stdin and stdout, and its end. */
import { Readable, Writable } from "node:stream";
import {
  type AgentRequestMethod,
  type AgentRequestParamsByMethod,
  type AgentRequestResponsesByMethod,
  client,
  type ClientConnection,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { PipedProgram } from "../../proc/programs/piped-program.ts";
import { abortable } from "../provider/abort.ts";
import { RunFailure, messageWithCauses } from "../provider/failure.ts";

export type AgentProgram = { command: readonly string[]; env: NodeJS.ProcessEnv; cwd: string };

/** Hears of a session. Both are called in the order in which the agent says things, each when the one before is done. */
export type SessionListener = {
  update(notification: SessionNotification): Promise<void>;
  /** Decides on a call. */
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
};

/** Bytes of one message. No call of a tool is near it; a longer one ends the connection. */
const maxMessageBytes = 32 * 1024 * 1024;

/** Time for the agent to leave by itself, once its session is over, and again after being told to, in ms. */
const leaveMs = 2_000;

export class AgentConnection implements AsyncDisposable {
  readonly #program: PipedProgram;
  readonly #connection: ClientConnection;
  /** Handling of what the agent has said, in order. */
  #heard: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  private constructor(program: PipedProgram, listener: SessionListener) {
    this.#program = program;
    const stream = ndJsonStream(
      Writable.toWeb(program.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(program.stdout) as ReadableStream<Uint8Array>,
      { maxMessageBytes },
    );
    this.#connection = client({ name: "cortex" })
      .onNotification("session/update", ({ params }) => this.#inTurn(() => listener.update(params)))
      .onRequest("session/request_permission", ({ params }) => this.#inTurn(() => listener.permission(params)))
      .connect(stream);
  }

  /** @throws RunFailure when it can't be started */
  static async start(program: AgentProgram, listener: SessionListener): Promise<AgentConnection> {
    try {
      return new AgentConnection(await PipedProgram.start(program), listener);
    } catch (error) {
      throw new RunFailure("config", `${program.command[0]} can't be started: ${messageWithCauses(error)}`, {
        cause: error,
      });
    }
  }

  /** @throws the agent's own error; RunFailure when its program has ended; the signal's reason */
  async request<Method extends AgentRequestMethod>(
    method: Method,
    params: AgentRequestParamsByMethod[Method],
    signal: AbortSignal,
  ): Promise<AgentRequestResponsesByMethod[Method]> {
    try {
      const answer = await abortable(this.#connection.agent.request(method, params), signal);
      await this.heard();
      return answer;
    } catch (error) {
      if (signal.aborted || !this.#connection.signal.aborted) throw error;
      // Its output has ended, and so has it, or nobody will hear of it any more.
      await this.#program.stop(leaveMs);
      const how = await this.#program.ended;
      throw new RunFailure("provider", `the agent has left: ${how}`, { detail: "unavailable", cause: error });
    }
  }

  /** Tells the agent to end its turn. */
  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent.notify("session/cancel", { sessionId });
  }

  /** Resolves when all that the agent has said by now was handled. @throws what the listener has thrown */
  async heard(): Promise<void> {
    await this.#heard;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The end of what it said on stderr. */
  get said(): string {
    return this.#program.said;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#heard.then(work);
    this.#heard = done.catch((error: unknown) => void (this.#failure ??= error));
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#program.stop(leaveMs);
  }
}
