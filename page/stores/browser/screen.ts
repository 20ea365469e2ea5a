/** The size of the screen, where a view shows something else on a small one. */
import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 640px)");

export const isPhone = signal(narrow.matches);

narrow.addEventListener("change", ({ matches }) => {
  isPhone.value = matches;
});
