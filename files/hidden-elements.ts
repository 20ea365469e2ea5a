/** Elements of a page that their reader doesn't see, by their own attributes: what they say is said to nobody. Pure, and no engine of styles. */

/** How an element is shown. What is within one with `isGone` stays so, the others can be undone there. */
type Shown = { isGone: boolean; isInvisible: boolean; isTiny: boolean };

const seen: Shown = { isGone: false, isInvisible: false, isTiny: false };
const longestStyle = 4_000;

/** A page shows its body by a script, once it is loaded. */
const roots = new Set(["html", "body"]);
const rootDepth = 2;

export class HiddenElements {
  readonly #open: Shown[] = [];

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const outer = this.#open.at(-1) ?? seen;
    const isRoot = roots.has(name) && this.#open.length < rootDepth;
    this.#open.push(isRoot ? outer : shownAs(attributes, outer));
  }

  close(): void {
    this.#open.pop();
  }

  /** Whether text that stands here is seen by nobody. */
  get isHidden(): boolean {
    const { isGone, isInvisible, isTiny } = this.#open.at(-1) ?? seen;
    return isGone || isInvisible || isTiny;
  }
}

function shownAs(attributes: Readonly<Record<string, string>>, outer: Shown): Shown {
  const { hidden, style } = attributes;
  // A reader finds text that is hidden "until-found".
  const isMarked = hidden !== undefined && hidden.trim().toLowerCase() !== "until-found";
  if (style === undefined) return isMarked ? { ...outer, isGone: true } : outer;
  const styles = stylesOf(style);
  const display = styles.get("display");
  const isNone = display === undefined ? isMarked : display === "none";
  const visibility = styles.get("visibility");
  return {
    isGone: outer.isGone || isNone || isPreheader(styles),
    isInvisible: visibility === undefined ? outer.isInvisible : visibility === "hidden" || visibility === "collapse",
    isTiny: isTiny(styles.get("font-size"), outer.isTiny),
  };
}

/** Whether text of this size is nothing to look at. A size that is relative to the one around it stays as that is. */
function isTiny(size: string | undefined, outer: boolean): boolean {
  if (size === undefined) return outer;
  const amount = Number.parseFloat(size);
  if (amount === 0) return true;
  const isRelative = Number.isNaN(amount)
    ? /^(?:smaller|larger|inherit)$/.test(size)
    : /(?:[^r]em|%|ex|ch)$/.test(size);
  return isRelative && outer;
}

/** The line that a mailbox shows beside the subject. `mso-hide` alone hides from Outlook what it shows in another way. */
function isPreheader(styles: ReadonlyMap<string, string>): boolean {
  if (styles.get("mso-hide") !== "all") return false;
  const of = (name: string) => Number.parseFloat(styles.get(name) ?? "1000");
  return of("max-height") === 0 || of("opacity") === 0 || of("font-size") <= 1;
}

/** The declarations of a style, by name. The last of a name holds, unless one before is important and it isn't. */
function stylesOf(style: string): Map<string, string> {
  const found = new Map<string, string>();
  const important = new Set<string>();
  for (const one of style.slice(0, longestStyle).toLowerCase().split(";")) {
    const at = one.indexOf(":");
    const name = one.slice(0, at).trim();
    const [value = "", mark] = one.slice(at + 1).split("!");
    const isImportant = mark?.trim() === "important";
    if (at === -1 || (important.has(name) && !isImportant)) continue;
    if (isImportant) important.add(name);
    found.set(name, value.trim());
  }
  return found;
}
