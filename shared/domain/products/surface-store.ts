import { conflict, invalidAt, notFound, unprocessable } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneOf } from '../../platform/cleanup/tombstone.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { assertFits } from '../content-size.ts';
import { type Product, productEntity, productPartition } from './product.ts';
import { productStore } from './product-store.ts';
import { type Surface, storedSurface, surfaceEntity, surfacesPartition } from './surface.ts';
import { surfaceTypeOf } from './surface-types.ts';

export const surfacesMax = 40;
/** So that a product with all of its surfaces fits a response. */
const surfaceBytesMax = 100_000;

type Members = Record<string, unknown>;

/** Missing members stay unchanged. The first level of `behavior` is merged; `null` removes a member. */
export interface SurfaceChanges {
  name?: string | undefined;
  environment?: Surface['environment'] | undefined;
  status?: Surface['status'] | undefined;
  behavior?: Members | undefined;
  inbound?: Members | undefined;
  outbound?: Members | undefined;
}

export type NewSurface = SurfaceChanges & Pick<Surface, 'name' | 'type'>;

export interface SurfaceFilter {
  type?: string | undefined;
  status?: string | undefined;
  environment?: string | undefined;
}

/** A product with its surfaces, oldest first. */
export interface WholeProduct {
  product: Product;
  surfaces: Surface[];
}

interface SurfaceModification {
  after: Surface;
  alsoWrite?: Write[];
  /** The error if only `alsoWrite` was refused. Without it, that counts as a conflict. */
  alsoWriteRefused?: () => Error;
}

export const surfaceStore = /* @__PURE__ */ using(['table:write', productStore], (scope: Scope) => {
  const { table, now, newId } = scope;
  const products = productStore(scope);

  async function find(productId: string, id: string): Promise<Surface> {
    return found(await table.get(surfaceEntity, { productId, id }));
  }

  /** Applies a change to the current surface atomically. @throws 404; 409 after five conflicts. */
  async function change(
    productId: string,
    id: string,
    decide: (before: Surface) => SurfaceModification | Promise<SurfaceModification>,
  ): Promise<Surface> {
    const updatedAt = now().toISOString();
    const decided = async (before: Surface): Promise<Modification<typeof surfaceEntity>> => {
      const { after, ...others } = await decide(before);
      return { put: stored({ ...after, updatedAt }), ...others };
    };
    return found(await table.modify(surfaceEntity, { productId, id }, decided, { conflictError }));
  }

  /** The write that renames a surface in the list of its product. */
  async function renaming(productId: string, id: string, name: string): Promise<Write[]> {
    const product = await products.find(productId);
    const surfaces = product.surfaces.map((each) => (each.id === id ? { ...each, name } : each));
    const changes = { set: { surfaces }, add: { revision: 1 } };
    return [table.writes.update(productEntity, { id: productId }, changes, isUnchanged(product))];
  }

  return {
    find,
    change,

    /** A product with its surfaces, in one request. @throws 404 */
    async whole(productId: string): Promise<WholeProduct> {
      const items = await table.queryAll({ partition: productPartition(productId) });
      const [product] = decodeReadable(
        productEntity,
        items.filter(({ SK }) => SK === 'PRODUCT'),
      );
      if (!product) throw notFound('Product');
      return {
        product,
        surfaces: decodeReadable(
          surfaceEntity,
          items.filter(({ SK }) => SK !== 'PRODUCT'),
        ),
      };
    },

    /** Newest first. @throws 404 if there is no such product. */
    async list(productId: string, query: CursorQuery & SurfaceFilter) {
      const wanted = (['type', 'status', 'environment'] as const).filter((name) => query[name] !== undefined);
      const filter = {
        expression: wanted.map((name) => `#summary.#${name} = :${name}`).join(' AND '),
        values: Object.fromEntries(wanted.map((name) => [name, query[name]])),
      };
      const source = { partition: surfacesPartition(productId), index: 1, kind: 'surface' } as const;
      const [{ rows, pagination }] = await Promise.all([
        cursorPage(table, { ...source, ...(wanted.length > 0 && { filter }) }, query),
        products.find(productId),
      ]);
      const keys = rows.map(({ id }) => surfaceEntity.key({ productId, id: String(id) }));
      const items = await table.getMany(keys);
      return { surfaces: decodeReadable(surfaceEntity, items), pagination };
    },

    /** @throws 400, 404; 409 if the product has as many surfaces as it can have. */
    async add(productId: string, given: NewSurface): Promise<Surface> {
      const at = now().toISOString();
      const made = { id: newId('surface'), productId, revision: 1, createdAt: at, updatedAt: at };
      const empty = { behavior: {}, inbound: {}, outbound: {}, items: [] };
      const defaults = { environment: 'development', status: 'draft' } as const;
      const fresh: Surface = { ...made, ...empty, ...defaults, name: given.name, type: given.type };
      if (given.status === 'active') {
        assertConnected(given, (message) => invalidAt('status', 'CHANNEL_NOT_CONNECTED', message));
      }
      const surface = changed(fresh, given);
      const { id, name, type } = surface;
      await products.change(productId, async (before) => {
        if (before.surfaces.length >= surfacesMax) throw tooMany();
        const surfaces = [...before.surfaces, { id, name, type }];
        return {
          after: { ...before, surfaces },
          alsoWrite: [table.writes.insert(surfaceEntity, stored(surface))],
        };
      });
      return surface;
    },

    /** @throws 400, 404; 422 if a surface whose channel is not connected would become active. */
    update: (productId: string, id: string, changes: SurfaceChanges): Promise<Surface> =>
      change(productId, id, async (before) => {
        if (changes.status === 'active') {
          const code = 'CHANNEL_NOT_CONNECTED';
          assertConnected(before, (message) => unprocessable({ path: 'status', code, message }));
        }
        const after = changed(before, changes);
        const isRenamed = after.name !== before.name;
        return { after, ...(isRenamed && { alsoWrite: await renaming(productId, id, after.name) }) };
      }),

    /** Unreachable at once; a clean-up of its id removes its keys and schedules. @throws 404 */
    async remove(productId: string, id: string): Promise<void> {
      await products.change(productId, async (before) => {
        const surfaces = before.surfaces.filter((surface) => surface.id !== id);
        if (surfaces.length === before.surfaces.length) throw notFound('Surface');
        return {
          after: { ...before, surfaces },
          alsoWrite: [table.writes.remove(surfaceEntity, { productId, id }, exists), tombstoneOf(scope, id)],
        };
      });
    },
  };
});

