/** Manifest of the Slack app, to be pasted where an app is made: what it may do, and what it is told of. Pure. */

/** Scopes of the bot, and why it has each. */
const scopes = {
  "app_mentions:read": "it is told when it is mentioned",
  "channels:history": "it hears the threads of which it is part: public channels",
  "chat:write": "it answers, and shows that it is typing",
  commands: "/cortex",
  "files:read": "it takes files",
  "files:write": "it sends files",
  "groups:history": "the same in private channels",
  "im:history": "the same in direct messages",
  "im:write": "it writes to somebody first",
  "mpim:history": "the same in direct messages of several people",
  "reactions:write": "it marks what it has read",
  "users:read": "it knows people's names",
};

/** @param name of the app, and of its bot */
export const slackManifest = (name = "Cortex") => ({
  _metadata: { major_version: 1, minor_version: 1 },
  display_information: { name, description: "Agents that you can talk to" },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: name, always_online: true },
    slash_commands: [
      {
        command: "/cortex",
        description: "Commands: new, stop, status, usage, model, help, pair",
        usage_hint: "new | stop | status | usage | model NAME | help | pair",
        should_escape: false,
      },
    ],
  },
  oauth_config: { scopes: { bot: Object.keys(scopes) } },
  settings: {
    event_subscriptions: {
      bot_events: [
        "app_mention",
        "app_uninstalled",
        "message.channels",
        "message.groups",
        "message.im",
        "message.mpim",
        "tokens_revoked",
      ],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
});
