import { detailAt } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { productStore } from '../../products/product-store.ts';
import { scheduleStore } from '../../schedules/schedule-store.ts';
import { productCapabilitiesMax } from '../../surfaces/product-capabilities.ts';
import type { Surface } from '../../surfaces/surface/surface.ts';
import { surfacesMax } from '../../surfaces/surface-changes.ts';
import { surfaceStore } from '../../surfaces/surface-store.ts';
import type { DocumentEntry, DocumentKind, DocumentProblem, StoredResource, WorkspaceKind } from './kind.ts';
import { tooManyParts } from './part-limits.ts';
import { readAll } from './read-all.ts';
import { referencesAt } from './references.ts';
import { surfacesKind } from './surfaces.ts';

const capabilities: DocumentKind = {
  noun: 'capability',
  nameMember: 'capabilityName',
  nameOf: ({ capabilityName }) => String(capabilityName),
  defaults: { capabilityDescription: null, flowId: null, agentId: null, enabled: true },
  kept: ['parametersSchema'],
  references: referencesAt({ flowId: 'flows', agentId: 'agents' }),
};

export const productsKind: WorkspaceKind = {
  group: 'PRODUCTS',
  noun: 'product',
  nameMember: 'name',
  nameOf: ({ name }) => String(name),
  defaults: { description: null, icon: null, spec: {} },
  // Where an editor shows what, by ids.
  tidy: ({ canvas: _canvas, ...content }) => content,
  problems: (entry) => [
    ...itemProblems(entry),
    ...tooManyParts(entry, 'capabilities', {
      max: productCapabilitiesMax,
      limit: `A product has at most ${productCapabilitiesMax} capabilities`,
    }),
    ...tooManyParts(entry, 'surfaces', {
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
      surfaces: await Promise.all(surfaces.map((surface) => surfaceResource(scope, surface))),
    },
  };
}

async function surfaceResource(scope: Scope, surface: Surface): Promise<StoredResource> {
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
function itemProblems({ parts }: DocumentEntry): DocumentProblem[] {
  const names = new Set((parts.capabilities ?? []).map(({ key }) => key));
  return (parts.surfaces ?? []).flatMap((surface) =>
    (surface.parts.items ?? [])
      .filter(({ content }) => !names.has(String(content.capabilityId)))
      .map(({ content, path }) => {
        const message = `The product has no capability "${content.capabilityId}"`;
        return { ...detailAt([...path, 'capabilityId'], 'NOT_FOUND', message), at: path };
      }),
  );
}
