/** The agents of a team, of the workspace that is looked at; one of them to be read and edited. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useMemo } from "preact/hooks";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { useKeptFirst } from "../../parts/list/use-kept-first.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { hasUnsavedAgent } from "../../stores/editing/team-agent-edit.ts";
import { type Agent, TeamStore } from "../../stores/workspace/team-store.ts";
import {
  chooseWorkspace,
  chosenWorkspace,
  readWorkspaces,
  workspaces,
  workspacesProblem,
} from "../../stores/workspace/workspaces-store.ts";
import { visible } from "../../words/text/visible-text.ts";
import { AgentPage } from "../team-agent/agent-page.tsx";
import { NewAgent } from "../team-agent/new-agent.tsx";
import { addressOf } from "./agents-place.ts";
import { type Group, SideList } from "./side-list.tsx";

export function TeamSection({ id }: { id: string | null }) {
  const { route } = useLocation();
  const isMaking = useSignal(false);
  useEffect(() => void readWorkspaces(), []);
  const all = workspaces.value;
  const workspace = (all?.find((one) => one.id === chosenWorkspace.value) ?? all?.[0])?.id ?? null;
  const team = useMemo(() => (workspace === null ? null : new TeamStore(workspace)), [workspace]);
  useEffect(() => {
    team?.open();
    return () => team?.close();
  }, [team]);
  useKeys({ "+": () => (isMaking.value = team !== null) });
  const agents = team?.agents.value ?? [];
  const first = useKeptFirst(agents.filter(({ is_system }) => !is_system).map((agent) => agent.id));
  const shown = id ?? first;
  return (
    <SideList
      section="team"
      groups={groupsOf(agents)}
      shown={shown === null ? null : addressOf("team", shown)}
      isIndex={id === null}
      actions={
        <Button class="icon" label="New agent" onPress={() => (isMaking.value = team !== null)}>
          <Icon name="plus" />
        </Button>
      }
      loading={
        <Loading
          isThere={all !== null && (team === null || team.members.value !== null)}
          error={workspacesProblem.value ?? team?.problem.value}
          onRetry={() => Promise.all([readWorkspaces(), team?.read()])}
          rows={6}
        />
      }
      above={
        all !== null &&
        all.length > 1 && (
          <select
            class="chip"
            aria-label="Workspace"
            value={workspace ?? ""}
            onChange={(event) => {
              chooseWorkspace(event.currentTarget.value);
              route(addressOf("team", null));
            }}
          >
            {all.map((one) => (
              <option key={one.id} value={one.id}>
                {visible(one.name)}
              </option>
            ))}
          </select>
        )
      }
    >
      {all?.length === 0 && (
        <Empty title="You are in no workspace." command={'cortex workspace init "Our team"'}>
          A workspace has people, agents and threads.
        </Empty>
      )}
      {team !== null && shown !== null && (
        <AgentPage key={shown} id={shown} team={team} onRemoved={() => route(addressOf("team", null))} />
      )}
      {isMaking.value && workspace !== null && (
        <NewAgent
          workspace={workspace}
          onClose={() => (isMaking.value = false)}
          onMade={(made) => {
            isMaking.value = false;
            route(addressOf("team", made));
          }}
        />
      )}
    </SideList>
  );
}

function groupsOf(agents: readonly Agent[]): Group[] {
  const of = (title: string, isOf: (agent: Agent) => boolean): Group => ({
    title,
    entries: agents.filter(isOf).map((agent) => ({
      key: agent.id,
      text: visible(agent.display_name),
      to: addressOf("team", agent.id),
      note: agent.is_active ? undefined : "off",
      isUnsaved: hasUnsavedAgent(agent.id),
    })),
  });
  return [
    of("Of the team", ({ is_system, persona }) => !is_system && persona === null),
    of("As personas", ({ is_system, persona }) => !is_system && persona !== null),
    of("For the workspace itself", ({ is_system }) => is_system),
  ];
}
