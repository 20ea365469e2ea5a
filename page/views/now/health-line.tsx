/** What is wrong with the system, in a line each, with the command that fixes it. Nothing where nothing is. */
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import type { ApiRecord } from "../../api/client.ts";

type Problem = ApiRecord<"HealthProblem">;

export function HealthLine({ problems }: { problems: readonly Problem[] }) {
  return (
    <>
      {problems.map(({ program, state, reason, command }) => (
        <p class="health" key={`${program} ${reason}`} role="status">
          <Icon name="warning" />
          <span>
            {program !== null && <b class="strong">{program} </b>}
            {program === null ? reason : `${state === "failed" ? "is down" : "ends and is started again"}: ${reason}`}
          </span>
          {command !== null && <code>{command}</code>}
          {command !== null && (
            <Button kind="quiet" label={`Copy ${command}`} onPress={() => navigator.clipboard.writeText(command)}>
              Copy
            </Button>
          )}
        </p>
      ))}
    </>
  );
}