function changed(before: Surface, changes: SurfaceChanges): Surface {
  const { name = before.name, environment = before.environment, status = before.status } = changes;
  const { behavior, inbound = before.inbound, outbound = before.outbound } = changes;
  const merged = Object.entries({ ...before.behavior, ...behavior }).filter(([, value]) => value !== null);
  return { ...before, name, environment, status, behavior: Object.fromEntries(merged), inbound, outbound };
}

function assertConnected({ type }: Pick<Surface, 'type'>, refusal: (message: string) => Error): void {
  const { channel } = surfaceTypeOf(type);
  if (channel === undefined) return;
  throw refusal(
    `The surface cannot be active: this service has no connection to ${channel}. Keep it as a draft, or use a surface of the type api or webhook`,
  );
}

/** @throws 400 if the surface does not fit an item of the table. */
function stored(surface: Surface) {
  const item = storedSurface(surface);
  const { behavior, inbound, outbound, items } = item;
  assertFits('a surface', { behavior, inbound, outbound, items }, surfaceBytesMax);
  return item;
}

function found(surface: Surface | undefined): Surface {
  if (!surface) throw notFound('Surface');
  return surface;
}

const tooMany = () =>
  conflict({
    code: 'LIMIT_REACHED',
    message: `A product has at most ${surfacesMax} surfaces. Delete those that are no longer used`,
  });

const conflictError = () =>
  conflict('The surface was changed by another request at the same time; read it again and retry');

/** The writes that remove the items of a capability from the surfaces of its product. */
export async function withoutItemsOf(
  { table, now }: Scope,
  productId: string,
  { surfaces, id }: { surfaces: readonly { id: string }[]; id: string },
): Promise<Write[]> {
  const keys = surfaces.map((surface) => surfaceEntity.key({ productId, id: surface.id }));
  const current = decodeReadable(surfaceEntity, await table.getMany(keys, { consistent: true }));
  return current.map((surface) => {
    const items = surface.items.filter(({ capabilityId }) => capabilityId !== id);
    // None of them may get such an item meanwhile.
    if (items.length === surface.items.length)
      return table.writes.check(surfaceEntity, surface, isUnchanged(surface));
    const after = { ...surface, items, revision: surface.revision + 1, updatedAt: now().toISOString() };
    return table.writes.put(surfaceEntity, stored(after), isUnchanged(surface));
  });
}
