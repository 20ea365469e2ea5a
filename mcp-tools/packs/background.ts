/** The pack `background`: how an agent that works unseen reaches its user, or another agent. */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { Cuid } from "../../protocol/agents/channel.ts";
import { filePath, longText, message } from "../tool/arguments.ts";
import { forwarded } from "../tool/forwarded.ts";
import { reachesPeople, type Tool, writes, reads } from "../tool/tool.ts";

const notify = forwarded({
  name: "notify",
  title: "Notify",
  description:
    "Report the progress of your task to the agent that sent you off, while the task goes on. With needs_answer, ask: " +
    "the answer comes as input of the task. When the task is done, don't notify: your last message is its result.",
  input: {
    text: message("The text to tell, or the question to ask."),
    needs_answer: z.boolean().optional().meta({ description: "Whether you can't go on without an answer." }),
  },
  output: {},
  // It changes nothing but what its sender knows: those that may only read report, too.
  annotations: { ...reads, idempotentHint: false },
});

const sendAgentMessage = forwarded({
  name: "send_agent_message",
  title: "Message an agent",
  description:
    "Send a message to another agent. Without agentId it goes to the agent that sent you off, or else to the one in the " +
    "foreground.",
  input: { text: message("The text of the message."), agentId: Cuid.optional() },
  output: {},
  annotations: writes({ destructive: false, idempotent: false }),
});

const requestPermission = forwarded({
  name: "request_permission",
  title: "Request permission",
  description:
    "Ask the user whether you may write a file, or in a folder, outside of the work folder. It only asks: a message tells " +
    "you later what was decided.",
  input: {
    path: filePath("The file or folder, absolute.").refine(isAbsolute, "expected an absolute path"),
    reason: longText(2_000, "The purpose, as the user will read it.").refine(
      (text) => text.trim() !== "",
      "expected text, not blank",
    ),
  },
  output: { status: z.string(), token: z.string() },
  annotations: reachesPeople,
});

export const backgroundPack: readonly Tool[] = [notify, sendAgentMessage, requestPermission];
