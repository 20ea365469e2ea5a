/** Operations on Web Push: which browsers are told of what happens, and of what. */
import { z } from "zod";
import { WorkspaceError } from "../../../../workspace/records/workspace-error.ts";
import { NewPushDevice, PushState } from "../../../machine/records/push-records.ts";
import {
  addPushDevice,
  listPushDevices,
  pushDeviceOf,
  pushTargets,
  removePushDevice,
} from "../../../machine/push/push-devices.ts";
import { pushKeys } from "../../../machine/push/push-keys.ts";
import { keepNews } from "../../../machine/push/push-queue.ts";
import { endpointRefusal } from "../../../machine/push/push-service.ts";
import { operation } from "../../table/operation.ts";

const forOwner = { subject: null, role: "owner" } as const;
const pathId = z.string().regex(/^[0-9a-f]{32}$/);

export const push = [
  operation({
    ...forOwner,
    id: "push.get",
    method: "GET",
    path: "/push",
    summary: "The browsers that are told of what happens, and the key by which push services know this server",
    answer: PushState,
    handle: async ({ machine, store, asker }) => ({
      public_key: (await pushKeys(machine.journal)).public_key,
      devices: await listPushDevices(store.database, asker.session?.id ?? null),
    }),
  }),
  operation({
    ...forOwner,
    id: "push.subscribe",
    method: "POST",
    path: "/push",
    summary: "Have the browser that asks told of these kinds, and of no others",
    description:
      "For a session in a browser. What is pushed holds a kind and where it leads, and nothing of any content.",
    body: NewPushDevice,
    status: 204,
    handle: async ({ machine, store, asker }, { body }) => {
      if (!asker.session)
        throw new WorkspaceError("invalid", "only a browser can be told", "ask from the page: cortex open");
      const refusal = endpointRefusal(body.endpoint, machine.settings().push?.services);
      if (refusal !== null) throw new WorkspaceError("invalid", refusal);
      await addPushDevice(store.database, asker.session.id, body);
      machine.push?.wake();
    },
  }),
  operation({
    ...forOwner,
    id: "push.try",
    method: "POST",
    path: "/push/{id}/try",
    pathId,
    summary: "Tell a browser something, to see whether it arrives",
    description: "The outcome stands on its device.",
    status: 202,
    answer: z.object({ device: z.string() }),
    handle: async ({ machine, store }, { id }) => {
      const hash = await pushDeviceOf(store.database, id);
      const target = (await pushTargets(store.database)).filter((one) => one.hash === hash);
      const now = Date.now();
      await keepNews(store.database, target, { name: `try:${now}`, kind: "try", leadsTo: "/devices", at: now });
      machine.push?.wake();
      return { device: id };
    },
  }),
  operation({
    ...forOwner,
    id: "push.remove",
    method: "DELETE",
    path: "/push/{id}",
    pathId,
    summary: "Tell a browser nothing more",
    status: 204,
    handle: async ({ store }, { id }) => removePushDevice(store.database, await pushDeviceOf(store.database, id)),
  }),
];
