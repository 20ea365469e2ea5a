/** All arguments of a call that waits for an answer, where its question can't show them. The keyboard gets there, since it scrolls. */
import { wholeArguments } from "../../words/runs/questions.ts";

export function WholeArguments({ args }: { args: unknown }) {
  const text = wholeArguments(args);
  return text === "" ? null : (
    <pre class="out" tabIndex={0} role="group" aria-label="All of it">
      {text}
    </pre>
  );
}
