/** A new agent of a team: how it is mentioned, and what it is told first. The rest is set on its page. */
import { answered, client } from "../../api/client.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Dialog } from "../../parts/layout/dialog.tsx";
import { draftOf } from "../../stores/browser/drafts.ts";

const isSlug = (text: string) => /^[a-z0-9-]{1,63}$/.test(text) && !text.startsWith("-") && !text.endsWith("-");

type NewAgentProps = { workspace: string; onClose: () => void; onMade: (id: string) => void };

export function NewAgent({ workspace, onClose, onMade }: NewAgentProps) {
  const slug = draftOf(`new agent slug ${workspace}`);
  const name = draftOf(`new agent name ${workspace}`);
  const text = draftOf(`new agent text ${workspace}`);
  const isGood = isSlug(slug.value);
  const isWrong = slug.value !== "" && !isGood;
  const make = async () => {
    const display_name = name.value.trim() || slug.value;
    const body = { slug: slug.value, name: slug.value, display_name, system_prompt: text.value };
    const made = await answered(
      client.POST("/api/v1/workspaces/{w}/agents", { params: { path: { w: workspace } }, body }),
    );
    for (const draft of [slug, name, text]) draft.value = "";
    onMade(made.id);
  };
  return (
    <Dialog
      title="New agent"
      onClose={onClose}
      actions={
        <Button kind="primary" busyText="Making it" onPress={make} isOff={!isGood || text.value.trim() === ""}>
          Make it
        </Button>
      }
    >
      <label class="made-field">
        <span class="ink-2">Mentioned as @</span>
        <span class={isWrong ? "field wrong" : "field"}>
          <input
            value={slug}
            placeholder="reviewer"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={isWrong}
            onInput={(event) => (slug.value = event.currentTarget.value.trim())}
          />
        </span>
      </label>
      {isWrong && (
        <p class="t-failed small" role="alert">
          Small letters, digits and -, with a letter or a digit first and last.
        </p>
      )}
      <label class="made-field">
        <span class="ink-2">Name</span>
        <span class="field">
          <input
            value={name}
            placeholder="Reviewer"
            autocomplete="off"
            maxLength={100}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </span>
      </label>
      <label class="made-field">
        <span class="ink-2">What it is told</span>
        <textarea class="field" rows={6} value={text} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
