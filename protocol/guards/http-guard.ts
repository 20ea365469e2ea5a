/**
 * The check of who may talk to a server of ours at all: programs of this machine, and pages that it serves itself.
 * Pure.
 */

const loopbackNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Where a proxy with TLS hands requests on to a server of ours: `https://cortex.example`. */
export type PublicAddress = { origin: string; host: string };

export const publicAddress = (url: string): PublicAddress => {
  const { origin, host } = new URL(url);
  return { origin, host };
};

type Asked = { host?: string | undefined; origin?: string | undefined };

/** Whether a request came by the public address. */
export const isPublic = ({ host }: Pick<Asked, "host">, address: PublicAddress | undefined): boolean =>
  address !== undefined && host?.toLowerCase() === address.host;

/** The server's address as whoever asks knows it, without a path. */
export const originFor = (headers: Asked, address: PublicAddress | undefined): string =>
  address !== undefined && isPublic(headers, address) ? address.origin : `http://${headers.host}`;

/**
 * Why a request is refused, or undefined. A page from elsewhere can make a browser send requests to this machine: then
 * `Origin` is its own, or `Host` is a name that was made to point here. By the public address come only those whose proxy says
 * that they came over TLS.
 */
export function refusal(
  headers: Asked & { "x-forwarded-proto"?: string | string[] | undefined },
  port: number,
  address?: PublicAddress,
): string | undefined {
  if (address !== undefined && isPublic(headers, address)) {
    if (headers["x-forwarded-proto"] !== "https")
      return `${address.origin} is for TLS alone: its proxy has to send X-Forwarded-Proto: https`;
    return headers.origin === undefined || headers.origin.toLowerCase() === address.origin
      ? undefined
      : foreignOrigin(headers.origin);
  }
  const allowed = [...loopbackNames].map((name) => `${name}:${port}`);
  if (headers.host === undefined || !allowed.includes(headers.host.toLowerCase()))
    return `Host "${headers.host ?? ""}" is not this server: use 127.0.0.1:${port}`;
  if (headers.origin !== undefined && !allowed.some((name) => headers.origin?.toLowerCase() === `http://${name}`))
    return foreignOrigin(headers.origin);
  return undefined;
}

const foreignOrigin = (origin: string) => `Origin "${origin}" is foreign: pages from elsewhere may not use this server`;

/** The token of an `Authorization: Bearer …` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}
