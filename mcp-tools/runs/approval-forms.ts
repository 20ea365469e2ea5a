/** Calls of a run that wait for a person, as forms of the protocol (elicitation), and the decisions in what comes back. Pure. */
import { type InputRequests, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { KeptQuestion } from "../../protocol/permissions/call-question.ts";

/** Characters of a call's arguments that its form shows. */
const longestArgs = 2_000;
const longestReason = 1_000;

/** `later`: the user has put the form away, and somebody may decide elsewhere. */
export type FormDecision = { decision: "allow" | "deny" | "later"; reason?: string };

const Answered = z.discriminatedUnion("action", [
  z.looseObject({
    action: z.literal("accept"),
    content: z.looseObject({ decision: z.enum(["allow", "deny"]), reason: z.string().optional() }),
  }),
  z.looseObject({ action: z.literal("decline") }),
  z.looseObject({ action: z.literal("cancel") }),
]);

/** Makes a form of each question, by its id. */
export function approvalForms(questions: readonly KeptQuestion[]): InputRequests {
  return Object.fromEntries(questions.map((question) => [question.id, formOf(question)]));
}

/** Reads the decision on a question; undefined where the answer is none: then it is asked again. */
export function decisionIn(answer: unknown): FormDecision | undefined {
  const { data } = Answered.safeParse(answer);
  if (!data) return undefined;
  if (data.action === "decline") return { decision: "deny" };
  if (data.action === "cancel") return { decision: "later" };
  const { decision, reason } = data.content;
  return { decision, ...(reason && { reason: reason.slice(0, longestReason).toWellFormed() }) };
}

function formOf({ tool, args, why, loop }: KeptQuestion) {
  const shown = JSON.stringify(args) ?? "";
  const call = `${tool} ${shown.slice(0, longestArgs).toWellFormed()}${shown.length > longestArgs ? " …" : ""}`;
  return inputRequired.elicit({
    message: loop
      ? `The run repeats itself: ${why}. May it go on?`
      : `May the run call ${call}? It is asked since ${why}.`,
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          oneOf: [
            { const: "allow", title: "Allow once" },
            { const: "deny", title: "Deny" },
          ],
        },
        reason: { type: "string", title: "Reason", description: "Where it is denied: the agent reads it." },
      },
      required: ["decision"],
    },
  });
}
