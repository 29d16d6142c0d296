/**
 * Products with their capabilities and surfaces, and the items and schedules of surfaces, as a document of a workspace shows
 * them.
 *
 * Secrets of surfaces that are stored stay as they are and are shown as configured; a document cannot set them elsewhere,
 * which a note says. Problems of a surface (its behavior, the uniqueness of its items, schedules where none can be) are those
 * of its endpoints. `kind.ts` says what each member of a kind is for.
 */

import { type ErrorDetail, hasCode, toDetail } from '../../../core/errors/errors.ts';
import { hasSecretReference } from '../../../core/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { productStore } from '../../products/product-store.ts';
import { scheduleDefaults } from '../../schedules/schedule-body.ts';
import { scheduleStore, schedulesMax } from '../../schedules/schedule-store.ts';
import { productCapabilitiesMax } from '../../surfaces/product-capabilities.ts';
import type { Surface, SurfaceItem } from '../../surfaces/surface/surface.ts';
import { assertBehavior } from '../../surfaces/surface/surface-behavior.ts';
import { channelProblem, surfacesMax } from '../../surfaces/surface-changes.ts';
import { assertItemConfig, findTakenMember, itemsMax } from '../../surfaces/surface-items.ts';
import { surfaceStore } from '../../surfaces/surface-store.ts';
import type {
  DocumentEntry,
  DocumentKind,
  DocumentProblem,
  ResourceMembers,
  StoredResource,
  WorkspaceKind,
} from './kind.ts';
import { checkPartCount } from './part-limits.ts';
import { readAll } from './read-all.ts';
import { mapReferences } from './references.ts';

const items: DocumentKind = {
  noun: 'item',
  nameMember: null,
  getName: ({ capabilityId }) => String(capabilityId),
  defaults: {
    enabled: true,
    endpointSlug: null,
    exposedName: null,
    exposedDescription: null,
    isEntryPoint: false,
    config: null,
    presentation: null,
  },
  kept: ['endpointSlug'],
  references: mapReferences({ capabilityId: 'capabilities' }),
};

const schedules: DocumentKind = {
  noun: 'schedule',
  nameMember: null,
  getName: ({ flowId }) => String(flowId),
  defaults: scheduleDefaults,
  tidy: ({ recordIds, ...content }) => ({
    ...content,
    ...(Array.isArray(recordIds) && recordIds.length > 0 && { recordIds }),
  }),
  references: mapReferences({
    flowId: 'flows',
    'recordIds.*': 'records',
    'executionOptions.modelOverride': 'modelConfigs',
  }),
  onlyPruned: true,
};

type Secret = string | { configured: true; id?: string };

interface WithSecrets {
  inbound?: ResourceMembers & { signature?: ResourceMembers & { secrets: Secret[] } };
  outbound?: ResourceMembers & { webhook?: ResourceMembers & { secret?: Secret } };
}

const surfacesKind: DocumentKind = {
  noun: 'surface',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: { environment: 'development', status: 'draft', behavior: {}, inbound: {}, outbound: {} },
  tidy,
  plaintexts: (content) => {
    const { inbound, outbound } = content as WithSecrets;
    const secrets = inbound?.signature?.secrets ?? [];
    return [
      ...secrets.flatMap((secret, index) =>
        isPlain(secret) ? [['inbound', 'signature', 'secrets', index]] : [],
      ),
      ...(isPlain(outbound?.webhook?.secret) ? [['outbound', 'webhook', 'secret']] : []),
    ];
  },
  fit,
  references: (content) => content,
  problems: findSurfaceProblems,
  parts: { items, schedules },
  onlyPruned: true,
};

const isPlain = (secret: Secret | undefined) => typeof secret === 'string' && !hasSecretReference(secret);

