/** The slack channel against a server that plays Slack, and what people do there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelSettings } from "../../../protocol/agents/channel-settings.ts";
import { ChannelSystem, outbound } from "../channel-system.ts";
import { appToken, botToken, botUser, type Posted, SlackApi, team } from "./slack-api.ts";

export type Writing = {
  user?: string;
  /** Default: the room with the bot alone. */
  room?: string;
  thread?: string;
  /** Names of files in `api.files`. */
  files?: string[];
  event?: Record<string, unknown>;
};

/** Ada, who is U17, speaks with the bot in D17; C1 is a room of many. */
export class SlackPeople {
  readonly #api: SlackApi;
  /** By its time. */
  readonly #written = new Map<string, Record<string, unknown>>();

  constructor(api: SlackApi) {
    this.#api = api;
  }

  /** Somebody writes. Where that mentions the bot, Slack says so twice. @returns the message's time */
  write(
    text: string,
    { user = "U17", room = `D${user.slice(1)}`, thread, files = [], event = {} }: Writing = {},
  ): string {
    const ts = this.#api.newTs();
    const isDirect = room.startsWith("D");
    const message = {
      user,
      text,
      ts,
      channel: room,
      event_ts: ts,
      ...(thread === undefined ? {} : { thread_ts: thread }),
      ...(files.length === 0 ? {} : { files: files.map((name) => this.#fileOf(name)), subtype: "file_share" }),
      ...event,
    };
    const { channel, thread_ts } = message as Posted;
    this.#api.messages.push({ channel, ts, user, text, ...(thread_ts === undefined ? {} : { thread_ts }) });
    const said = { type: "message", channel_type: isDirect ? "im" : "channel", client_msg_id: `c-${ts}`, ...message };
    this.#written.set(ts, said);
    this.happen(said);
    if (!isDirect && text.includes(`<@${botUser}>`)) this.happen({ type: "app_mention", ...message });
    return ts;
  }

  happen(event: Record<string, unknown>): string {
    const payload = {
      token: "verification",
      team_id: team,
      api_app_id: "A0CORTEX",
      type: "event_callback",
      event_id: "Ev1",
      event,
    };
    return this.#api.socket.hand("events_api", payload);
  }

  /** Hands a message over once more, in an envelope of its own. */
  repeat(ts: string): void {
    const event = this.#written.get(ts);
    if (event) this.happen(event);
  }

  press(message: Posted | undefined, action: string, value: string, user = "U17"): string {
    const { channel = "C1", ts = "1.1", text = "" } = message ?? {};
    return this.#api.socket.hand("interactive", {
      type: "block_actions",
      user: { id: user, username: "x", team_id: team },
      container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false },
      channel: { id: channel, name: "x" },
      message: { type: "message", user: botUser, ts, text, blocks: message?.blocks ?? [] },
      trigger_id: "1.2.abc",
      actions: [{ action_id: action, block_id: "b", type: "button", value, action_ts: "1" }],
    });
  }

  order(text: string, user = "U17", room = `D${user.slice(1)}`): string {
    return this.#api.socket.hand("slash_commands", {
      command: "/cortex",
      text,
      user_id: user,
      user_name: "x",
      channel_id: room,
      channel_name: room.startsWith("D") ? "directmessage" : "harbor",
      team_id: team,
      trigger_id: `13.73.${this.#api.newTs()}`,
      response_url: `${this.#api.root}/api/respond`,
    });
  }

  #fileOf(name: string) {
    const { content, type } = this.#api.files.get(name) ?? { content: Buffer.alloc(0), type: "text/plain" };
    const url = `${this.#api.root}/files/${name}`;
    return {
      id: "F1",
      name,
      title: name,
      mimetype: type,
      size: content.length,
      mode: "hosted",
      url_private: url,
      url_private_download: url,
    };
  }
}

/** A channel that runs against it, with whatever a test starts beside it. */
export async function startBot(settings: ChannelSettings = {}) {
  const api = await SlackApi.start();
  const slack = { app_token_file: "app-token", bot_token_file: "bot-token", api_url: `${api.root}/api`, ...settings };
  const system = await ChannelSystem.start({ slack });
  const token = (name: string, value: string) =>
    writeFileSync(join(system.journal, name), `${value}\n`, { mode: 0o600 });
  token("app-token", appToken);
  token("bot-token", botToken);
  const start = async (env: Record<string, string> = {}) => {
    const program = system.start("slack", env);
    await program.isReady();
    return program;
  };
  const first = await start();
  return {
    api,
    people: new SlackPeople(api),
    system,
    first,
    start,
    token,
    async [Symbol.asyncDispose]() {
      await system[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** A message for Ada. */
export const toAda = (id: string, text = `text of ${id}`) => ({
  ...outbound(id, "slack", text),
  channel: { type: "slack", channelId: "U17" },
});
