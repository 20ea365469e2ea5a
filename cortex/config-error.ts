/** Why a request can't start: told with the value and what was expected. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
