/** Which rows of one height are in view, with some around them, so that scrolling shows no gaps. Pure. */

type View = {
  /** How far it is scrolled, and how much is seen of it, in px. */
  top: number;
  size: number;
  /** Where the rows begin within what scrolls. */
  offset: number;
  count: number;
  height: number;
};

/** Fewer, and fast scrolling shows gaps; each more is drawn anew at each flick. */
const around = 6;

/** The first row to be in the page, and the one behind the last. */
export function rowsInView({ top, size, offset, count, height }: View): { first: number; last: number } {
  const begin = Math.floor((top - offset) / height) - around;
  const end = Math.ceil((top - offset + size) / height) + around;
  const first = Math.min(Math.max(0, begin), Math.max(0, count - 1));
  return { first, last: Math.max(first, Math.min(count, end)) };
}
