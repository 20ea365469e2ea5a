/**
 * The result of a tool: rows as a table, pictures, a change, or text, of which a long one shows its head and its tail.
 */
import { useSignal } from "@preact/signals";
import { shownLine } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";
import { asJson, headAndTail, rowsOf } from "../../words/text/values.ts";
import { TerminalText } from "../../markup/terminal-text.tsx";
import { countOf } from "../../words/amounts/money.ts";
import "./value-table.css";

export function Result({ value, parts }: { value: unknown; parts: unknown }) {
  const table = rowsOf(value);
  return (
    <>
      <Files parts={parts} />
      {table === null ? (
        <LongText text={asJson(value)} />
      ) : (
        // It scrolls: the keyboard has to get there, too.
        <div class="grid-scroll" tabIndex={0} role="group" aria-label="Result">
          <table class="grid-t">
            <thead>
              <tr>
                {table.columns.map((name) => (
                  <th key={name} scope="col">
                    {shownLine(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((cells, index) => (
                <tr key={index}>
                  {cells.map((cell, column) => (
                    <td key={column} dir="auto">
                      {visible(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** A text as it was written. It may be large: its middle is shown when asked for. */
export function LongText({ text, label = "Text" }: { text: string; label?: string }) {
  const isWhole = useSignal(false);
  if (text === "") return null;
  const { head, hidden, tail } = headAndTail(text);
  const isCut = hidden > 0 && !isWhole.value;
  return (
    <pre class="out" tabIndex={0} role="group" aria-label={label}>
      <TerminalText text={isCut ? head : text} />
      {isCut && (
        <button type="button" class="btn quiet out-more" onClick={() => (isWhole.value = true)}>
          {countOf(hidden, "line")} between
        </button>
      )}
      {isCut && <TerminalText text={tail} />}
    </pre>
  );
}

type Part = { id: string; name: string; mime: string };

/** Files that came with it. Only kinds that can run nothing are shown as pictures. */
function Files({ parts }: { parts: unknown }) {
  if (!Array.isArray(parts)) return null;
  return (
    <>
      {parts.filter(isPart).map((part) => (
        <FilePart key={part.id} part={part} />
      ))}
    </>
  );
}

function FilePart({ part: { id, name, mime } }: { part: Part }) {
  const address = `/v1/attachments/${encodeURIComponent(id)}`;
  if (!/^image\/(png|jpeg|gif|webp)$/.test(mime))
    return (
      <p>
        <a href={address} download={shownLine(name)}>
          <bdi>{shownLine(name)}</bdi>
        </a>
      </p>
    );
  return <img class="shown-file" src={address} alt={shownLine(name)} loading="lazy" />;
}

function isPart(part: unknown): part is Part {
  if (part === null || typeof part !== "object") return false;
  const { id, name, mime } = part as Record<string, unknown>;
  return typeof id === "string" && typeof name === "string" && typeof mime === "string";
}
