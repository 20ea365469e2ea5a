/**
 * Which hosts commands in a sandbox may reach. Settings name them; a persona or a request can leave out some of them. An
 * entry is a host, `*.` and a host for all below it, or `*`; at the ports 80 and 443, unless it names one. Pure.
 */
import { isIP } from "node:net";
import { z } from "zod";

const entryPattern =
  /^(\*|(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,20}|\[[0-9A-Fa-f:.]{2,45}\])(:[1-9]\d{0,4})?$/;

export const Network = z
  .array(z.string().regex(entryPattern, 'expected a host, as "example.com", "*.example.com" or "localhost:8080"'))
  .max(256)
  .meta({
    description:
      "The hosts that commands in a sandbox may reach: `example.com`, `*.example.com` (those below it), `*` (all that are public); at the ports 80 and 443, or at the one that is named, `example.com:8443`. Names lead to public addresses alone; what listens on this machine or in its network is named by its address and port, `localhost:8080`. The settings' list is the most that there is: in a persona or a request, what of it is wanted. Default: in the settings none, elsewhere the settings' list.",
    examples: [["registry.npmjs.org", "*.githubusercontent.com"]],
  });

export type HostRule = {
  /** In lower case, without brackets: `*`, `*.` and a host, a host, or an address. */
  host: string;
  /** Null: 80 and 443. */
  port: number | null;
};

const usualPorts: readonly (number | null)[] = [80, 443];

export function hostRule(entry: string): HostRule {
  // An address of IPv6 has colons of its own, and stands in brackets.
  const colon = entry.lastIndexOf(":");
  const hasPort = colon > entry.lastIndexOf("]");
  const host = (hasPort ? entry.slice(0, colon) : entry).toLowerCase();
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: hasPort ? Number(entry.slice(colon + 1)) : null };
}

/** The rules that allow a host, in lower case, at a port. */
export const rulesFor = (entries: readonly string[], host: string, port: number): HostRule[] =>
  entries
    .map(hostRule)
    .filter(
      (rule) => coversHost(rule.host, host) && (rule.port === null ? usualPorts.includes(port) : rule.port === port),
    );

/**
 * Narrows the settings' list to what all of the others want.
 * @param wanted of a persona, of a request: undefined wants all
 * @returns `refused`: what the settings don't have
 */
export function narrowedNetwork(
  settings: readonly string[] = [],
  ...wanted: (readonly string[] | undefined)[]
): { allowed: string[]; refused: string[] } {
  const lists = wanted.filter((list) => list !== undefined);
  const refused = lists.flat().filter((entry) => commonEntries(settings, entry).length === 0);
  const left = (had: readonly string[], list: readonly string[]) => list.flatMap((entry) => commonEntries(had, entry));
  return { allowed: [...new Set(lists.reduce(left, settings))], refused: [...new Set(refused)] };
}

const commonEntries = (had: readonly string[], entry: string) => had.flatMap((one) => commonEntry(one, entry));

/** The part that two entries both allow: one of them with the narrower ports, or nothing. */
function commonEntry(one: string, other: string): string[] {
  const [a, b] = [hostRule(one), hostRule(other)];
  // An address with a port may be this machine's own: only the settings can name one, and no star stands for it.
  if (isUnnamed(a.host) || isUnnamed(b.host)) return a.host === b.host && a.port === b.port ? [one] : [];
  const host = coversHost(a.host, b.host) ? b.host : coversHost(b.host, a.host) ? a.host : null;
  const port = a.port ?? b.port;
  const isApart = a.port !== b.port && !(usualPorts.includes(port) && (a.port === null || b.port === null));
  return host === null || isApart ? [] : [port === null ? host : `${host}:${port}`];
}

/** Whether a rule is for what has no name in the world's DNS. */
const isUnnamed = (host: string) => host === "localhost" || isIP(host) !== 0;

/** Whether rules name a place of this machine or its network: an address with its port. Other names lead to public addresses alone. */
export const isNamedPlace = ({ host, port }: HostRule): boolean => port !== null && isUnnamed(host);

/** @param host also one with a star */
export function coversHost(pattern: string, host: string): boolean {
  if (pattern === "*" || pattern === host) return true;
  return pattern.startsWith("*.") && host.endsWith(pattern.slice(1));
}