/** Stored secrets without their ids. The one of a webhook stays where it is, or is made. */
function tidy({ config, ...content }: ResourceMembers): ResourceMembers {
  const { inbound, outbound } = content as WithSecrets;
  const { signature } = inbound ?? {};
  const { webhook } = outbound ?? {};
  const { secret, ...ownWebhook } = webhook ?? {};
  return {
    ...content,
    ...(config !== undefined && content.behavior === undefined && { behavior: config }),
    ...(signature && {
      inbound: { ...inbound, signature: { ...signature, secrets: signature.secrets.map(stripSecret) } },
    }),
    ...(webhook && {
      outbound: { ...outbound, webhook: { ...ownWebhook, ...(typeof secret === 'string' && { secret }) } },
    }),
  };
}

const stripSecret = (secret: Secret): Secret => (typeof secret === 'string' ? secret : { configured: true });

/** A secret that is not stored here cannot be set by a document. */
function fit(content: ResourceMembers, before: ResourceMembers | undefined) {
  const { inbound, outbound } = content as WithSecrets;
  const old = (before ?? {}) as WithSecrets;
  const notes =
    outbound?.webhook && outbound.webhook.secret === undefined && !old.outbound?.webhook
      ? ['its outgoing webhook gets a new secret, which the response to the apply shows once']
      : [];
  const { signature, ...others } = inbound ?? {};
  const isSame = signature?.scheme === old.inbound?.signature?.scheme;
  const stored = isSame
    ? (old.inbound?.signature?.secrets.filter((each) => typeof each !== 'string') ?? [])
    : [];
  if (!signature) return { content, notes };
  const secrets = signature.secrets.filter(
    (each) => typeof each === 'string' || stored.shift() !== undefined,
  );
  if (secrets.length === signature.secrets.length) return { content, notes };
  const note = 'a secret of its signature is not stored here. Send it with PUT to the surface';
  const fitting = secrets.length > 0 ? { ...others, signature: { ...signature, secrets } } : others;
  return { content: { ...content, inbound: fitting }, notes: [...notes, note] };
}

const capabilities: DocumentKind = {
  noun: 'capability',
  nameMember: 'capabilityName',
  getName: ({ capabilityName }) => String(capabilityName),
  defaults: { capabilityDescription: null, flowId: null, agentId: null, enabled: true },
  kept: ['parametersSchema'],
  references: mapReferences({ flowId: 'flows', agentId: 'agents' }),
};

export const productsKind: WorkspaceKind = {
  group: 'PRODUCTS',
  noun: 'product',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: { description: null, icon: null, spec: {} },
  // Where an editor shows what, by ids.
  tidy: ({ canvas: _canvas, ...content }) => content,
  problems: (entry) => [
    ...findItemProblems(entry),
    ...checkPartCount(entry, 'capabilities', {
      max: productCapabilitiesMax,
      limit: `A product has at most ${productCapabilitiesMax} capabilities`,
    }),
    ...checkPartCount(entry, 'surfaces', {
      max: surfacesMax,
      limit: `A product has at most ${surfacesMax} surfaces`,
    }),
  ],
  references: (content) => content,
  parts: { capabilities, surfaces: surfacesKind },
  read: /* @__PURE__ */ using([productStore, surfaceStore, scheduleStore], (scope: Scope) => {
    const products = productStore(scope);
    return (room) =>
      readAll(
        async (query) => {
          const page = await products.list(query);
          return { ids: page.products.map(({ id }) => id), nextCursor: page.pagination.nextCursor };
        },
        (id) => readProduct(scope, id),
        room,
      );
  }),
};

async function readProduct(scope: Scope, id: string): Promise<StoredResource> {
  const { product, surfaces } = await surfaceStore(scope).whole(id);
  const { name, description, icon, spec } = product;
  return {
    id,
    content: { name, description, icon, spec },
    parts: {
      capabilities: product.capabilities.map(
        ({ id: capabilityId, createdAt: _at, displayOrder: _order, ...content }) => ({
          id: capabilityId,
          content,
        }),
      ),
      surfaces: await Promise.all(surfaces.map((surface) => readSurfaceResource(scope, surface))),
    },
  };
}

