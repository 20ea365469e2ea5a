/** The prompt for the draft of a resolution, whatever the resolver's own prompt says. Pure. */
import type { ForkTable } from "../database/tables/tables.ts";

/** The longest summary, in words. */
const mostWords = 200;

export function resolutionPrompt({ description }: Pick<ForkTable, "description">): string {
  return `The fork is about ${JSON.stringify(description)}. Sum it up for the thread that it left. Write:

1. CONCLUSION: what was decided or found, in one or two sentences
2. KEY POINTS: the arguments or findings that mattered most, as two to four bullet points
3. ACTION ITEMS: what is to be done next, if anything

Only what was said counts. Stay under ${mostWords} words, and add no analysis or advice of your own. Where people disagreed, give both sides fairly. When there was no clear conclusion, begin with "No clear conclusion reached." and then give the views that there were. Answer with the summary alone.`;
}
