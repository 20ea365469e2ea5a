/** An agent of a team: its settings and its text at the left, its versions at the right. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import { useSaveKey } from "../../keys/save-key.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { FormOrRaw } from "../../parts/editing/form-or-raw.tsx";
import { Overtaken } from "../../parts/editing/overtaken.tsx";
import { TextBar } from "../../parts/editing/text-bar.tsx";
import { sidesOf } from "../../parts/editing/text-diff.tsx";
import { TextForm } from "../../parts/editing/text-form.tsx";
import { type Back, Versions } from "../../parts/editing/versions.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { type TeamAgent, TeamAgentEdit } from "../../stores/editing/team-agent-edit.ts";
import type { TeamStore } from "../../stores/workspace/team-store.ts";
import { chooseWorkspace, me } from "../../stores/workspace/workspaces-store.ts";
import { agentLabels, firstAgentSettings, problemsIn, settingsSchema } from "../../words/forms/agent-fields.ts";
import { personaAddress } from "../../words/navigation/addresses.ts";
import { visible } from "../../words/text/visible-text.ts";
import { RemoveAgent } from "./remove-agent.tsx";

type PageProps = { id: string; team: TeamStore; onRemoved: () => void };

export function AgentPage({ id, team, onRemoved }: PageProps) {
  const edit = useMemo(() => new TeamAgentEdit(id), [id]);
  const isRaw = useSignal(false);
  const isRemoving = useSignal(false);
  useEffect(() => {
    const ends = [
      team.on("agent.updated", ({ agent }) => void (agent.id === id && edit.read())),
      team.on("agent.removed", ({ agent }) => void (agent.id === id && edit.read())),
      team.onReset(() => void edit.read()),
    ];
    void edit.read();
    return () => ends.forEach((end) => end());
  }, [edit, team]);
  useSaveKey();
  const agent = edit.server.value;
  const schema = edit.schema.value;
  const home = agent?.workspace_id;
  useEffect(() => {
    if (home !== undefined && home !== team.id) chooseWorkspace(home);
  }, [home]);
  const role = home === team.id ? team.members.value?.find(({ user_id }) => user_id === me.value)?.role : undefined;
  if (agent === null || schema === null || role === undefined)
    return (
      <>
        <h1 class="off">Agent</h1>
        <Loading isThere={false} error={edit.problem.value} onRetry={() => edit.read()} rows={6} />
      </>
    );
  const isGone = edit.problem.value instanceof ApiError && edit.problem.value.status === 404;
  const lockedBy = lockOf(agent, role === "admin");
  const canBeChanged = lockedBy === null && !isGone;
  const { base, mine, changes } = edit;
  const problems = problemsIn(mine.value.settings, schema);
  const name = visible(agent.display_name);
  return (
    <div class="edit-page">
      <section class="edit-p" aria-label={name}>
        <header class="thead">
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <span class="ink-3">
            <bdi>@{agent.slug}</bdi>, version {agent.version}
            {agent.is_active ? "" : ", switched off"}
          </span>
          <span class="gap" />
          {role === "admin" && !isGone && (
            <>
              <Button kind="quiet" busyText="Switching" onPress={() => edit.setActive(!agent.is_active)}>
                {agent.is_active ? "Switch off" : "Switch on"}
              </Button>
              {!agent.is_system && (
                <Button kind="quiet" class="danger" onPress={() => (isRemoving.value = true)}>
                  Remove
                </Button>
              )}
            </>
          )}
          <FormOrRaw isRaw={isRaw} />
        </header>
        <div class="scroll">
          {isGone ? (
            <p class="notice t-failed" role="alert">
              It was removed. What stands here is of before, and can’t be saved any more.
            </p>
          ) : (
            edit.problem.value !== null && <Problem error={edit.problem.value} onRetry={() => edit.read()} />
          )}
          {edit.isOvertaken.value && (
            <Overtaken
              sides={sidesOf(base.value, edit.saved, mine.value)}
              onMine={() => edit.keepMine()}
              onTheirs={() => edit.show(null)}
            />
          )}
          <TextForm
            edit={edit}
            schema={settingsSchema(schema)}
            first={firstAgentSettings}
            labels={agentLabels}
            isRaw={isRaw.value}
            lockedBy={lockedBy}
            problems={problems}
          />
        </div>
        <TextBar
          edit={edit}
          next={canBeChanged ? `version ${edit.next}` : null}
          refusal={refusalOf(problems, mine.value.instruction)}
          onSave={() => edit.save()}
        />
      </section>
      <aside class="side-p" aria-label="Versions">
        <Versions edit={edit} back={canBeChanged ? backOf(edit, changes.value > 0) : null} />
      </aside>
      {isRemoving.value && (
        <RemoveAgent edit={edit} agent={agent} onClose={() => (isRemoving.value = false)} onRemoved={onRemoved} />
      )}
    </div>
  );
}

/** Why an agent can't be changed here; null: it can. */
function lockOf({ persona }: TeamAgent, isAdmin: boolean) {
  if (!isAdmin) return "Only an admin of the workspace changes its agents.";
  if (persona === null) return null;
  return (
    <>
      It follows the persona <a href={personaAddress(persona)}>{persona}</a>: it is changed there.
    </>
  );
}

function refusalOf(problems: Readonly<Record<string, string>>, instruction: string): string | null {
  const [[name, problem] = []] = Object.entries(problems);
  if (name !== undefined) return `${agentLabels[name] ?? name}: ${problem}`;
  return instruction.trim() === "" ? "It has to be told something." : null;
}

/** A version is published as it was: it becomes no new one. */
const backOf = (edit: TeamAgentEdit, hasChanges: boolean): Back => ({
  isOff: hasChanges ? "Save your changes, or take them back, before you go back." : null,
  press: ({ number }) => edit.publish(number),
});
