/**
 * The commands from anywhere: each says by a verb what it does. A command's promise ends with where it leads, if
 * anywhere.
 */
import { areKeysShown } from "../../keys/keys.ts";
import { askFor } from "../../parts/requests/new-request.tsx";
import { runSchedule, setSchedule } from "../../stores/schedule/schedule-actions.ts";
import { applyTheme, readTheme } from "../../stores/browser/theme.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { personName } from "../../words/names/names.ts";
import { type Found, firstThatFit, fits } from "./found.ts";
import { allPersonas, allSchedules } from "./known-lists.ts";

const always: readonly { text: string; note?: string; to: () => unknown }[] = [
  { text: "New request", note: "N", to: () => askFor("") },
  { text: "Show the keys", note: "?", to: () => (areKeysShown.value = true) },
  { text: "Light", to: () => applyTheme("light") },
  { text: "Dark", to: () => applyTheme("dark") },
  { text: "Light or dark as the system has it", to: () => applyTheme("system") },
];

export const findCommands = (text: string): Found[] =>
  always
    .filter((command) => fits(command.text, text) && !command.text.toLowerCase().startsWith(`${readTheme()} `))
    .map((command) => ({ key: command.text, ...command }));

/** Finds the commands for a persona that is looked for. */
export async function findDoings(text: string): Promise<Found[]> {
  if (text === "") return [];
  const [personas, schedules] = await Promise.all([allPersonas(), allSchedules()]);
  const titles = new Map(personas.map(({ name, title }) => [name, title ?? personName(name)]));
  const calledOf = (name: string) => titles.get(name) ?? personName(name);
  const doings = [
    ...schedules.map(({ persona, words }) => ({
      key: `run ${persona}`,
      text: `Run ${calledOf(persona)} now`,
      note: words ?? undefined,
      to: async () => {
        const { run } = await runSchedule(persona);
        return run === null ? "/schedule" : runAddress(run);
      },
    })),
    ...schedules.map(({ persona, on }) => ({
      key: `pause ${persona}`,
      text: on ? `Pause ${calledOf(persona)}` : `Let ${calledOf(persona)} go on`,
      note: on ? "its schedule" : "its schedule is paused",
      to: async () => {
        await setSchedule(persona, { on: !on });
        return "/schedule";
      },
    })),
    ...personas
      .filter(({ problem, disabled }) => problem === null && !disabled)
      .map(({ name, description }) => ({
        key: `ask ${name}`,
        text: `Ask ${calledOf(name)}`,
        note: description ?? undefined,
        to: () => askFor(name),
      })),
  ];
  // By its file's name as well: its title may be another.
  return firstThatFit(doings, text, ({ key, text: words }) => `${words} ${key}`);
}
