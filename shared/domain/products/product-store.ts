/**
 * Reads, lists, creates and changes products.
 * A change is decided on the current product and written on the condition that it is unchanged; after a few conflicts
 * it is a 409. `canvas` and `spec` are merged deeply and validated afterwards. Capabilities and the list of surfaces
 * change through `change`, too, in the transactions of `domain/surfaces`.
 * `create-product.ts` creates a product together with its test key. Callers: `functions/products` and
 * `domain/surfaces`.
 */
import { getIdCreatedAt } from '../../core/ids.ts';
import { mergePatch } from '../../core/json/merge-patch.ts';
import { using } from '../../platform/aws/uses.ts';
import type { SummaryOf } from '../../platform/data/entity.ts';
import { nameSearch } from '../../platform/data/lists/name-search.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { assertFits } from '../content-size.ts';
import { Canvas, type Product, productEntity, productsPartition, Spec, toStoredProduct } from './product.ts';

type Patch = Record<string, unknown> | undefined;

/** Missing members stay unchanged. `canvas` and `spec` are merged: objects deeply, `null` removes a member. */
export interface ProductChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  icon?: string | null | undefined;
  canvas?: Patch;
  spec?: Patch;
}

export type NewProduct = ProductChanges & { name: string };

interface Creation {
  id?: string;
  testKeyId?: string;
  /** Commits the write of the product with others. */
  commit?: (write: Write) => Promise<void>;
}

type ListedProduct = Pick<Product, 'id'> & SummaryOf<typeof productEntity>;

export const productStore = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const { table, now, newId } = scope;

  /** Applies a change to the current product atomically. Retries on concurrent writes, then throws 409. */
  async function change(
    id: string,
    decide: (before: Product) => Promise<{ after: Product; alsoWrite?: Write[] }>,
  ): Promise<Product> {
    const updatedAt = now().toISOString();
    const decideWrite = async (before: Product): Promise<Modification<typeof productEntity>> => {
      const { after, alsoWrite } = await decide(before);
      return { put: toItem({ ...after, updatedAt }), ...(alsoWrite && { alsoWrite }) };
    };
    return table.change(productEntity, { id }, decideWrite);
  }

  return {
    change,

    /** @throws 404 */
    find: (id: string): Promise<Product> => table.find(productEntity, { id }),

    /** Newest first, from index entries alone. */
    async list(query: CursorQuery & { search?: string | undefined }) {
      const source = { partition: productsPartition, index: 1, kind: 'product' } as const;
      const page = await cursorPage(table, { ...source, ...nameSearch(query.search) }, query);
      return { products: page.rows as unknown as ListedProduct[], pagination: page.pagination };
    },

    async create(
      owner: Pick<Product, 'userId' | 'organizationId'>,
      input: NewProduct,
      { id = newId('product'), testKeyId, commit = (write) => table.commit([write]) }: Creation = {},
    ): Promise<Product> {
      const at = getIdCreatedAt(id);
      const empty = { description: null, icon: null, canvas: {}, spec: {}, capabilities: [], surfaces: [] };
      const made = { ...owner, id, revision: 1, createdAt: at, updatedAt: at };
      const key = testKeyId !== undefined && { testKeyId };
      const item = toItem({ ...made, ...key, ...mergeChanges({ ...empty, name: input.name }, input) });
      await commit(table.writes.insert(productEntity, item));
      return productEntity.schema.parse(item);
    },

    /** @throws 400 if the merged canvas or spec is not valid, 404 */
    update: (id: string, changes: ProductChanges): Promise<Product> =>
      change(id, async (before) => ({ after: mergeChanges(before, changes) })),
  };
});

type Edited = Pick<Product, 'name' | 'description' | 'icon' | 'canvas' | 'spec'>;

function mergeChanges<P extends Edited>(before: P, changes: ProductChanges): P {
  const { name = before.name, description = before.description, icon = before.icon } = changes;
  const { canvas = {}, spec = {} } = changes;
  return {
    ...before,
    name,
    description,
    icon,
    canvas: parseOrReject(Canvas, mergePatch(before.canvas, canvas), ['canvas']),
    spec: parseOrReject(Spec, mergePatch(before.spec, spec), ['spec']),
  };
}

/** @throws 400 if the product does not fit an item of the table. */
function toItem(product: Parameters<typeof toStoredProduct>[0]) {
  const item = toStoredProduct(product);
  const { canvas, spec, capabilities } = item;
  assertFits('a product', { canvas, spec, capabilities });
  return item;
}
