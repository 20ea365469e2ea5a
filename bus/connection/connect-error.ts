/** Why a bus can't be reached, in words: what the client says of it is often no more than a code, or nothing. */
import { errors, TimeoutError } from "@nats-io/transport-node";
import { messageOf } from "../../files/errors/error-message.ts";
import type { CredentialFiles } from "./credentials.ts";

/** The bus can't be reached, or doesn't let us in. Its message says what to do. */
export class BusUnreachableError extends Error {
  override name = "BusUnreachableError";
}

const refusals = [errors.AuthorizationError, errors.UserAuthenticationExpiredError];

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
  const chain = chainOf(error);
  const codes = codesOf(chain);
  const saying = (message: string) => new BusUnreachableError(`${where}: ${message}`, { cause: error });
  if (chain.some((one) => refusals.some((refusal) => one instanceof refusal)))
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
  // The client has no class or code of its own for this one, nor for a refused connection whose cause it has dropped.
  if (/does not support 'tls'|not available on this server/.test(text))
    return saying(
      "it speaks no TLS, and a connection without is not made: leave --ca and tls:// out, or turn TLS on there",
    );
  const isLate = chain.some((one) => one instanceof TimeoutError);
  if (isLate && isEncrypted && files.certFile === undefined)
    return saying("no answer. A server that wants a client's certificate is silent like this: --cert FILE --key FILE");
  if (isLate) return saying("no answer: is it a nats-server, and does a firewall let us through?");
  if (codes.includes("ECONNREFUSED") || /connection refused/.test(text)) return saying("nobody listens there");
  return saying(text);
}

function shown({ nkeyFile, credsFile, tokenFile }: CredentialFiles): string {
  if (nkeyFile !== undefined) return `the key in ${nkeyFile}`;
  if (credsFile !== undefined) return `the credentials in ${credsFile}`;
  return tokenFile === undefined ? "the name, password or token given" : `the token in ${tokenFile}`;
}

/** An error and its causes. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error; at = at.cause) chain.push(at);
  return chain;
}

const codesOf = (chain: readonly Error[]): string[] =>
  chain.flatMap((one) => ("code" in one && typeof one.code === "string" ? [one.code] : []));
