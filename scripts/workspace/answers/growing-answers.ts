/** Answers as they grow: what of each was written already, and what is still to be written. Pure. */
import type { FeedEvent } from "../../../web/client/event-feed.ts";

/** A piece of a message: `isWhole` with its last one. */
export type Piece = { messageId: string; taskId: string | undefined; author: string; text: string; isWhole: boolean };

export class GrowingAnswers {
  readonly #written = new Map<string, { author: string; text: string; taskId: string | undefined }>();

  /** Finds the piece that an event adds to a message that somebody reads along; null where it adds nothing. */
  pieceOf(event: FeedEvent): Piece | null {
    if (event.event === "message.delta") return this.#grown(event.data);
    if (event.event !== "message.created" && event.event !== "message.updated") return null;
    const { message } = event.data;
    const { id, author_type: type, author_name: author, text, metadata } = message;
    const { taskId } = metadata;
    const before = this.#written.get(id);
    // An agent's message is made empty, and is whole once it is stored with its text.
    const isWhole = type !== "agent" || text !== "";
    this.#written.set(id, { author, text, taskId });
    if (before && !text.startsWith(before.text)) return { messageId: id, taskId, author, text: `\n${text}`, isWhole };
    const added = text.slice(before?.text.length ?? 0);
    return added === "" && !isWhole ? null : { messageId: id, taskId, author, text: added, isWhole };
  }

  #grown({ message_id: id, task_id: taskId, text }: Extract<FeedEvent, { event: "message.delta" }>["data"]): Piece {
    const before = this.#written.get(id) ?? { author: "", text: "", taskId };
    this.#written.set(id, { ...before, text: before.text + text });
    return { messageId: id, taskId, author: before.author, text, isWhole: false };
  }
}
