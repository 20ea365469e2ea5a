/** Commands that people say to an agent, the same in every channel: their names, and what each does. Pure. */

/** Each with what it does, as a person reads it. A channel that has a menu of commands shows these. */
export const saidCommands = {
  new: "begin a new conversation",
  stop: "end what I am doing",
  status: "what I am doing, and what waits",
  usage: "what this conversation and today have used",
  model: "which model answers; with a name behind it, another one",
  help: "these commands",
} as const;

export type SaidCommand = keyof typeof saidCommands;

/** @field argument what is said behind the name; empty: nothing */
export type SaidOrder = { command: SaidCommand; argument: string };

/** In a group a command may name the bot that it is for. */
const namePattern = /^\/([a-z]{2,10})(?:@\w{1,64})?$/i;

/** Characters of the longest command. */
const longest = 300;

/**
 * The command that a text is; null: it is none, and for the agent. Only `model` takes a word behind it: `/new` with a sentence
 * behind it is a sentence.
 */
export function saidOrderIn(text: string): SaidOrder | null {
  if (text.length > longest) return null;
  const [head = "", ...rest] = text.trimEnd().split(" ");
  const [argument = "", ...more] = rest.filter((word) => word !== "");
  const name = namePattern.exec(head)?.[1]?.toLowerCase() ?? "";
  const command = name === "reset" ? "new" : name;
  if (!isSaidCommand(command) || more.length > 0 || (argument !== "" && command !== "model")) return null;
  return { command, argument };
}

const isSaidCommand = (name: string): name is SaidCommand => Object.hasOwn(saidCommands, name);

/** Whether somebody asks for the code by which they become an owner. Owners by their channel alone have no use for it. */
export const asksToPair = (text: string): boolean => text.trim().toLowerCase() === "/pair";
