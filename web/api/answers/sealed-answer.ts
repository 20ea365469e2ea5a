/** Answers with a secret, kept so that only the credential that asked opens them: whoever reads the database can't. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Credentials have 256 random bits: a hash makes a key of one. */
const keyOf = (credential: string) => createHash("sha256").update(`sealed-answer:${credential}`).digest();

export function sealed(text: string, credential: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyOf(credential), nonce);
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]).toString("base64");
}

/** The text, or null for another credential. */
export function opened(text: string, credential: string): string | null {
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv(algorithm, keyOf(credential), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
