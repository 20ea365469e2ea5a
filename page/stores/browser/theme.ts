/** Light, dark, or as the system has it: kept in this browser. */

const key = "theme";

export type Theme = "light" | "dark" | "system";

export function readTheme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Takes a theme, or the one that is kept. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset["theme"];
    return;
  }
  localStorage.setItem(key, theme);
  document.documentElement.dataset["theme"] = theme;
}
