/** Maps the updates of a session to our events. The words behind the last call are the answer, once the turn has ended. */
import type { ContentBlock, SessionNotification } from "@agentclientprotocol/sdk";
import type { Run } from "../loop/run/run.ts";
import { SaidPieces } from "../loop/run/said-pieces.ts";
import { ToolCalls } from "./tool-calls.ts";

/** At most one pulse in this time. From docs/contract.md. */
const pulseMs = 5_000;

type Update = SessionNotification["update"];

export class EventMapper {
  readonly #run: Run;
  readonly #model: string;
  readonly calls: ToolCalls;
  #thought = "";
  /** The message that is being said, and which one it is. */
  #message = "";
  #messageId: string | null | undefined;
  #pieces: SaidPieces | undefined;
  /** Whole messages since the last call. */
  #held: string[] = [];
  #lastSign: number;
  /** Cost of the whole session so far, in US dollars, as its agent says; null: it doesn't. */
  sessionCost: number | null = null;

  constructor(run: Run, model: string) {
    this.#run = run;
    this.#model = model;
    this.#lastSign = run.clock.now();
    this.calls = new ToolCalls(run.clock, async (event) => {
      await this.#emitSaid();
      await run.emit(event);
    });
  }

  /** Takes the answer of a turn that has ended. */
  async takeAnswer(): Promise<string> {
    await this.#endThought();
    await this.#endMessage();
    const answer = this.#held.join("\n\n");
    this.#held = [];
    await this.calls.endAll();
    return answer;
  }

  /** Emits all that was said: it is no answer, since something follows, or the turn has failed. */
  async emitSaid(): Promise<void> {
    await this.calls.endAll();
    await this.#emitSaid();
  }

  async handle(update: Update): Promise<void> {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        await this.#say(textOf(update.content), update.messageId);
        break;
      case "agent_thought_chunk":
        await this.#endMessage();
        this.#thought += textOf(update.content);
        break;
      case "tool_call":
        await this.calls.take(update, true);
        break;
      case "tool_call_update":
        await this.calls.take(update, false);
        break;
      case "plan": {
        const { entries } = update;
        const done = entries.filter(({ status }) => status === "completed").length;
        await this.#run.emit({ event: "info", message: `plan: ${done} of ${entries.length} done`, plan: entries });
        break;
      }
      case "notice":
        await this.#run.emit({ event: "info", message: [update.title, update.description ?? ""].join(" ").trim() });
        break;
      case "current_mode_update":
        await this.#run.emit({ event: "info", message: `the agent works in the mode ${update.currentModeId} now` });
        break;
      case "usage_update":
        if (update.cost?.currency === "USD") this.sessionCost = update.cost.amount;
        break;
      default: // nothing that happens: its commands, its options, what we said
    }
    await this.#pulse();
  }

  async #say(text: string, id: string | null | undefined): Promise<void> {
    await this.#endThought();
    if (this.#message !== "" && id !== this.#messageId) await this.#endMessage();
    this.#messageId = id;
    this.#message += text;
    this.#pieces ??= new SaidPieces(this.#run.clock, (piece) =>
      this.#run.emit({ event: "text", text: piece, partial: true }),
    );
    this.#pieces.add(text);
    if (!this.#run.config.stream || text === "") return;
    this.#lastSign = this.#run.clock.now();
    await this.#run.emit({ event: "text_delta", text });
  }

  async #endMessage(): Promise<void> {
    await this.#pieces?.[Symbol.asyncDispose]();
    this.#pieces = undefined;
    if (this.#message.trim() !== "") this.#held.push(this.#message);
    this.#message = "";
  }

  async #endThought(): Promise<void> {
    const summary = this.#thought;
    this.#thought = "";
    if (summary.trim() !== "") await this.#run.emit({ event: "thinking", summary, model: this.#model });
  }

  async #emitSaid(): Promise<void> {
    await this.#endThought();
    await this.#endMessage();
    const texts = this.#held;
    this.#held = [];
    for (const text of texts) await this.#run.emit({ event: "text", text });
  }

  async #pulse(): Promise<void> {
    if (this.#run.clock.now() - this.#lastSign < pulseMs) return;
    this.#lastSign = this.#run.clock.now();
    await this.#run.emit({ event: "pulse" });
  }
}

const textOf = (content: ContentBlock): string =>
  content.type === "text" ? content.text : `[${content.type}: not shown]`;
