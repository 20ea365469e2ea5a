/** A change of a text: lines that went and lines that came, each with its number and sign. */
import { type LineDiff, lineDiff } from "../../words/diff/line-diff.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./diff.css";

const signs = { same: "", removed: "−", added: "+" } as const;
const classes = { same: undefined, removed: "del", added: "add" } as const;

/** Lines that are shown; of a longer change its beginning. */
const mostLines = 40;

export function Diff({ before, after }: { before: string; after: string }) {
  const { lines } = lineDiff(before, after);
  const more = lines.length - mostLines;
  return (
    <div class="diff">
      {lines.slice(0, mostLines).map(({ kind, number, text }, index) => (
        <div key={index} class={classes[kind]}>
          <span>{number}</span>
          <span>{signs[kind]}</span>
          <span>{visible(text)}</span>
        </div>
      ))}
      {more > 0 && <p class="ink-3 small">and {more} more lines</p>}
    </div>
  );
}

/** How many lines came and went: `+2 −1`. */
export function PlusMinus({ of: { added, removed } }: { of: Pick<LineDiff, "added" | "removed"> }) {
  return (
    <span class="pm">
      <span class="p">+{added}</span> <span class="m">−{removed}</span>
    </span>
  );
}
