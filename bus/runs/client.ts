/** The client: asks cortex, and hears what the run says until its terminal event. */
import { createInbox, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { dropNulls } from "../../protocol/json/json-object.ts";
import { Request } from "../../protocol/runs/request/request.ts";
import { contentHash, redacted } from "../../protocol/runs/request/request-content.ts";
import { Rejection, type RejectReason, subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { messageBytes, mostMessageBytes } from "../events/message-size.ts";
import { type FileOf, RunFeed } from "../events/run-feed.ts";
import { publishRequest } from "./requests.ts";
import { isDeeper } from "../../protocol/json/cut-depth.ts";
import { JsonDepthError, maxJsonDepth, parseOwnJson } from "../../protocol/json/parse-json.ts";

/**
 * Seconds for which cortex may say nothing at all until it counts as absent: its status comes every 5 s. Counted by the
 * second, so that a caller who was held up himself hears what came meanwhile.
 */
const silenceSeconds = 7;

/** Cortex refused a request. */
export class RejectedError extends Error {
  override name = "RejectedError";
  readonly reason: RejectReason;
  constructor({ error, reason }: Rejection) {
    super(error);
    this.reason = reason;
  }
}

/** A request that no bus message can hold: nothing of it was sent. */
export class TooLargeError extends RejectedError {
  override name = "TooLargeError";
  constructor(bytes: number, most: number, request: Request) {
    super({
      error: `the request has ${bytes} bytes as it is sent, and the bus takes at most ${most} in one message: shorten the prompt, or save the text in the journal and name the file`,
      reason: "invalid",
      request: { ...(redacted(request) as Request), prompt: `${request.prompt.slice(0, shownCharacters)} …` },
    });
  }
}

/** How much of a prompt that is too long is shown to whoever sent it. */
const shownCharacters = 200;

/** The request is stored, and nobody has taken it: it will run when a cortex starts. */
export class NoCortexError extends Error {
  override name = "NoCortexError";
  readonly agentId: string;
  constructor(agentId: string) {
    super(
      `the request ${agentId} is stored, but no cortex has taken it within ${silenceSeconds} s; it will run when one starts`,
    );
    this.agentId = agentId;
  }
}

/** A run that was asked for. */
export type RequestedRun = {
  agent_id: string;
  /** The events of the run, from its first line to its terminal event. To be read once. */
  events: AsyncIterable<AgentEvent>;
  /** The terminal event: `finish` or `error`. */
  result: Promise<AgentEvent>;
};

export type AskOptions = {
  /** Reads the run's file, where the caller can: so nothing is missed when the bus is away, and nothing is cut. */
  fileOf?: FileOf;
};

let lastId = 0;

/** An id for a request, as far as this program knows a free one. */
export function nextId(): number {
  lastId = Math.max(lastId + 1, Date.now());
  return lastId;
}

/**
 * Publishes a request and follows its run. Subscribes first: a fast agent's finish is heard.
 * @throws RejectedError when cortex refuses it, TooLargeError when it can't be sent, NoCortexError when nobody takes it, Error when the bus doesn't answer
 */
export async function ask(
  bus: Bus,
  wanted: Omit<Request, "ts"> & { ts?: number },
  options: AskOptions = {},
): Promise<RequestedRun> {
  const follow = (agentId: string) => new RunFeed(bus.connection, agentId, options.fileOf);
  const { agentId, followed: feed } = await sendRequest(bus, wanted, follow);
  return { agent_id: agentId, events: feed.events(), result: feed.result };
}

/**
 * Publishes a request, and follows nothing. @returns the run's id, once cortex has it
 * @throws as `ask` does
 */
export async function submit(bus: Bus, wanted: Omit<Request, "ts"> & { ts?: number }): Promise<string> {
  return (await sendRequest(bus, wanted, () => ({ close: () => {} }))).agentId;
}

/** @param follow called before the request is sent, with its id; closed when no run comes of it */
async function sendRequest<Followed extends { close: () => void }>(
  bus: Bus,
  wanted: Omit<Request, "ts"> & { ts?: number },
  follow: (agentId: string) => Followed,
): Promise<{ agentId: string; followed: Followed }> {
  for (;;) {
    const request = readWanted({ ...wanted, ts: wanted.ts ?? nextId() });
    const agentId = String(request.ts);
    checkSize(bus, request);
    const followed = follow(agentId);
    try {
      const rejection = await answerTo(bus, request, agentId);
      if (!rejection) return { agentId, followed };
      followed.close();
      // An id of our own making that somebody else was quicker to take: the next one.
      if (rejection.reason === "duplicate_id" && wanted.ts === undefined) continue;
      throw new RejectedError(rejection);
    } catch (error) {
      followed.close();
      throw error;
    }
  }
}

/**
 * Publishes a request, and again each time that the connection has come back: an answer that was on its way is lost, and cortex
 * knows a request that it has.
 * @returns why it was refused, or null
 */
async function answerTo(bus: Bus, request: Request, agentId: string): Promise<Rejection | null> {
  for (;;) {
    const inbox = createInbox();
    using answered = new AnswerInbox(bus, inbox);
    await bus.connection.flush();
    await publishRequest(bus, request, contentHash(request), inbox);
    const answer = await answered.next(agentId);
    if (answer !== "lost") return answer;
  }
}

/** @throws RejectedError, as cortex would say it */
function readWanted(wanted: Record<string, unknown>): Request {
  if (isDeeper(wanted)) {
    const { message: error } = new JsonDepthError(maxJsonDepth);
    throw new RejectedError({ error, reason: "invalid", request: null });
  }
  const fields = dropNulls(wanted);
  const parsed = Request.safeParse(fields);
  if (parsed.success) return parsed.data;
  const error = issueTexts(parsed.error, fields).join("; ");
  throw new RejectedError({ error, reason: "invalid", request: redacted(fields) });
}

/** @throws TooLargeError */
function checkSize(bus: Bus, request: Request): void {
  const [bytes, most] = [messageBytes(request), mostMessageBytes(bus)];
  if (bytes > most) throw new TooLargeError(bytes, most, request);
}

/** The inbox of one request, from before it is sent. */
class AnswerInbox implements Disposable {
  readonly #connection: NatsConnection;
  readonly #subscription: Subscription;
  readonly #reconnecting: Disposable;
  #isLost = false;

  constructor(bus: Bus, inbox: string) {
    this.#connection = bus.connection;
    this.#subscription = bus.connection.subscribe(inbox, { max: 1 });
    this.#reconnecting = bus.onReconnect(() => {
      this.#isLost = true;
      this.#subscription.unsubscribe();
    });
  }

  /**
   * Waits for cortex's answer. A cortex that has much to do answers late, and is there all the same.
   * @returns why it was refused, null when it was taken, "lost" when the connection was away meanwhile
   * @throws NoCortexError
   */
  async next(agentId: string): Promise<Rejection | null | "lost"> {
    let silence = 0;
    const timer = setInterval(() => ++silence >= silenceSeconds && this.#subscription.unsubscribe(), 1000);
    const status = this.#connection.subscribe(subjects.status, { callback: () => void (silence = 0) });
    try {
      for await (const message of this.#subscription) {
        const value: unknown = parseOwnJson(message.string());
        return Rejection.safeParse(value).data ?? null;
      }
    } finally {
      clearInterval(timer);
      status.unsubscribe();
    }
    if (this.#isLost) return "lost";
    throw new NoCortexError(agentId);
  }

  [Symbol.dispose](): void {
    this.#reconnecting[Symbol.dispose]();
    this.#subscription.unsubscribe();
  }
}
