/** Who may talk to a server of ours at all: programs of this machine, and pages that it serves itself. Pure. */

const loopbackNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Why a request is refused, or undefined. A page from elsewhere can make a browser send requests to this machine: then
 * `Origin` is its own, or `Host` is a name that was made to point here.
 */
export function refusal(
  headers: { host?: string | undefined; origin?: string | undefined },
  port: number,
): string | undefined {
  const allowed = [...loopbackNames].map((name) => `${name}:${port}`);
  if (headers.host === undefined || !allowed.includes(headers.host.toLowerCase()))
    return `Host "${headers.host ?? ""}" is not this server: use 127.0.0.1:${port}`;
  if (headers.origin !== undefined && !allowed.some((name) => headers.origin?.toLowerCase() === `http://${name}`))
    return `Origin "${headers.origin}" is foreign: pages from elsewhere may not use this server`;
  return undefined;
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}
