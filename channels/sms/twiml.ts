/** TwiML: what a request of Twilio's is answered with. Pure. */

export const emptyTwiml = `<?xml version="1.0" encoding="UTF-8"?><Response/>`;

/** An answer that Twilio sends to whoever has written. */
export const twimlMessage = (text: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Response><Message>${escaped(text)}</Message></Response>`;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
