/** How a dialect of the played model reads a conversation and writes an answer. */
import type { ModelAnswer, Offered, Said } from "./coder-script.ts";

export type Body = Record<string, unknown>;

/** @field frames the stream of an answer, each a server-sent event */
export type PlayedDialect = {
  isCall(path: string): boolean;
  saidIn(body: Body): Said[];
  toolsIn(body: Body): Offered[];
  frames(answer: ModelAnswer, body: Body, number: number): string[];
  /** The answer as a whole, for a request that doesn't ask for a stream. */
  whole(answer: ModelAnswer, body: Body, number: number): Body;
  isStreamed(path: string, body: Body): boolean;
  /** Other paths. */
  other(path: string): Body;
};

/** Tokens that each call uses. */
export const coderTokens = { input: 100, output: 30 };
