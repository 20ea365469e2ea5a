/** A call of an agent that waits for a person, and what was decided. */
import { Button } from "../../../parts/buttons/button.tsx";
import { Diff } from "../../../parts/content/diff.tsx";
import { Mark } from "../../../parts/badges/mark.tsx";
import { now } from "../../../stores/browser/clock.ts";
import { decideApproval } from "../../../stores/workspace/thread-actions.ts";
import type { Approval } from "../../../stores/workspace/thread-store.ts";
import { me } from "../../../stores/workspace/workspaces-store.ts";
import { waitOf } from "../../../words/amounts/durations.ts";
import { changeOf, mainArgument, questionOf } from "../../../words/runs/questions.ts";
import { clockOf } from "../../../words/time/times.ts";
import { cutText, visible } from "../../../words/text/visible-text.ts";
import { Face } from "../../../parts/badges/face.tsx";
import { agentFace, agentName, type Look } from "../look/thread-look.ts";
import { WholeArguments } from "../../../parts/requests/whole-arguments.tsx";
import "../../../parts/requests/decide.css";

/** In characters. */
const shownArgument = 2000;

export function ApprovalPost({ approval, look }: { approval: Approval; look: Look }) {
  const { tool, args, why, status } = approval;
  const isLoop = tool === "loop";
  const name = agentName(look.team, approval.agent_id);
  const isOpen = status === "open";
  const change = changeOf(args);
  const argument = cutText(visible(change?.path ?? mainArgument(args)), shownArgument).text;
  return (
    <article class={isOpen ? "post agent you" : "post agent"} data-row data-id={approval.id} tabIndex={0}>
      <Face name={name} of={agentFace(look.team, approval.agent_id, name)} />
      <div>
        <p class="by">
          <b>
            <bdi>{name}</bdi>
          </b>
          <span class="is-agent">
            {isOpen ? `asks, since ${waitOf(now.value - Date.parse(approval.created_at))}` : "asked"}
          </span>
        </p>
        <p class="tx strong">
          {questionOf({ kind: isLoop ? "loop" : "call", tool: isLoop ? null : visible(tool), args, path: null, why })}
        </p>
        {argument !== "" && <pre class="out">{argument}</pre>}
        {isOpen && change && <Diff before={visible(change.before)} after={visible(change.after)} />}
        {isOpen && <WholeArguments args={args} />}
        {isOpen && why !== "" && <p class="small ink-3 why">{visible(why)}</p>}
        {isOpen ? <Answer approval={approval} look={look} isLoop={isLoop} /> : <Made approval={approval} look={look} />}
      </div>
    </article>
  );
}

function Answer({ approval, look, isLoop }: { approval: Approval; look: Look; isLoop: boolean }) {
  const refusal = whyNot(approval, look);
  if (refusal !== null) return <p class="ink-2">{refusal}</p>;
  const make = async (decision: "allow" | "deny") =>
    look.thread.takeApproval(await decideApproval(approval.id, decision));
  return (
    <div class="apart">
      <Button class="deny" keyName="D" busyText={isLoop ? "Stopping" : "Denying"} onPress={() => make("deny")}>
        {isLoop ? "Stop" : "Deny"} <kbd aria-hidden="true">D</kbd>
      </Button>
      <Button kind={isLoop ? "outline" : "primary"} keyName="A" busyText="Allowing" onPress={() => make("allow")}>
        {isLoop ? "Go on" : "Allow once"} <kbd aria-hidden="true">A</kbd>
      </Button>
    </div>
  );
}

/** Names who is asked, when it isn't the one who looks. */
function whyNot({ requires, user_id, escalates_at }: Approval, { team }: Look): string | null {
  const own = team.members.value?.find((member) => member.user_id === me.value);
  const isAdmin = own?.role === "admin";
  const isAdmins = requires === "admin" || (escalates_at !== null && Date.parse(escalates_at) <= now.value);
  if (isAdmins) return isAdmin ? null : "An admin decides this.";
  if (requires !== "specific_user" || user_id === me.value) return null;
  const name = team.members.value?.find((member) => member.user_id === user_id)?.name;
  if (name === undefined) return isAdmin ? null : "An admin decides this.";
  return `${visible(name)} decides this.`;
}

const words = { allowed: "Allowed once", denied: "Denied", expired: "Nobody answered in time: denied" };

function Made({ approval: { status, decided_by, decided_at, reason }, look }: { approval: Approval; look: Look }) {
  if (status === "open") return null;
  const name = look.team.members.value?.find(({ user_id }) => user_id === decided_by)?.name;
  const by = decided_by === null ? "" : ` by ${decided_by === me.value ? "you" : visible(name ?? "a former member")}`;
  return (
    <p class="made" role="status">
      <Mark kind={status === "allowed" ? "done" : "stopped"} />
      {words[status]}
      {by}
      {decided_at === null ? "." : `, ${clockOf(Date.parse(decided_at))}.`}
      {reason ? ` “${visible(reason)}”` : ""}
    </p>
  );
}
