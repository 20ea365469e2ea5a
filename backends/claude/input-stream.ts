/** Input of a session of Claude Code, as the stream that the SDK reads: first the prompt, then the inputs that come meanwhile. */
import { randomUUID } from "node:crypto";
import type { SDKResultMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { mediaBlocks } from "../anthropic/media-blocks.ts";
import type { ShownMessage } from "../provider/media.ts";

/** Claude Code names at most this many inputs that a turn has read. */
const maxNamed = 64;

export class InputStream implements AsyncIterable<SDKUserMessage> {
  #waiting: SDKUserMessage[] = [];
  /** Ids of the inputs that no turn has read yet. */
  readonly #unread = new Map<string, string | undefined>();
  /** Ids of inputs of cortex that a turn has read, until they are taken. */
  #read: string[] = [];
  #isOver = false;
  #news = Promise.withResolvers<void>();

  push(...messages: ShownMessage[]): void {
    this.#push(messages, undefined);
  }

  /** Says an input that came meanwhile, by the id that it has for cortex. */
  pushInput(message: ShownMessage, id: string | undefined): void {
    this.#push([message], id);
  }

  /** Takes the ids of inputs that a turn has read since. */
  takeRead(): string[] {
    return this.#read.splice(0);
  }

  #push(messages: readonly ShownMessage[], id: string | undefined): void {
    const uuid = randomUUID();
    this.#unread.set(uuid, id);
    const content = messages.flatMap(({ text = "", media }) => [
      ...mediaBlocks(media),
      { type: "text" as const, text },
    ]);
    this.#waiting.push({ type: "user", uuid, parent_tool_use_id: null, message: { role: "user", content } });
    this.#wake();
  }

  /** Ends the stream: the session ends with its turn. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Whether a turn that ended has read all inputs, so that no other turn follows. */
  isReadBy({ user_message_uuids: read, queued_turn_count: queued = 0 }: SDKResultMessage): boolean {
    const isAll = read === undefined || read.length >= maxNamed;
    for (const [uuid, id] of this.#unread) {
      if (!isAll && !read.includes(uuid)) continue;
      this.#unread.delete(uuid);
      if (id !== undefined) this.#read.push(id);
    }
    return this.#unread.size === 0 && queued === 0;
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

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
