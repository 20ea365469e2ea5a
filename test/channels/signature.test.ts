import { expect, test } from "vitest";
import {
  checkSignature,
  secretProblem,
  secretWarning,
  signatureOf,
  signedHeaders,
} from "../../channels/webhook/signature.ts";

/** Made with the package standardwebhooks 1.0.0. */
const sample = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  message: { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: '{"test": 2432232314}' },
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

function verified(secret: string, headers: Record<string, string>, body: string, nowMs: number) {
  const check = checkSignature(secret, headers, nowMs);
  for (const part of [body.slice(0, 3), body.slice(3)]) check.update(Buffer.from(part));
  return check.end();
}

test("a signature is that of Standard Webhooks", () => {
  expect(signatureOf(sample.secret, sample.message)).toBe(sample.signature);
});

test("a message that is signed here is verified here, with either kind of secret", () => {
  const [id, body, now] = ["m1", "grüß dich", 1_700_000_000_000];
  for (const secret of [sample.secret, "a plain secret"]) {
    const headers = signedHeaders(secret, { id, body }, now);
    expect(verified(secret, headers, body, now)).toMatchObject({ id });
    expect(verified(secret, headers, `${body}!`, now)).toHaveProperty("problem");
    expect(verified(secret, headers, body, now + 301_000)).toHaveProperty("problem");
  }
});

test.each([
  ["any text", undefined],
  [sample.secret, undefined],
  ["whsec_", /expected 24 to 64 bytes in base64/],
  ["whsec_dG9vIHNob3J0", /expected 24 to 64 bytes in base64/],
  ["whsec_not*base64*at*all*not*base64*at*all", /expected 24 to 64 bytes in base64/],
])("the secret %s is usable, or what is wrong is said", (secret, problem) => {
  const found = secretProblem(secret);
  if (problem === undefined) expect(found).toBe(undefined);
  else expect(found).toMatch(problem);
});

test.each([
  ["guess", true],
  ["fifteen-letters", true],
  ["sixteen-letters!", false],
  ["ÄÖÜäöüßé", false],
  [sample.secret, false],
])("whether the secret %s is warned of: %s", (secret, isWarnedOf) => {
  expect(secretWarning(secret) !== undefined).toBe(isWarnedOf);
});
