/** The settings of this browser alone: its theme, and whether single letters do anything. */
import { useSignal } from "@preact/signals";
import { areLettersOn, areKeysShown, switchLetters } from "../../keys/keys.ts";
import { Segments } from "../../parts/buttons/segments.tsx";
import { applyTheme, readTheme, type Theme } from "../../stores/browser/theme.ts";

const themes: readonly (readonly [Theme, string])[] = [
  ["system", "As the system has it"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThisBrowser() {
  const theme = useSignal(readTheme());
  const choose = (chosen: Theme) => {
    theme.value = chosen;
    applyTheme(chosen);
  };
  return (
    <section class="this-browser" aria-labelledby="this-browser">
      <div class="settings-sec">
        <h2 id="this-browser">This browser</h2>
      </div>
      <div class="this-row">
        <span class="ink-2">Theme</span>
        <Segments label="Theme" options={themes} value={theme.value} onChange={choose} />
      </div>
      <div class="this-row">
        <span class="ink-2">Keys</span>
        <label class="tick">
          <input
            type="checkbox"
            checked={areLettersOn.value}
            onChange={(event) => switchLetters(event.currentTarget.checked)}
          />
          Single letters do something, such as <kbd>J</kbd> <kbd>K</kbd> for rows and <kbd>G</kbd> <kbd>N</kbd> for Now
        </label>
        <button type="button" class="btn quiet no-phone" onClick={() => (areKeysShown.value = true)}>
          All keys
        </button>
      </div>
    </section>
  );
}
