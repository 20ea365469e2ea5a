/** Conversion of what Slack hands over into what is said, pressed or ordered. Pure. */
import { z } from "zod";
import { mentions } from "./service/threads.ts";

/** A file that came with a message, before it was fetched. @field url absent where Slack is to be asked for it by the id */
export type RemoteFile = {
  id: string | undefined;
  name: string;
  type: string | undefined;
  size: number | undefined;
  url: string | undefined;
};

/** A message of a person. */
export type Said = {
  kind: "message";
  room: string;
  userId: string;
  /** Its time, which is its id in the room; and that of the thread's first message. */
  ts: string;
  thread: string | undefined;
  roomType: string | undefined;
  isDirect: boolean;
  isMention: boolean;
  /** As Slack has it, with its marks. */
  text: string;
  files: RemoteFile[];
};

/** A button that was pressed. */
export type Press = {
  kind: "press";
  room: string;
  userId: string;
  ts: string;
  thread: string | undefined;
  action: string;
  value: string;
  /** The question that stands above the buttons. */
  question: string;
};

/** A command behind a slash, which Slack doesn't send as a message. */
export type Order = { kind: "order"; room: string; userId: string; isDirect: boolean; text: string; trigger: string };

export type Incoming =
  | Said
  | Press
  | Order
  /** The app may have been taken away. */
  | { kind: "revoked" }
  /** Nothing for an agent: somebody joined, a message was edited or deleted, a bot spoke. */
  | { kind: "other" };

const other = { kind: "other" } as const;

const Id = z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/);
const Ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/);
const text = z.string().max(200_000);
const SlackFile = z.looseObject({
  id: z.string().max(64).nullish(),
  name: text.nullish(),
  title: text.nullish(),
  mimetype: z.string().max(256).nullish(),
  size: z.number().int().nonnegative().nullish(),
  url_private_download: z.string().max(4096).nullish(),
  url_private: z.string().max(4096).nullish(),
});
const MessageEvent = z.looseObject({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().nullish(),
  user: Id,
  bot_id: z.string().nullish(),
  text: text.nullish(),
  ts: Ts,
  thread_ts: Ts.nullish(),
  channel: Id,
  channel_type: z.string().max(64).nullish(),
  files: z.array(SlackFile).max(1000).nullish(),
  attachments: z
    .array(z.looseObject({ text: text.nullish(), fallback: text.nullish() }))
    .max(1000)
    .nullish(),
});
const Pressed = z.looseObject({
  type: z.literal("block_actions"),
  user: z.looseObject({ id: Id }),
  container: z.looseObject({ channel_id: Id, message_ts: Ts, thread_ts: Ts.nullish() }),
  message: z
    .looseObject({
      text: text.nullish(),
      blocks: z.array(z.looseObject({ text: z.looseObject({ text }).nullish() })).nullish(),
    })
    .nullish(),
  actions: z.array(z.looseObject({ action_id: z.string().max(256), value: z.string().max(2000).nullish() })).min(1),
});
const Ordered = z.looseObject({
  user_id: Id,
  channel_id: Id,
  channel_name: text.nullish(),
  text: text.nullish(),
  trigger_id: z.string().min(1).max(256),
});

/** Subtypes of what people write: with files, into the room beside the thread, about themselves. */
const subtypes = ["file_share", "thread_broadcast", "me_message"];

/** @param botId the bot's own user */
export function incomingOf(type: string, body: unknown, botId: string): Incoming {
  if (type === "events_api") {
    const { data } = z.looseObject({ event: z.looseObject({ type: z.string() }) }).safeParse(body);
    if (data?.event.type === "tokens_revoked" || data?.event.type === "app_uninstalled") return { kind: "revoked" };
    return saidOf(data?.event, botId);
  }
  if (type === "interactive") return pressOf(body);
  if (type === "slash_commands") return orderOf(body);
  return other;
}

function saidOf(event: unknown, botId: string): Incoming {
  const { data } = MessageEvent.safeParse(event);
  if (!data) return other;
  const { subtype, user, bot_id, channel: room, channel_type, ts, thread_ts } = data;
  if (user === botId || (bot_id ?? "") !== "") return other;
  if (typeof subtype === "string" && !subtypes.includes(subtype)) return other;
  // Messages that are passed on stand beside the text.
  const shared = (data.attachments ?? []).map((one) => one.text ?? one.fallback ?? "").filter((one) => one !== "");
  const said = [data.text ?? "", ...shared.map((one) => `> ${one}`)].filter((one) => one !== "").join("\n");
  const files = (data.files ?? []).map(describedFile);
  if (said.trim() === "" && files.length === 0) return other;
  const isDirect = channel_type === "im" || room.startsWith("D");
  return {
    kind: "message",
    room,
    userId: user,
    ts,
    thread: thread_ts ?? undefined,
    roomType: channel_type ?? undefined,
    isDirect,
    isMention: data.type === "app_mention" || mentions(data.text, botId),
    text: said,
    files,
  };
}

/** A file as Slack describes it, or null. */
export function remoteFileOf(value: unknown): RemoteFile | null {
  const { data } = SlackFile.safeParse(value);
  return data ? describedFile(data) : null;
}

function describedFile({ url_private_download, url_private, ...file }: z.infer<typeof SlackFile>): RemoteFile {
  return {
    id: file.id ?? undefined,
    name: file.name || file.title || "file",
    type: file.mimetype || undefined,
    size: file.size ?? undefined,
    url: url_private_download ?? url_private ?? undefined,
  };
}

function pressOf(body: unknown): Incoming {
  const { data } = Pressed.safeParse(body);
  const [action] = data?.actions ?? [];
  if (!data || !action) return other;
  const { channel_id: room, message_ts: ts, thread_ts } = data.container;
  const shown = data.message?.blocks?.[0]?.text?.text ?? data.message?.text ?? "";
  return {
    kind: "press",
    room,
    userId: data.user.id,
    ts,
    thread: thread_ts ?? undefined,
    action: action.action_id,
    value: action.value ?? "",
    question: shown,
  };
}

function orderOf(body: unknown): Incoming {
  const { data } = Ordered.safeParse(body);
  if (!data) return other;
  const { channel_id: room, channel_name, user_id: userId, trigger_id: trigger } = data;
  const isDirect = room.startsWith("D") || channel_name === "directmessage";
  return { kind: "order", room, userId, isDirect, text: (data.text ?? "").trim(), trigger };
}
