/** Where the Bot API is. */
import type { ChannelSettings } from "../../protocol/agents/channel-settings.ts";

const publicRoot = "https://api.telegram.org";

/** `api_root` is the former name of `api_url`. */
export const apiRootOf = ({ api_url, api_root }: ChannelSettings): string =>
  (api_url ?? api_root ?? publicRoot).replace(/(?<!\/)\/+$/, "");