async function readSurfaceResource(scope: Scope, surface: Surface): Promise<StoredResource> {
  const { id, productId, name, type, environment, status, behavior, inbound, outbound } = surface;
  const place = { productId, surfaceId: id };
  const schedules = type === 'schedule' ? await scheduleStore(scope).list(place) : [];
  const now = scope.now().toISOString();
  return {
    id,
    content: { name, type, environment, status, behavior, inbound, outbound },
    parts: {
      items: surface.items.map(({ id: itemId, createdAt: _at, displayOrder: _order, ...content }) => ({
        id: itemId,
        content: { ...content },
      })),
      schedules: schedules
        // One whose only time is over does nothing any more, and could not be made anew.
        .filter(({ triggerType, runAt }) => triggerType !== 'one_time' || (runAt ?? '') > now)
        .map(({ id: scheduleId, flowId, triggerType, cron, runAt, timezone, ...schedule }) => {
          const { enabled, recordIds, recordType, recordFilter, executionOptions } = schedule;
          const when = { triggerType, cron, runAt, timezone, enabled };
          return {
            id: scheduleId,
            content: { flowId, ...when, recordIds, recordType, recordFilter, executionOptions },
          };
        }),
    },
  };
}

/** Items expose capabilities of their own product. */
function findItemProblems({ parts }: DocumentEntry): DocumentProblem[] {
  const names = new Set((parts.capabilities ?? []).map(({ key }) => key));
  return (parts.surfaces ?? []).flatMap((surface) =>
    (surface.parts.items ?? [])
      .filter(({ content }) => !names.has(String(content.capabilityId)))
      .map(({ content, path }) => {
        const message = `The product has no capability "${content.capabilityId}"`;
        return { ...toDetail([...path, 'capabilityId'], 'NOT_FOUND', message), at: path };
      }),
  );
}

/** What fits no surface of its type, or only one of its items may have. */
function findSurfaceProblems(surface: DocumentEntry): DocumentProblem[] {
  const { type, status, behavior } = surface.content as Pick<Surface, 'type' | 'status' | 'behavior'>;
  const items = surface.parts.items ?? [];
  const channel = status === 'active' ? channelProblem({ type }) : undefined;
  return [
    ...(channel
      ? [placeDetail(surface, { path: 'status', code: 'CHANNEL_NOT_CONNECTED', message: channel })]
      : []),
    ...collectRefusals(surface, () => assertBehavior(type, behavior)),
    ...items.flatMap((item, at) => findSurfaceItemProblems(item, items.slice(0, at), type)),
    ...checkPartCount(surface, 'items', { max: itemsMax, limit: `A surface has at most ${itemsMax} items` }),
    ...findScheduleProblems(surface, type),
  ];
}

function findSurfaceItemProblems(
  item: DocumentEntry,
  before: readonly DocumentEntry[],
  type: Surface['type'],
): DocumentProblem[] {
  const content = item.content as Partial<SurfaceItem>;
  const taken = findTakenMember(
    before.map((other) => other.content as Partial<SurfaceItem>),
    content,
  );
  return [
    ...(taken ? [placeDetail(item, taken)] : []),
    ...collectRefusals(item, () => assertItemConfig(type, content.config)),
  ];
}

function findScheduleProblems(surface: DocumentEntry, type: Surface['type']): DocumentProblem[] {
  const [schedule] = surface.parts.schedules ?? [];
  if (!schedule) return [];
  if (type === 'schedule') {
    const limit = `A surface has at most ${schedulesMax} schedules`;
    return checkPartCount(surface, 'schedules', { max: schedulesMax, limit });
  }
  const message = `The surface has the type ${type}. Create schedules on a surface of the type schedule`;
  return [placeDetail(surface, { path: 'schedules', code: 'INVALID_VALUE', message })];
}

function collectRefusals(entry: DocumentEntry, check: () => void): DocumentProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!hasCode(error, 'VALIDATION')) throw error;
    return error.details.map((detail) => placeDetail(entry, detail));
  }
}

const placeDetail = (
  { path: at }: DocumentEntry,
  { path = '', code, message }: ErrorDetail,
): DocumentProblem => ({
  ...toDetail([...at, path], code, message),
  at,
  onlyIfChanging: true,
});
