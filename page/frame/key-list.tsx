/** `?`: the keys, and the switch for single letters. */
import { areKeysShown, areLettersOn, switchLetters } from "../keys/keys.ts";
import { Dialog } from "../parts/layout/dialog.tsx";
import { keyGroups } from "../words/navigation/keys.ts";
import "./key-list.css";

export function KeyList() {
  if (!areKeysShown.value) return null;
  return (
    <Dialog title="Keys" class="wide" onClose={() => (areKeysShown.value = false)}>
      <div class="key-groups">
        {keyGroups.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={areLettersOn}
          onChange={({ currentTarget }) => switchLetters(currentTarget.checked)}
        />
        Single letters work as keys
      </label>
    </Dialog>
  );
}
