/**
 * The items of a surface: which capabilities it exposes, under which name, slug, route and presentation.
 * Items are part of the surface's own item and change with it. Names, slugs, routes and the entry point are unique on a
 * surface; a slug that is not sent is made from the name, on surfaces whose items have endpoints.
 * An item can be added only while its capability exists, which the transaction checks on the product.
 * The endpoints of surfaces call it; workspace documents use its schemas and `findTakenMember`, and `protocols/mcp`
 * asks `isPrompt`.
 */
import * as z from 'zod';
import { conflict, type ErrorDetail, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt, resourceId } from '../../core/ids.ts';
import { mergePatch } from '../../core/json/merge-patch.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../core/name.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { type ProductCapability, productEntity } from '../products/product.ts';
import { productStore } from '../products/product-store.ts';
import { findCapability } from './product-capabilities.ts';
import { getSurfaceType, type Surface, type SurfaceItem } from './surface/surface.ts';
import { surfaceStore } from './surface-store.ts';

export const itemsMax = 64;

const Members = z.record(z.string(), z.unknown());

const Presentation = z.strictObject({
  route: z
    .string()
    .min(1)
    .max(80)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
    .meta({ description: 'Unique on the surface' }),
  displayLabel: nameUpTo(120),
  displayIcon: z.string().max(255).optional(),
  displayMode: z.enum(['chat', 'form', 'document']),
  displayOrder: z.int().min(0).default(0),
  isDefault: z.boolean().default(false),
  visibility: z.enum(['public', 'auth-only']).default('auth-only'),
  formConfig: z
    .strictObject({
      inputSchemaOverrides: Members.optional(),
      submitButtonLabel: z.string().max(120).optional(),
      successMessage: z.string().max(2_000).optional(),
    })
    .optional(),
});

const Slug = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9-]+$/)
  .meta({ description: 'The last part of the path of the item’s endpoint. Unique on the surface' });
const ExposedDescription = z.string().max(4_000).refine(wellFormed, wellFormedOnly);

const commonMembers = {
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  isEntryPoint: z.boolean().optional().meta({
    description: 'The item that callers get who name none. One per surface. Default: false',
  }),
};

export const NewItem = z.strictObject({
  capabilityId: resourceId('cap'),
  endpointSlug: Slug.optional(),
  exposedName: nameUpTo(100).optional(),
  exposedDescription: ExposedDescription.optional(),
  ...commonMembers,
  presentation: Presentation.optional(),
});
export type NewItem = z.infer<typeof NewItem>;

export const ItemChanges = z.strictObject({
  endpointSlug: Slug.nullable().optional(),
  exposedName: nameUpTo(100).nullable().optional(),
  exposedDescription: ExposedDescription.nullable().optional(),
  ...commonMembers,
  config: Members.nullable().optional().meta({
    description:
      'Merged deeply; null removes a member, or all. On an mcp surface, `offeredAs: "prompt"` makes the item a prompt instead of a tool. Other members are stored as they are',
  }),
  presentation: Presentation.nullable().optional(),
});
export type ItemChanges = z.infer<typeof ItemChanges>;

export const surfaceItems = /* @__PURE__ */ using(
  ['table:write', productStore, surfaceStore],
  (scope: Scope) => {
    const { table, newId } = scope;
    const surfaces = surfaceStore(scope);

    return {
      /** @throws 404; 409 if a name, slug, route or the entry point is taken, or the surface is full. */
      async add(productId: string, surfaceId: string, sent: NewItem): Promise<SurfaceItem> {
        const { capabilities } = await productStore(scope).find(productId);
        const { capabilityName } = findCapability(capabilities, sent.capabilityId);
        const id = newId('item');
        const made = { id, createdAt: getIdCreatedAt(id) };
        let added: SurfaceItem | undefined;
        await surfaces.change(productId, surfaceId, (surface) => {
          const { items } = surface;
          if (items.length >= itemsMax) throw createFullError();
          added = {
            ...made,
            capabilityId: sent.capabilityId,
            enabled: sent.enabled ?? true,
            endpointSlug: sent.endpointSlug ?? chooseSlug(surface, sent.exposedName ?? capabilityName),
            exposedName: sent.exposedName ?? null,
            exposedDescription: sent.exposedDescription ?? null,
            isEntryPoint: sent.isEntryPoint ?? false,
            config: null,
            presentation: sent.presentation ?? null,
            displayOrder: (items.at(-1)?.displayOrder ?? -1) + 1,
          };
          assertUnique(items, added);
          const stillThere = {
            expression: 'contains(#capabilities, :id)',
            values: { id: sent.capabilityId },
          };
          // A capability that is removed at the same time takes its items along.
          const alsoWrite = [table.writes.check(productEntity, { id: productId }, stillThere)];
          const alsoWriteRefused = () => notFound('Capability');
          return { after: { ...surface, items: [...items, added] }, alsoWrite, alsoWriteRefused };
        });
        return added as SurfaceItem;
      },

      /** @throws 400, 404; 409 if a name, slug, route or the entry point is taken. */
      async update(
        productId: string,
        surfaceId: string,
        id: string,
        { config, ...sent }: ItemChanges,
      ): Promise<SurfaceItem> {
        const changes = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
        const { capabilities } = sent.endpointSlug === null ? await productStore(scope).find(productId) : {};
        let after: SurfaceItem | undefined;
        await surfaces.change(productId, surfaceId, (surface) => {
          const before = findItem(surface, id);
          assertItemConfig(surface.type, config);
          const others = surface.items.filter((each) => each !== before);
          const changed: SurfaceItem = { ...before, ...changes, config: mergeConfig(before, config) };
          changed.endpointSlug ??= chooseSlug(
            { ...surface, items: others },
            changed.exposedName ?? findName(capabilities, before) ?? before.endpointSlug ?? '',
          );
          after = changed;
          assertUnique(others, changed);
          const items = surface.items.map((each) => (each === before ? changed : each));
          return { after: { ...surface, items } };
        });
        return after as SurfaceItem;
      },

      /** @throws 404 */
      async remove(productId: string, surfaceId: string, id: string): Promise<void> {
        await surfaces.change(productId, surfaceId, (surface) => {
          const gone = findItem(surface, id);
          return { after: { ...surface, items: surface.items.filter((each) => each !== gone) } };
        });
      },
    };
  },
);

