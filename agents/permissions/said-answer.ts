/** An owner's answer to a question, said in a channel. After a kill it is taken again, and is the same answer then. */
import type { SaidAnswer } from "../../protocol/agents/said-answers.ts";
import { DecisionError, type Questions } from "./questions.ts";

/**
 * Takes the answer, and says what became of it. Null: there is no such question, so it was no answer.
 * @param by the owner, `<type>:<userId>`
 */
export async function answerInWords(
  questions: Pick<Questions, "kept" | "decide">,
  { question: said, decision, always, reason }: SaidAnswer,
  by: string,
): Promise<string | null> {
  const [asked, ...others] = questions.kept.all.filter(({ id }) => id.startsWith(said));
  if (!asked) return null;
  if (others.length > 0) return `More than one question begins with ${said}: say more of it.`;
  try {
    await questions.decide(asked.id, decision, by, { always, reason });
  } catch (error) {
    if (!(error instanceof DecisionError)) throw error;
    return error.message;
  }
  const { decision: counts, by: who } = questions.kept.get(asked.id) ?? asked;
  const words = counts === "deny" ? "Denied" : "Allowed";
  if (counts === decision && who === by) return `${words}${always ? ", from now on" : ""}: ${asked.tool}.`;
  return `This was decided before: ${words.toLowerCase()} by ${who ?? "somebody"}.`;
}
