/** The history of one long-lived agent as it is read: from its end on, and back through the conversations that were put away. */
import { answered, client } from "../../api/client.ts";
import { type TalkRecord, withTail } from "../../talk/talk-record.ts";

const pageSize = 60;
/** So many pages are read to come back to what is known; behind more, it is begun anew at the end. */
const mostPages = 20;

type HistoryPlace = { conversation: string | null; cursor: number | null };

export class AgentHistory {
  readonly id: string;
  records: TalkRecord[] = [];
  /** Where older ones are; null: there are none. */
  #older: HistoryPlace | null = null;
  #isRead = false;

  constructor(id: string) {
    this.id = id;
  }

  get hasOlder(): boolean {
    return this.#older !== null;
  }

  /** Reads what has come. @throws ApiError, UnreachableError */
  async readNew(): Promise<void> {
    let tail: TalkRecord[] = [];
    let next: number | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await this.#page({ conversation: null, cursor: next });
      tail = [...page.items, ...tail];
      next = page.next;
      const merged = withTail(this.records, tail);
      if (merged !== null || next === null) {
        this.records = merged ?? this.#behind(tail);
        if (!this.#isRead) this.#older = await this.#before({ conversation: null, cursor: next });
        this.#isRead = true;
        return;
      }
    }
    this.records = tail;
    this.#older = { conversation: null, cursor: next };
  }

  /** Puts a record of the turn that goes on behind the others, unless it is known. */
  add(record: TalkRecord): void {
    const known = this.records.findLastIndex(({ id }) => id === record.id);
    if (known === -1) this.records = [...this.records, record];
  }

  /** Reads a page of older ones. @throws ApiError, UnreachableError */
  async readOlder(): Promise<void> {
    if (this.#older === null) return;
    const { items, next } = await this.#page(this.#older);
    const known = new Set(this.records.map(({ id }) => id));
    this.records = [...items.filter(({ id }) => !known.has(id)), ...this.records];
    this.#older = await this.#before({ conversation: this.#older.conversation, cursor: next });
  }

  /** The conversation was put away, or begun anew: what is known stands before the page. */
  #behind(tail: TalkRecord[]): TalkRecord[] {
    const ids = new Set(tail.map(({ id }) => id));
    return [...this.records.filter(({ id }) => !ids.has(id)), ...tail];
  }

  /** Where to go on: behind the begin of a conversation comes the one that was put away before it. */
  async #before({ conversation, cursor }: HistoryPlace): Promise<HistoryPlace | null> {
    if (cursor !== null) return { conversation, cursor };
    const path = { id: this.id };
    const { items } = await answered(client.GET("/api/v1/companions/{id}/conversations", { params: { path } }));
    const at = items.findIndex(({ id }) => id === conversation);
    const before = at === -1 ? undefined : items[at + 1];
    return before ? { conversation: before.id, cursor: null } : null;
  }

  async #page({ conversation, cursor }: HistoryPlace): Promise<{ items: TalkRecord[]; next: number | null }> {
    const query = {
      limit: pageSize,
      ...(conversation !== null && { conversation }),
      ...(cursor !== null && { cursor }),
    };
    return answered(client.GET("/api/v1/companions/{id}/history", { params: { path: { id: this.id }, query } }));
  }
}
