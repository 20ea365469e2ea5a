/** The words that the user is made to say to a model whose answer was cut off: a conversation has to end with the user. Pure. */
import type { Message } from "../../protocol/runs/run-config.ts";

/** It stands in no file: a conversation that is rebuilt has it again. */
export const goOnAfterCut =
  "(Your answer was cut off at its limit of tokens. Go on exactly where it ended, and repeat nothing of it.)";

export const isGoOnAfterCut = ({ role, text }: Message) => role === "user" && text === goOnAfterCut;
