/** The long-lived agents and the personas, and the one that is looked at. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect } from "preact/hooks";
import { answered, client } from "../../api/client.ts";
import { useKeys } from "../../keys/keys.ts";
import { onMachineEvent } from "../../live/machine-events.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { useKeptFirst } from "../../parts/list/use-kept-first.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { hasUnsaved } from "../../stores/editing/persona-edit.ts";
import { personName } from "../../words/names/names.ts";
import { LiveAgent } from "../persona/live-agent.tsx";
import { NewPersona } from "../persona/new-persona.tsx";
import { PersonaPage } from "../persona/persona-page.tsx";
import { addressOf } from "./agents-place.ts";
import { type Group, SideList } from "./side-list.tsx";

type SectionProps = { name: string | null; agent: string | null };

const words = { working: "works", waiting: "waits", idle: "" } as const;

export function PersonasSection({ name, agent }: SectionProps) {
  const { route } = useLocation();
  const isMaking = useSignal(false);
  const personas = useAnswer("personas", (signal) => answered(client.GET("/api/v1/personas", { signal })), [
    "personas",
    "apps",
  ]);
  const companions = useAnswer("companions", (signal) => answered(client.GET("/api/v1/companions", { signal })));
  useEffect(() => {
    const ends = [
      onMachineEvent("agent.changed", () => void companions.read()),
      onMachineEvent("reset", () => void companions.read()),
    ];
    return () => ends.forEach((end) => end());
  }, []);
  useKeys({ "+": () => (isMaking.value = true) });
  const rows = personas.data.value?.items ?? [];
  const live = companions.data.value?.items ?? [];
  const of = (isOf: (source: string) => boolean) =>
    rows
      .filter(({ source }) => isOf(source))
      .map((row) => ({
        key: row.name,
        text: row.title ?? personName(row.name),
        to: addressOf("personas", row.name),
        note: row.problem !== null ? "broken" : row.disabled ? "off" : undefined,
        isUnsaved: hasUnsaved(row.name),
      }));
  const groups: Group[] = [
    {
      title: "Agents",
      entries: live
        .filter(({ kind }) => kind !== "subagent")
        .map(({ agent_id, name: called, state }) => ({
          key: agent_id,
          text: called,
          to: addressOf("live", agent_id),
          note: words[state] || undefined,
        })),
    },
    { title: "Yours", entries: of((source) => source === "journal") },
    { title: "Built in", entries: of((source) => source === "built-in") },
    { title: "Of apps", entries: of((source) => source.startsWith("app:")) },
  ];
  const first = useKeptFirst(groups.slice(1, 3).flatMap(({ entries }) => entries.map(({ key }) => key)));
  const shown = name ?? (agent === null ? first : null);
  return (
    <SideList
      section="personas"
      groups={groups}
      shown={agent === null ? (shown === null ? null : addressOf("personas", shown)) : addressOf("live", agent)}
      isIndex={name === null && agent === null}
      loading={
        <Loading
          isThere={personas.data.value !== null}
          error={personas.problem.value}
          onRetry={personas.read}
          rows={6}
        />
      }
      actions={
        <Button class="icon" label="New persona" onPress={() => (isMaking.value = true)}>
          <Icon name="plus" />
        </Button>
      }
    >
      {agent !== null && <LiveAgent key={agent} id={agent} />}
      {shown !== null && <PersonaPage key={shown} name={shown} onSaved={() => void personas.read()} />}
      {isMaking.value && (
        <NewPersona
          onClose={() => (isMaking.value = false)}
          onMade={(made) => {
            isMaking.value = false;
            void personas.read();
            route(addressOf("personas", made));
          }}
        />
      )}
    </SideList>
  );
}
