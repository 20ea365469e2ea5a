/** The answer to what somebody asks: far apart, so that nobody allows by mistake. What was decided stays until one leaves it. */
import { useSignal } from "@preact/signals";
import type { ApiRecord } from "../../api/client.ts";
import { decide, type DecisionMade } from "../../stores/runs/run-actions.ts";
import { clockOf } from "../../words/time/times.ts";
import { alwaysFor, ruleLines } from "../../words/runs/questions.ts";
import { Button } from "../buttons/button.tsx";
import { Mark } from "../badges/mark.tsx";
import "./decide.css";

type Decision = ApiRecord<"Decision">;
type DecideProps = { decision: Decision; isDecided?: boolean };

export function Decide({ decision, isDecided = decision.status !== "open" }: DecideProps) {
  const made = useSignal<{ decision: Decision; word: string | undefined } | null>(null);
  const make = async (body: DecisionMade) => {
    made.value = { decision: await decide(decision.id, body), word: wordsOfMade[body.decision] };
  };
  if (made.value !== null) return <Made {...made.value} />;
  if (isDecided) return <Made decision={decision} />;
  const isLoop = decision.kind === "loop";
  return (
    <div class="apart">
      <Button class="deny" keyName="D" busyText="Denying" onPress={() => make({ decision: "deny" })}>
        Deny <kbd aria-hidden="true">D</kbd>
      </Button>
      <Button
        kind={isLoop ? "outline" : "primary"}
        class="allow"
        keyName="A"
        busyText="Allowing"
        onPress={() => make({ decision: "allow" })}
      >
        Allow once <kbd aria-hidden="true">A</kbd>
      </Button>
      {isLoop && (
        <p class="means">Deny: the call isn’t made, and it has to do something else. Allow once: it goes on.</p>
      )}
      {decision.rules.length > 0 && (
        <Button class="more-allow" busyText="Allowing" onPress={() => make({ decision: "always" })}>
          {alwaysFor(decision.rules)}
        </Button>
      )}
      {decision.rules.length > 1 && (
        <ul class="means" aria-label="What is allowed from then on">
          {ruleLines(decision.rules).map((line) => (
            <li key={line}>
              <code>{line}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The answer that was just given here: which of the two it was is known. */
const wordsOfMade: Partial<Record<DecisionMade["decision"], string>> = {
  allow: "Allowed once",
  always: "Allowed from now on",
};

const words = {
  open: "Decided",
  allowed: "Allowed",
  denied: "Denied",
  expired: "Nobody answered in time: denied",
};

function Made({ decision, word }: { decision: Decision; word?: string | undefined }) {
  const { status, decided_by, decided_at } = decision;
  const by = status === "expired" || decided_by === null ? "" : ` by ${byOf(decided_by)}`;
  return (
    <p class="made" role="status">
      <Mark kind={status === "denied" || status === "expired" ? "stopped" : "done"} />
      {status === "allowed" && word !== undefined ? word : words[status]}
      {by}
      {decided_at === null ? "." : `, ${clockOf(Date.parse(decided_at))}.`}
    </p>
  );
}

/** `cli:main`, `web:Nora`, `telegram:17`: of other channels than the page only those are known. */
function byOf(who: string): string {
  const [channel = who] = who.split(":", 1);
  const name = who.slice(channel.length + 1);
  if (channel === "cli") return "you, at the terminal";
  if (channel !== "web") return `somebody on ${channel}`;
  return name === "owner" || name === "token" ? "you" : name;
}
