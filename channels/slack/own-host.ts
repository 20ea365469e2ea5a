/** The check that an address is Slack's own: nothing else is given the bot's token, or a file of ours. Pure. */

/** The address, or null where it leads elsewhere. @param apiUrl where the API is: of a server of one's own, its host alone is */
export function ownAddress(address: string, apiUrl: string): URL | null {
  const url = URL.parse(address);
  const api = new URL(apiUrl);
  if (!url || url.username !== "" || url.password !== "") return null;
  if (url.origin === api.origin) return url;
  const domain = ["slack.com", "slack-gov.com"].find((one) => api.hostname === one || api.hostname.endsWith(`.${one}`));
  if (domain === undefined || url.protocol !== "https:" || url.port !== "") return null;
  return url.hostname === `files.${domain}` ? url : null;
}
