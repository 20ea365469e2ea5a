/** Compare-and-set: how the server says that somebody else was quicker. */
import type { JetStreamApiError } from "@nats-io/jetstream";

/** "wrong last sequence": the key has another revision, or exists. */
const wrongLastSequence = 10071;

export const isConflict = (error: JetStreamApiError) => error.code === wrongLastSequence;
