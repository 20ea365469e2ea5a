/**
 * The credentials for a bus that isn't our own: a key, a credentials file or a token, each in a file that its owner
 * alone can read.
 */
import { readFileSync, statSync } from "node:fs";
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";

/** Files with what a bus wants to see. They are read at each connect: what is in them can be changed while we run. */
export type CredentialFiles = {
  /** The certificate of whoever signed the server's. With it, the connection is encrypted or there is none. */
  caFile?: string | undefined;
  /** Our own certificate and its key, where the server wants one. */
  certFile?: string | undefined;
  keyFile?: string | undefined;
  /** The seed of an nkey. */
  nkeyFile?: string | undefined;
  /** A `.creds` file, as `nsc` writes it. */
  credsFile?: string | undefined;
  tokenFile?: string | undefined;
};

/** More than any of them has. */
const maxBytes = 64 * 1024;

/** A file with a credential that can't be used. */
export class CredentialError extends Error {
  override name = "CredentialError";
}

/**
 * How we say who we are, or undefined when we needn't.
 * @throws CredentialError when a file is missing, is no such credential, or can be read by others
 */
export function authenticatorOf(files: CredentialFiles, user: string, password: string): Authenticator | undefined {
  const { nkeyFile, credsFile, tokenFile } = files;
  if (files.keyFile !== undefined) readSecret(files.keyFile);
  if (nkeyFile !== undefined) {
    publicKeyOf(nkeyFile);
    return nkeyAuthenticator(bytes(lastGood(nkeyFile)));
  }
  if (credsFile !== undefined) return credsAuthenticator(bytes(lastGood(credsFile)));
  if (tokenFile !== undefined) return tokenAuthenticator(lastGood(tokenFile));
  // A name without a password, as in `nats://token@host`, or a password without a name, is a token.
  if (user && password) return usernamePasswordAuthenticator(user, password);
  return user || password ? tokenAuthenticator(user || password) : undefined;
}

/** The public half of an nkey, which the other side has to know. @throws CredentialError */
export function publicKeyOf(seedFile: string): string {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(readSecret(seedFile))).getPublicKey();
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    throw new CredentialError(`${seedFile} is not the seed of an nkey: expected one line that begins with SU`, {
      cause: error,
    });
  }
}

/** A new key, as its seed. */
export function newSeed(): string {
  return new TextDecoder().decode(nkeys.createUser().getSeed());
}

/** The file as it is now; where it can't be read any more, as it was last: a file that is being replaced ends nothing. */
function lastGood(file: string): () => string {
  let last = readSecret(file);
  return () => {
    try {
      last = readSecret(file);
    } catch {}
    return last;
  };
}

const bytes = (text: () => string) => () => new TextEncoder().encode(text());

function readSecret(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new CredentialError(`${file}: expected a file with a credential, found none`);
  if ((stats.mode & 0o077) !== 0) throw new CredentialError(`${file} can be read by others: chmod 600 ${file}`);
  if (stats.size > maxBytes)
    throw new CredentialError(`${file}: expected at most ${maxBytes} bytes, got ${stats.size}`);
  return readFileSync(file, "utf8").trim();
}
