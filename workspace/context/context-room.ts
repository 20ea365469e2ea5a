/** Whether a context fits: what the model's window takes, and what the bus takes in one message. Pure. */
import { messageBytes } from "../../bus/events/message-size.ts";
import { estimateTokens } from "../../conversation/size/tokens.ts";
import type { AgentContext } from "./assemble-context.ts";

/** Tokens that the descriptions of an agent's tools take, where it has any. */
const toolTokens = 2000;

/** Bytes of a request's other fields, beside what it says. */
const besideBytes = 16 * 1024;

export type ContextRoom = {
  /** Tokens that the model takes, its answer included. */
  window: number;
  /** Tokens that are kept free for the answer. */
  maxTokens: number;
  hasTools: boolean;
  /** The seller of the model, who says how images are counted. */
  seller: string | null;
  /** Bytes that the bus takes in one message. */
  mostBytes: number;
};

export function fits({ instruction, turns }: AgentContext, room: ContextRoom): boolean {
  if (messageBytes({ instruction, turns }) > room.mostBytes - besideBytes) return false;
  const tokens = estimateTokens([{ role: "user", text: instruction }, ...turns], room.seller);
  return tokens + room.maxTokens + (room.hasTools ? toolTokens : 0) <= room.window;
}
