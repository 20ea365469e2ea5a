/** The message with which a conversation begins whose older part was summed up. Pure. */
import type { Message } from "../../protocol/runs/run-config.ts";
import { systemMessage } from "../marks/system-message.ts";

const [begin] = systemMessage("history", "\n").split("\n") as [string];
const end = "</system_message>";
const preface =
  "The conversation before this was too long and was summed up. The summary is all that you know of it; go on from where it ends.\n\n";

export const summaryMessage = (summary: string): Message => ({
  role: "user",
  text: systemMessage("history", `${preface}${summary}`),
});

export const isSummary = ({ role, text = "" }: Message): boolean =>
  role === "user" && text.startsWith(`${begin}${preface}`);

/** The summary in such a message. */
export const summaryIn = ({ text = "" }: Message): string => text.slice(begin.length + preface.length, -end.length);
