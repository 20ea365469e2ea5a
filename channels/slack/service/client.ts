/** Client of Slack's API that leaves every decision to its caller: it tries nothing again, waits out no limit, and logs nothing. */
import { type Logger, LogLevel, WebClient, type WebClientOptions } from "@slack/web-api";

/** The address of the API when the settings name no other. */
export const publicApi = "https://slack.com/api/";

/** A logger that drops everything: there may be addresses and messages in it. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

/** @param timeout of a call, in ms */
export function clientOptions(apiUrl: string, timeout: number): WebClientOptions {
  return {
    slackApiUrl: apiUrl,
    timeout,
    logger: silentLogger,
    // A call that is tried again behind our back may arrive twice.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  };
}

export const openClient = (token: string, apiUrl: string, timeout: number): WebClient =>
  new WebClient(token, clientOptions(apiUrl, timeout));
