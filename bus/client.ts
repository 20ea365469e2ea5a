/** The client: asks cortex, and hears what the run says until its last word. */
import { createInbox, type NatsConnection } from "@nats-io/transport-node";
import { AgentEvent, isTerminal } from "../protocol/event.ts";
import { issueTexts } from "../protocol/issues.ts";
import { dropNulls } from "../protocol/json-object.ts";
import { Request } from "../protocol/request.ts";
import { contentHash, redacted } from "../protocol/request-content.ts";
import { Rejection, type RejectReason, subjects } from "../protocol/subjects.ts";
import type { Bus } from "./connect.ts";
import { messageBytes, mostMessageBytes } from "./message-size.ts";
import { publishRequest } from "./requests.ts";
import { isDeeper } from "../protocol/cut-depth.ts";
import { JsonDepthError, maxJsonDepth, parseOwnJson } from "../protocol/parse-json.ts";

/**
 * How long cortex may say nothing at all until it counts as absent: its status comes every 5 s. Counted by the second, so
 * that a caller who was held up himself hears what came meanwhile.
 */
const silenceSeconds = 7;
/** How often the file is looked at when the bus is silent. */
const lookMs = 2000;

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
export type Asked = {
  agent_id: string;
  /** What the run says, from its first line to its last word. To be read once. */
  events: AsyncIterable<AgentEvent>;
  /** The last word: a `finish` or an `error` event. */
  result: Promise<AgentEvent>;
};

export type AskOptions = {
  /** Reads the run's file, where the caller can: so nothing is missed when the bus is away, and nothing is cut. */
  readEvents?: (agentId: string) => AgentEvent[];
};

let lastId = 0;

/**
 * Publishes a request and follows its run. Subscribes first: a fast agent's finish is heard.
 * @throws RejectedError when cortex refuses it, TooLargeError when it can't be sent, NoCortexError when nobody takes it, Error when the bus doesn't answer
 */
export async function ask(
  bus: Bus,
  wanted: Omit<Request, "ts"> & { ts?: number },
  options: AskOptions = {},
): Promise<Asked> {
  for (;;) {
    lastId = Math.max(lastId + 1, Date.now());
    const request = readWanted({ ...wanted, ts: wanted.ts ?? lastId });
    const agentId = String(request.ts);
    checkSize(bus, request);
    const feed = new Feed(bus.connection, agentId, options);
    const inbox = createInbox();
    const answered = answerOn(bus.connection, inbox);
    try {
      await bus.connection.flush();
      await publishRequest(bus, request, contentHash(request), inbox);
      const rejection = await answered(agentId);
      if (!rejection) return { agent_id: agentId, events: feed.events(), result: feed.result };
      feed.close();
      // An id of our own making that somebody else was quicker to take: the next one.
      if (rejection.reason === "duplicate_id" && wanted.ts === undefined) continue;
      throw new RejectedError(rejection);
    } catch (error) {
      feed.close();
      throw error;
    }
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

/** Listens for cortex's answer; the function waits for it. A cortex that has much to do answers late, and is there all the same. */
function answerOn(connection: NatsConnection, inbox: string): (agentId: string) => Promise<Rejection | null> {
  const subscription = connection.subscribe(inbox, { max: 1 });
  return async (agentId) => {
    let silence = 0;
    const timer = setInterval(() => ++silence >= silenceSeconds && subscription.unsubscribe(), 1000);
    const status = connection.subscribe(subjects.status, { callback: () => void (silence = 0) });
    try {
      for await (const message of subscription) {
        const value: unknown = parseOwnJson(message.string());
        return Rejection.safeParse(value).data ?? null;
      }
    } finally {
      clearInterval(timer);
      status.unsubscribe();
    }
    throw new NoCortexError(agentId);
  };
}

/** Brings a run's events into the order of its file, whatever of them came over the bus. */
class Feed {
  readonly result: Promise<AgentEvent>;
  readonly #agentId: string;
  readonly #readEvents: AskOptions["readEvents"];
  readonly #waiting: AgentEvent[] = [];
  readonly #unsubscribe: () => void;
  readonly #look: NodeJS.Timeout;
  #nextSeq = 1;
  #isOver = false;
  #wake = () => {};
  #resolve: (event: AgentEvent) => void = () => {};

  constructor(connection: NatsConnection, agentId: string, { readEvents }: AskOptions) {
    this.#agentId = agentId;
    this.#readEvents = readEvents;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const subscription = connection.subscribe(subjects.events(agentId), {
      callback: (_, message) => this.#hear(message.string()),
    });
    this.#unsubscribe = () => subscription.unsubscribe();
    // Unheld: who has closed the connection without reading to the end is free to leave.
    this.#look = setInterval(() => this.#fill(Number.POSITIVE_INFINITY), lookMs).unref();
  }

  async *events(): AsyncGenerator<AgentEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) yield event;
      else if (this.#isOver) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  close(): void {
    this.#isOver = true;
    clearInterval(this.#look);
    this.#unsubscribe();
    this.#wake();
  }

  #hear(text: string): void {
    const value: unknown = parseOwnJson(text);
    const parsed = AgentEvent.safeParse(value);
    if (!parsed.success) return this.#pass(value);
    const event = parsed.data;
    if (event.seq < this.#nextSeq) return;
    // What is missing, or was cut for the bus, stands in the file.
    if (event.seq > this.#nextSeq || event["truncated"] === true) this.#fill(event.seq + 1);
    if (event.seq >= this.#nextSeq) this.#take(event);
  }

  /** `text_delta` has no place in the file. */
  #pass(value: unknown): void {
    const delta = AgentEvent.omit({ seq: true }).safeParse(value);
    if (delta.success && !this.#isOver) this.#give(delta.data as AgentEvent);
  }

  #fill(before: number): void {
    for (const event of this.#readEvents?.(this.#agentId) ?? [])
      if (event.seq >= this.#nextSeq && event.seq < before) this.#take(event);
  }

  #take(event: AgentEvent): void {
    if (this.#isOver) return;
    this.#nextSeq = event.seq + 1;
    this.#give(event);
    if (!isTerminal(event)) return;
    this.#resolve(event);
    this.close();
  }

  #give(event: AgentEvent): void {
    this.#waiting.push(event);
    this.#wake();
  }
}
