/** A change of a text: lines that went and lines that came, each with its number and sign. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { countOf } from "../../words/amounts/money.ts";
import { type LineDiff, lineDiff } from "../../words/diff/line-diff.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./diff.css";

const signs = { same: "", removed: "−", added: "+", gap: "⋯" } as const;
const classes = { same: undefined, removed: "del", added: "add", gap: "gap" } as const;

/** Lines that are shown at first, and that each press adds. */
const [firstLines, moreLines] = [40, 1000];

export function Diff({ before, after }: { before: string; after: string }) {
  const { lines } = useMemo(() => lineDiff(before, after), [before, after]);
  const shown = useSignal(firstLines);
  const left = lines.length - shown.value;
  return (
    <div class="diff">
      {lines.slice(0, shown.value).map(({ kind, number, text }, index) => (
        <div key={index} class={classes[kind]}>
          <span>{kind === "gap" ? "" : number}</span>
          <span>{signs[kind]}</span>
          <span>{visible(text)}</span>
        </div>
      ))}
      {left > 0 && (
        <button type="button" class="btn quiet" onClick={() => (shown.value += moreLines)}>
          {countOf(left, "more line")}
        </button>
      )}
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
