/**
 * The problems of the system, in one line: the gravest, with the command that fixes it, and the others behind a button.
 */
import { useSignal } from "@preact/signals";
import type { ApiRecord } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { firstLine } from "../../words/names/names.ts";

type Problem = ApiRecord<"HealthProblem">;

export function HealthLine({ problems }: { problems: readonly Problem[] }) {
  const isOpen = useSignal(false);
  const [first, ...others] = problems;
  if (first === undefined) return null;
  return (
    <section class="health-lines" aria-label="What is wrong" role="status">
      <Line problem={first}>
        {others.length > 0 && (
          <button
            type="button"
            class="btn quiet"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            {others.length} more
          </button>
        )}
      </Line>
      {isOpen.value && others.map((problem) => <Line key={`${problem.program} ${problem.reason}`} problem={problem} />)}
    </section>
  );
}

type LineProps = { problem: Problem; children?: preact.ComponentChildren };

function Line({ problem: { program, state, reason, command }, children }: LineProps) {
  const why = firstLine(reason);
  return (
    <p class="health">
      <Icon name="warning" />
      <span class="why">
        {program !== null && <b class="strong">{firstLine(program)} </b>}
        {program === null ? why : `${state === "failed" ? "is down" : "ends and is started again"}: ${why}`}
      </span>
      {command !== null && <code>{firstLine(command)}</code>}
      {command !== null && (
        <Button kind="quiet" label={`Copy ${command}`} onPress={() => navigator.clipboard.writeText(command)}>
          Copy
        </Button>
      )}
      {children}
    </p>
  );
}
