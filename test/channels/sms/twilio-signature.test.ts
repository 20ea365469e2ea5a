import { expect, test } from "vitest";
import { isSigned, twilioSignature } from "../../../channels/sms/twilio-signature.ts";

/** The example of Twilio's documentation. */
const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
const token = "12345";
const form = new URLSearchParams({
  CallSid: "CA1234567890ABCDE",
  Caller: "+14158675309",
  Digits: "1234",
  From: "+14158675309",
  To: "+18005551212",
});
const signature = "RSOYDt4T1cUTdK1PDd93/VVr8B8=";

test("a request is signed as Twilio's documentation has it", () => {
  expect(twilioSignature(token, url, form)).toBe(signature);
  const turned = new URLSearchParams([...form].toReversed());
  expect(twilioSignature(token, url, turned)).toBe(signature);
});

test("a signature holds for one of the addresses, and for nothing else", () => {
  expect(isSigned(signature, token, ["https://a.example", url], form)).toBe(true);
  expect(isSigned(signature, token, ["https://a.example"], form)).toBe(false);
  expect(isSigned(signature, "12346", [url], form)).toBe(false);
  expect(isSigned(undefined, token, [url], form)).toBe(false);
  expect(isSigned([signature], token, [url], form)).toBe(false);
});

test("a signature may be over the address with its port or without", () => {
  const signedOver = (one: string) => isSigned(twilioSignature(token, one, form), token, [given], form);
  let given = "https://sms.example.com/twilio";
  expect(["", ":443", ":8443"].map((port) => signedOver(`https://sms.example.com${port}/twilio`))).toEqual([
    true,
    true,
    false,
  ]);
  given = "https://sms.example.com:8443/twilio";
  expect(["", ":443", ":8443"].map((port) => signedOver(`https://sms.example.com${port}/twilio`))).toEqual([
    true,
    false,
    true,
  ]);
});
