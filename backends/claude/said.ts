/** What is said to a session of Claude Code, as the stream that the SDK reads: first the prompt, then whatever comes meanwhile. */
import { randomUUID } from "node:crypto";
import type { SDKResultMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";

/** Of what a turn has heard, Claude Code names so many at most. */
const maxNamed = 64;

export class Said implements AsyncIterable<SDKUserMessage> {
  #waiting: SDKUserMessage[] = [];
  /** What no turn has heard yet. */
  readonly #unheard = new Set<string>();
  #isOver = false;
  #news = Promise.withResolvers<void>();

  say(...texts: string[]): void {
    const uuid = randomUUID();
    this.#unheard.add(uuid);
    const content = texts.map((text) => ({ type: "text" as const, text }));
    this.#waiting.push({ type: "user", uuid, parent_tool_use_id: null, message: { role: "user", content } });
    this.#ring();
  }

  /** Nothing more will be said: the session ends with its turn. */
  end(): void {
    this.#isOver = true;
    this.#ring();
  }

  /** Whether a turn that ended had heard everything, so that no other follows. */
  isHeardBy({ user_message_uuids: heard, queued_turn_count: queued = 0 }: SDKResultMessage): boolean {
    if (heard === undefined || heard.length >= maxNamed) this.#unheard.clear();
    for (const uuid of heard ?? []) this.#unheard.delete(uuid);
    return this.#unheard.size === 0 && queued === 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    for (;;) {
      const waiting = this.#waiting;
      this.#waiting = [];
      yield* waiting;
      if (this.#waiting.length > 0) continue;
      if (this.#isOver) return;
      await this.#news.promise;
    }
  }

  #ring(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
