/** The skills of agents, the journal's and the package's; one of them to be read and edited. */
import { useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { answered, byId, client } from "../../api/client.ts";
import { useKeys } from "../../keys/keys.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Empty } from "../../parts/loading/empty.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { useKeptFirst } from "../../parts/list/use-kept-first.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { NewNote } from "../notes/new-note.tsx";
import { NotePage } from "../notes/note-page.tsx";
import { addressOf } from "./agents-place.ts";
import { SideList } from "./side-list.tsx";

/** Builds the text with which a skill begins: without a description no agent would know when to read it. */
const begin = (name: string) => `---\nname: ${name}\ndescription: When to read it, in a sentence.\n---\n\n# ${name}\n`;

export function SkillsSection({ name }: { name: string | null }) {
  const { route } = useLocation();
  const isMaking = useSignal(false);
  const { data, problem, read } = useAnswer("skills", (signal) => answered(client.GET("/api/v1/skills", { signal })), [
    "skills",
  ]);
  useKeys({ "+": () => (isMaking.value = true) });
  const items = data.value?.items ?? [];
  const first = useKeptFirst(items.map((item) => item.name));
  const shown = name ?? first;
  const entries = (source: string) =>
    items
      .filter((skill) => skill.source === source)
      .map((skill) => ({ key: skill.name, text: skill.name, to: addressOf("skills", skill.name) }));
  const skill = items.find((one) => one.name === shown);
  const make = async (made: string) => {
    await answered(client.PATCH("/api/v1/skills/{id}", { ...byId(made), body: { text: begin(made), version: null } }));
    isMaking.value = false;
    await read();
    route(addressOf("skills", made));
  };
  return (
    <SideList
      section="skills"
      groups={[
        { title: "Yours", entries: entries("journal") },
        { title: "Built in", entries: entries("package") },
      ]}
      shown={shown === null ? null : addressOf("skills", shown)}
      isIndex={name === null}
      loading={<Loading isThere={data.value !== null} error={problem.value} onRetry={read} rows={6} />}
      actions={
        <Button class="icon" label="New skill" onPress={() => (isMaking.value = true)}>
          <Icon name="plus" />
        </Button>
      }
    >
      {data.value?.problems.map(({ name: broken, error }) => (
        <p key={broken} class="notice">
          <b class="strong">{broken}</b> {error}
        </p>
      ))}
      {data.value !== null && shown === null && (
        <Empty title="There are no skills." command="cortex skills list">
          A skill is a text that an agent reads when it needs it.
        </Empty>
      )}
      {shown !== null && (
        <NotePage
          key={shown}
          place={`skill ${shown}`}
          part="skills"
          title={shown}
          about={
            skill?.source === "package" ? "built in; saved, it is a skill of yours" : (skill?.description ?? "skill")
          }
          read={() => answered(client.GET("/api/v1/skills/{id}", byId(shown)))}
          write={({ text, version }) =>
            answered(client.PATCH("/api/v1/skills/{id}", { ...byId(shown), body: { text, version } }))
          }
          onSaved={() => void read()}
        />
      )}
      {isMaking.value && (
        <NewNote
          title="New skill"
          label="Name"
          example="weekly-review"
          good={/^[a-z0-9][a-z0-9_-]{0,63}$/}
          rule="Small letters, digits, - and _, with a letter or a digit first."
          onClose={() => (isMaking.value = false)}
          onMade={make}
        />
      )}
    </SideList>
  );
}
