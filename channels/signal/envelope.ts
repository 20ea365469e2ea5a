/** The form of what signal-cli tells: an envelope with a message of somebody's. From its `json/Json*.java`. */
import { z } from "zod";

const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i);
const number = z.string().regex(/^\+\d{3,17}$/);
const timestamp = z.number().int().positive();

/** One that hides its number has none; one that doesn't fit is as good as none. */
const address = { number: number.nullish().catch(null), uuid: uuid.nullish().catch(null) };

const Mention = z.looseObject({
  ...address,
  start: z.number().int().nonnegative(),
  length: z.number().int().positive(),
});

const RemoteFile = z.looseObject({
  id: z.string().min(1).max(256).nullish(),
  contentType: z.string().max(256).nullish(),
  filename: z.string().nullish(),
  size: z.number().int().nonnegative().nullish(),
});
export type RemoteFile = z.infer<typeof RemoteFile>;

const DataMessage = z.looseObject({
  timestamp,
  message: z.string().nullish(),
  mentions: z.array(Mention).max(1000).nullish(),
  attachments: z.array(RemoteFile).max(1000).nullish(),
  groupInfo: z.looseObject({ groupId: z.string().min(1).max(256), type: z.string().nullish() }).nullish(),
  quote: z
    .looseObject({
      id: timestamp,
      authorNumber: number.nullish().catch(null),
      authorUuid: uuid.nullish().catch(null),
      text: z.string().nullish(),
    })
    .nullish(),
  reaction: z
    .looseObject({
      emoji: z.string().max(64),
      targetAuthorNumber: number.nullish().catch(null),
      targetAuthorUuid: uuid.nullish().catch(null),
      targetSentTimestamp: timestamp,
      isRemove: z.boolean().default(false),
    })
    .nullish(),
  sticker: z.unknown().optional(),
  contacts: z.array(z.unknown()).nullish(),
  pollCreate: z.unknown().optional(),
  remoteDelete: z.unknown().optional(),
  storyContext: z.unknown().optional(),
});
export type DataMessage = z.infer<typeof DataMessage>;

/** An event. Typing, receipts, edits, stories, calls, and what another device sent, have no `dataMessage`. */
export const ReceivedEvent = z.looseObject({
  envelope: z
    .looseObject({
      sourceNumber: number.nullish().catch(null),
      sourceUuid: uuid.nullish().catch(null),
      sourceName: z.string().nullish(),
      timestamp,
      dataMessage: DataMessage.nullish(),
    })
    .nullish(),
});
export type ReceivedEvent = z.infer<typeof ReceivedEvent>;
