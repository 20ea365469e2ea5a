/** Directory of people: their names, and the rooms in which each speaks with the bot alone. */
import type { WebClient } from "@slack/web-api";
import type { Logger } from "../../../proc/logging/log.ts";
import { toDeliveryError, unseen } from "./failures.ts";

const keptMs = 3_600_000;
const failedMs = 60_000;
/** People at most that are remembered. */
const mostKept = 5000;

const userPattern = /^[UW][A-Z0-9]{1,30}$/;

/** Whether it is the id of a person, and so of the room in which they speak with the bot alone. */
export const isUserId = (id: string) => userPattern.test(id);

export class Directory {
  readonly #client: WebClient;
  /** For what is best effort: it answers soon, or not at all. */
  readonly #hasty: WebClient;
  readonly #log: Logger;
  readonly #names = new Map<string, { name: string | undefined; until: number }>();
  readonly #rooms = new Map<string, string>();

  constructor(client: WebClient, hasty: WebClient, log: Logger) {
    this.#client = client;
    this.#hasty = hasty;
    this.#log = log;
  }

  /** Finds a person's name. Undefined where Slack doesn't say it at once. */
  async nameOf(userId: string): Promise<string | undefined> {
    const known = this.#names.get(userId);
    if (known && known.until > Date.now()) return known.name;
    let name: string | undefined;
    try {
      const { user } = await this.#hasty.users.info({ user: userId });
      const { display_name, real_name } = user?.profile ?? {};
      const found: unknown = display_name || real_name || user?.name;
      if (typeof found === "string" && found.trim() !== "") name = found.trim().slice(0, 256);
    } catch (error) {
      this.#log.info({ error: toDeliveryError(error).message }, "a sender's name isn't known");
    }
    remember(this.#names, userId, { name, until: Date.now() + (name === undefined ? failedMs : keptMs) });
    return name;
  }

  noteRoom(userId: string, room: string): void {
    remember(this.#rooms, userId, room);
  }

  /** Finds the room in which a message goes out: a person's id stands for the room with the bot alone. @throws a delivery error */
  async roomOf(channelId: string): Promise<string> {
    if (!isUserId(channelId)) return channelId;
    const known = this.#rooms.get(channelId);
    if (known !== undefined) return known;
    const { channel } = await unseen(() => this.#client.conversations.open({ users: channelId }));
    const room = channel?.id ?? channelId;
    this.noteRoom(channelId, room);
    return room;
  }
}

/** The oldest gives way. */
export function remember<Value>(kept: Map<string, Value>, key: string, value: Value, most = mostKept): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