function findItem({ items }: Surface, id: string): SurfaceItem {
  const item = items.find((each) => each.id === id);
  if (!item) throw notFound('Surface item');
  return item;
}

const findName = (capabilities: readonly ProductCapability[] | undefined, { capabilityId }: SurfaceItem) =>
  capabilities?.find(({ id }) => id === capabilityId)?.capabilityName;

const mergeConfig = ({ config }: SurfaceItem, patch: ItemChanges['config']): SurfaceItem['config'] =>
  patch === undefined ? config : (mergePatch(config ?? {}, patch) as SurfaceItem['config']);

/** Where items are called by their slugs: the name in the characters of a slug, with a number if it is taken. */
function chooseSlug({ type, items }: Surface, name: string): string | null {
  if (!getSurfaceType(type).hasEndpoints) return null;
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['item'];
  const base = words.join('-').slice(0, 90);
  const taken = new Set(items.map(({ endpointSlug }) => endpointSlug));
  for (let n = 1; ; n++) {
    const slug = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(slug)) return slug;
  }
}

type UniqueItem = Partial<
  Pick<SurfaceItem, 'endpointSlug' | 'exposedName' | 'presentation' | 'isEntryPoint'>
>;

/** What only one item of a surface may have, with the path of the member for the error. */
const uniques: Record<string, (item: UniqueItem) => unknown> = {
  endpointSlug: ({ endpointSlug }) => endpointSlug,
  exposedName: ({ exposedName }) => exposedName,
  'presentation.route': ({ presentation }) => presentation?.route,
  isEntryPoint: ({ isEntryPoint }) => isEntryPoint || undefined,
};

function assertUnique(others: readonly SurfaceItem[], item: SurfaceItem): void {
  const taken = findTakenMember(others, item);
  if (taken) throw conflict(taken);
}

/** What only one item of a surface may have, and another one has. */
export function findTakenMember(others: readonly UniqueItem[], item: UniqueItem): ErrorDetail | undefined {
  for (const [path, memberOf] of Object.entries(uniques)) {
    const value = memberOf(item);
    if (value == null || !others.some((other) => memberOf(other) === value)) continue;
    const message =
      path === 'isEntryPoint'
        ? 'Another item of the surface is its entry point. Set its isEntryPoint to false first'
        : `Another item of the surface has the ${path} "${value}". Choose another one`;
    return { path, code: 'NAME_TAKEN', message };
  }
  return undefined;
}

const createFullError = () =>
  conflict({ code: 'LIMIT_REACHED', message: `A surface has at most ${itemsMax} items` });

const McpConfig = z.object({ offeredAs: z.enum(['tool', 'prompt']).optional() });

type ConfigMembers = Record<string, unknown>;

/** @throws 400 for members of the config that surfaces of this type read, and that have other values. */
export function assertItemConfig(type: Surface['type'], changes: ConfigMembers | null | undefined): void {
  if (type !== 'mcp' || !changes) return;
  const kept = Object.entries(changes).filter(([, value]) => value !== null);
  parseOrReject(McpConfig, Object.fromEntries(kept), ['config']);
}

/** Whether an mcp surface offers the item as a prompt, and not as a tool. */
export const isPrompt = ({ config }: SurfaceItem): boolean =>
  McpConfig.safeParse(config ?? {}).data?.offeredAs === 'prompt';
