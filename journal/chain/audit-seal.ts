/** A seal: one line that says how far the heads of ended runs had come. Kept elsewhere, it shows what was done to them since. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";

const seal1 = /^(cortex-seal-1 (\d{13}) (\d{1,15}) ([0-9a-f]{32}))(?: ed25519:([\w-]{43}) ([\w-]{86}))?$/;

export type Seal = {
  ts: number;
  /** A line of `heads.jsonl`, and its hash. */
  n: number;
  hash: string;
  /** The public half of the key that signed it; null: nobody did. */
  signedBy: string | null;
};

/** An unusable seal, or an unusable key of one. */
export class SealError extends Error {
  override name = "SealError";
}

/** @param key signs it */
export function sealText(last: { n: number; hash: string }, ts: number, key: KeyObject | null): string {
  const text = `cortex-seal-1 ${ts} ${last.n} ${last.hash}`;
  if (key === null) return text;
  return `${text} ed25519:${publicHalf(key)} ${sign(null, Buffer.from(text), key).toString("base64url")}`;
}

/** @throws SealError for what is not a seal, and for a signature that isn't its own */
export function readSeal(line: string): Seal {
  const [, text = "", ts, n, hash = "", signedBy, signature = ""] = seal1.exec(line.trim()) ?? [];
  if (text === "") throw new SealError("this is not a seal: expected a line printed by cortex audit seal");
  if (signedBy !== undefined && !isSignedBy(text, signedBy, signature))
    throw new SealError("the seal's signature isn't that of its text: it was changed, or made by somebody else");
  return { ts: Number(ts), n: Number(n), hash, signedBy: signedBy ?? null };
}

function isSignedBy(text: string, publicKey: string, signature: string): boolean {
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
}

/** The key in a file, which is made where it is missing. @throws SealError */
export function signingKey(file: string): KeyObject {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    writeFileSync(file, pem, { flag: "wx", mode: 0o600 });
  } else if ((stats.mode & 0o077) !== 0) throw new SealError(`${file} can be read by others: chmod 600 ${file}`);
  try {
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw new SealError(`${file} can't be read as a key`, { cause: error });
  }
  throw new SealError(`${file} holds no ed25519 key`);
}

/** As it stands in a seal. */
export const publicHalf = (key: KeyObject) => String(createPublicKey(key).export({ format: "jwk" }).x);
