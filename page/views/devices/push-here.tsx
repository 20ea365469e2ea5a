/** The notices of this browser while the page isn't open. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../parts/buttons/button.tsx";
import { Problem } from "../../parts/loading/problem.tsx";
import { hasPush, type PushKind, pushState, readPush, tellHere, tryPush } from "../../stores/browser/push-store.ts";
import { pushWords } from "../../words/notices/push-words.ts";

export function PushHere() {
  const problem = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const load = async () => {
    try {
      await readPush();
      problem.value = null;
    } catch (error) {
      problem.value = error;
    }
  };
  useEffect(() => void load(), []);

  const here = pushState.value?.devices.find((device) => device.is_this);
  const choose = async (kind: PushKind, isWanted: boolean) => {
    if (isBusy.value) return;
    isBusy.value = true;
    const others = (here?.kinds ?? []).filter((known) => known !== kind);
    try {
      await tellHere(isWanted ? [...others, kind] : others);
      problem.value = null;
    } catch (error) {
      problem.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <section class="push" aria-labelledby="push">
      <h2 id="push" class="strong">
        When the page isn’t open
      </h2>
      <Problem error={problem.value} onRetry={load} />
      {!hasPush() ? (
        <p class="ink-2">This browser can’t be told here: it needs https, or to be on the machine that runs Cortex.</p>
      ) : (
        // Until it is known what was chosen there is nothing to choose.
        pushState.value !== null && (
          <>
            <p class="ink-2">This browser tells you that something has happened, and nothing of what it is.</p>
            <ul class="push-kinds" aria-busy={isBusy.value}>
              {pushWords.map(({ kind, words }) => (
                <li key={kind}>
                  <label>
                    <input
                      type="checkbox"
                      checked={here?.kinds.includes(kind) ?? false}
                      // It shows what is so, not what was asked for.
                      onClick={(event) => (event.preventDefault(), void choose(kind, event.currentTarget.checked))}
                    />
                    {words}
                  </label>
                </li>
              ))}
            </ul>
            {here && (
              <p class="push-last">
                <Button busyText="Sending" onPress={() => tryPush(here.id)}>
                  Try it
                </Button>
                {here.last?.state === "failed" && (
                  <span class="t-failed small">The last one failed: {here.last.why}</span>
                )}
                {here.last?.state === "waiting" && here.last.why !== null && (
                  <span class="ink-2 small">The last one waits: {here.last.why}</span>
                )}
              </p>
            )}
          </>
        )
      )}
    </section>
  );
}
