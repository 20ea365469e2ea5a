/** Why a bus can't be reached, in words: what the client says of it is often no more than a code, or nothing. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { CredentialFiles } from "./credentials.ts";

/** The bus can't be reached, or doesn't let us in. Its message says what to do. */
export class BusUnreachableError extends Error {
  override name = "BusUnreachableError";
}

const unsigned = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
];

/**
 * @param where the addresses, without what is secret in them
 * @param isEncrypted whether we asked for TLS
 */
export function connectError(error: unknown, where: string, files: CredentialFiles, isEncrypted: boolean): Error {
  const text = messageOf(error);
  const codes = codesOf(error);
  const saying = (message: string) => new BusUnreachableError(`${where}: ${message}`, { cause: error });
  if (/authorization|authentication|user authentication/i.test(text))
    return saying(
      `it refuses ${shown(files)}: check that its configuration knows it, and that it is this one (${text})`,
    );
  if (unsigned.some((code) => codes.includes(code)))
    return saying(
      files.caFile === undefined
        ? "its certificate is signed by an unknown authority: give that authority's certificate (--ca FILE, NATS_CA_FILE)"
        : `its certificate isn't signed by the one in ${files.caFile}`,
    );
  if (codes.includes("ERR_TLS_CERT_ALTNAME_INVALID"))
    return saying("its certificate is another host's: use a name or address of the certificate");
  if (codes.includes("CERT_HAS_EXPIRED")) return saying("its certificate has expired");
  if (/does not support 'tls'|not available on this server/.test(text))
    return saying(
      "it speaks no TLS, and a connection without is not made: leave --ca and tls:// out, or turn TLS on there",
    );
  if (/timeout/i.test(text) && isEncrypted && files.certFile === undefined)
    return saying("no answer. A server that wants a client's certificate is silent like this: --cert FILE --key FILE");
  if (/timeout/i.test(text)) return saying("no answer: is it a nats-server, and does a firewall let us through?");
  if (codes.includes("ECONNREFUSED") || /connection refused/.test(text)) return saying("nobody listens there");
  return saying(text);
}

function shown({ nkeyFile, credsFile, tokenFile }: CredentialFiles): string {
  if (nkeyFile !== undefined) return `the key in ${nkeyFile}`;
  if (credsFile !== undefined) return `the credentials in ${credsFile}`;
  return tokenFile === undefined ? "the name, password or token given" : `the token in ${tokenFile}`;
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") codes.push(at.code);
  return codes;
}
