/**
 * The arguments of a call that waits for an answer, where its question, or the lines of its change, can't show them all. The
 * keyboard gets there, since it scrolls.
 */
import { changeOf, wholeArguments } from "../../words/runs/questions.ts";

export function WholeArguments({ args }: { args: unknown }) {
  const text = wholeArguments(args);
  return text === "" ? null : (
    <pre class="out" tabIndex={0} role="group" aria-label={changeOf(args) ? "The rest of it" : "All of it"}>
      {text}
    </pre>
  );
}
