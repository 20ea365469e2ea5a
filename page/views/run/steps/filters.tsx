/** The filters of the list: a kind of step, an attempt, steps with a text in them. */
import { Icon } from "../../../parts/buttons/icon.tsx";
import { firstLine } from "../../../words/names/names.ts";
import { isOfKind, type StepFilter, toolsIn } from "../selection/step-words.ts";
import type { RunPage } from "../selection/run-page.ts";

const kinds: readonly [StepFilter, string][] = [
  ["all", "All"],
  ["model", "Model"],
  ["tools", "Tools"],
  ["input", "Input"],
  ["failed", "Failed"],
];

export function Filters({ page }: { page: RunPage }) {
  const steps = page.steps.value;
  const tools = toolsIn(steps);
  const attempts = Array.from({ length: page.attempts.value }, (_, index) => index + 1);
  return (
    <div class="filters">
      <div class="seg" role="group" aria-label="Kinds">
        {kinds.map(([kind, word]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={page.kind.value === kind}
            onClick={() => (page.kind.value = kind)}
          >
            {word} <span class="count">{steps.filter((step) => isOfKind(step, kind)).length}</span>
          </button>
        ))}
      </div>
      {tools.length > 0 && (
        <select
          class="tool-pick"
          aria-label="Tool"
          value={page.tool.value}
          onChange={(event) => (page.tool.value = event.currentTarget.value)}
        >
          <option value="">Any tool</option>
          {tools.map(({ tool, count }) => (
            <option key={tool} value={tool}>
              {firstLine(tool) || "(no name)"} {count}
            </option>
          ))}
        </select>
      )}
      {attempts.length > 1 && (
        <div class="seg" role="group" aria-label="Attempt">
          {[null, ...attempts].map((attempt) => (
            <button
              key={attempt}
              type="button"
              aria-pressed={page.attempt.value === attempt}
              onClick={() => (page.attempt.value = attempt)}
            >
              {attempt ?? (attempts.length === 2 ? "Both" : "All")}
            </button>
          ))}
        </div>
      )}
      <label class="field">
        <span class="off">Filter the text</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Filter"
          size={8}
          data-filter
          value={page.text}
          onInput={(event) => {
            page.text.value = event.currentTarget.value;
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </div>
  );
}
