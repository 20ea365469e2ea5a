/** The changes of runs, and what is done with them. They are read again whenever a run has ended. */
import { signal } from "@preact/signals";
import { answered, byId, client } from "../../api/client.ts";
import { ReadOrder } from "../../api/read-order.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";
import type { Change } from "./change-words.ts";

export const readDiff = (id: string, abort: AbortSignal) =>
  answered(client.GET("/api/v1/changes/{id}", { ...byId(id), signal: abort }));

export type CommentPlace = { path: string; line: number };

export const sendComment = (id: string, text: string, place: CommentPlace | null) =>
  answered(client.POST("/api/v1/changes/{id}/comments", { ...byId(id), body: { text, ...place } }));

export class ChangesStore {
  /** Null: not read yet. */
  readonly changes = signal<readonly Change[] | null>(null);
  readonly problem = signal<unknown>(null);
  readonly #order = new ReadOrder();

  /** Reads, and keeps it up; returns what ends that. */
  follow(): () => void {
    const ends = [
      onMachineEvent("run.changed", ({ ended_at }) => ended_at !== null && void this.read()),
      onMachineEvent("reset", () => void this.read()),
    ];
    void listening().then(() => this.read());
    return () => ends.forEach((end) => end());
  }

  async read(): Promise<void> {
    const isNews = this.#order.ask();
    try {
      const { items } = await answered(client.GET("/api/v1/changes"));
      if (!isNews()) return;
      this.changes.value = items;
      this.problem.value = null;
    } catch (error) {
      if (isNews()) this.problem.value = error;
    }
  }

  /** All of them or none. @throws ApiError which says what is in the way */
  async apply(id: string): Promise<void> {
    try {
      await answered(client.POST("/api/v1/changes/{id}/apply", byId(id)));
    } finally {
      await this.read();
    }
  }

  async drop(id: string): Promise<void> {
    await answered(client.POST("/api/v1/changes/{id}/drop", byId(id)));
    await this.read();
  }
}
