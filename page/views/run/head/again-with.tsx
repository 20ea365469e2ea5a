/** The same once more, of another model or persona. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../../parts/buttons/button.tsx";
import { Dialog } from "../../../parts/layout/dialog.tsx";
import { personaNames, readPersonas } from "../../../stores/names/persona-names.ts";
import { runAgain } from "../../../stores/runs/run-actions.ts";
import type { Run } from "../../../stores/runs/run-store.ts";
import { personName } from "../../../words/names/names.ts";
import { readRunNames, runNames } from "../../../stores/names/run-names.ts";
import { Suggestions } from "../../../parts/forms/suggestions.tsx";
import { goToRun } from "../selection/go-to-run.ts";
import "./again-with.css";

export function AgainWith({ run, onClose }: { run: Run; onClose: () => void }) {
  const persona = useSignal(run.persona);
  const backend = useSignal(run.backend ?? "");
  const model = useSignal(run.model ?? "");
  useEffect(() => {
    void readPersonas();
    void readRunNames();
  }, []);
  const start = async () => {
    const changed = {
      ...(persona.value !== run.persona && { persona: persona.value }),
      ...(backend.value !== (run.backend ?? "") && { backend: backend.value }),
      ...(model.value !== (run.model ?? "") && model.value !== "" && { model: model.value }),
    };
    goToRun(await runAgain(run.id, changed));
    onClose();
  };
  const names = personaNames.value.includes(run.persona) ? personaNames.value : [run.persona, ...personaNames.value];
  return (
    <Dialog
      title="Run again with"
      onClose={onClose}
      actions={
        <Button kind="primary" busyText="Starting" onPress={start}>
          Run again
        </Button>
      }
    >
      <div class="again">
        <label>
          <span>Persona</span>
          <select class="field" value={persona} onChange={(event) => (persona.value = event.currentTarget.value)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {personName(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Provider</span>
          <input class="field" value={backend} onInput={(event) => (backend.value = event.currentTarget.value)} />
        </label>
        <label>
          <span>Model</span>
          <Suggestions id="again-models" of={runNames.value.models} />
          <input
            class="field"
            list="again-models"
            value={model}
            onInput={(event) => (model.value = event.currentTarget.value)}
          />
        </label>
      </div>
    </Dialog>
  );
}
