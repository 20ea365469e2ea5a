/** Addresses as they may be shown: without the name, password or token in them. Every message that has one goes through this. Pure. */

const hiddenPart = "…@";

/** One address, or several with commas between; also what isn't quite one. */
export function shownUrl(text: string): string {
  return text
    .split(/,(?=[a-z][a-z0-9+.-]*:\/\/)/i)
    .map(shownOne)
    .join(",");
}

function shownOne(text: string): string {
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(text) ?? [];
  // A page's path may have an @, and so may what follows it, which may be a token as well.
  if (/^https?:/i.test(scheme) && URL.canParse(text)) {
    const { protocol, host, pathname, search, username, password } = new URL(text);
    const query = search === "" ? "" : "?…";
    return `${protocol}//${username || password ? hiddenPart : ""}${host}${pathname === "/" ? "" : pathname}${query}`;
  }
  // A password may hold what ends it in a URL: /, ?, # and @. So all up to the last @ counts as one.
  const at = rest.lastIndexOf("@");
  return at === -1 ? text : `${scheme}${hiddenPart}${rest.slice(at + 1)}`;
}
