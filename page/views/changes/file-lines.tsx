/** The lines of a changed file. Its numbers are buttons: one comments on a line. ↑ and ↓ walk them, Tab leaves. */
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { countOf, digits } from "../../words/amounts/money.ts";
import type { PatchFile, PatchLine } from "../../words/diff/patch.ts";
import { cutText, visible } from "../../words/text/visible-text.ts";
import { CommentField } from "./comment-field.tsx";
import "../../parts/content/diff.css";

/** Lines that are shown at first, and so many more at each press. */
const linesAtOnce = 1000;
/** Characters of a line that are shown. */
const longestLine = 2000;

const signs = { same: "", removed: "−", added: "+", note: "" } as const;
const classes = { same: "", removed: "del", added: "add", note: "note" } as const;
const words = { same: "", removed: "removed: ", added: "added: ", note: "" } as const;

type Row = { heading: string } | PatchLine;

export function FileLines({ change, patch, canComment }: { change: string; patch: PatchFile; canComment: boolean }) {
  const rows = useMemo(() => rowsOf(patch), [patch]);
  const shown = useSignal(linesAtOnce);
  const commented = useSignal<number | null>(null);
  const current = useSignal<number | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const left = rows.length - shown.value;
  const first = rows.find((row) => "fresh" in row && row.fresh !== null) as PatchLine | undefined;
  const walk = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || !(event.target instanceof HTMLButtonElement)) return;
    const buttons = [...(box.current?.querySelectorAll<HTMLButtonElement>("button.at") ?? [])];
    const next = buttons[buttons.indexOf(event.target) + by];
    if (!next) return;
    event.preventDefault();
    current.value = Number(next.dataset["line"]);
    next.focus();
  };
  const turn = (line: number) => {
    current.value = line;
    commented.value = commented.value === line ? null : line;
  };
  return (
    <div class="diff lines" ref={box} onKeyDown={walk}>
      {rows.slice(0, shown.value).map((row, index) => {
        if ("heading" in row)
          return (
            <p key={index} class="part-head">
              {visible(row.heading)}
            </p>
          );
        const { kind, old, fresh } = row;
        const isCurrent = fresh === (current.value ?? first?.fresh);
        return (
          <Fragment key={index}>
            <div class={classes[kind]}>
              {canComment && fresh !== null ? (
                <button
                  type="button"
                  class="at"
                  data-line={fresh}
                  tabIndex={isCurrent ? 0 : -1}
                  aria-expanded={commented.value === fresh}
                  aria-label={`Comment on line ${fresh}`}
                  onClick={() => turn(fresh)}
                >
                  {fresh}
                </button>
              ) : (
                <span class="at">{fresh ?? old}</span>
              )}
              <span aria-hidden="true">{signs[kind]}</span>
              <LineText kind={kind} text={row.text} />
            </div>
            {commented.value !== null && commented.value === fresh && (
              <CommentField
                change={change}
                place={{ path: patch.path, line: fresh }}
                label={`Comment on line ${fresh}`}
                hasFocus
              />
            )}
          </Fragment>
        );
      })}
      {left > 0 && (
        <button type="button" class="btn quiet" onClick={() => (shown.value += linesAtOnce)}>
          {countOf(left, "more line")}
        </button>
      )}
    </div>
  );
}

function LineText({ kind, text }: { kind: PatchLine["kind"]; text: string }) {
  const { text: beginning, left } = cutText(text, longestLine);
  return (
    <bdi>
      {words[kind] !== "" && <span class="off">{words[kind]}</span>}
      {visible(beginning)}
      {left > 0 && <span class="ink-3"> … and {digits(left)} more characters</span>}
    </bdi>
  );
}

function rowsOf({ parts }: PatchFile): Row[] {
  return parts.flatMap(({ heading, lines }, index) =>
    index === 0 && heading === "" ? lines : [{ heading }, ...lines],
  );
}
