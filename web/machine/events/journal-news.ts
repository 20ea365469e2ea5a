/** When something of the journal has changed that the page shows, whoever has changed it: a person's editor, an agent, a command. */
import { join } from "node:path";
import { namesIn } from "../../../files/folder-entries.ts";
import { settingsPath } from "../../../journal/config/settings.ts";
import { isDay } from "../../../protocol/names/names.ts";
import { JournalPart } from "../records/machine-records.ts";
import { stampOf } from "./files-stamp.ts";

/** Milliseconds after which the files are looked at again. */
const usualLookMs = 2000;
/** Days that are looked at, the newest: an older one is seldom changed. */
const newestDays = 5;

/** Tells which parts have changed, until it is disposed of. */
export function listenToJournal(
  journal: string,
  tell: (parts: JournalPart[]) => void,
  lookEveryMs = usualLookMs,
): Disposable {
  const stamps = new Map(JournalPart.options.map((part) => [part, stampsOf[part](journal)]));
  const looking = setInterval(() => {
    const changed = JournalPart.options.filter((part) => {
      const stamp = stampsOf[part](journal);
      const before = stamps.get(part);
      stamps.set(part, stamp);
      return stamp !== before;
    });
    if (changed.length > 0) tell(changed);
  }, lookEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}

const inApps = (journal: string, name: string) =>
  namesIn(join(journal, "apps")).map((app) => join(journal, "apps", app, name));

const stampsOf: Record<JournalPart, (journal: string) => string> = {
  settings: (journal) => stampOf([settingsPath(journal)]),
  personas: (journal) => stampOf([join(journal, "personas"), ...inApps(journal, "personas")]),
  skills: (journal) => stampOf([join(journal, "skills"), ...inApps(journal, "skills")]),
  memory: (journal) => stampOf([join(journal, "memory")]),
  apps: (journal) => stampOf([join(journal, "apps")]),
  facets: (journal) => stampOf([join(journal, "facets")]),
  days: (journal) => {
    const days = namesIn(journal).filter(isDay).toSorted();
    return `${days.length} ${stampOf(days.slice(-newestDays).map((day) => join(journal, day)))}`;
  },
};
