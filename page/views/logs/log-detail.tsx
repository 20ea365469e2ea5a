/** One line in full: its text, and what else it says. */
import { Icon } from "../../parts/buttons/icon.tsx";
import { ValueTable } from "../../parts/content/value-table.tsx";
import { clockWithSeconds, dayName } from "../../words/time/times.ts";
import type { LogLine } from "./log-filters.ts";
import { levelWords, LineText } from "./log-rows.tsx";

/** Runs that a line names: their pages are one press away. */
const runFields = ["agent_id", "run"] as const;

export function LogDetail({ line, onClose }: { line: LogLine; onClose: () => void }) {
  const { program, time, level, text, fields, cut } = line;
  const run = runFields
    .map((name) => fields[name])
    .find((value) => typeof value === "string" && /^\d{13}$/.test(value));
  return (
    <aside class="log-detail" aria-label="Line">
      <header>
        <h2>{program}</h2>
        <span class="ink-3">
          {dayName(time, Date.now())}, {clockWithSeconds(time)}
          {level !== null && level !== "info" && `, ${levelWords[level]}`}
        </span>
        {typeof run === "string" && <a href={`/runs/${run}`}>Its run</a>}
        <button type="button" class="btn quiet icon" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="log-whole" tabIndex={0} role="group" aria-label="The whole line">
        {text !== "" && (
          <pre>
            <LineText text={text} words="" most={20_000} />
          </pre>
        )}
        <ValueTable value={fields} />
        {cut && <p class="ink-3 small">It is longer. All of it: cortex logs --raw {program}</p>}
      </div>
    </aside>
  );
}
