/** Size of a message: what the bus takes in one, so that what can't be sent is refused before it is tried again and again. */
import type { Bus } from "../connection/connect.ts";
import { headroomBytes } from "./event-message.ts";

/** The limit that a server has unless it says otherwise. */
export const defaultMaxPayload = 1024 * 1024;

/** Most bytes that the body of a message may have: the headers need some of what the server takes. */
export const mostMessageBytes = ({ connection }: Pick<Bus, "connection">): number =>
  (connection.info?.max_payload ?? defaultMaxPayload) - headroomBytes;

/** Bytes of a value as it is sent. */
export const messageBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
