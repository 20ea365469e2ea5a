/** The entries of a conversation, as they are shown, and what they are made with. */

export type TalkFile = { id: string; name: string; mime: string };

/** The words and files that began a turn. */
export type TalkInput = { text: string; files: TalkFile[] };

/** A turn that failed; `ts`: when it ended, in ms. */
export type TurnFailure = { run: string; ts: number; reason: string | null; error: string | null };

/** `offered`: its input may be sent once more. `asked`: it was. `over`: the conversation has gone on, or nobody knows the input. */
export type Again = "offered" | "asked" | "over";

export type TalkEntry =
  | { kind: "day"; key: string; ts: number }
  | { kind: "mine"; key: string; ts: number; text: string; channel: string; files: TalkFile[] }
  | { kind: "answer"; key: string; ts: number; text: string; channel: string | null; files: TalkFile[] }
  | { kind: "thought"; key: string; ts: number; text: string }
  | { kind: "did"; key: string; ts: number; run: string; tookMs: number; tools: number }
  | { kind: "failed"; key: string; ts: number; failure: TurnFailure; input: TalkInput | null; again: Again }
  | { kind: "note"; key: string; ts: number; title: string; text: string }
  | { kind: "task"; key: string; ts: number };

export type TalkScene = {
  /** The turn that goes on: what it did is not told yet. */
  run: string | null;
  /** A text of the model is what it says, where it calls no tool for that. */
  isTextReply: boolean;
  tasks: readonly { taskId: string; created: number }[];
  failures: readonly TurnFailure[];
  /** There is more before the first record: what failed before it has its place there. */
  hasOlder: boolean;
};
